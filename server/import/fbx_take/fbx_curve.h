/* fbx_curve.h - one animated number of an FBX file. Pure; any thread.
 *
 * Between two keys a curve is constant, linear, or a cubic Bezier curve in the plane of time and value, whose inner
 * control points lie on the tangents: a third of the piece's time away from its key, or what a weight says. Before and
 * behind the keys it goes on as its extrapolations say (FBX SDK Reference: FbxAnimCurve, FbxAnimCurveDef,
 * FbxAnimCurveBase::EExtrapolationType). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* What is between a key and the next. */
enum fbx_interpolation {
    FBX_KEY_CONSTANT,      /* the key's value until the next key */
    FBX_KEY_CONSTANT_NEXT, /* behind the key at once the next one's value */
    FBX_KEY_LINEAR,
    FBX_KEY_CUBIC,
};

/* One side of a key. */
struct fbx_tangent {
    double slope;  /* value per second */
    double weight; /* how far away the control point is: a part of the piece's time */
};

/* The weight of a tangent that has none of its own, in as many digits as programs have it. With a third, time and
 * parameter would be the same; with this they are nearly so. */
#define FBX_WEIGHT 0.333333

struct fbx_key {
    double time; /* in ticks; of a placed curve in seconds of the clip */
    double value;
    struct fbx_tangent left, right;       /* of the pieces before and behind the key */
    enum fbx_interpolation interpolation; /* of the piece behind the key */
};

/* Letters as in files. */
enum fbx_extrapolation {
    FBX_EXTEND_CONSTANT = 'C',
    FBX_EXTEND_SLOPE = 'K', /* straight on, with the tangent of the last key's piece */
    FBX_EXTEND_MIRROR = 'M',
    FBX_EXTEND_REPEAT = 'R',
    FBX_EXTEND_RELATIVE = 'A', /* repeated, each time from where the last one ended */
};

struct fbx_extension {
    enum fbx_extrapolation kind;
    int32_t count; /* of repetitions, behind which it is constant; below 0: endless */
};

/* Of keys at one time the last has the value there, and the piece before ends at the first. */
struct fbx_curve {
    struct fbx_key *keys; /* [key_count], heap; times do not fall, everything is finite */
    uint32_t key_count;
    double units_per_s; /* of the times: ticks a second; 1 of a placed curve */
    struct fbx_extension before, after;
};

void fbx_curve_fini(struct fbx_curve *curve);

/* Index of the last key that is not after the time; 0 when all are. */
uint32_t fbx_curve_key(const struct fbx_curve *curve, double time);
/* The value within the piece behind a key that is not the last; time is between its ends. */
double fbx_piece_at(const struct fbx_curve *curve, uint32_t key, double time);
/* How far such a piece is at most from the polynomial of its ends' values and slopes: the cubic that other programs and
 * the baked model know. Not finite where a tangent has a weight of its own. */
double fbx_piece_excess(const struct fbx_curve *curve, uint32_t key);
/* The slope there, per second. Of a jump 0; of a curve that stands upright there, not finite. */
double fbx_piece_slope(const struct fbx_curve *curve, uint32_t key, double time);
/* Fills in, rising, the times at which such a piece turns back, and returns how many these are: 0 to 2. */
unsigned fbx_piece_extrema(const struct fbx_curve *curve, uint32_t key, double times[2]);
/* The value at any time. A curve without keys is 0. */
double fbx_curve_at(const struct fbx_curve *curve, double time);
/* The same of a placed curve that has keys. *hint is any key, and becomes the last one that is not after the time:
 * times that rise need no search. */
double fbx_curve_at_hint(const struct fbx_curve *curve, double time_s, uint32_t *hint);
/* About how far a placed curve goes from one time to another within one of its pieces, there and back. */
double fbx_curve_swing(const struct fbx_curve *curve, double from_s, double to_s, uint32_t *hint);

/* What a clip plays of its file's time line. */
struct fbx_range {
    double start, stop; /* ticks */
    double ticks_per_s;
};

/* The seconds of the clip at which a tick is. */
double fbx_range_s(const struct fbx_range *range, double ticks);

/* Makes of a curve in ticks one in seconds of the clip, with the same values in the whole range. Extrapolations become
 * keys; beside the range is one key at each side, where there is one; a curve that stands still is one key. Jumps are
 * made plain: all times rise, and a piece is constant, linear or cubic. Where a curve jumps so that the value at the
 * time is still the old one, a key stands one tick behind; where it jumps from elsewhere than its last key, one stands
 * at the last double before.
 * Returns 0 or ERR_MODEL_LIMIT (more than key_limit keys); on failure *out is empty. */
int fbx_curve_place(struct fbx_curve *out, const struct fbx_curve *curve, const struct fbx_range *range,
                    uint64_t key_limit, struct err *err);
