#include "wire/optimize/key_reduction.h"

#include "anim/model/mat.h"
#include "anim/model/trig.h"

static const float *row_of(const struct key_curve *curve, uint32_t k)
{
    return curve->values + (curve->is_cubic ? 3 * (size_t)k + 1 : k) * curve->width;
}

static bool is_same(const struct key_curve *curve, uint32_t a, uint32_t b)
{
    return memcmp(row_of(curve, a), row_of(curve, b), curve->width * sizeof(float)) == 0;
}

/* What two keys give at the times between them. */
struct piece {
    const struct key_curve *curve;
    uint32_t a, b;
    double span_s;
    double from[4], to[4], angle, sine; /* of rotations; `to` is on the side of `from` */
};

static void read_rotation(const struct key_curve *curve, uint32_t k, double q[4])
{
    for (int i = 0; i < 4; i++)
        q[i] = (double)row_of(curve, k)[i];
}

static struct piece piece_of(const struct key_curve *curve, uint32_t a, uint32_t b)
{
    struct piece piece = {.curve = curve, .a = a, .b = b, .span_s = curve->times[b] - curve->times[a]};
    if (!curve->is_rotation)
        return piece;
    read_rotation(curve, a, piece.from);
    read_rotation(curve, b, piece.to);
    quat_repair(piece.from);
    quat_repair(piece.to);
    const double side = dot4(piece.from, piece.to) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        piece.to[i] *= side;
    piece.angle = quat_angle(piece.from, piece.to, 1);
    piece.sine = trig_sin(piece.angle);
    return piece;
}

