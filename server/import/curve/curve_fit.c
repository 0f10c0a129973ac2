/* curve_fit.c - fits segments between the given times: linear if they match the motion, else cubic and halved as
 * needed. */
#include "import/curve/curve_fit.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest rotation of an initial segment. A third of a turn is safely below the half turn at which the shorter arc
 * changes. */
static const double PIECE_TURN_RAD = 2 * 3.14159265358979323846 / 3;
enum { HALVINGS_MAX = 40, SAMPLES = 4 };

/* Keys are stored as float32. */
static const double VALUE_MAX = 3e38;
/* The tolerance if the motion is 0 at all sampled times. */
static const double TOLERANCE_MIN = 1e-14;

struct fitter {
    const struct curve_fit *fit;
    struct track *track;
    double *space; /* SAMPLES points of a segment, two to compare, two slopes, one known */
    size_t capacity;
    double tolerance;
    double known_s; /* the motion is known there: it is *known; NaN: nowhere */
    double *known;
    const double *extrema_s; /* [extremum_count], when has_extrema */
    uint32_t extremum_count;
    bool has_extrema;
    struct {
        double from_s, to_s, value; /* the latest fit->sixth() */
    } sixth;
    bool is_near;
    int rc; /* 0, an ERR_ code, or NOT_STRAIGHT */
};

enum { NOT_STRAIGHT = 1 };

static size_t key_doubles(const struct fitter *fitter)
{
    return fitter->track->components * (fitter->track->is_cubic ? 3u : 1u);
}

static double *value_of(const struct fitter *fitter, uint32_t key)
{
    return fitter->track->values + key * key_doubles(fitter) +
           (fitter->track->is_cubic ? fitter->track->components : 0);
}

static double *sample(const struct fitter *fitter, int index)
{
    return fitter->space + (size_t)index * fitter->fit->components;
}

/* Gives a quaternion the sign that brings it nearer to `reference`. */
static void align(const struct fitter *fitter, const double *reference, double *value)
{
    if (fitter->fit->is_rotation && dot4(reference, value) < 0)
        for (uint32_t c = 0; c < 4; c++)
            value[c] = -value[c];
}

static void evaluate(const struct fitter *fitter, double time_s, const double *reference, double *out)
{
    if (time_s == fitter->known_s)
        memcpy(out, fitter->known, fitter->fit->components * sizeof *out);
    else
        fitter->fit->at(fitter->fit->user, time_s, out);
    if (reference != NULL)
        align(fitter, reference, out);
}

static double distance(const struct fitter *fitter, const double *a, const double *b)
{
    double worst = 0;
    for (uint32_t c = 0; c < fitter->fit->components; c++)
        worst = fabs(a[c] - b[c]) > worst ? fabs(a[c] - b[c]) : worst; /* a NaN does not count, as with fmax() */
    return worst;
}

/* Appends a key with its value and tangents 0. */
static bool push(struct fitter *fitter, double time_s, const double *value)
{
    struct track *track = fitter->track;
    const size_t doubles = key_doubles(fitter);
    if (fitter->rc != 0)
        return false;
    for (uint32_t c = 0; c < track->components; c++)
        if (!(fabs(value[c]) <= VALUE_MAX))
            fitter->rc = ERR_BAD_MODEL;
    if (track->count >= fitter->fit->key_limit)
        fitter->rc = ERR_MODEL_LIMIT;
    if (fitter->rc != 0)
        return false;
    if (track->count == fitter->capacity) {
        fitter->capacity = fitter->capacity == 0 ? (size_t)fitter->fit->time_count + 16 : 2 * fitter->capacity;
        track->times_s = mem_realloc(track->times_s, fitter->capacity * sizeof *track->times_s);
        track->values = mem_realloc(track->values, fitter->capacity * doubles * sizeof *track->values);
    }
    track->times_s[track->count] = time_s;
    memset(track->values + track->count * doubles, 0, doubles * sizeof *track->values);
    track->count++;
    memcpy(value_of(fitter, track->count - 1), value, track->components * sizeof *value);
    return true;
}

