/* Objects, properties and connections of files from 7.0 on. */
#include "tests/unit/fbx_file/fbx_bytes.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TEXT[] =
    "; FBX 7.5.0 project file\n"
    "FBXHeaderExtension: { FBXHeaderVersion: 1004\n FBXVersion: 7700\n OtherFlags: { TCDefinition: 127 } }\n"
    "GlobalSettings: { Properties70: { P: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
    "  P: \"TimeMode\", \"enum\", \"\", \"\",11, \"a~b\" } }\n"
    "Documents: { Count: 1\n Document: 77, \"\", \"Scene\" { RootNode: 5 } }\n"
    "Definitions: {\n"
    " ObjectType: \"Model\" { PropertyTemplate: \"FbxNode\" { Properties70: {\n"
    "  P: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1,1,1\n  P: \"Show\", \"bool\", \"\", \"\",1\n } } }\n"
    " ObjectType: \"NodeAttribute\" { PropertyTemplate: \"FbxCamera\" { Properties70: {\n"
    "  P: \"FieldOfView\", \"FieldOfView\", \"\", \"A\",25 } } }\n"
    "}\n"
    "Objects: {\n"
    " Model: -1, \"Model::hip\", \"LimbNode\" { Properties70: {\n"
    "  P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",1,2,3\n"
    "  P: \"Show\", \"Compound\", \"\", \"\"\n"
    "  P: \"Mood\", \"KString\", \"\", \"A+U\", \"grim\"\n"
    "  P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",4,5,6\n"
    " } }\n"
    " Model: -9223372036854775808, \"Model::a::b\", \"\" { }\n"
    " Model: 3, \"plain\", \"Null\" { }\n"
    " Model: 3, \"Model::twin\", \"Null\" { }\n"
    " NodeAttribute: 9, \"NodeAttribute::eye\", \"Camera\" { }\n"
    " NodeAttribute: 10, \"NodeAttribute::bone\", \"LimbNode\" { }\n"
    " Material: 11, \"Material::\", \"FbxPhong\" { }\n"
    " Odd: { }\n Odd: 1.5, \"x\"\n Odd: 4\n"
    "}\n"
    "Connections: {\n"
    " ;Model::hip, Model::RootNode\n"
    " C: \"OO\",-9223372036854775808,-1\n"
    " C: \"OO\",-1,5\n"
    " C: \"OO\",9,-1\n"
    " C: \"OP\",11,-1, \"Look\"\n"
    " C: \"OO\",3,-1\n"
    " C: \"PO\",9, \"Out\",3\n"
    " C: \"PP\",9, \"Out\",3, \"In\"\n"
    " C: \"OO\",12345,-1\n C: \"XX\",3,-1\n C: \"OO\"\n C: \"OO\",3\n"
    "}\n";
enum { HIP = 2, DEEP, PLAIN, TWIN, EYE, BONE, LOOK };

TEST(fbx_scene_objects)
{
    struct fbx_reading run;
    fbx_reading_scene(&run, TEXT, sizeof TEXT - 1);
    assert_int_equal(run.rc, 0);
    const struct fbx_scene *scene = &run.scene;
    assert_int_equal(scene->file.version, 7500); /* the first line's */
    assert_int_equal(scene->object_count, LOOK + 1);
    assert_true(fbx_object_is(scene, HIP, "Model", "LimbNode") && fbx_object_is(scene, HIP, "Model", NULL));
    assert_true(fbx_span_is(scene->objects[HIP].name, "hip"));
    assert_true(fbx_span_is(scene->objects[DEEP].name, "a::b"));
    assert_true(fbx_span_is(scene->objects[PLAIN].name, "plain"));
    assert_true(fbx_object_is(scene, LOOK, "Material", "Phong")); /* "Fbx" is no part of it */
    assert_int_equal(scene->objects[LOOK].name.size_bytes, 0);
    assert_int_equal(fbx_object_of_id(scene, -1), HIP);
    assert_int_equal(fbx_object_of_id(scene, INT64_MIN), DEEP);
    assert_int_equal(fbx_object_of_id(scene, 3), PLAIN); /* the first of two */
    assert_int_equal(fbx_object_of_id(scene, 5), FBX_ROOT);
    assert_int_equal(fbx_object_of_id(scene, 0), FBX_ROOT);
    assert_int_equal(fbx_object_of_id(scene, 8), FBX_NONE);
    assert_int_equal(fbx_object_named(scene, fbx_span_of("Model::twin")), TWIN);
    assert_int_equal(fbx_object_named(scene, fbx_span_of("twin")), FBX_NONE);
    assert_string_equal(FBX_OBJECT_TEXT(scene, HIP), "Model 'hip'");
    assert_false(fbx_object_is(scene, FBX_NONE, "Model", NULL));
    fbx_reading_fini(&run);
}

