/* Blended layers, without a file: values worked by hand. */
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_layer.h"

#include <math.h>
#include <string.h>

static struct fbx_sheet sheet_of(enum fbx_layering blend, double weight, double x, double y, double z)
{
    return (struct fbx_sheet){.defaults = {x, y, z}, .layer = {.blend = blend, .weight = weight}};
}

static void check_value(struct fbx_sheet *sheets, uint32_t count, enum fbx_blended blended, double x, double y,
                        double z)
{
    struct fbx_motion motion = {.sheets = sheets, .sheet_count = count, .rest = {100, 200, 300}, .blended = blended};
    double out[3];
    fbx_motion_at(&motion, 0, out);
    CHECK_NEAR(out[0], x, 1e-12);
    CHECK_NEAR(out[1], y, 1e-12);
    CHECK_NEAR(out[2], z, 1e-12);
}

TEST(fbx_layers_add_override_and_pass)
{
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 0.5, 1, 2, 3);
    base.is_base = true; /* replaces, whatever its weight */
    check_value(NULL, 0, FBX_BLENDED_PLAIN, 100, 200, 300);
    check_value(&base, 1, FBX_BLENDED_PLAIN, 1, 2, 3);
    check_value((struct fbx_sheet[]){base, sheet_of(FBX_LAYER_ADD, 0.5, 10, 20, 30)}, 2, FBX_BLENDED_PLAIN, 6, 12, 18);
    check_value((struct fbx_sheet[]){base, sheet_of(FBX_LAYER_OVERRIDE, 0.5, 7, 8, 9)}, 2, FBX_BLENDED_PLAIN, 7, 8, 9);
    check_value((struct fbx_sheet[]){base, sheet_of(FBX_LAYER_PASS, 0.25, 5, 6, 7)}, 2, FBX_BLENDED_PLAIN, 2, 3, 4);
    check_value((struct fbx_sheet[]){sheet_of(FBX_LAYER_ADD, 0.5, 1, 2, 3)}, 1, FBX_BLENDED_PLAIN, 100.5, 201, 301.5);
}

TEST(fbx_layers_multiply_scales)
{
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 1, 2, -2, 4);
    base.is_base = true;
    struct fbx_sheet sheets[] = {base, sheet_of(FBX_LAYER_ADD, 0.5, 4, 9, -16)};
    check_value(sheets, 2, FBX_BLENDED_SCALING, 4, -6, -16); /* roots, with their signs */
    sheets[1].layer.blend = FBX_LAYER_PASS;
    check_value(sheets, 2, FBX_BLENDED_SCALING, 2 * sqrt(2), -sqrt(18), -8);
    sheets[1].layer.adds_scales = true;
    check_value(sheets, 2, FBX_BLENDED_SCALING, 3, 3.5, -6);
}

static void check_turn(struct fbx_sheet *sheets, uint32_t count, const double angles[3], enum fbx_rotation_order order)
{
    struct fbx_motion motion = {.sheets = sheets, .sheet_count = count, .order = order};
    double out[4], expected[4], dot = 0;
    fbx_motion_turn(&motion, 0, out);
    fbx_quat_from_euler(angles, order, expected);
    for (int i = 0; i < 4; i++)
        dot += out[i] * expected[i];
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(dot < 0 ? -out[i] : out[i], expected[i], 1e-9);
}

TEST(fbx_layers_turn_one_after_the_other)
{
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 1, 0, 0, 90);
    base.is_base = true;
    struct fbx_sheet sheets[] = {base, sheet_of(FBX_LAYER_ADD, 1, 90, 0, 0), sheet_of(FBX_LAYER_ADD, 1, 10, 20, 30)};
    /* First 90 about x, then 90 about z: with x first in the order, these are the angles. */
    check_turn(sheets, 2, (const double[]){90, 0, 90}, FBX_ORDER_XYZ);
    /* In the order ZYX z turns first: Rz * Rx = (Rz * Rx * inverse(Rz)) * Rz, and Rz takes x to y. */
    check_turn(sheets, 2, (const double[]){0, 90, 90}, FBX_ORDER_ZYX);
    sheets[1].layer.weight = 0.5;
    check_turn(sheets, 2, (const double[]){45, 0, 90}, FBX_ORDER_XYZ);
    sheets[1].layer.turns_by_angle = true;
    check_turn(sheets, 2, (const double[]){45, 0, 90}, FBX_ORDER_ZYX);
    sheets[2].layer.turns_by_angle = true;
    check_turn(sheets, 3, (const double[]){55, 20, 120}, FBX_ORDER_YZX);
}

TEST(fbx_layers_pass_the_shorter_way)
{
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 1, 0, 0, 10);
    base.is_base = true;
    struct fbx_sheet sheets[] = {base, sheet_of(FBX_LAYER_PASS, 0.5, 0, 0, 350)};
    check_turn(sheets, 2, (const double[]){0, 0, 0}, FBX_ORDER_XYZ);
    sheets[1].layer.turns_by_angle = true;
    check_turn(sheets, 2, (const double[]){0, 0, 180}, FBX_ORDER_XYZ);
    sheets[1].layer.blend = FBX_LAYER_OVERRIDE;
    check_turn(sheets, 2, (const double[]){0, 0, 350}, FBX_ORDER_XYZ);
}

/* A quaternion layer, and on top of it one of angles: the angles of the former count. */
TEST(fbx_layers_mix_turns_and_angles)
{
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 1, 0, 0, 90);
    base.is_base = true;
    struct fbx_sheet sheets[] = {base, sheet_of(FBX_LAYER_ADD, 1, 80, 0, 0), sheet_of(FBX_LAYER_ADD, 1, 1, 2, 3)};
    sheets[2].layer.turns_by_angle = true;
    check_turn(sheets, 3, (const double[]){81, 2, 93}, FBX_ORDER_XYZ);
}

TEST(fbx_layers_have_moving_weights)
{
    struct fbx_key keys[] = {{.time = 0, .value = -20, .interpolation = FBX_KEY_LINEAR}, {.time = 4, .value = 140}};
    struct fbx_sheet base = sheet_of(FBX_LAYER_ADD, 1, 0, 0, 0);
    base.is_base = true;
    struct fbx_sheet sheets[] = {base, sheet_of(FBX_LAYER_ADD, 1, 10, 0, 0)};
    sheets[1].weight = (struct fbx_curve){.keys = keys, .key_count = 2, .units_per_s = 1};
    struct fbx_motion motion = {.sheets = sheets, .sheet_count = 2};
    static const double AT[] = {0, 0.5, 2, 3, 4}, EXPECTED[] = {0, 0, 6, 10, 10};
    for (int i = 0; i < 5; i++) {
        double out[3];
        fbx_motion_at(&motion, AT[i], out);
        CHECK_NEAR(out[0], EXPECTED[i], 1e-12);
    }
    struct fbx_times times = {0};
    fbx_motion_times(&motion, 3, &times);
    assert_int_equal(times.count, 2);
    CHECK_NEAR(times.times_s[1], 3, 0);
    fbx_times_fini(&times);
    assert_false(fbx_motion_is_plain(&motion));
}