static void blend(const struct fitter *fitter, const double *a, const double *b, double u, double *out)
{
    if (fitter->fit->is_rotation) {
        quat_slerp(a, b, u, out);
        return;
    }
    for (uint32_t c = 0; c < fitter->fit->components; c++)
        out[c] = a[c] * (1 - u) + b[c] * u;
}

/* --- one piece --- */

/* Hermite form, like the evaluator (anim/pose/sample.c), which also normalises rotations. */
static void cubic(const struct fitter *fitter, const double *slopes, double u, double *out)
{
    const uint32_t n = fitter->fit->components;
    const double *start = sample(fitter, 0), *end = sample(fitter, 3);
    const double u2 = u * u, u3 = u2 * u;
    const double of_start = 2 * u3 - 3 * u2 + 1, of_out = u3 - 2 * u2 + u, of_end = 3 * u2 - 2 * u3, of_in = u3 - u2;
    for (uint32_t c = 0; c < n; c++)
        out[c] = of_start * start[c] + of_out * slopes[c] + of_end * end[c] + of_in * slopes[n + c];
}

/* A candidate segment: linear between samples 0 and 3, or cubic with slopes. */
struct piece {
    double from_s, to_s;
    const double *slopes; /* of a cubic */
};

static bool is_near_at(const struct fitter *fitter, const struct piece *piece, double time_s)
{
    double *real = sample(fitter, 4), *own = sample(fitter, 5);
    const double u = (time_s - piece->from_s) / (piece->to_s - piece->from_s);
    if (piece->slopes == NULL)
        blend(fitter, sample(fitter, 0), sample(fitter, 3), u, own);
    else
        cubic(fitter, piece->slopes, u, own);
    if (piece->slopes != NULL && fitter->fit->is_rotation)
        quat_normalize(own);
    evaluate(fitter, time_s, own, real);
    return distance(fitter, own, real) <= fitter->tolerance;
}

/* The bound of the sixth derivative. Not finite where it is unknown. */
static double sixth_of(struct fitter *fitter, double from_s, double to_s)
{
    const struct curve_fit *fit = fitter->fit;
    if (fit->sixth == NULL)
        return HUGE_VAL;
    if (from_s != fitter->sixth.from_s || to_s != fitter->sixth.to_s) {
        fitter->sixth.value = fit->sixth(fit->user, from_s, to_s);
        fitter->sixth.from_s = from_s;
        fitter->sixth.to_s = to_s;
    }
    return fitter->sixth.value;
}

enum verdict { OPEN, GOOD, BAD };

/* Judges a cubic piece of a rotation by its errors at a sixth and five sixths, if that is enough. With w(u) = u (u -
 * 1/3) (u - 2/3)(u - 1), which is at most 1/81, the error is w(u) g(u), where g is a divided difference of order 4.
 * From the line through its values at the two places g differs by a difference of order 6 times (u - 1/6)(u - 5/6),
 * which is at most 5/36 (Davis, "Interpolation and approximation", 3.1). The line is at most 3/2 of the larger value.
 * To normalise the cubic adds no more than the square of its error. */
static enum verdict judge(struct fitter *fitter, const struct piece *piece)
{
    static const double PARTS[] = {1.0 / 6, 5.0 / 6}, W = 0.9375, MARGIN = 1.01, ROUNDING = 1e-13; /* W: 81 w(1/6) */
    double *real = sample(fitter, 4), *own = sample(fitter, 5), worst = 0;
    const double sixth = sixth_of(fitter, piece->from_s, piece->to_s) * (5.0 / 36) / (81 * 720);
    if (!(sixth <= fitter->tolerance))
        return OPEN;
    for (int i = 0; i < 2; i++) {
        const double time_s = piece->from_s + (piece->to_s - piece->from_s) * PARTS[i];
        cubic(fitter, piece->slopes, (time_s - piece->from_s) / (piece->to_s - piece->from_s), own);
        evaluate(fitter, time_s, own, real);
        double sum = 0;
        for (int c = 0; c < 4; c++)
            sum += (own[c] - real[c]) * (own[c] - real[c]);
        worst = sum > worst ? sum : worst;
        quat_normalize(own);
        if (!(distance(fitter, own, real) <= fitter->tolerance))
            return BAD;
    }
    return MARGIN * (1.5 / W * sqrt(worst) + sixth) + ROUNDING <= fitter->tolerance ? GOOD : OPEN;
}

