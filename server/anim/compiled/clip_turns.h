/* clip_turns.h - bounds the lengths of rotations along cubic splines. A template for clip_magnitude.c, which defines
 * REAL (double or a vector of them), TRUTH (what their comparisons give) and NAME() and includes it. */
#include "anim/kernel/kernel_simd.h"

/* Values and slopes of rotations. */
struct NAME(turn) {
    REAL value[4], slope[4];
};

KERNEL_INLINE void NAME(dot)(const REAL a[4], const REAL b[4], REAL *out)
{
    *out = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/* Tells whether the length is one that splines may pass. */
KERNEL_INLINE void NAME(is_length)(const REAL q[4], TRUTH *is)
{
    REAL square;
    NAME(dot)(q, q, &square);
    *is = (square >= TURN_MIN * TURN_MIN) & (square <= TURN_MAX * TURN_MAX);
}

/* Clears *is where a point is too short or long, or its part along `along` is shorter than TURN_MIN. square: that of
 * the length of `along`. */
KERNEL_INLINE void NAME(check_point)(const REAL point[4], const REAL along[4], const REAL *square, TRUTH *is)
{
    TRUTH is_long;
    REAL part;
    NAME(is_length)(point, &is_long);
    NAME(dot)(along, point, &part);
    *is &= is_long & (part > 0) & (part * part >= TURN_MIN * TURN_MIN * *square);
}

/* Tells what clip_magnitude_is_turn() does, by the Bezier points along the sum of both ends. */
KERNEL_INLINE void NAME(is_turn)(const struct NAME(turn) * from, const struct NAME(turn) * to, double distance_s,
                                 TRUTH *is)
{
    const double third_s = distance_s / 3; /* between Bezier points */
    REAL second[4], third[4], along[4], square;
    for (int i = 0; i < 4; i++) {
        second[i] = from->value[i] + from->slope[i] * third_s;
        third[i] = to->value[i] - to->slope[i] * third_s;
        along[i] = from->value[i] + to->value[i];
    }
    NAME(dot)(along, along, &square);
    *is = square > 0;
    NAME(check_point)(from->value, along, &square, is);
    NAME(check_point)(second, along, &square, is);
    NAME(check_point)(third, along, &square, is);
    NAME(check_point)(to->value, along, &square, is);
}
#undef REAL
#undef TRUTH
#undef NAME
