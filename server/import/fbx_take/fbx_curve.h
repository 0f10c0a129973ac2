/* fbx_curve.h - the animation curve of one number in an FBX file. Pure; any thread.
 *
 * Between two keys, a curve is constant, linear, or a cubic Bezier curve in the plane of time and value. The inner
 * control points of the Bezier curve lie on the tangents. Their distance from the key is a third of the segment's time,
 * or the tangent's weight. Before the first key and after the last, the curve's extrapolations apply (FBX SDK
 * Reference: FbxAnimCurve, FbxAnimCurveDef, FbxAnimCurveBase::EExtrapolationType). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The curve between a key and the next. */
enum fbx_interpolation {
    FBX_KEY_CONSTANT,      /* the key's value until the next key */
    FBX_KEY_CONSTANT_NEXT, /* the next key's value immediately after this key */
    FBX_KEY_LINEAR,
    FBX_KEY_CUBIC,
};

/* One side of a key. */
struct fbx_tangent {
    double slope;  /* value per second */
    double weight; /* distance of the control point as a fraction of the segment's time */
};

/* The weight of a tangent without its own, with as many digits as other programs use. With exactly a third, time would
 * be linear in the Bezier parameter; with this value it is nearly so. */
#define FBX_WEIGHT 0.333333

struct fbx_key {
    double time; /* in ticks; in a placed curve, in seconds of the clip */
    double value;
    struct fbx_tangent left, right;       /* tangents of the segments before and after the key */
    enum fbx_interpolation interpolation; /* interpolation of the segment after the key */
};

/* The letters are those in files. */
enum fbx_extrapolation {
    FBX_EXTEND_CONSTANT = 'C',
    FBX_EXTEND_SLOPE = 'K', /* straight line along the tangent of the last key's segment */
    FBX_EXTEND_MIRROR = 'M',
    FBX_EXTEND_REPEAT = 'R',
    FBX_EXTEND_RELATIVE = 'A', /* repeated, each time starting where the previous one ended */
};

struct fbx_extension {
    enum fbx_extrapolation kind;
    int32_t count; /* number of repetitions, after which the curve is constant; below 0: endless */
};

/* If several keys share a time, the last gives the value there, and the segment before ends at the first. */
struct fbx_curve {
    struct fbx_key *keys; /* [key_count], heap; times never decrease, and all numbers are finite */
    uint32_t key_count;
    double units_per_s; /* time units: ticks per second, or 1 in a placed curve */
    struct fbx_extension before, after;
};

void fbx_curve_fini(struct fbx_curve *curve);

/* Index of the last key at or before the time; 0 if all keys are later. */
uint32_t fbx_curve_key(const struct fbx_curve *curve, double time);
/* The value within the segment after a key, which must not be the last; `time` is within the segment. */
double fbx_piece_at(const struct fbx_curve *curve, uint32_t key, double time);
/* The largest deviation of such a segment from the cubic polynomial with the same end values and slopes, which other
 * programs and the baked model use. Not finite if a tangent has its own weight. */
double fbx_piece_excess(const struct fbx_curve *curve, uint32_t key);
/* The slope at `time`, per second: 0 at a jump, and not finite where the curve is vertical. */
double fbx_piece_slope(const struct fbx_curve *curve, uint32_t key, double time);
/* Fills `times` with the times of the segment's extrema in ascending order, and returns their number: 0 to 2. */
unsigned fbx_piece_extrema(const struct fbx_curve *curve, uint32_t key, double times[2]);
/* The value at any time. A curve without keys has the value 0. */
double fbx_curve_at(const struct fbx_curve *curve, double time);

/* A cubic segment whose tangents have no weights of their own: the polynomial value + from u + b u^2 + c u^3 with the
 * same end values and slopes, where u is 0..1, except for a deviation as small as the difference between FBX_WEIGHT and
 * a third. `from` and `to` are slopes times the segment's time. */
struct fbx_polynomial {
    double value, from, to, b, c;
};

/* Its coefficients by powers of u, with those of the deviation. */
void fbx_polynomial_coefficients(const struct fbx_polynomial *polynomial, double out[6]);

/* The segment of the latest time at which a placed curve was evaluated, in a form that makes times within it fast.
 * Zeroed before the first. */
struct fbx_cursor {
    uint32_t key; /* the segment's first key */
    enum fbx_interpolation interpolation;
    double from_s, to_s; /* both 0: there is none, or it has weights */
    double end;          /* value at to_s */
    struct fbx_polynomial polynomial;
};

/* The same for a placed curve that has keys. Times in the cursor's segment or beside it need no search. */
double fbx_curve_at_cursor(const struct fbx_curve *curve, double time_s, struct fbx_cursor *cursor);
/* The approximate total variation of a placed curve between two times within one segment. */
double fbx_curve_swing(const struct fbx_curve *curve, double from_s, double to_s, struct fbx_cursor *cursor);

/* The part of a file's time line that a clip plays. */
struct fbx_range {
    double start, stop; /* ticks */
    double ticks_per_s;
};

/* Converts a tick to seconds of the clip. */
double fbx_range_s(const struct fbx_range *range, double ticks);

/* Converts a curve in ticks to one in seconds of the clip, with the same values in the whole range. Extrapolations
 * become keys. At most one key remains outside the range on each side. A curve that does not move becomes one key.
 * Times increase strictly, and each segment is constant, linear or cubic. To represent a jump whose old value still
 * applies at its time, the new value's key is one tick later. For a jump from a value other than the last key's, an
 * extra key is at the last double before. Returns 0 or ERR_MODEL_LIMIT (more than key_limit keys); on failure *out is
 * empty. */
int fbx_curve_place(struct fbx_curve *out, const struct fbx_curve *curve, const struct fbx_range *range,
                    uint64_t key_limit, struct err *err);