/* Returns the index of the first extremum after a time. */
static uint32_t extremum_after(const struct fitter *fitter, double time_s)
{
    uint32_t low = 0, high = fitter->extremum_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (fitter->extrema_s[middle] <= time_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_near_at_extrema(struct fitter *fitter, const struct piece *piece)
{
    const struct curve_fit *fit = fitter->fit;
    if (!fitter->has_extrema && fit->extrema != NULL)
        fitter->extrema_s = fit->extrema(fit->user, &fitter->extremum_count);
    fitter->has_extrema = true;
    for (uint32_t i = extremum_after(fitter, piece->from_s);
         i < fitter->extremum_count && fitter->extrema_s[i] < piece->to_s; i++)
        if (!is_near_at(fitter, piece, fitter->extrema_s[i]))
            return false;
    return true;
}

/* Whether a segment is within the bound at these fractions of it and at its extrema. */
static bool is_good(struct fitter *fitter, const struct piece *piece, const double *parts, size_t part_count)
{
    const enum verdict verdict = piece->slopes != NULL ? judge(fitter, piece) : OPEN;
    if (verdict != OPEN)
        return verdict == GOOD;
    for (size_t i = 0; i < part_count; i++)
        if (!is_near_at(fitter, piece, piece->from_s + (piece->to_s - piece->from_s) * parts[i]))
            return false;
    return is_near_at_extrema(fitter, piece);
}

static void add_straight(struct fitter *fitter, double from_s, double to_s)
{
    static const double TRIED[] = {0.5, 1.0 / 6, 0.37, 5.0 / 6};
    double *start = sample(fitter, 0), *end = sample(fitter, 3);
    memcpy(start, value_of(fitter, fitter->track->count - 1), fitter->fit->components * sizeof *start);
    evaluate(fitter, to_s, start, end);
    if (is_good(fitter, &(struct piece){from_s, to_s, NULL}, TRIED, sizeof TRIED / sizeof *TRIED))
        push(fitter, to_s, end);
    else
        fitter->rc = NOT_STRAIGHT;
}

/* Tangents are per second. */
static double tangent(double slope, double span_s)
{
    const double value = slope / span_s;
    return fabs(value) <= VALUE_MAX ? value : 0;
}

/* Adds the cubic through the motion at the ends and thirds of the range, or halves the range. The last key so far is at
 * from_s. */
static void add_cubic(struct fitter *fitter, double from_s, double to_s, int halvings)
{
    static const double TRIED[] = {0.5, 1.0 / 6, 5.0 / 6, 0.05, 0.95, 0.25, 0.75, 0.41};
    const uint32_t n = fitter->fit->components;
    double *p[SAMPLES], *slopes = sample(fitter, 6);
    if (fitter->rc != 0)
        return;
    for (int i = 0; i < SAMPLES; i++)
        p[i] = sample(fitter, i);
    memcpy(p[0], value_of(fitter, fitter->track->count - 1), n * sizeof **p);
    evaluate(fitter, from_s + (to_s - from_s) / 3, p[0], p[1]);
    evaluate(fitter, to_s - (to_s - from_s) / 3, p[1], p[2]);
    evaluate(fitter, to_s, p[2], p[3]);
    for (uint32_t c = 0; c < n; c++) { /* derivatives of the interpolating cubic at u = 0 and 1 */
        slopes[c] = (-11 * p[0][c] + 18 * p[1][c] - 9 * p[2][c] + 2 * p[3][c]) / 2;
        slopes[n + c] = (-2 * p[0][c] + 9 * p[1][c] - 18 * p[2][c] + 11 * p[3][c]) / 2;
    }
    const double middle_s = from_s + (to_s - from_s) / 2;
    const bool is_last = halvings == 0 || !(middle_s > from_s && middle_s < to_s);
    const bool is_near = is_good(fitter, &(struct piece){from_s, to_s, slopes}, TRIED, sizeof TRIED / sizeof *TRIED);
    if (!is_near && !is_last) {
        add_cubic(fitter, from_s, middle_s, halvings - 1);
        add_cubic(fitter, middle_s, to_s, halvings - 1);
        return;
    }
    fitter->is_near &= is_near;
    for (uint32_t c = 0; c < 2 * n && !is_near; c++) /* a linear segment instead of an unstable cubic one */
        slopes[c] = p[3][c % n] - p[0][c % n];
    double *out = value_of(fitter, fitter->track->count - 1) + n;
    for (uint32_t c = 0; c < n; c++)
        out[c] = tangent(slopes[c], to_s - from_s);
    if (!push(fitter, to_s, p[3]))
        return;
    double *in = value_of(fitter, fitter->track->count - 1) - n;
    for (uint32_t c = 0; c < n; c++)
        in[c] = tangent(slopes[n + c], to_s - from_s);
}

/* --- all pieces --- */

static void add_piece(struct fitter *fitter, double from_s, double to_s)
{
    const struct curve_fit *fit = fitter->fit;
    const double turn = fit->turn != NULL ? fit->turn(fit->user, from_s, to_s) : 0;
    if (!(turn / PIECE_TURN_RAD < (double)fit->key_limit)) {
        fitter->rc = ERR_MODEL_LIMIT;
        return;
    }
    const uint64_t parts = 1 + (uint64_t)(turn / PIECE_TURN_RAD);
    double last_s = from_s;
    for (uint64_t i = 1; i <= parts && fitter->rc == 0; i++) {
        const double next_s = i == parts ? to_s : from_s + (to_s - from_s) * ((double)i / (double)parts);
        if (!(next_s > last_s))
            continue;
        if (fitter->track->is_cubic)
            add_cubic(fitter, last_s, next_s, HALVINGS_MAX);
        else
            add_straight(fitter, last_s, next_s);
        last_s = next_s;
    }
}

/* Whether the motion is constant from each time to the next. */
static bool is_stepped(const struct fitter *fitter)
{
    static const double TRIED[] = {0.5, 1.0 / 6, 0.37, 5.0 / 6, 1};
    const struct curve_fit *fit = fitter->fit;
    double *value = sample(fitter, 0), *later = sample(fitter, 1);
    for (uint32_t i = 1; i < fit->time_count; i++) {
        const double from_s = fit->times_s[i - 1], left_s = nextafter(fit->times_s[i], -HUGE_VAL);
        evaluate(fitter, from_s, NULL, value);
        for (size_t k = 0; k < sizeof TRIED / sizeof *TRIED; k++) {
            evaluate(fitter, from_s + (left_s - from_s) * TRIED[k], value, later);
            if (!(distance(fitter, value, later) <= fitter->tolerance))
                return false;
        }
    }
    return true;
}

static void run_steps(struct fitter *fitter)
{
    const struct curve_fit *fit = fitter->fit;
    fitter->track->is_step = true;
    for (uint32_t i = 0; i < fit->time_count; i++) {
        double *value = sample(fitter, 0);
        evaluate(fitter, fit->times_s[i], i > 0 ? value_of(fitter, i - 1) : NULL, value);
        if (!push(fitter, fit->times_s[i], value))
            break;
    }
}

static void run(struct fitter *fitter)
{
    const struct curve_fit *fit = fitter->fit;
    double *value = sample(fitter, 0), *before = sample(fitter, 1);
    fitter->track->count = 0;
    fitter->capacity = 0;
    evaluate(fitter, fit->times_s[0], NULL, value);
    push(fitter, fit->times_s[0], value);
    for (uint32_t i = 1; i < fit->time_count && fitter->rc == 0; i++) {
        const double from_s = fit->times_s[i - 1], to_s = fit->times_s[i];
        const double left_s = nextafter(to_s, -HUGE_VAL);
        evaluate(fitter, to_s, NULL, value);
        fitter->known_s = to_s; /* pieces end there */
        memcpy(fitter->known, value, fit->components * sizeof *value);
        const bool is_continuous = isfinite(sixth_of(fitter, from_s, to_s));
        if (!is_continuous)
            evaluate(fitter, left_s, value, before);
        if (is_continuous || distance(fitter, value, before) <= fitter->tolerance) {
            add_piece(fitter, from_s, to_s);
            continue;
        }
        if (left_s > from_s)
            add_piece(fitter, from_s, left_s);
        evaluate(fitter, to_s, NULL, value);
        if (fitter->rc == 0) {
            align(fitter, value_of(fitter, fitter->track->count - 1), value);
            push(fitter, to_s, value);
        }
    }
}

/* Computes the bound in the motion's own unit from values at the times and between them. */
static void measure(struct fitter *fitter)
{
    const struct curve_fit *fit = fitter->fit;
    double largest = fit->is_rotation ? 1 : 0;
    for (uint64_t i = 0; i < 3 * (uint64_t)fit->time_count && !fit->is_rotation; i++) {
        const uint32_t key = (uint32_t)(i / 3), next = key + 1 < fit->time_count ? key + 1 : key;
        const double from_s = fit->times_s[key], to_s = fit->times_s[next];
        evaluate(fitter, from_s + (to_s - from_s) * ((double)(i % 3) * 0.37), NULL, sample(fitter, 0));
        for (uint32_t c = 0; c < fit->components; c++)
            largest = fmax(largest, fabs(sample(fitter, 0)[c]));
    }
    fitter->tolerance = fmax(fit->bound * largest, TOLERANCE_MIN);
}

/* Reduces equal keys to one key. */
static void shrink(const struct fitter *fitter)
{
    for (uint32_t k = 1; k < fitter->track->count; k++)
        if (distance(fitter, value_of(fitter, 0), value_of(fitter, k)) > fitter->tolerance / 1000)
            return;
    fitter->track->count = 1;
    fitter->track->is_step = false;
}

int curve_fit(struct track *track, const struct curve_fit *fit, bool *is_near, struct err *err)
{
    struct fitter fitter = {.fit = fit, .track = track, .known_s = NAN, .sixth.from_s = NAN, .is_near = true};
    *track = (struct track){.components = fit->components, .is_rotation = fit->is_rotation};
    fitter.space = mem_alloc((SAMPLES + 5) * (size_t)fit->components * sizeof *fitter.space);
    fitter.known = sample(&fitter, SAMPLES + 4);
    measure(&fitter);
    if (fit->may_step && is_stepped(&fitter))
        run_steps(&fitter);
    else
        run(&fitter);
    if (fitter.rc == NOT_STRAIGHT) {
        track_fini(track);
        *track = (struct track){.components = fit->components, .is_rotation = fit->is_rotation, .is_cubic = true};
        fitter.rc = 0;
        run(&fitter);
    } else if (fitter.rc == 0) {
        shrink(&fitter);
    }
    free(fitter.space);
    *is_near = fitter.is_near;
    if (fitter.rc == 0)
        return 0;
    track_fini(track);
    if (fitter.rc == ERR_BAD_MODEL)
        return err_set(err, ERR_BAD_KEYS, "a value is not finite");
    return err_set(err, ERR_MODEL_LIMIT, "it has more than %llu keys; see --max-keys",
                   (unsigned long long)fit->key_limit);
}