TEST(fbx_scene_properties)
{
    struct fbx_reading run;
    double three[3] = {0};
    double real = 0;
    int64_t integer = 0;
    struct fbx_span text;
    fbx_reading_scene(&run, TEXT, sizeof TEXT - 1);
    const struct fbx_scene *scene = &run.scene;
    assert_true(fbx_property_real3(scene, HIP, "Lcl Translation", three)); /* the last of two */
    CHECK_NEAR(three[0], 4, 0);
    CHECK_NEAR(three[2], 6, 0);
    assert_true(fbx_property_real3(scene, HIP, "Lcl Scaling", three)); /* the template's */
    CHECK_NEAR(three[1], 1, 0);
    assert_true(fbx_property_integer(scene, HIP, "Show", &integer)); /* its own has no value */
    assert_int_equal(integer, 1);
    assert_true(fbx_property_text(scene, HIP, "Mood", &text) && fbx_span_is(text, "grim"));
    assert_false(fbx_property_real(scene, HIP, "Mood", &real));
    assert_false(fbx_property_real(scene, HIP, "mood", &real));
    assert_true(fbx_property_real(scene, EYE, "FieldOfView", &real));
    CHECK_NEAR(real, 25, 0);
    assert_false(fbx_property_real(scene, BONE, "FieldOfView", &real)); /* that template is for cameras */
    assert_true(fbx_property_integer(scene, FBX_SETTINGS, "UpAxis", &integer) && integer == 2);
    assert_true(fbx_property_text(scene, FBX_SETTINGS, "TimeMode", &text) && fbx_span_is(text, "a~b"));
    assert_false(fbx_property_real(scene, FBX_NONE, "UpAxis", &real));
    fbx_reading_fini(&run);
}

TEST(fbx_scene_properties_in_the_files_order)
{
    static const char *const NAMES[] = {"Lcl Translation", "Show", "Mood", "Lcl Translation"};
    struct fbx_reading run;
    struct fbx_property property;
    uint32_t cursor = FBX_NONE;
    fbx_reading_scene(&run, TEXT, sizeof TEXT - 1);
    const struct fbx_scene *scene = &run.scene;
    for (int i = 0; i < 4; i++) {
        assert_true(fbx_property_next(scene, HIP, &cursor, &property));
        assert_true(fbx_span_is(property.name, NAMES[i]));
    }
    assert_false(fbx_property_next(scene, HIP, &cursor, &property));
    assert_true(fbx_property_find(scene, HIP, "Mood", &property));
    assert_true(fbx_span_is(property.type, "KString") && fbx_span_is(property.flags, "A+U"));
    assert_int_equal(property.value_first, 4);
    assert_int_equal(property.value_count, 1);
    cursor = FBX_NONE;
    assert_false(fbx_property_next(scene, FBX_ROOT, &cursor, &property));
    fbx_reading_fini(&run);
}