/* The chord between unit quaternions is half of the angle between the rotations, as far as it is small. */
static double angle_between(const double a[4], const double b[4])
{
    double minus = 0, plus = 0;
    for (int i = 0; i < 4; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 2 * sqrt(fmin(minus, plus));
}

/* As quat_slerp() interpolates, and as readers do that interpolate the four numbers, whichever is further. */
static double rotation_distance(const struct piece *piece, uint32_t k, double u)
{
    const bool is_chord = piece->sine < 1e-8;
    const double of_from = is_chord ? 1 - u : trig_sin((1 - u) * piece->angle) / piece->sine;
    const double of_to = is_chord ? u : trig_sin(u * piece->angle) / piece->sine;
    double own[4], arc[4], chord[4];
    read_rotation(piece->curve, k, own);
    for (int i = 0; i < 4; i++) {
        arc[i] = of_from * piece->from[i] + of_to * piece->to[i];
        chord[i] = (1 - u) * piece->from[i] + u * piece->to[i];
    }
    quat_normalize(chord);
    return fmax(angle_between(own, arc), angle_between(own, chord));
}

/* Returns how far key `k` is from what the piece gives: of rotations the angle in radians, otherwise the largest
 * difference of a component. */
static double distance_from(const struct piece *piece, uint32_t k)
{
    const struct key_curve *curve = piece->curve;
    if (is_same(curve, k, piece->a) && (curve->is_step || is_same(curve, k, piece->b)))
        return 0;
    const double past_s = curve->times[k] - curve->times[piece->a];
    const double u = curve->is_step || !(piece->span_s > 0) ? 0 : past_s / piece->span_s;
    if (curve->is_rotation)
        return rotation_distance(piece, k, u);
    double most = 0;
    for (uint32_t i = 0; i < curve->width; i++) {
        const double from = (double)row_of(curve, piece->a)[i], to = (double)row_of(curve, piece->b)[i];
        most = fmax(most, fabs((double)row_of(curve, k)[i] - (from * (1 - u) + to * u)));
    }
    return most;
}

/* --- cubic pieces (glTF 2.0, appendix C.4) --- */

/* A component of the cubic from key `a` to key `b`; the value of `a` where they are the same. */
static double cubic_at(const struct key_curve *curve, uint32_t a, uint32_t b, double time_s, uint32_t i)
{
    const uint32_t w = curve->width;
    const double span_s = curve->times[b] - curve->times[a], p0 = (double)row_of(curve, a)[i];
    if (!(span_s > 0))
        return p0;
    const double u = (time_s - curve->times[a]) / span_s, p1 = (double)row_of(curve, b)[i];
    const double m0 = span_s * (double)row_of(curve, a)[w + i], m1 = span_s * (double)(row_of(curve, b) - w)[i];
    return p0 + u * (m0 + u * (3 * (p1 - p0) - 2 * m0 - m1 + u * (2 * (p0 - p1) + m0 + m1)));
}

/* Returns how far the cubics from `a` to `b` and from `k` to the next key are apart at a time, as distance_from(). */
static double cubics_apart(const struct key_curve *curve, uint32_t a, uint32_t b, uint32_t k, double time_s)
{
    double most = 0, own[4], given[4];
    for (uint32_t i = 0; i < curve->width; i++) {
        const double x = cubic_at(curve, k, k + 1, time_s, i), y = cubic_at(curve, a, b, time_s, i);
        most = fmax(most, fabs(x - y));
        if (curve->is_rotation) {
            own[i] = x;
            given[i] = y;
        }
    }
    if (!curve->is_rotation || !(most > 0))
        return most;
    quat_repair(own);
    quat_repair(given);
    return angle_between(own, given);
}

/* Whether a key neither moves nor differs from another. */
static bool is_flat(const struct key_curve *curve, uint32_t k, uint32_t as)
{
    const float *value = row_of(curve, k), *in = value - curve->width, *out = value + curve->width;
    for (uint32_t i = 0; i < curve->width; i++)
        if (in[i] != 0 || out[i] != 0)
            return false;
    return is_same(curve, k, as);
}

/* Whether the cubic from `a` to `b` is near those of the keys between, from key to key and at three times in each. */
static bool is_cubic_given(const struct key_curve *curve, uint32_t a, uint32_t b, uint32_t from, uint32_t to,
                           double tolerance, uint64_t *looks)
{
    enum { PARTS = 4 };
    const bool is_still = is_flat(curve, a, a) && is_flat(curve, b, a);
    for (uint32_t k = from; k < to; k++) {
        *looks += PARTS;
        if (is_still && is_flat(curve, k, a) && is_flat(curve, k + 1, a))
            continue;
        for (int part = k > from; part < PARTS + (k + 1 == to); part++) {
            const double share = (double)part / PARTS;
            const double time_s = curve->times[k] + share * (curve->times[k + 1] - curve->times[k]);
            if (!(cubics_apart(curve, a, b, k, time_s) <= tolerance))
                return false;
        }
    }
    return true;
}

/* --- any pieces --- */

/* Whether all keys between `a` and `b` are given by these two. */
static bool is_given(const struct key_curve *curve, uint32_t a, uint32_t b, double tolerance, uint64_t *looks)
{
    if (curve->is_cubic)
        return is_cubic_given(curve, a, b, a, b, tolerance, looks);
    const struct piece piece = piece_of(curve, a, b);
    for (uint32_t k = a + 1; k < b; k++) {
        ++*looks;
        if (!(distance_from(&piece, k) <= tolerance))
            return false;
    }
    return true;
}

/* Returns the last key to which a piece from key `a` was found to reach: it doubles its length, then halves the rest.
 */
static uint32_t reach(const struct key_curve *curve, uint32_t a, double tolerance, uint64_t looks_most, uint64_t *looks)
{
    const uint32_t last = curve->count - 1;
    uint32_t good = a + 1, step = 1;
    while (good < last && *looks <= looks_most) {
        const uint32_t next = last - good > step ? good + step : last;
        if (!is_given(curve, a, next, tolerance, looks))
            break;
        good = next;
        step *= 2;
    }
    while (good < last && step > 1 && *looks <= looks_most) {
        step /= 2;
        if (last - good >= step && is_given(curve, a, good + step, tolerance, looks))
            good += step;
    }
    return good;
}

static bool is_still(const struct key_curve *curve, double tolerance, uint64_t *looks)
{
    if (curve->is_cubic)
        return is_cubic_given(curve, 0, 0, 0, curve->count - 1, tolerance, looks);
    const struct piece piece = piece_of(curve, 0, 0);
    for (uint32_t k = 1; k < curve->count; k++) {
        ++*looks;
        if (!(distance_from(&piece, k) <= tolerance))
            return false;
    }
    return true;
}

uint32_t keys_reduce(const struct key_curve *curve, double tolerance, uint64_t looks_most, uint32_t *kept,
                     uint64_t *looks)
{
    uint32_t count = 1;
    kept[0] = 0;
    *looks = 0;
    if (is_still(curve, tolerance, looks))
        return 1;
    for (uint32_t a = 0; a + 1 < curve->count;) {
        a = *looks > looks_most ? a + 1 : reach(curve, a, tolerance, looks_most, looks);
        kept[count++] = a;
    }
    return count;
}
