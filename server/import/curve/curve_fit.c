/* curve_fit.c - fits segments between the given times: linear if they match the motion, else cubic and halved as
 * needed. */
#include "import/curve/curve_fitter.h"

#include "base/mem.h"

#include <stdlib.h>

/* The largest rotation of an initial segment. A third of a turn is safely below the half turn at which the shorter arc
 * changes. */
static const double PIECE_TURN_RAD = 2 * 3.14159265358979323846 / 3;
enum { HALVINGS_MAX = 40 };

/* Keys are stored as float32. */
static const double VALUE_MAX = 3e38;
/* The tolerance if the motion is 0 at all sampled times. */
static const double TOLERANCE_MIN = 1e-14;

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

/* --- one piece --- */

static void add_straight(struct fitter *fitter, double from_s, double to_s)
{
    static const double TRIED[] = {0.5, 1.0 / 6, 0.37, 5.0 / 6};
    double *start = fit_sample(fitter, 0), *end = fit_sample(fitter, 3);
    memcpy(start, value_of(fitter, fitter->track->count - 1), fitter->fit->components * sizeof *start);
    fit_evaluate(fitter, to_s, start, end);
    if (fit_is_good(fitter, &(struct piece){from_s, to_s, NULL}, TRIED, sizeof TRIED / sizeof *TRIED))
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
    double *p[FIT_SAMPLES], *slopes = fit_sample(fitter, 6);
    if (fitter->rc != 0)
        return;
    for (int i = 0; i < FIT_SAMPLES; i++)
        p[i] = fit_sample(fitter, i);
    memcpy(p[0], value_of(fitter, fitter->track->count - 1), n * sizeof **p);
    fit_evaluate(fitter, from_s + (to_s - from_s) / 3, p[0], p[1]);
    fit_evaluate(fitter, to_s - (to_s - from_s) / 3, p[1], p[2]);
    fit_evaluate(fitter, to_s, p[2], p[3]);
    for (uint32_t c = 0; c < n; c++) { /* derivatives of the interpolating cubic at u = 0 and 1 */
        slopes[c] = (-11 * p[0][c] + 18 * p[1][c] - 9 * p[2][c] + 2 * p[3][c]) / 2;
        slopes[n + c] = (-2 * p[0][c] + 9 * p[1][c] - 18 * p[2][c] + 11 * p[3][c]) / 2;
    }
    const double middle_s = from_s + (to_s - from_s) / 2;
    const bool is_last = halvings == 0 || !(middle_s > from_s && middle_s < to_s);
    const bool is_near =
        fit_is_good(fitter, &(struct piece){from_s, to_s, slopes}, TRIED, sizeof TRIED / sizeof *TRIED);
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
    double *value = fit_sample(fitter, 0), *later = fit_sample(fitter, 1);
    for (uint32_t i = 1; i < fit->time_count; i++) {
        const double from_s = fit->times_s[i - 1], left_s = nextafter(fit->times_s[i], -HUGE_VAL);
        fit_evaluate(fitter, from_s, NULL, value);
        for (size_t k = 0; k < sizeof TRIED / sizeof *TRIED; k++) {
            fit_evaluate(fitter, from_s + (left_s - from_s) * TRIED[k], value, later);
            if (!(fit_distance(fitter, value, later) <= fitter->tolerance))
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
        double *value = fit_sample(fitter, 0);
        fit_evaluate(fitter, fit->times_s[i], i > 0 ? value_of(fitter, i - 1) : NULL, value);
        if (!push(fitter, fit->times_s[i], value))
            break;
    }
}

static void run(struct fitter *fitter)
{
    const struct curve_fit *fit = fitter->fit;
    double *value = fit_sample(fitter, 0), *before = fit_sample(fitter, 1);
    fitter->track->count = 0;
    fitter->capacity = 0;
    fit_evaluate(fitter, fit->times_s[0], NULL, value);
    push(fitter, fit->times_s[0], value);
    for (uint32_t i = 1; i < fit->time_count && fitter->rc == 0; i++) {
        const double from_s = fit->times_s[i - 1], to_s = fit->times_s[i];
        const double left_s = nextafter(to_s, -HUGE_VAL);
        fit_evaluate(fitter, to_s, NULL, value);
        fitter->known_s = to_s; /* pieces end there */
        memcpy(fitter->known, value, fit->components * sizeof *value);
        const bool is_continuous = isfinite(fit_sixth(fitter, from_s, to_s));
        if (!is_continuous)
            fit_evaluate(fitter, left_s, value, before);
        if (is_continuous || fit_distance(fitter, value, before) <= fitter->tolerance) {
            add_piece(fitter, from_s, to_s);
            continue;
        }
        if (left_s > from_s)
            add_piece(fitter, from_s, left_s);
        fit_evaluate(fitter, to_s, NULL, value);
        if (fitter->rc == 0) {
            fit_align(fitter, value_of(fitter, fitter->track->count - 1), value);
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
        fit_evaluate(fitter, from_s + (to_s - from_s) * ((double)(i % 3) * 0.37), NULL, fit_sample(fitter, 0));
        for (uint32_t c = 0; c < fit->components; c++)
            largest = fmax(largest, fabs(fit_sample(fitter, 0)[c]));
    }
    fitter->tolerance = fmax(fit->bound * largest, TOLERANCE_MIN);
}

/* Reduces equal keys to one key. */
static void shrink(const struct fitter *fitter)
{
    for (uint32_t k = 1; k < fitter->track->count; k++)
        if (fit_distance(fitter, value_of(fitter, 0), value_of(fitter, k)) > fitter->tolerance / 1000)
            return;
    fitter->track->count = 1;
    fitter->track->is_step = false;
}

int curve_fit(struct track *track, const struct curve_fit *fit, bool *is_near, struct err *err)
{
    struct fitter fitter = {
        .fit = fit, .track = track, .known_s = (double)NAN, .sixth.from_s = (double)NAN, .is_near = true};
    *track = (struct track){.components = fit->components, .is_rotation = fit->is_rotation};
    fitter.space = mem_alloc((FIT_SAMPLES + 5) * (size_t)fit->components * sizeof *fitter.space);
    fitter.known = fit_sample(&fitter, FIT_SAMPLES + 4);
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