TEST(fbx_scene_links)
{
    struct fbx_reading run;
    uint32_t count;
    fbx_reading_scene(&run, TEXT, sizeof TEXT - 1);
    const struct fbx_scene *scene = &run.scene;
    assert_int_equal(scene->link_count, 7); /* without those that lead nowhere */
    const struct fbx_link *links = fbx_children(scene, HIP, &count);
    assert_int_equal(count, 4);
    assert_int_equal(links[0].child, DEEP);
    assert_int_equal(links[1].child, EYE);
    assert_true(links[2].child == LOOK && fbx_span_is(links[2].property, "Look"));
    assert_true(links[3].child == PLAIN && links[3].property.size_bytes == 0);
    links = fbx_parents(scene, EYE, &count);
    assert_int_equal(count, 3);
    assert_true(links[0].parent == HIP && links[0].child_property.size_bytes == 0);
    assert_true(links[1].parent == PLAIN && fbx_span_is(links[1].child_property, "Out"));
    assert_true(fbx_span_is(links[2].child_property, "Out") && fbx_span_is(links[2].property, "In"));
    assert_null(fbx_children(scene, BONE, &count));
    assert_int_equal(count, 0);
    fbx_parents(scene, FBX_NONE, &count);
    assert_int_equal(count, 0);
    assert_int_equal(fbx_first_child(scene, HIP, "NodeAttribute", "Camera"), EYE);
    assert_int_equal(fbx_first_child(scene, HIP, "NodeAttribute", "Light"), FBX_NONE);
    assert_int_equal(fbx_first_parent(scene, HIP, NULL, NULL), FBX_ROOT);
    fbx_reading_fini(&run);
}

TEST(fbx_scene_names_in_binary_files)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    fbx_bytes_begin(&bytes, 7400, false);
    fbx_bytes_open(&bytes, "Objects", "");
    fbx_bytes_leaf(&bytes, "Model", "LNS", 1LL, (size_t)11, "a::\xff\0\1Model", "Null");
    fbx_bytes_leaf(&bytes, "Model", "LNS", 2LL, (size_t)7, "\0\1Model", "Null");
    fbx_bytes_close(&bytes);
    fbx_bytes_end(&bytes);
    fbx_reading_scene(&run, bytes.data, bytes.size);
    assert_int_equal(run.rc, 0);
    assert_true(fbx_span_is(run.scene.objects[2].name, "a::\xff"));
    assert_int_equal(run.scene.objects[3].name.size_bytes, 0);
    fbx_reading_fini(&run);
}

static double ticks_of(const char *header, const char *version)
{
    char text[300];
    struct fbx_reading run;
    snprintf(text, sizeof text, "; FBX %s project file\nFBXHeaderExtension: { %s }", version, header);
    fbx_reading_scene(&run, text, strlen(text));
    assert_int_equal(run.rc, 0);
    const double seconds = fbx_ticks_s(&run.scene, 46186158000);
    fbx_reading_fini(&run);
    return 46186158000 / seconds;
}

TEST(fbx_scene_ticks)
{
    CHECK_NEAR(ticks_of("", "7.7.0"), 46186158000, 1e-3);
    CHECK_NEAR(ticks_of("", "8.0.0"), 141120000, 1e-3);
    CHECK_NEAR(ticks_of("FBXHeaderVersion: 1004\n OtherFlags: { TCDefinition: 0 }", "7.7.0"), 141120000, 1e-3);
    CHECK_NEAR(ticks_of("FBXHeaderVersion: 1004\n OtherFlags: { TCDefinition: 127 }", "8.0.0"), 46186158000, 1e-3);
    CHECK_NEAR(ticks_of("FBXHeaderVersion: 1003\n OtherFlags: { TCDefinition: 0 }", "7.7.0"), 46186158000, 1e-3);
}

TEST(fbx_scene_of_another_text)
{
    struct fbx_reading run;
    static const char OTHER[] = "key: value\nlist: [1, 2]\n";
    fbx_reading_scene(&run, OTHER, sizeof OTHER - 1);
    assert_true(fbx_refused(&run, ERR_NOT_A_MODEL, "it has neither objects nor models nor a header"));
    fbx_reading_fini(&run);
}

TEST(fbx_scene_damaged_everywhere) { fbx_check_damaged(TEXT, sizeof TEXT - 1); }
