#include "import/fbx_take/fbx_bound.h"

#include <float.h>
#include <math.h>

static const double RAD_PER_DEG = 3.14159265358979323846 / 180;

/* Upper bounds of the derivatives of one or more angles, by the fraction of a part: [k] of derivative k + 1. The sixth
 * is 0, because a segment is a polynomial of degree 5. */
enum { DERIVATIVES = 5 };

/* Adds those of a curve within one of its segments. They are about the middle of the part: coefficients there, times
 * powers of the largest distance from it. */
static void add_segment(const struct fbx_cursor *segment, double from_s, double to_s, double sums[DERIVATIVES])
{
    const struct fbx_polynomial *p = &segment->polynomial;
    const double span_s = segment->to_s - segment->from_s, h = (to_s - from_s) / span_s;
    const double m = ((from_s - segment->from_s) + (to_s - segment->from_s)) / (2 * span_s);
    if (segment->interpolation == FBX_KEY_CONSTANT)
        return;
    if (segment->interpolation == FBX_KEY_LINEAR) {
        sums[0] += h * fabs(segment->end - p->value);
        return;
    }
    double k[DERIVATIVES + 1];
    fbx_polynomial_coefficients(p, k);
    const double first = fabs(k[1] + m * (2 * k[2] + 3 * m * k[3])), second = fabs(k[2] + 3 * m * k[3]);
    const double third = fabs(k[3]), fourth = fabs(k[4]), fifth = fabs(k[5]);
    /* of the small fourth and fifth powers, anywhere in the segment */
    sums[0] += h * (first + h * second + 0.75 * h * h * third + 4 * fourth + 5 * fifth);
    sums[1] += h * h * (2 * second + 3 * h * third + 12 * fourth + 20 * fifth);
    sums[2] += h * h * h * (6 * third + 24 * fourth + 60 * fifth);
    sums[3] += h * h * h * h * (24 * fourth + 120 * fifth);
    sums[4] += h * h * h * h * h * 120 * fifth;
}

static bool is_within(const struct fbx_cursor *cursor, double from_s, double to_s)
{
    return from_s >= cursor->from_s && to_s <= cursor->to_s && cursor->to_s > cursor->from_s;
}

/* Whether at the last double before the segment's end the value is that at its end, up to 1e-8 rad. No slope exceeds 20
 * times the sum, by the segment's time, of which the last double is 2^-52 of to_s before the end. */
static bool is_continuous(const struct fbx_cursor *segment)
{
    static const double SUM_MAX_DEG = 1e6, SLOPES = 20, SAME_RAD = 1e-8;
    const struct fbx_polynomial *p = &segment->polynomial;
    if (segment->interpolation == FBX_KEY_CONSTANT)
        return segment->end == p->value;
    const double sum = fabs(p->value) + fabs(segment->end) +
                       (segment->interpolation == FBX_KEY_LINEAR ? 0 : fabs(p->from) + fabs(p->to));
    return sum < SUM_MAX_DEG && SLOPES * sum * RAD_PER_DEG * (DBL_EPSILON * fabs(segment->to_s)) <=
                                    SAME_RAD * (segment->to_s - segment->from_s);
}

/* A factor of the quaternion is exp(a / 2) times a unit vector, for an angle a. Faa di Bruno's formula bounds its
 * derivatives by the complete Bell polynomials of those of a / 2, and Leibniz's rule those of the product by the Bell
 * polynomials of the sums (Comtet, "Advanced combinatorics", 3.3 and 3.4). Constant factors, such as PreRotation, have
 * the norm 1. */
double fbx_motion_sixth(struct fbx_motion *motion, double from_s, double to_s)
{
    double x[DERIVATIVES] = {0};
    if (!fbx_motion_is_plain(motion))
        return HUGE_VAL;
    struct fbx_sheet *sheet = &motion->sheets[0];
    for (int c = 0; c < 3; c++) {
        const struct fbx_curve *curve = &sheet->curves[c];
        struct fbx_cursor *cursor = &sheet->cursors[c];
        if (curve->key_count <= 1)
            continue;
        if (!is_within(cursor, from_s, to_s))
            fbx_curve_at_cursor(curve, from_s + (to_s - from_s) / 2, cursor);
        if (!is_within(cursor, from_s, to_s) || !is_continuous(cursor))
            return HUGE_VAL;
        add_segment(cursor, from_s, to_s, x);
    }
    for (int i = 0; i < DERIVATIVES; i++)
        x[i] *= RAD_PER_DEG / 2;
    const double a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], a2 = a * a;
    return a2 * a2 * (a2 + 15 * b) + a2 * (20 * a * c + 45 * b * b + 15 * d) + 15 * b * b * b + 60 * a * b * c +
           10 * c * c + 15 * b * d + 6 * a * e;
}
