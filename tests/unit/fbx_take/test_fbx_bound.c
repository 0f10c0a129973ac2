/* The bound of a rotation's sixth derivative, compared with differences of its values. */
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_bound.h"

#include <math.h>

static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

static struct fbx_curve curve_of(struct fbx_key keys[2], double swing_deg, double span_s, uint64_t *state)
{
    for (int i = 0; i < 2; i++)
        keys[i] = (struct fbx_key){.time = i * span_s,
                                   .value = swing_deg * chance(state),
                                   .left = {swing_deg * chance(state) / span_s, FBX_WEIGHT},
                                   .right = {swing_deg * chance(state) / span_s, FBX_WEIGHT},
                                   .interpolation = FBX_KEY_CUBIC};
    return (struct fbx_curve){.keys = keys, .key_count = 2, .units_per_s = 1};
}

/* The norm of the difference of order 6, which a step to that power times a mean of the derivative is. */
static double difference(struct fbx_motion *motion, double from_s, double to_s)
{
    static const double BINOMIALS[] = {1, -6, 15, -20, 15, -6, 1};
    double sums[4] = {0}, norm = 0;
    for (int i = 0; i <= 6; i++) {
        double turn[4];
        fbx_motion_turn(motion, from_s + (to_s - from_s) * i / 6, turn);
        for (int c = 0; c < 4; c++)
            sums[c] += BINOMIALS[i] * turn[c];
    }
    for (int c = 0; c < 4; c++)
        norm += sums[c] * sums[c];
    return sqrt(norm);
}

TEST(fbx_bound_holds_and_is_not_far)
{
    uint64_t seed = 7;
    double closest = 0;
    for (int i = 0; i < 2000; i++) {
        struct fbx_key keys[3][2];
        struct fbx_sheet sheet = {.is_base = true};
        struct fbx_motion motion = {.sheets = &sheet, .sheet_count = 1, .order = (enum fbx_rotation_order)(i % 6)};
        const double span_s = 0.5 + fabs(chance(&seed)), from = i % 3 == 0 ? 0 : 0.4, to = i % 2 == 0 ? 1 : 0.7;
        for (int c = 0; c < 3; c++)
            sheet.curves[c] = curve_of(keys[c], 10 + i % 90, span_s, &seed);
        const double bound = fbx_motion_sixth(&motion, from * span_s, to * span_s);
        const double share = difference(&motion, from * span_s, to * span_s) * pow(6, 6) / bound;
        assert_true(isfinite(bound) && share <= 1 + 1e-6);
        closest = fmax(closest, share);
    }
    assert_true(closest > 0.02);
}

TEST(fbx_bound_is_unknown_at_jumps_weights_and_outside)
{
    uint64_t seed = 3;
    struct fbx_key keys[3][2];
    struct fbx_sheet sheet = {.is_base = true};
    struct fbx_motion motion = {.sheets = &sheet, .sheet_count = 1};
    for (int c = 0; c < 3; c++)
        sheet.curves[c] = curve_of(keys[c], 30, 1, &seed);
    assert_true(isfinite(fbx_motion_sixth(&motion, 0.25, 1)));
    assert_true(!isfinite(fbx_motion_sixth(&motion, 0.5, 1.5)));
    sheet.cursors[1] = (struct fbx_cursor){0};
    keys[1][0].interpolation = FBX_KEY_CONSTANT;
    assert_true(!isfinite(fbx_motion_sixth(&motion, 0.25, 1)));
    sheet.cursors[1] = (struct fbx_cursor){0};
    keys[1][0].interpolation = FBX_KEY_CUBIC;
    keys[1][1].left.weight = 0.8;
    assert_true(!isfinite(fbx_motion_sixth(&motion, 0.25, 1)));
    sheet.layer.blend = FBX_LAYER_ADD;
    sheet.is_base = false;
    assert_true(!isfinite(fbx_motion_sixth(&motion, 0.25, 1)));
}
