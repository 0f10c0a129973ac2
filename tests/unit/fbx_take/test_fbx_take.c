#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_take.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND "46186158000"

static void read_takes(struct fbx_run *run, struct fbx_take_list *list, const char *objects, const char *connections)
{
    fbx_run_nodes(run, "", objects, connections);
    assert_int_equal(run->rc, 0);
    assert_int_equal(fbx_take_list_read(list, &run->fbx.scene, &run->err), 0);
}

static void fini(struct fbx_run *run, struct fbx_take_list *list)
{
    fbx_take_list_fini(list);
    fbx_run_fini(run);
}

#define STACK(id, name, times) "AnimationStack: " id ", 'AnimStack::" name "', '' {\n Properties70: {\n" times "}\n}\n"
#define LAYER(id, properties)  "AnimationLayer: " id ", 'AnimLayer::l', '' {\n Properties70: {\n" properties "}\n}\n"
#define NODE(id, properties)                                                                                           \
    "AnimationCurveNode: " id ", 'AnimCurveNode::T', '' {\n Properties70: {\n" properties "}\n}\n"
#define CURVE(id)                                                                                                      \
    "AnimationCurve: " id ", 'AnimCurve::', '' {\nKeyTime: *2 { a: 0," SECOND "0 }\nKeyValueFloat: *2 { a: 3,4 }\n"    \
    "KeyAttrFlags: *1 { a: 4 }\nKeyAttrDataFloat: *4 { a: 0,0,0,0 }\nKeyAttrRefCount: *1 { a: 2 }\n}\n"
#define OO(child, parent)           "C: 'OO'," child "," parent "\n"
#define OP(child, parent, property) "C: 'OP'," child "," parent ", '" property "'\n"
#define BOX                         FBX_MODEL_OF("1", "box", "Null", "")

TEST(fbx_take_has_layers_with_their_modes)
{
    struct fbx_run run;
    struct fbx_take_list list;
    read_takes(&run, &list,
               BOX STACK("10", "walk", FBX_P1("LocalStart", SECOND) FBX_P1("LocalStop", SECOND "0")) LAYER("20", "")
                   LAYER("21", FBX_P1("Weight", "25") FBX_P1("BlendMode", "2") FBX_P1("ScaleAccumulationMode", "1"))
                       LAYER("22", FBX_P1("BlendMode", "1") FBX_P1("Mute", "1") FBX_P1("RotationAccumulationMode", "1"))
                           NODE("30", FBX_P1("d|Weight", "0")) CURVE("40"),
               OO("20", "10") OO("21", "10") OO("22", "10") OO("30", "21") OP("30", "21", "Weight")
                   OP("40", "30", "d|Weight"));
    assert_int_equal(list.take_count, 1);
    const struct fbx_take *take = &list.takes[0];
    assert_true(fbx_span_is(take->name, "walk"));
    CHECK_NEAR(take->range.start / take->range.ticks_per_s, 1, 0);
    CHECK_NEAR(take->range.stop / take->range.ticks_per_s, 10, 0);
    assert_int_equal(take->layer_count, 3);
    const struct fbx_layer *layers = list.layers;
    assert_true(layers[0].blend == FBX_LAYER_ADD && layers[0].weight_curve == FBX_NONE && !layers[0].is_off);
    assert_true(layers[1].blend == FBX_LAYER_PASS && layers[1].adds_scales && !layers[1].turns_by_angle);
    CHECK_NEAR(layers[1].weight, 0.25, 0);
    assert_true(layers[1].weight_curve != FBX_NONE);
    assert_true(layers[2].blend == FBX_LAYER_OVERRIDE && layers[2].turns_by_angle && layers[2].is_off);
    fini(&run, &list);
}

/* A curve node without curves: the weight is what it says. */
TEST(fbx_take_has_weights_without_curves)
{
    struct fbx_run run;
    struct fbx_take_list list;
    read_takes(&run, &list,
               STACK("10", "walk", FBX_P1("LocalStop", "1")) LAYER("20", FBX_P1("Weight", "25"))
                   NODE("30", FBX_P1("d|Weight", "75")),
               OO("20", "10") OO("30", "20") OP("30", "20", "Weight"));
    CHECK_NEAR(list.layers[0].weight, 0.75, 0);
    assert_true(list.layers[0].weight_curve == FBX_NONE);
    fini(&run, &list);
}

