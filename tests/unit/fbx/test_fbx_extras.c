/* User properties of FBX files as JSON, and markers of the timeline in clips. */
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static bool has_extra(const struct fbx_run *run, enum extra_owner owner, uint32_t index, const char *json)
{
    for (uint32_t e = 0; e < run->builder.extra_count; e++) {
        const struct extra *extra = &run->builder.extras[e];
        if (extra->owner == (uint32_t)owner && extra->index == index)
            return fbx_run_is_text(run, extra->json, json);
    }
    return false;
}

TEST(fbx_extras_are_user_properties_with_every_digit)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "a", "", "P: 'plain', 'int', 'Integer', '',7\n") FBX_MODEL_OF(
                      "2", "b", "",
                      "P: 'speed', 'double', 'Number', 'A+U',1.10,0,2\n"
                      "P: 'id', 'ULongLong', '', 'U',12345678901234567890\n"
                      "P: 'note', 'KString', '', 'U', 'say &quot;hi&quot;'\n"
                      "P: 'on', 'bool', '', 'U',0\n"
                      "P: 'at', 'Vector3D', 'Vector', 'U', ;what\n ,1,-2.50,3e2\n") "Material: 3, 'Material::m', '' "
                                                                                    "{\n Properties70: {\nP: 'fibre', "
                                                                                    "'int', '', 'U',3\n}\n}\n",
                  "");
    assert_int_equal(run.rc, 0);
    bake_add_material(&run.builder, 2);
    run.fbx.material_of = malloc(run.fbx.scene.object_count * sizeof *run.fbx.material_of);
    for (uint32_t i = 0; i < run.fbx.scene.object_count; i++)
        run.fbx.material_of[i] = fbx_object_is(&run.fbx.scene, i, "Material", NULL) ? 1 : -1;
    assert_int_equal(fbx_read_extras(&run.fbx, &run.err), 0);
    assert_int_equal(run.builder.extra_count, 2);
    assert_true(has_extra(&run, EXTRA_NODE, 1,
                          "{\"speed\":1.10,\"id\":12345678901234567890,\"note\":\"say \\\"hi\\\"\",\"on\":false,"
                          "\"at\":[1,-2.50,3e2]}"));
    assert_true(has_extra(&run, EXTRA_MATERIAL, 1, "{\"fibre\":3}"));
    fbx_run_fini(&run);
}

/* A clip of two seconds that begins at the file's second one. */
static void add_clip(struct fbx_run *run, double duration_s)
{
    *bake_add_clip(&run->builder, 1) = (struct clip){.name = {.offset = STR_NONE}, .duration_s = duration_s};
    run->fbx.clip_starts_s = malloc(sizeof *run->fbx.clip_starts_s);
    run->fbx.clip_starts_s[0] = 1;
}

#define TICKS(name, ticks) "P: 'TimeMarker|" name "', 'KTime', 'Time', ''," ticks "\n"

TEST(fbx_markers_are_those_during_a_clip)
{
    struct fbx_run run;
    fbx_run_nodes(&run,
                  TICKS("late|Time", "150000000000")
                      TICKS("hit|Time", "103918855500") "P: 'TimeMarker|hit|Name', "
                                                        "'KString', '', '', 'slap'\n" TICKS("hit|Loop", "1")
                                                            TICKS("first", "46186158000") TICKS("before|Time", "1"),
                  "", "");
    assert_int_equal(run.rc, 0);
    add_clip(&run, 2);
    assert_int_equal(fbx_read_extras(&run.fbx, &run.err), 0);
    assert_int_equal(run.builder.marker_count, 2);
    assert_true(fbx_run_is_text(&run, run.builder.markers[0].name, "first"));
    CHECK_NEAR(run.builder.markers[0].time_s, 0, 0);
    assert_true(fbx_run_is_text(&run, run.builder.markers[1].name, "slap"));
    CHECK_NEAR(run.builder.markers[1].time_s, 1.25, 1e-12);
    assert_int_equal(run.builder.warning_count, 0);
    fbx_run_fini(&run);
}

TEST(fbx_markers_of_a_clip_without_length_are_reported)
{
    struct fbx_run run;
    fbx_run_nodes(&run, TICKS("hit|Time", "103918855500"), "", "");
    add_clip(&run, 0);
    assert_int_equal(fbx_read_extras(&run.fbx, &run.err), 0);
    assert_int_equal(run.builder.marker_count, 0);
    assert_true(fbx_run_warned(&run, "markers_dropped"));
    fbx_run_fini(&run);
}
