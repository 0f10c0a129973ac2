/* fbx_tangent.c - user, automatic and TCB tangents. */
#include "import/fbx_take/fbx_tangent.h"

#include <math.h>
#include <string.h>

/* Above BIAS_STEEP, a bias no longer pulls to a side but steepens the slope. The steepening is 40 times the square of
 * the excess, in hundreds. */
static const double BIAS_STEEP = 5, STEEPNESS = 40;
/* Biases below a hundredth of a percent have no effect. */
static const double BIAS_MIN = 1e-4;
/* A difference of slopes below this counts as 0. */
static const double SLOPE_MIN = 1e-5;
static const double WEIGHT_UNIT = 1e-4;

/* The segment on one side of a key. exists is false at the ends, and if the neighbour is at the same time. */
struct side {
    bool exists;
    double span_s, rise, chord;
};

static struct side side_of(const struct fbx_curve *curve, uint32_t from, uint32_t to)
{
    struct side side = {0};
    if (to >= curve->key_count || from > to) /* from wraps around before key 0 */
        return side;
    side.span_s = (curve->keys[to].time - curve->keys[from].time) / curve->units_per_s;
    side.rise = curve->keys[to].value - curve->keys[from].value;
    side.exists = side.span_s > 0;
    side.chord = side.exists ? side.rise / side.span_s : 0;
    return side;
}

/* --- automatic --- */

static double steepened(double bias, double sign)
{
    const double above = fabs(bias) / 100 - BIAS_STEEP;
    return above > 0 ? copysign(above * above * STEEPNESS, sign) : 0;
}

static double biased(double slope, double bias, const struct side *left, const struct side *right)
{
    const double weight = fabs(bias) / 100;
    if (weight <= BIAS_MIN)
        return slope;
    const double target = bias > 0 ? right->chord : left->chord, pull = target - slope;
    return slope * (1 - weight) + target * weight + steepened(bias, fabs(pull) > SLOPE_MIN ? pull : bias);
}

/* The nearest slope that keeps the curve's control points within the neighbours' values. */
static double clamped(double slope, const double weight[2], const struct side *left, const struct side *right)
{
    const double sign = slope >= 0 ? 1 : -1;
    const double reach_left = weight[0] * left->span_s, reach_right = weight[1] * right->span_s;
    const double most_left = reach_left > 0 ? fmax(sign * left->rise / reach_left, 0) : 0;
    const double most_right = reach_right > 0 ? fmax(sign * right->rise / reach_right, 0) : 0;
    return sign * fmin(sign * slope, fmin(most_left, most_right));
}

static double between(const double weight[2], double bias, uint32_t flags, const struct side *left,
                      const struct side *right)
{
    if ((flags & FBX_FLAG_CLAMP) != 0 && (left->rise == 0 || right->rise == 0))
        return 0;
    const double span_s = left->span_s + right->span_s;
    double slope = (left->rise + right->rise) / span_s;
    if ((flags & FBX_FLAG_TIME_INDEPENDENT) == 0) {
        const double part = left->span_s / span_s;
        slope = slope / 2 + (left->chord * (1 - part) + right->chord * part) / 2;
        slope = biased(slope, bias, left, right);
    }
    return (flags & FBX_FLAG_CLAMP_PROGRESSIVE) != 0 ? clamped(slope, weight, left, right) : slope;
}

static double at_end(double bias, uint32_t flags, const struct side *side)
{
    if ((flags & FBX_FLAG_CLAMP_PROGRESSIVE) != 0 || ((flags & FBX_FLAG_CLAMP) != 0 && side->rise == 0))
        return 0;
    return side->chord + ((flags & FBX_FLAG_TIME_INDEPENDENT) == 0 ? steepened(bias, bias) : 0);
}

double fbx_tangent_auto(const struct fbx_curve *curve, uint32_t key, const double weight[2], double bias,
                        uint32_t flags)
{
    const struct side left = side_of(curve, key - 1, key), right = side_of(curve, key, key + 1);
    if (left.exists && right.exists)
        return between(weight, bias, flags, &left, &right);
    if (!left.exists && !right.exists)
        return 0;
    return at_end(bias, flags, left.exists ? &left : &right);
}

/* --- TCB --- */