TEST(fbx_take_plays_solo_layers_alone)
{
    struct fbx_run run;
    struct fbx_take_list list;
    read_takes(&run, &list,
               STACK("10", "walk", FBX_P1("LocalStop", "1")) LAYER("20", "") LAYER("21", FBX_P1("Solo", "1"))
                   LAYER("22", FBX_P1("Solo", "1") FBX_P1("Mute", "1")),
               OO("20", "10") OO("21", "10") OO("22", "10"));
    assert_true(list.layers[0].is_off && !list.layers[1].is_off && list.layers[2].is_off);
    fini(&run, &list);
}

TEST(fbx_take_drives_properties_by_axis)
{
    struct fbx_run run;
    struct fbx_take_list list;
    uint32_t count;
    read_takes(&run, &list,
               BOX STACK("10", "walk", FBX_P1("LocalStop", "1")) LAYER("20", "")
                   NODE("30", FBX_P1("d|X", "5") FBX_P1("d|Z", "6")) NODE("31", "") CURVE("40") CURVE("41"),
               OO("20", "10") OO("30", "20") OO("31", "20") OP("31", "1", "Lcl Rotation")
                   OP("30", "1", "Lcl Translation") OP("40", "30", "d|Y") OP("41", "31", "d|Odd"));
    const uint32_t box = fbx_object_of_id(&run.fbx.scene, 1);
    const struct fbx_drive *drives = fbx_take_drives(&list, &list.takes[0], box, &count);
    assert_int_equal(count, 2);
    assert_true(fbx_span_is(drives[0].property, "Lcl Rotation"));
    assert_true(drives[0].curves[0] != FBX_NONE && drives[0].curves[1] == FBX_NONE);
    assert_true(isnan(drives[0].defaults[0]));
    CHECK_NEAR(drives[1].defaults[0], 5, 0);
    assert_true(isnan(drives[1].defaults[1]));
    CHECK_NEAR(drives[1].defaults[2], 6, 0);
    assert_true(drives[1].curves[0] == FBX_NONE && drives[1].curves[1] != FBX_NONE);
    assert_null(fbx_take_drives(&list, &list.takes[0], FBX_ROOT, &count));
    fini(&run, &list);
}

static void check_range(const char *times, double start, double stop)
{
    struct fbx_run run;
    struct fbx_take_list list;
    char objects[2000];
    snprintf(objects, sizeof objects, BOX STACK("10", "walk", "%s") LAYER("20", "") NODE("30", "") CURVE("40"), times);
    read_takes(&run, &list, objects, OO("20", "10") OO("30", "20") OP("30", "1", "Lcl Rotation") OP("40", "30", "d|X"));
    CHECK_NEAR(list.takes[0].range.start / list.takes[0].range.ticks_per_s, start, 0);
    CHECK_NEAR(list.takes[0].range.stop / list.takes[0].range.ticks_per_s, stop, 0);
    fini(&run, &list);
}

/* The keys last 10 s. */
TEST(fbx_take_has_a_range)
{
    check_range(FBX_P1("LocalStart", SECOND) FBX_P1("LocalStop", SECOND "00") FBX_P1("ReferenceStop", "7"), 1, 100);
    check_range(FBX_P1("LocalStart", SECOND) FBX_P1("ReferenceStart", "-" SECOND) FBX_P1("ReferenceStop", SECOND), -1,
                1);
    check_range(FBX_P1("LocalStart", SECOND) FBX_P1("LocalStop", SECOND), 1, 10);
    check_range(FBX_P1("LocalStart", SECOND "0") FBX_P1("LocalStop", SECOND "0"), 10, 10);
    check_range(FBX_P1("ReferenceStart", SECOND) FBX_P1("ReferenceStop", SECOND), 0, 10);
    check_range("", 0, 10);
}

/* --- before 7.0 --- */

