#include "wire/optimize/key_reduction.h"

#include "anim/model/mat.h"

static const float *row_of(const struct key_curve *curve, uint32_t k)
{
    return curve->values + (size_t)k * curve->width;
}

static bool is_same(const struct key_curve *curve, uint32_t a, uint32_t b)
{
    return memcmp(row_of(curve, a), row_of(curve, b), curve->width * sizeof(float)) == 0;
}

static void read_rotation(const struct key_curve *curve, uint32_t k, double q[4])
{
    for (int i = 0; i < 4; i++)
        q[i] = (double)row_of(curve, k)[i];
    quat_repair(q);
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

double key_distance(const struct key_curve *curve, uint32_t k, uint32_t a, uint32_t b)
{
    if (is_same(curve, k, a) && (curve->is_step || is_same(curve, k, b)))
        return 0;
    const double span_s = curve->times[b] - curve->times[a];
    const double u = curve->is_step || !(span_s > 0) ? 0 : (curve->times[k] - curve->times[a]) / span_s;
    if (curve->is_rotation) {
        double from[4], to[4], between[4], own[4];
        read_rotation(curve, a, from);
        read_rotation(curve, b, to);
        read_rotation(curve, k, own);
        quat_slerp(from, to, u, between);
        return angle_between(own, between);
    }
    double most = 0;
    for (uint32_t i = 0; i < curve->width; i++) {
        const double from = (double)row_of(curve, a)[i], to = (double)row_of(curve, b)[i];
        most = fmax(most, fabs((double)row_of(curve, k)[i] - (from * (1 - u) + to * u)));
    }
    return most;
}

/* Whether all keys between `a` and `b` are given by these two. */
static bool is_given(const struct key_curve *curve, uint32_t a, uint32_t b, double tolerance, uint64_t *looks)
{
    for (uint32_t k = a + 1; k < b; k++) {
        ++*looks;
        if (!(key_distance(curve, k, a, b) <= tolerance))
            return false;
    }
    return true;
}

/* Returns the last key to which a piece from key `a` was found to reach: it doubles its length, then halves the rest.
 */
static uint32_t reach(const struct key_curve *curve, uint32_t a, double tolerance, uint64_t *looks)
{
    const uint32_t last = curve->count - 1;
    uint32_t good = a + 1, step = 1;
    while (good < last) {
        const uint32_t next = last - good > step ? good + step : last;
        if (!is_given(curve, a, next, tolerance, looks))
            break;
        good = next;
        step *= 2;
    }
    while (good < last && step > 1) {
        step /= 2;
        if (last - good >= step && is_given(curve, a, good + step, tolerance, looks))
            good += step;
    }
    return good;
}

static bool is_still(const struct key_curve *curve, double tolerance, uint64_t *looks)
{
    for (uint32_t k = 1; k < curve->count; k++) {
        ++*looks;
        if (!(key_distance(curve, k, 0, 0) <= tolerance))
            return false;
    }
    return true;
}

uint32_t keys_reduce(const struct key_curve *curve, double tolerance, uint32_t *kept, uint64_t *looks)
{
    uint32_t count = 1;
    kept[0] = 0;
    if (is_still(curve, tolerance, looks))
        return 1;
    for (uint32_t a = 0; a + 1 < curve->count;) {
        a = reach(curve, a, tolerance, looks);
        kept[count++] = a;
    }
    return count;
}
