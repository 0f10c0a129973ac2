/* curve_piece.c - whether one segment of a track is near enough to the motion. */
#include "import/curve/curve_fitter.h"

#include <float.h>

static void blend(const struct fitter *fitter, const double *a, const double *b, double u, double *out)
{
    if (fitter->fit->is_rotation) {
        quat_slerp(a, b, u, out);
        return;
    }
    for (uint32_t c = 0; c < fitter->fit->components; c++)
        out[c] = a[c] * (1 - u) + b[c] * u;
}

/* Hermite form, like the evaluator (anim/pose/sample.c), which also normalises rotations. */
static void cubic(const struct fitter *fitter, const double *slopes, double u, double *out)
{
    const uint32_t n = fitter->fit->components;
    const double *start = fit_sample(fitter, 0), *end = fit_sample(fitter, 3);
    const double u2 = u * u, u3 = u2 * u;
    const double of_start = 2 * u3 - 3 * u2 + 1, of_out = u3 - 2 * u2 + u, of_end = 3 * u2 - 2 * u3, of_in = u3 - u2;
    for (uint32_t c = 0; c < n; c++)
        out[c] = of_start * start[c] + of_out * slopes[c] + of_end * end[c] + of_in * slopes[n + c];
}

static bool is_near_at(const struct fitter *fitter, const struct piece *piece, double time_s)
{
    double *real = fit_sample(fitter, 4), *own = fit_sample(fitter, 5);
    const double u = (time_s - piece->from_s) / (piece->to_s - piece->from_s);
    if (piece->slopes == NULL)
        blend(fitter, fit_sample(fitter, 0), fit_sample(fitter, 3), u, own);
    else
        cubic(fitter, piece->slopes, u, own);
    if (piece->slopes != NULL && fitter->fit->is_rotation)
        quat_normalize(own);
    fit_evaluate(fitter, time_s, own, real);
    return fit_distance(fitter, own, real) <= fitter->tolerance;
}

double fit_sixth(struct fitter *fitter, double from_s, double to_s)
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

static double node_product(double u) { return u * (u - 1.0 / 3) * (u - 2.0 / 3) * (u - 1); }

/* How far rounding of times moves values of a rotation, which turns by less than half a turn in a piece, and fits of
 * them. */
static double rounding_of(const struct piece *piece)
{
    return 1e-13 + 16 * DBL_EPSILON * fabs(piece->to_s) / (piece->to_s - piece->from_s);
}

/* Judges a cubic piece of a rotation by its errors at a sixth and five sixths, if that is enough. With w(u) = u (u -
 * 1/3) (u - 2/3)(u - 1), which is at most 1/81, the error is w(u) g(u), where g is a divided difference of order 4.
 * From the line through its values at the two places g differs by a difference of order 6 times (u - 1/6)(u - 5/6),
 * which is at most 5/36 (Davis, "Interpolation and approximation", 3.1). The line is at most 3/2 of the larger value.
 * To normalise the cubic adds no more than the square of its error. Where the verdict is open, the line predicts other
 * errors. */
static enum verdict judge(struct fitter *fitter, const struct piece *piece)
{
    static const double PARTS[] = {1.0 / 6, 5.0 / 6}, MARGIN = 1.01;
    double *real = fit_sample(fitter, 4), *own = fit_sample(fitter, 5), worst = 0;
    const double sixth = fit_sixth(fitter, piece->from_s, piece->to_s) * (5.0 / 36) / (81 * 720);
    fitter->doubt = sixth + rounding_of(piece);
    if (!(fitter->doubt <= fitter->tolerance))
        return OPEN;
    for (int i = 0; i < 2; i++) {
        const double time_s = piece->from_s + (piece->to_s - piece->from_s) * PARTS[i];
        cubic(fitter, piece->slopes, (time_s - piece->from_s) / (piece->to_s - piece->from_s), own);
        fit_evaluate(fitter, time_s, own, real);
        double sum = 0;
        for (int c = 0; c < 4; c++) {
            fitter->line[i][c] = (own[c] - real[c]) / node_product(PARTS[i]);
            sum += fitter->line[i][c] * fitter->line[i][c];
        }
        worst = sum > worst ? sum : worst;
        quat_normalize(own);
        if (!(fit_distance(fitter, own, real) <= fitter->tolerance))
            return BAD;
    }
    fitter->has_line = true;
    return MARGIN * 1.5 / 81 * sqrt(worst) + fitter->doubt <= fitter->tolerance ? GOOD : OPEN;
}

/* After judge(): whether the piece is within the bound at a time. The predicted error decides if it is beyond doubt. */
static bool is_near_by_line(struct fitter *fitter, const struct piece *piece, double time_s)
{
    double real[4], own[4];
    const double u = (time_s - piece->from_s) / (piece->to_s - piece->from_s), late = (u - 1.0 / 6) * 1.5;
    cubic(fitter, piece->slopes, u, own);
    for (int c = 0; c < 4; c++)
        real[c] = own[c] - node_product(u) * ((1 - late) * fitter->line[0][c] + late * fitter->line[1][c]);
    quat_normalize(own);
    const double error = fit_distance(fitter, own, real);
    if (fabs(error - fitter->tolerance) > fitter->doubt)
        return error < fitter->tolerance;
    return is_near_at(fitter, piece, time_s);
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

static bool is_near_anyhow(struct fitter *fitter, const struct piece *piece, double time_s)
{
    return fitter->has_line ? is_near_by_line(fitter, piece, time_s) : is_near_at(fitter, piece, time_s);
}

static bool is_near_at_extrema(struct fitter *fitter, const struct piece *piece)
{
    const struct curve_fit *fit = fitter->fit;
    if (!fitter->has_extrema && fit->extrema != NULL)
        fitter->extrema_s = fit->extrema(fit->user, &fitter->extremum_count);
    fitter->has_extrema = true;
    for (uint32_t i = extremum_after(fitter, piece->from_s);
         i < fitter->extremum_count && fitter->extrema_s[i] < piece->to_s; i++)
        if (!is_near_anyhow(fitter, piece, fitter->extrema_s[i]))
            return false;
    return true;
}

bool fit_is_good(struct fitter *fitter, const struct piece *piece, const double *parts, size_t part_count)
{
    fitter->has_line = false;
    const enum verdict verdict = piece->slopes != NULL && fitter->fit->sixth != NULL ? judge(fitter, piece) : OPEN;
    if (verdict != OPEN)
        return verdict == GOOD;
    for (size_t i = 0; i < part_count; i++)
        if (!is_near_anyhow(fitter, piece, piece->from_s + (piece->to_s - piece->from_s) * parts[i]))
            return false;
    return is_near_at_extrema(fitter, piece);
}