static const char OLD[] =
    "; FBX 6.1.0 project file\nFBXHeaderExtension: {\n FBXVersion: 6100\n}\nObjects: {\n"
    "Model: \"Model::hip\", \"Limb\" {\n Version: 232\n Properties60: {\n}\n}\n}\nConnections: {\n}\nTakes: {\n"
    "Take: \"idle\" {\n ReferenceTime: 5," SECOND "\n}\n"
    "Take: \"walk\" {\n LocalTime: " SECOND "," SECOND "0\n Model: \"Model::none\" {\n}\n Model: \"Model::hip\" {\n"
    "Channel: \"Transform\" {\n Channel: \"T\" {\n Channel: \"X\" {\n Default: 1\n}\n"
    " Channel: \"Y\" {\n Default: 2\n KeyCount: 1\n Key: 0,5,L\n}\n Channel: \"Z\" {\n Default: 3\n}\n}\n}\n"
    "Channel: \"Visibility\" {\n Default: 1\n KeyCount: 1\n Key: 0,1,L\n}\n Channel: \"Empty\" {\n}\n}\n}\n}\n";

TEST(fbx_old_takes_are_trees_of_channels)
{
    struct limits limits;
    struct bake_builder builder;
    struct fbx_scene scene;
    struct fbx_take_list list;
    struct err err;
    limits_default(&limits);
    bake_builder_init(&builder, 1 << 20);
    struct import import = {.path = "a.fbx",
                            .bytes = (const uint8_t *)OLD,
                            .size_bytes = strlen(OLD),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = &limits};
    assert_int_equal(fbx_scene_read(&scene, &import, &err), 0);
    assert_int_equal(fbx_take_list_read(&list, &scene, &err), 0);
    assert_int_equal(list.take_count, 2);
    CHECK_NEAR(list.takes[0].range.start, 5, 0);
    assert_int_equal(list.takes[0].drive_count, 0);
    const struct fbx_take *walk = &list.takes[1];
    assert_true(fbx_span_is(walk->name, "walk") && walk->stack == FBX_NONE);
    CHECK_NEAR(walk->range.stop / walk->range.ticks_per_s, 10, 0);
    assert_int_equal(walk->drive_count, 2);
    const struct fbx_drive *drive = &list.drives[walk->drive_first];
    assert_true(fbx_span_is(drive->property, "Lcl Translation"));
    assert_true(drive->curves[0] == FBX_NONE && drive->curves[1] != FBX_NONE && drive->curves[2] == FBX_NONE);
    CHECK_NEAR(drive->defaults[2], 3, 0);
    assert_true(fbx_span_is(drive[1].property, "Visibility"));
    fbx_take_list_fini(&list);
    fbx_scene_fini(&scene);
    bake_builder_fini(&builder);
}

/* Many stacks with the same layer: data read once for each has a limit. */
TEST(fbx_take_use_of_the_same_is_limited)
{
    struct fbx_run run;
    struct fbx_take_list list;
    fbx_run_nodes(&run, "", BOX STACK("2", "a", "") STACK("3", "b", "") LAYER("4", "") NODE("5", ""),
                  OO("4", "2") OO("4", "3") OO("5", "4") OP("5", "1", "Lcl Translation"));
    assert_int_equal(fbx_take_list_read(&list, &run.fbx.scene, &run.err), 0);
    assert_int_equal(list.drive_count, 2);
    fbx_take_list_fini(&list);
    run.limits.value[LIMIT_KEYS] = 0;
    run.import.limits = &run.limits;
    assert_int_equal(fbx_take_list_read(&list, &run.fbx.scene, &run.err), ERR_MODEL_LIMIT);
    fini(&run, &list);
}

TEST(fbx_take_spends)
{
    struct err err;
    uint64_t left = 5;
    assert_int_equal(fbx_take_spend(&left, 3, &err), 0);
    assert_int_equal(fbx_take_spend(&left, 3, &err), ERR_MODEL_LIMIT);
    assert_int_equal(fbx_take_spend(&left, 2, &err), 0);
    assert_int_equal(fbx_take_spend(NULL, UINT64_MAX, &err), 0);
}