/* Kochanek and Bartels, "Interpolating Splines with Local Tension, Continuity, and Bias Control", SIGGRAPH 1984. An end
 * has a single chord, which counts twice. */
static void solve_tcb(const struct fbx_curve *curve, uint32_t key, double tension, double continuity, double bias,
                      double slope[2])
{
    const struct side left = side_of(curve, key - 1, key), right = side_of(curve, key, key + 1);
    const double scale = (left.exists && right.exists ? 0.5 : 1) * (1 - tension);
    slope[0] = scale * ((1 + bias) * (1 - continuity) * left.chord + (1 - bias) * (1 + continuity) * right.chord);
    slope[1] = scale * ((1 + bias) * (1 + continuity) * left.chord + (1 - bias) * (1 - continuity) * right.chord);
}

/* --- all keys --- */

static double number(const struct fbx_key_data *data, int i)
{
    float value;
    memcpy(&value, &data->bits[i], sizeof value);
    return isfinite(value) ? (double)value : 0;
}

/* A key's data for the tangents of the segment after it. */
static void read_piece(const struct fbx_curve *curve, uint32_t key, const struct fbx_key_data *data,
                       struct fbx_tangent *right, struct fbx_tangent *next_left)
{
    *right = *next_left = (struct fbx_tangent){.weight = FBX_WEIGHT};
    if ((data->flags & FBX_FLAG_CONSTANT) != 0)
        return;
    if ((data->flags & FBX_FLAG_CUBIC) == 0) {
        right->slope = next_left->slope = side_of(curve, key, key + 1).chord;
        return;
    }
    if ((data->flags & FBX_FLAG_WEIGHTED_RIGHT) != 0)
        right->weight = (data->bits[2] & 0xffff) * WEIGHT_UNIT;
    if ((data->flags & FBX_FLAG_TCB) != 0)
        return;
    if ((data->flags & FBX_FLAG_WEIGHTED_NEXT_LEFT) != 0)
        next_left->weight = (data->bits[2] >> 16) * WEIGHT_UNIT;
    right->slope = number(data, 0);
    next_left->slope = number(data, 1);
}

static enum fbx_interpolation interpolation_of(uint32_t flags)
{
    if ((flags & FBX_FLAG_CONSTANT) != 0)
        return (flags & FBX_FLAG_NEXT) != 0 ? FBX_KEY_CONSTANT_NEXT : FBX_KEY_CONSTANT;
    return (flags & FBX_FLAG_CUBIC) != 0 ? FBX_KEY_CUBIC : FBX_KEY_LINEAR;
}

/* Computes the slopes of a cubic key that are not stored in the file. The file gives biases for automatic slopes. The
 * left one counts if the segment before is cubic, because a linear segment has its own slope. data: of this key. */
static void solve_key(const struct fbx_curve *curve, uint32_t index, const struct fbx_key_data *data)
{
    struct fbx_key *key = &curve->keys[index];
    const double weight[2] = {key->left.weight, key->right.weight};
    const bool has_left_bias = index > 0 && (data[-1].flags & FBX_FLAG_CUBIC) != 0;
    if ((data->flags & FBX_FLAG_TCB) != 0) {
        double slope[2];
        solve_tcb(curve, index, number(data, 0), number(data, 1), number(data, 2), slope);
        key->left.slope = slope[0];
        key->right.slope = slope[1];
    } else if ((data->flags & FBX_FLAG_USER) == 0) {
        key->left.slope = fbx_tangent_auto(curve, index, weight, has_left_bias ? -key->left.slope : 0, data->flags);
        key->right.slope = fbx_tangent_auto(curve, index, weight, key->right.slope, data->flags);
    }
}

void fbx_tangents_solve(struct fbx_curve *curve, const struct fbx_key_data *data)
{
    struct fbx_tangent left = {.weight = FBX_WEIGHT};
    for (uint32_t i = 0; i < curve->key_count; i++) {
        struct fbx_key *key = &curve->keys[i];
        key->interpolation = interpolation_of(data[i].flags);
        key->left = left;
        read_piece(curve, i, &data[i], &key->right, &left);
        if (key->interpolation == FBX_KEY_CUBIC)
            solve_key(curve, i, &data[i]);
    }
}
