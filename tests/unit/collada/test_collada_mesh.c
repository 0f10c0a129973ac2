/* Meshes of COLLADA files: what their corners, skins and morphs become. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

/* A Z-up file in inches; the node turns about x, is scaled unevenly and stands off the origin. */
static const char DAE[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"inch\" meter=\"0.0254\"/><up_axis>Z_UP</up_axis></asset>"
    "<library_geometries><geometry id=\"tri\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">1 2 3 4 5 6 7 8 10</float_array><technique_common>"
    "<accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>"
    "</mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"scene\"><node id=\"n1\" name=\"box\">"
    "<translate>10 20 30</translate><rotate>1 0 0 90</rotate><scale>2 3 4</scale>"
    "<instance_geometry url=\"#tri\"/></node><node id=\"n2\" name=\"box\"/></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

TEST(collada_keeps_its_own_axes_units_and_names)
{
    struct assimp_run run;
    double out[3];
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "box.dae", DAE);
    assimp_run_import(&run, "box.dae");
    assert_int_equal(run.rc, 0);
    const struct model_info *info = run.model.infos;
    assert_int_equal(info->flags, MODEL_HAS_UP | MODEL_HAS_UNIT);
    CHECK_NEAR(info->unit_m, 0.0254, 1e-8);
    CHECK_NEAR(info->up[2], 1, 1e-6);
    CHECK_NEAR(info->up[1], 0, 1e-6);
    CHECK_NEAR(info->forward[1], -1, 1e-6);
    const uint32_t box = assimp_run_node(&run, "box");
    assert_int_equal(run.model.nodes[box + 1].name.size_bytes, 3); /* both are called box */
    const double p[3] = {1, 2, 3};
    assimp_run_point(&run, POSE_REST, 0, box, p, out);
    CHECK_NEAR(out[0], 12, 1e-5);
    CHECK_NEAR(out[1], 20 - 12, 1e-5);
    CHECK_NEAR(out[2], 30 + 6, 1e-5);
    CHECK_NEAR(info->rest_min.x, 12, 1e-5);
    CHECK_NEAR(info->rest_max.y, 8, 1e-5);
    assimp_run_fini(&run);
}
