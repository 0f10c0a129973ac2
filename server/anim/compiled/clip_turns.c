/* clip_turns.c - looks at the Bezier points of rotations. */
#include "anim/compiled/clip_turns.h"

#include "anim/kernel/kernel_simd.h"

#include <math.h>
#include <string.h>

/* Lengths of the rotations that splines pass. */
static const double TURN_MIN = 0.3, TURN_MAX = 4;

static double dot(const double a[4], const double b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

static bool is_length(const double q[4])
{
    const double square = dot(q, q);
    return square >= TURN_MIN * TURN_MIN && square <= TURN_MAX * TURN_MAX;
}

/* True when the point has such a length, and its part along `along` is not shorter. square: that of the length of
 * `along`. */
static bool is_point(const double point[4], const double along[4], double square)
{
    const double part = dot(along, point);
    return is_length(point) && part > 0 && part * part >= TURN_MIN * TURN_MIN * square;
}

/* Looks at the four points along the sum of both ends. */
static bool are_points(const struct spline_end *from, const struct spline_end *to, double distance_s)
{
    const double third_s = distance_s / 3; /* between Bezier points */
    double second[4], third[4], along[4];
    for (int i = 0; i < 4; i++) {
        second[i] = from->value[i] + from->slope[i] * third_s;
        third[i] = to->value[i] - to->slope[i] * third_s;
        along[i] = from->value[i] + to->value[i];
    }
    const double square = dot(along, along);
    return square > 0 && is_point(from->value, along, square) && is_point(second, along, square) &&
           is_point(third, along, square) && is_point(to->value, along, square);
}

/* --- clear turns --- */

/* Most turns pass a cheaper test, which implies the other one. Ends with lengths of 0.9 to 1.1 and a dot product of at
 * least 0.5 have a sum of at most 2.2, and parts of at least (0.9 * 0.9 + 0.5) / 2.2 along it. A point at most 0.25
 * beside has a part of 0.345, which is more than TURN_MIN by much more than floats round, and a length of 0.65 to 1.35.
 */
#define CLEAR_SQUARE_MIN      0.81f
#define CLEAR_SQUARE_MAX      1.21f
#define CLEAR_DOT_MIN         0.5f
#define CLEAR_STEP_SQUARE_MAX 0.0625f

/* Adds in the order that is fastest. */
static inline double rough_dot(const double a[4], const double b[4])
{
    typedef double f64x2 __attribute__((vector_size(16)));
    f64x2 p[2], q[2];
    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    const f64x2 sums = p[0] * q[0] + p[1] * q[1];
    return sums[0] + sums[1];
}

static bool is_clear(const struct spline_end *from, const struct spline_end *to, double distance_s)
{
    static const double SQUARE_MIN = (double)CLEAR_SQUARE_MIN, SQUARE_MAX = (double)CLEAR_SQUARE_MAX,
                        DOT_MIN = (double)CLEAR_DOT_MIN, STEP_SQUARE_MAX = (double)CLEAR_STEP_SQUARE_MAX;
    const double third_square = distance_s * distance_s / 9;
    const double square_from = rough_dot(from->value, from->value), square_to = rough_dot(to->value, to->value);
    const double slope_from = rough_dot(from->slope, from->slope), slope_to = rough_dot(to->slope, to->slope);
    return (square_from >= SQUARE_MIN) & (square_from <= SQUARE_MAX) & (square_to >= SQUARE_MIN) &
           (square_to <= SQUARE_MAX) & (rough_dot(from->value, to->value) >= DOT_MIN) &
           (slope_from * third_square <= STEP_SQUARE_MAX) & (slope_to * third_square <= STEP_SQUARE_MAX);
}

bool clip_turns_is_good(const struct spline_end *from, const struct spline_end *to, double distance_s)
{
    return is_clear(from, to, distance_s) || are_points(from, to, distance_s);
}

/* --- blocks --- */

enum { SIDE_BY_SIDE = 4 };
typedef int32_t i32x4 __attribute__((vector_size(16)));

/* Rotations of four lanes in a frame, with the squares of their lengths and of those of their slopes. */
struct four_turns {
    f32x4 value[4], square, slope_square;
};

static void load_turns(const float *at, uint32_t width, size_t ahead, struct four_turns *out)
{
    f32x4 slope[4];
    for (uint32_t i = 0; i < 4; i++) {
        const float *value = at + i * width;
        __builtin_prefetch(value + ahead);
        __builtin_prefetch(value + 4 * width + ahead);
        out->value[i] = f32x4_load(value);
        slope[i] = f32x4_load(value + 4 * width);
    }
    out->square = out->value[0] * out->value[0] + out->value[1] * out->value[1] + out->value[2] * out->value[2] +
                  out->value[3] * out->value[3];
    out->slope_square = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] + slope[3] * slope[3];
}

/* from: NULL at a start, where lengths alone count. */
static void put_clear(const struct four_turns *from, const struct four_turns *to, float third_square, i32x4 *are)
{
    *are &= (to->square >= CLEAR_SQUARE_MIN) & (to->square <= CLEAR_SQUARE_MAX);
    if (from == NULL)
        return;
    const f32x4 product = from->value[0] * to->value[0] + from->value[1] * to->value[1] +
                          from->value[2] * to->value[2] + from->value[3] * to->value[3];
    *are &= (product >= CLEAR_DOT_MIN) & (from->slope_square * third_square <= CLEAR_STEP_SQUARE_MAX) &
            (to->slope_square * third_square <= CLEAR_STEP_SQUARE_MAX);
}

static void widen(const float *at, uint32_t width, struct spline_end *out)
{
    for (uint32_t i = 0; i < 4; i++) {
        out->value[i] = (double)at[i * width];
        out->slope[i] = (double)at[(4 + i) * width];
    }
}

/* former: the frame before, NULL at a start. */
static bool are_all_points(const float *former, const float *at, uint32_t width, double distance_s)
{
    struct spline_end from, to;
    for (uint32_t l = 0; l < width; l++) {
        widen(at + l, width, &to);
        if (former == NULL) {
            if (!is_length(to.value))
                return false;
            continue;
        }
        widen(former + l, width, &from);
        if (!are_points(&from, &to, distance_s))
            return false;
    }
    return true;
}

/* Frame by frame, as they lie in memory. */
bool clip_turns_are_good(const struct compiled_clip *clip, const double *times, const float *at, uint32_t width)
{
    struct four_turns turns[2][LANE_WIDTH / SIDE_BY_SIDE];
    bool are = true;
    for (uint32_t f = 0; f < clip->frame_count && are; f++, at += clip->frame_floats) {
        const bool is_start = f == 0 || nextafter(times[f - 1], HUGE_VAL) >= times[f]; /* no time lies between */
        const struct four_turns *from = turns[(f + 1) % 2];
        struct four_turns *to = turns[f % 2];
        const double distance_s = is_start ? 0 : times[f] - times[f - 1];
        const float third_square = (float)(distance_s * distance_s / 9);
        i32x4 clear = {-1, -1, -1, -1};
        for (uint32_t l = 0; l < width; l += SIDE_BY_SIDE) {
            load_turns(at + l, width, 2 * (size_t)clip->frame_floats, &to[l / SIDE_BY_SIDE]);
            put_clear(is_start ? NULL : &from[l / SIDE_BY_SIDE], &to[l / SIDE_BY_SIDE], third_square, &clear);
        }
        if ((clear[0] & clear[1] & clear[2] & clear[3]) == 0)
            are = are_all_points(is_start ? NULL : at - clip->frame_floats, at, width, distance_s);
    }
    return are;
}
