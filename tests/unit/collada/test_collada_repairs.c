/* COLLADA files as programs write them: references by the file's own name, decimal commas, missing geometries. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

static const char FORM[] = "<COLLADA xmlns=\"http://www.collada.org/2008/03/COLLADASchema\" version=\"1.4.1\">%s"
                           "<library_visual_scenes><visual_scene id=\"scene\">%s</visual_scene></library_visual_scenes>"
                           "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

static void import_as(struct assimp_run *run, const char *name, const char *libraries, const char *nodes)
{
    static char text[20000];
    assimp_run_init(run);
    assert_true(snprintf(text, sizeof text, FORM, libraries, nodes) < (int)sizeof text);
    temp_tree_file(&run->tree, name, text);
    assimp_run_import(run, name);
}

#define XYZ "<param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/>"
#define ROWS(id, of, count, stride, params, text)                                                                      \
    "<source id=\"" id "\"><float_array id=\"" id "-a\">" text "</float_array><technique_common><accessor "            \
    "source=\"" of "\" count=\"" count "\" stride=\"" stride "\">" params "</accessor></technique_common></source>"
#define POINTS(of, text)                                                                                               \
    ROWS("p", of, "3", "3", XYZ, text)                                                                                 \
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
#define VERTEX         "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
#define GEOMETRY(mesh) "<library_geometries><geometry id=\"g\"><mesh>" mesh "</mesh></geometry></library_geometries>"
#define FACE           "<triangles count=\"1\">" VERTEX "<p>0 1 2</p></triangles>"
#define PLAIN          GEOMETRY(POINTS("#p-a", "0 0 0 1 0 0 0 1 0.5") FACE)

static void expect_triangle(const char *file, const char *libraries, const char *url)
{
    struct assimp_run run;
    char nodes[200];
    snprintf(nodes, sizeof nodes, "<node name=\"n\"><instance_geometry url=\"%s\"/></node>", url);
    import_as(&run, file, libraries, nodes);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.warning_count, 0);
    assert_int_equal(run.model.position_count, 3);
    float highest = 0;
    for (uint32_t v = 0; v < 3; v++)
        highest = run.model.positions[v].z > highest ? run.model.positions[v].z : highest;
    CHECK_NEAR(highest, 0.5, 0);
    assimp_run_fini(&run);
}

TEST(collada_file_may_call_itself_by_its_name)
{
    expect_triangle("self.dae", PLAIN, "self.dae#g");
    expect_triangle("self.dae", PLAIN, "./self.dae#g");
    expect_triangle("self.dae", PLAIN, " Self.DAE#g");
    expect_triangle("my self.dae", PLAIN, "my%20self.dae#g");
    expect_triangle("self.dae", GEOMETRY(POINTS("self.dae#p-a", "0 0 0 1 0 0 0 1 0.5") FACE), "#g");
    static const char *const OTHERS[] = {"other.dae#g", "elf.dae#g", "../self.dae#g", "self.dae", "folder/self.dae#g"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        struct assimp_run run;
        char nodes[200];
        snprintf(nodes, sizeof nodes, "<node name=\"n\"><instance_geometry url=\"%s\"/></node>", OTHERS[i]);
        import_as(&run, "self.dae", PLAIN, nodes);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        assert_non_null(strstr(run.err.message, "which is not in the file"));
        assimp_run_fini(&run);
    }
}

TEST(collada_accessor_may_name_its_source)
{
    expect_triangle("a.dae", GEOMETRY(POINTS("#p", "0 0 0 1 0 0 0 1 0.5") FACE), "#g");
}

TEST(collada_numbers_may_have_decimal_commas)
{
    expect_triangle("a.dae", GEOMETRY(POINTS("#p-a", "0,0 -0,25 0 1 5,000000e-01 0 0 1 0,500000") FACE), "#g");
}

/* --- texture coordinates out of range --- */

#define TEXTURED(p)                                                                                                    \
    GEOMETRY(POINTS("#p-a", "0 0 0 1 0 0 0 1 0")                                                                       \
                 ROWS("t", "#t-a", "2", "2", "<param name=\"S\"/><param name=\"T\"/>", "0.25 0.5 1 1")                 \
                     ROWS("c", "#c-a", "1", "3", XYZ, "1 0 0") "<triangles count=\"1\">" VERTEX                        \
                                                               "<input semantic=\"TEXCOORD\" source=\"#t\" "           \
                                                               "offset=\"1\"/><input semantic=\"COLOR\" "              \
                                                               "source=\"#c\" offset=\"2\"/><p>" p "</p></triangles>")
