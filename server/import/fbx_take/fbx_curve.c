/* fbx_curve.c - the value of a curve at a time. */
#include "import/fbx_take/fbx_curve.h"
#include "import/curve/bezier.h"

#include <math.h>
#include <stdlib.h>

void fbx_curve_fini(struct fbx_curve *curve)
{
    free(curve->keys);
    *curve = (struct fbx_curve){0};
}

uint32_t fbx_curve_key(const struct fbx_curve *curve, double time)
{
    uint32_t low = 0, high = curve->key_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (curve->keys[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- one piece --- */

/* A cubic segment in Bezier form: times as fractions of its span, values unchanged. */
struct cubic {
    double x1, x2;
    double y[4];
};

/* Weights beyond the segment would turn the curve back in time, so the control points stay within it. */
static double weight_of(struct fbx_tangent tangent)
{
    return !(tangent.weight > 0) ? 0 : tangent.weight > 1 ? 1 : tangent.weight;
}

static struct cubic cubic_of(const struct fbx_key *from, const struct fbx_key *to, double span_s)
{
    const double right = weight_of(from->right), left = weight_of(to->left);
    return (struct cubic){
        .x1 = right,
        .x2 = 1 - left,
        .y = {from->value, from->value + from->right.slope * right * span_s, to->value - to->left.slope * left * span_s,
              to->value},
    };
}

static bool is_polynomial(const struct fbx_key *from, const struct fbx_key *to)
{
    return from->right.weight == FBX_WEIGHT && to->left.weight == FBX_WEIGHT;
}

static struct fbx_polynomial polynomial_of(const struct fbx_key *from, const struct fbx_key *to, double span_s)
{
    struct fbx_polynomial p = {.value = from->value, .from = from->right.slope * span_s, .to = to->left.slope * span_s};
    const double rise = to->value - from->value;
    p.b = 3 * rise - 2 * p.from - p.to;
    p.c = p.from + p.to - 2 * rise;
    return p;
}

static const double E = 1.0 / 3 - FBX_WEIGHT;

/* The deviation from the polynomial, to first order in e = 1/3 - FBX_WEIGHT, whose square is below 1e-12. With control
 * points in time at 1/3 - e and 2/3 + e, the parameter is s = u + 3 e u (1 - u)(1 - 2 u), and those in value move in
 * the same way. */
static inline double polynomial_excess(const struct fbx_polynomial *p, double u)
{
    const double slope = p->from + u * (2 * p->b + 3 * p->c * u);
    return 3 * E * u * (1 - u) * (slope * (1 - 2 * u) - (1 - u) * p->from + u * p->to);
}

static double polynomial_at(const struct fbx_polynomial *p, double u)
{
    return p->value + u * (p->from + u * (p->b + u * p->c)) + polynomial_excess(p, u);
}

void fbx_polynomial_coefficients(const struct fbx_polynomial *p, double out[6])
{
    /* of the last factor of polynomial_excess(): it has no constant one */
    const double first = 2 * p->b - p->from + p->to, second = 3 * p->c - 4 * p->b, third = -6 * p->c;
    out[0] = p->value;
    out[1] = p->from;
    out[2] = p->b + 3 * E * first;
    out[3] = p->c + 3 * E * (second - first);
    out[4] = 3 * E * (third - second);
    out[5] = -3 * E * third;
}

double fbx_piece_at(const struct fbx_curve *curve, uint32_t key, double time)
{
    const struct fbx_key *from = &curve->keys[key], *to = from + 1;
    const double u = (time - from->time) / (to->time - from->time);
    if (time >= to->time)
        return to->value;
    if (time <= from->time || from->interpolation == FBX_KEY_CONSTANT)
        return from->value;
    if (from->interpolation == FBX_KEY_CONSTANT_NEXT)
        return to->value;
    if (from->interpolation == FBX_KEY_LINEAR)
        return from->value * (1 - u) + to->value * u;
    const double span_s = (to->time - from->time) / curve->units_per_s;
    if (is_polynomial(from, to)) {
        const struct fbx_polynomial polynomial = polynomial_of(from, to, span_s);
        return polynomial_at(&polynomial, u);
    }
    const struct cubic cubic = cubic_of(from, to, span_s);
    const double s = bezier_parameter(cubic.x1, cubic.x2, u), q = 1 - s;
    return q * q * q * cubic.y[0] + 3 * q * q * s * cubic.y[1] + 3 * q * s * s * cubic.y[2] + s * s * s * cubic.y[3];
}

double fbx_piece_excess(const struct fbx_curve *curve, uint32_t key)
{
    static const double AT[] = {0.15, 0.35, 0.65, 0.85}, MARGIN = 1.25; /* a quintic, 0 at the ends */
    const struct fbx_key *from = &curve->keys[key], *to = from + 1;
    double worst = 0;
    if (from->interpolation != FBX_KEY_CUBIC)
        return 0;
    if (!is_polynomial(from, to))
        return HUGE_VAL;
    const struct fbx_polynomial polynomial = polynomial_of(from, to, (to->time - from->time) / curve->units_per_s);
    for (size_t i = 0; i < sizeof AT / sizeof *AT; i++)
        worst = fmax(worst, fabs(polynomial_excess(&polynomial, AT[i])));
    return MARGIN * worst;
}

/* The derivative of a Bezier cubic with these four control values. */
static double derivative(double a, double b, double c, double d, double s)
{
    const double q = 1 - s;
    return 3 * (q * q * (b - a) + 2 * q * s * (c - b) + s * s * (d - c));
}

double fbx_piece_slope(const struct fbx_curve *curve, uint32_t key, double time)
{
    const struct fbx_key *from = &curve->keys[key], *to = from + 1;
    const double span_s = (to->time - from->time) / curve->units_per_s;
    if (from->interpolation == FBX_KEY_CONSTANT || from->interpolation == FBX_KEY_CONSTANT_NEXT || !(span_s > 0))
        return 0;
    if (from->interpolation == FBX_KEY_LINEAR)
        return (to->value - from->value) / span_s;
    const double u = (time - from->time) / (to->time - from->time);
    if (is_polynomial(from, to)) {
        const struct fbx_polynomial p = polynomial_of(from, to, span_s);
        return (p.from + u * (2 * p.b + 3 * p.c * u)) / span_s;
    }
    const struct cubic cubic = cubic_of(from, to, span_s);
    const double s = bezier_parameter(cubic.x1, cubic.x2, u);
    return derivative(cubic.y[0], cubic.y[1], cubic.y[2], cubic.y[3], s) /
           (derivative(0, cubic.x1, cubic.x2, 1, s) * span_s);
}

unsigned fbx_piece_extrema(const struct fbx_curve *curve, uint32_t key, double times[2])
{
    const struct fbx_key *from = &curve->keys[key], *to = from + 1;
    if (from->interpolation != FBX_KEY_CUBIC || !(to->time > from->time))
        return 0;
    const struct cubic cubic = cubic_of(from, to, (to->time - from->time) / curve->units_per_s);
    const double first = cubic.y[1] - cubic.y[0], middle = cubic.y[2] - cubic.y[1], last = cubic.y[3] - cubic.y[2];
    /* the derivative over the parameter, but for a factor: a s^2 + b s + c; stable roots as in Press et al., Numerical
     * Recipes, 5.6 */
    const double a = first - 2 * middle + last, b = 2 * (middle - first), c = first, root = sqrt(b * b - 4 * a * c);
    const double q = -0.5 * (b + copysign(root, b)), roots[] = {q / a, c / q};
    unsigned count = 0;
    for (int i = 0; i < 2; i++) {
        const double s = roots[i], r = 1 - s;
        if (!(s > 0 && s < 1) || (count > 0 && s == roots[0])) /* also false if no root exists */
            continue;
        times[count++] = from->time + (to->time - from->time) * s * (3 * r * (r * cubic.x1 + s * cubic.x2) + s * s);
    }
    if (count == 2 && times[0] > times[1]) {
        const double later = times[0];
        times[0] = times[1];
        times[1] = later;
    }
    return count;
}

/* --- any time --- */

static double inside(const struct fbx_curve *curve, double time)
{
    const uint32_t key = fbx_curve_key(curve, time);
    return key + 1 == curve->key_count || time < curve->keys[key].time ? curve->keys[key].value
                                                                       : fbx_piece_at(curve, key, time);
}

/* Maps a time at distance `away` to its equivalent in the keys' range, and sets *whole to the number of whole ranges
 * between them. */
static double fold(const struct fbx_curve *curve, struct fbx_extension extension, double away, bool is_before,
                   double *whole)
{
    const double first = curve->keys[0].time, span = curve->keys[curve->key_count - 1].time - first;
    double part;
    *whole = floor(away / span);
    part = away - *whole * span;
    if (extension.count > 0 && *whole >= extension.count) {
        *whole = extension.count - 1;
        part = span;
    }
    const bool is_mirrored = extension.kind == FBX_EXTEND_MIRROR && fmod(*whole, 2) == 0;
    return first + (is_mirrored != is_before ? span - part : part);
}

static double outside(const struct fbx_curve *curve, double time, bool is_before)
{
    const struct fbx_key *first = &curve->keys[0], *last = &curve->keys[curve->key_count - 1];
    const struct fbx_key *end = is_before ? first : last;
    const struct fbx_extension extension = is_before ? curve->before : curve->after;
    const double away = fabs(time - end->time), side = is_before ? -1 : 1;
    if (extension.kind == FBX_EXTEND_SLOPE)
        return end->value + side * away / curve->units_per_s * (is_before ? first->right.slope : last->left.slope);
    if (extension.kind == FBX_EXTEND_CONSTANT || extension.count == 0 || !(last->time > first->time))
        return end->value;
    double whole;
    const double value = inside(curve, fold(curve, extension, away, is_before, &whole));
    return extension.kind == FBX_EXTEND_RELATIVE ? value + side * (whole + 1) * (last->value - first->value) : value;
}

double fbx_curve_at(const struct fbx_curve *curve, double time)
{
    if (curve->key_count == 0)
        return 0;
    if (curve->key_count == 1)
        return curve->keys[0].value;
    if (time < curve->keys[0].time)
        return outside(curve, time, true);
    if (time > curve->keys[curve->key_count - 1].time)
        return outside(curve, time, false);
    return inside(curve, time);
}

static bool is_behind(const struct fbx_curve *curve, uint32_t key, double time)
{
    return curve->keys[key].time <= time && (key + 1 == curve->key_count || time < curve->keys[key + 1].time);
}

/* Makes times within the segment after the cursor's key fast. */
static void prepare(const struct fbx_curve *curve, struct fbx_cursor *cursor)
{
    const struct fbx_key *from = &curve->keys[cursor->key], *to = from + 1;
    cursor->from_s = cursor->to_s = 0;
    if (cursor->key + 1 == curve->key_count || from->interpolation == FBX_KEY_CONSTANT_NEXT ||
        (from->interpolation == FBX_KEY_CUBIC && !is_polynomial(from, to)))
        return;
    cursor->interpolation = from->interpolation;
    cursor->from_s = from->time;
    cursor->to_s = to->time;
    cursor->end = to->value;
    if (from->interpolation == FBX_KEY_CUBIC)
        cursor->polynomial = polynomial_of(from, to, (to->time - from->time) / curve->units_per_s);
    else
        cursor->polynomial.value = from->value;
}

/* Fits first ask for the end of the next segment and then for times within it. The segment before a key has its value,
 * too, so that this one stays the cursor's. */
static bool is_end_of(const struct fbx_curve *curve, uint32_t key, double time_s)
{
    return key + 1 < curve->key_count && curve->keys[key + 1].time == time_s;
}

static double at_any(const struct fbx_curve *curve, double time_s, struct fbx_cursor *cursor)
{
    const uint32_t key = cursor->key, next = key + 1, last = key - 1; /* fits go from a piece's end back into it */
    if (is_end_of(curve, next, time_s)) {
        cursor->key = next;
        prepare(curve, cursor);
        return curve->keys[next + 1].value;
    }
    if (key >= curve->key_count || !is_behind(curve, key, time_s))
        cursor->key = next < curve->key_count && is_behind(curve, next, time_s)   ? next
                      : last < curve->key_count && is_behind(curve, last, time_s) ? last
                                                                                  : fbx_curve_key(curve, time_s);
    prepare(curve, cursor);
    const struct fbx_key *from = &curve->keys[cursor->key];
    return cursor->key + 1 == curve->key_count || time_s <= from->time ? from->value
                                                                       : fbx_piece_at(curve, cursor->key, time_s);
}

double fbx_curve_at_cursor(const struct fbx_curve *curve, double time_s, struct fbx_cursor *cursor)
{
    if (!(time_s >= cursor->from_s && time_s < cursor->to_s))
        return time_s == cursor->to_s && cursor->to_s > cursor->from_s ? cursor->end : at_any(curve, time_s, cursor);
    if (time_s == cursor->from_s)
        return cursor->polynomial.value;
    const double u = (time_s - cursor->from_s) / (cursor->to_s - cursor->from_s);
    if (cursor->interpolation == FBX_KEY_CUBIC)
        return polynomial_at(&cursor->polynomial, u);
    return cursor->interpolation == FBX_KEY_LINEAR ? cursor->polynomial.value * (1 - u) + cursor->end * u
                                                   : cursor->polynomial.value;
}

double fbx_curve_swing(const struct fbx_curve *curve, double from_s, double to_s, struct fbx_cursor *cursor)
{
    if (curve->key_count == 0)
        return 0;
    const double end = fbx_curve_at_cursor(curve, to_s, cursor);
    const double rise =
        fabs(end - fbx_curve_at_cursor(curve, from_s, cursor)); /* in this order, for the cursor's key */
    const struct fbx_key *from = &curve->keys[cursor->key], *to = from + 1;
    if (cursor->key + 1 == curve->key_count || from->interpolation != FBX_KEY_CUBIC || from_s < from->time)
        return rise;
    const struct cubic cubic = cubic_of(from, to, to->time - from->time);
    const double whole = fabs(cubic.y[1] - cubic.y[0]) + fabs(cubic.y[2] - cubic.y[1]) + fabs(cubic.y[3] - cubic.y[2]);
    return fmax(rise, whole * (to_s - from_s) / (to->time - from->time));
}