#define SHOWN "<node name=\"n\"><instance_geometry url=\"#g\"/></node>"

TEST(collada_texture_coordinates_out_of_range_are_left_out)
{
    struct assimp_run run;
    import_as(&run, "a.dae", TEXTURED("0 0 0 1 1 0 2 0 0"), SHOWN);
    assert_int_equal(run.model.warning_count, 0);
    assert_int_equal(run.model.position_count, 3);
    CHECK_NEAR(run.model.texcoords[0].x, 0.25, 0);
    assimp_run_fini(&run);
    static const char *const WRONG[] = {TEXTURED("0 0 0 1 2 0 2 0 0"), TEXTURED("0 0 0 1 -1 0 2 0 0")};
    for (size_t i = 0; i < 2; i++) {
        import_as(&run, "a.dae", WRONG[i], SHOWN);
        assert_int_equal(run.rc, 0);
        assert_true(assimp_run_warned(&run, "texcoords_ignored"));
        assert_int_equal(run.model.position_count, 3);
        assert_int_equal(run.model.colors[0].g, 0); /* the other inputs stay */
        assert_int_equal(run.model.texcoord_count, 0);
        assimp_run_fini(&run);
    }
    import_as(&run, "a.dae", TEXTURED("0 0 0 1 0 0 2 0 1"), SHOWN);
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_non_null(strstr(run.err.message, "corner 2 names COLOR 1 of 1"));
    assimp_run_fini(&run);
}

/* --- skins without a geometry --- */

#define BARE(of)                                                                                                       \
    "<library_controllers><controller id=\"k\"><skin source=\"" of "\"/></controller></library_controllers>"
#define BONES                                                                                                          \
    "<node name=\"hip\"><translate>1 2 3</translate><node name=\"knee\"/></node>"                                      \
    "<node name=\"man\"><instance_controller url=\"#k\"/></node>"

TEST(collada_skin_without_a_geometry_leaves_its_skeleton)
{
    struct assimp_run run;
    import_as(&run, "a.dae", BARE("#gone"), BONES);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.node_count, 4);
    assert_int_equal(run.model.position_count, 0);
    assert_true(assimp_run_warned(&run, "instance_ignored"));
    CHECK_NEAR(run.model.nodes[assimp_run_node(&run, "hip")].translation[1], 2, 0);
    assimp_run_fini(&run);
    import_as(&run, "a.dae", BARE("#k"), BONES); /* a fault, not a missing part */
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assimp_run_fini(&run);
    import_as(&run, "a.dae",
              "<library_controllers><controller id=\"k\"><morph source=\"#gone\"/></controller></library_controllers>",
              BONES);
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_string_equal(run.err.message, "nothing that the file shows can be read: controller 'k', line 1, deforms "
                                         "'#gone', which is not in the file");
    assimp_run_fini(&run);
}

/* --- assets of parts --- */

static void expect_asset(const char *file_asset, const char *own_asset, const char *warning)
{
    struct assimp_run run;
    char libraries[4000];
    snprintf(libraries, sizeof libraries,
             "%s<library_geometries>\n%s<geometry id=\"g\">"
             "%s<mesh>" POINTS("#p-a", "0 0 0 1 0 0 0 1 0") FACE "</mesh></geometry></library_geometries>",
             file_asset, own_asset, own_asset);
    import_as(&run, "a.dae", libraries, SHOWN);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.warning_count, warning != NULL);
    if (warning != NULL)
        assert_true(assimp_run_warned(&run, "asset_ignored"));
    assimp_run_fini(&run);
}

TEST(collada_another_unit_or_axis_of_a_part_is_a_warning)
{
    expect_asset("<asset><unit meter=\"0.01\"/></asset>", "<asset><unit meter=\"0.0254\"/></asset>", "unit");
    expect_asset("<asset><unit meter=\"0.01\"/></asset>", "<asset><unit meter=\"0.010\"/></asset>", NULL);
    expect_asset("<asset><unit meter=\"0.01\"/></asset>", "<asset><title>a</title></asset>", NULL);
    expect_asset("", "<asset><up_axis>Z_UP</up_axis></asset>", "axis");
    expect_asset("", "<asset><up_axis>Y_UP</up_axis></asset>", NULL);
}
