/* Meshes of COLLADA files: the results for their corners, skins and morphs. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
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

/* --- faces --- */

/* Effects, geometries, controllers and the nodes of the scene. */
static const char FORM[] = "<COLLADA xmlns=\"http://www.collada.org/2008/03/COLLADASchema\" version=\"1.5.0\">%s"
                           "<library_visual_scenes><visual_scene id=\"scene\">%s</visual_scene></library_visual_scenes>"
                           "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

#define FLOATS(id, count, stride, params, text)                                                                        \
    "<source id=\"" id "\"><float_array id=\"" id "-a\">" text "</float_array><technique_common><accessor "            \
    "source=\"#" id "-a\" count=\"" count "\" stride=\"" stride "\">" params "</accessor></technique_common></source>"
#define XYZ "<param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/>"
/* A unit square, then two points above it: (0, 0, 2) and (1, 0, 2). */
#define SQUARE                                                                                                         \
    FLOATS("p", "6", "3", XYZ, "\t 0 0 0  1 0 0 1.00000000000000000000000000 1e0 0 0 1 0 0 0 2 1 0 2 ")                \
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
#define VERTEX         "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
#define GEOMETRY(mesh) "<library_geometries><geometry id=\"g\"><mesh>" mesh "</mesh></geometry></library_geometries>"
#define SHOWN          "<node id=\"n\"><instance_geometry url=\"#g\"/></node>"

static void import_parts(struct assimp_run *run, const char *libraries, const char *nodes)
{
    static char text[20000];
    assimp_run_init(run);
    assert_true(snprintf(text, sizeof text, FORM, libraries, nodes) < (int)sizeof text);
    temp_tree_file(&run->tree, "a.dae", text);
    assimp_run_import(run, "a.dae");
}

/* Refuses the file with these words. */
static void check_refused(const char *libraries, const char *nodes, const char *words)
{
    struct assimp_run run;
    import_parts(&run, libraries, nodes);
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    if (strstr(run.err.message, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, run.err.message);
    assimp_run_fini(&run);
}

/* Twice the area of all triangles as seen from +z, and their number: what turns the wrong way counts negative. */
static double doubled_area(const struct model *model, uint32_t *count)
{
    double sum = 0;
    *count = model->index_count / 3;
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        const struct vec3 a = model->positions[model->indices[i]], b = model->positions[model->indices[i + 1]],
                          c = model->positions[model->indices[i + 2]];
        sum += (double)((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    }
    return sum;
}

TEST(collada_faces_of_every_element_turn_as_the_file_says)
{
    static const struct {
        const char *element;
        uint32_t count;
    } ROWS[] = {
        {"<triangles count=\"2\">" VERTEX "<p>0 1 2 0 2 3</p></triangles>", 2},
        {"<polylist count=\"1\">" VERTEX "<vcount>4</vcount><p>0 1 2 3</p></polylist>", 2},
        {"<polygons count=\"1\">" VERTEX "<p>0 1 2 3</p></polygons>", 2},
        {"<tristrips count=\"1\">" VERTEX "<p>0 1 3 2</p></tristrips>", 2},
        {"<trifans count=\"1\">" VERTEX "<p>0 1 2 3</p></trifans>", 2},
        {"<tristrips count=\"2\">" VERTEX "<p>0 1 3</p><p>1 2 3</p></tristrips>", 2},
        {"<polygons count=\"1\">" VERTEX "<ph><p>0 1 2 3</p><h>4 5 4</h></ph></polygons>", 2},
        {"<lines count=\"1\">" VERTEX "<p>0 4</p></lines><triangles count=\"2\">" VERTEX
         "<p>0 1 2 0 2 3</p></triangles>",
         0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        char libraries[4000];
        uint32_t count;
        snprintf(libraries, sizeof libraries, GEOMETRY(SQUARE "%s"), ROWS[i].element);
        import_parts(&run, libraries, SHOWN);
        assert_int_equal(run.rc, 0);
        assert_int_equal(assimp_run_warned(&run, "holes_filled"), strstr(ROWS[i].element, "<ph>") != NULL);
        const double area = doubled_area(&run.model, &count);
        if (ROWS[i].count > 0) {
            assert_int_equal(count, ROWS[i].count);
            CHECK_NEAR(area, 2, 1e-6);
        } else {
            assert_int_equal(run.model.primitives[0].topology, TOPOLOGY_LINES);
            assert_int_equal(run.model.primitives[0].index_count, 2);
            assert_int_equal(run.model.primitives[1].index_count, 6);
        }
        assimp_run_fini(&run);
    }
}

TEST(collada_corners_have_what_their_inputs_say)
{
    struct assimp_run run;
    import_parts(
        &run,
        GEOMETRY(SQUARE FLOATS("n", "1", "3", XYZ, "0 0 -2") FLOATS(
            "c", "2", "5", "<param name=\"R\"/><param/><param name=\"G\"/><param name=\"\"/><param name=\"B\"/>",
            "1 9 0 9 0 0 9 1 9 0.5")
                     FLOATS("t", "3", "3", "<param name=\"S\"/><param name=\"T\"/><param name=\"P\"/>",
                            "0 0.25 9 1 0 9 nan 1 -1.#IND") "<triangles count=\"1\"><input semantic=\"TEXCOORD\" "
                                                            "source=\"#t\" offset=\"2\" set=\"3\"/>" VERTEX
                                                            "<input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/>"
                                                            "<input semantic=\"COLOR\" source=\"#c\" "
                                                            "offset=\"3\"/><p>0 0 0 0 1 0 1 1 2 0 2 1</p></triangles>"),
        SHOWN);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.position_count, 3);
    assert_int_equal(run.model.primitives[0].flags, PRIMITIVE_FILE_NORMALS | PRIMITIVE_TEXCOORDS | PRIMITIVE_COLORS);
    CHECK_NEAR(run.model.normals[0].z, -1, 0);
    CHECK_NEAR(run.model.texcoords[0].y, 0.75, 1e-7); /* down */
    CHECK_NEAR(run.model.texcoords[2].x, 0, 0);       /* was no number */
    assert_int_equal(run.model.colors[0].r, UINT16_MAX);
    assert_int_equal(run.model.colors[1].g, UINT16_MAX);
    CHECK_NEAR(run.model.colors[1].b, UINT16_MAX * 0.21404, 2); /* sRGB of 0.5 */
    assert_int_equal(run.model.colors[1].a, UINT16_MAX);
    assimp_run_fini(&run);
}

TEST(collada_meshes_that_cannot_be_read_are_named)
{
#define TRIANGLES(p) "<triangles count=\"1\">" VERTEX "<p>" p "</p></triangles>"
    check_refused(GEOMETRY(SQUARE TRIANGLES("0 1 6")), SHOWN,
                  "geometry 'g', line 1: the <triangles> on line 1: corner 2 names POSITION 6 of 6");
    check_refused(GEOMETRY(SQUARE TRIANGLES("0 1 -1")), SHOWN, "names POSITION -1 of 6");
    check_refused(GEOMETRY(SQUARE TRIANGLES("0 1 x")), SHOWN, "'x' in the <p> on line 1 is no index");
    check_refused(GEOMETRY(SQUARE TRIANGLES("0 1 -2")), SHOWN, "'-2' in the <p>");
    check_refused(GEOMETRY(SQUARE TRIANGLES("")), SHOWN, "it has a count of 1 and no faces");
    check_refused(GEOMETRY(SQUARE "<polylist count=\"1\">" VERTEX "<vcount>5</vcount><p>0 1 2 3</p></polylist>"), SHOWN,
                  "face 0 has 5 corners, and the <p> on line 1 has 4 left");
    check_refused(GEOMETRY(SQUARE "<triangles count=\"1\"><p>0 1 2</p></triangles>"), SHOWN, "it has no VERTEX input");
    check_refused(GEOMETRY(TRIANGLES("0 1 2")), SHOWN, "it has no <vertices>");
    check_refused(GEOMETRY(FLOATS("p", "2", "3", XYZ, "1 2 3 4 5") "<vertices id=\"v\"><input semantic=\"POSITION\" "
                                                                   "source=\"#p\"/></vertices>" TRIANGLES("0 1 1")),
                  SHOWN, "array 'p-a', line 1, has 5 numbers, and 6 are wanted");
    check_refused(GEOMETRY(FLOATS("p", "1", "3", XYZ, "1 2 3,5,5") "<vertices id=\"v\"><input semantic=\"POSITION\" "
                                                                   "source=\"#p\"/></vertices>" TRIANGLES("0 0 0")),
                  SHOWN, "'3,5,5' is not a number");
    check_refused("", SHOWN, "the <instance_geometry> on line 1 names '#g', which is not in the file");
    check_refused("", "", "no mesh, no skeleton and no animation");
}

TEST(collada_geometries_that_are_no_meshes_are_named)
{
    struct assimp_run run;
    import_parts(&run, "<library_geometries><geometry id=\"g\"><spline/></geometry></library_geometries>", SHOWN);
    assert_int_equal(run.rc, 0);
    assert_true(assimp_run_warned(&run, "geometry_not_read"));
    assimp_run_fini(&run);
    import_parts(&run, GEOMETRY(SQUARE TRIANGLES("0 1 2")), SHOWN "<node><instance_geometry url=\"#no\"/></node>");
    assert_int_equal(run.rc, 0);
    assert_true(assimp_run_warned(&run, "instance_ignored"));
    assert_int_equal(run.model.index_count, 3);
    assimp_run_fini(&run);
}

/* --- skins --- */

#define NAMES(id, kind, count, text)                                                                                   \
    "<source id=\"" id "\"><" kind " id=\"" id "-a\">" text "</" kind "><technique_common><accessor source=\"#" id     \
    "-a\" count=\"" count "\"/></technique_common></source>"
#define UNIT "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "
/* Two joints; point 0 follows the first, point 1 both, point 2 the bind shape, the others the second. The bind shape
 * matrix moves by 1 along y, and the bind of the first joint turns the mesh by 90 degrees round z. */
#define SKIN(names)                                                                                                    \
    "<library_controllers><controller id=\"k\"><skin source=\"#g\">"                                                   \
    "<bind_shape_matrix>1 0 0 0 0 1 0 1 0 0 1 0 0 0 0 1</bind_shape_matrix>" names FLOATS(                             \
        "b", "2", "16", "<param name=\"TRANSFORM\" type=\"float4x4\"/>", "0 -1 0 0 1 0 0 0 0 0 1 0 0 0 0 1 " UNIT)     \
        FLOATS("w", "3", "1", "<param name=\"WEIGHT\"/>",                                                              \
               "1 0.25 0.75") "<joints><input semantic=\"JOINT\" source=\"#j\"/><input semantic=\"INV_BIND_MATRIX\" "  \
                              "source=\"#b\"/></joints>"                                                               \
                              "<vertex_weights count=\"6\"><input semantic=\"JOINT\" source=\"#j\" offset=\"0\"/>"     \
                              "<input semantic=\"WEIGHT\" source=\"#w\" offset=\"1\"/><vcount>1 2 1 1 1 1</vcount>"    \
                              "<v>0 0 0 1 1 2 -1 0 1 0 1 0 1 "                                                         \
                              "0</v></vertex_weights></skin></controller></library_controllers>"
#define ARM(id, x)                                                                                                     \
    "<node id=\"" id "\" name=\"" id "\"><translate>" x " 0 0</translate><node id=\"" id "-a\" sid=\"upper\">"         \
    "<scale>2 1 1</scale></node><node id=\"" id "-b\" sid=\"lower\"><translate>0 0 5</translate></node></node>"
#define INSTANCE(root) "<instance_controller url=\"#k\"><skeleton>#" root "</skeleton></instance_controller>"

/* Position of the vertex of mesh-carrying node `n` whose place in the file is `at`. */
static void skinned_at(struct assimp_run *run, uint32_t n, const struct vec3 *at, double out[3])
{
    const struct model *model = &run->model;
    const struct node *node = &model->nodes[n];
    assert_true(node->mesh >= 0 && node->skin >= 0);
    const struct primitive *primitive = &model->primitives[model->meshes[node->mesh].primitive_first];
    pose_evaluate(&run->pose, model, POSE_REST, 0);
    uint32_t v = primitive->vertex_first;
    while (memcmp(&model->positions[v], at, sizeof *at) != 0)
        assert_true(++v < primitive->vertex_first + primitive->vertex_count);
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = model->influence_firsts[v]; i < model->influence_firsts[v + 1]; i++) {
        const struct joint *joint = &model->joints[model->skins[node->skin].joint_first + model->influences[i].joint];
        const struct dmat4 bind = dmat4_from_mat4(&joint->joint_from_bind);
        const struct dmat4 matrix = dmat4_mul(&run->pose.scene_from_node[joint->node], &bind);
        double moved[3];
        dmat4_point(&matrix, DOUBLE3(*at), moved);
        for (int c = 0; c < 3; c++)
            out[c] += (double)model->influences[i].weight * moved[c];
    }
}

static void check_at(struct assimp_run *run, uint32_t n, struct vec3 at, double x, double y, double z)
{
    double out[3];
    skinned_at(run, n, &at, out);
    CHECK_NEAR(out[0], x, 1e-5);
    CHECK_NEAR(out[1], y, 1e-5);
    CHECK_NEAR(out[2], z, 1e-5);
}

/* The arm stands at `x`: bind shape (0, 1, 0), then bind (-1, 0, 0), then scaled and moved. */
static void check_arm(struct assimp_run *run, uint32_t n, double x)
{
    check_at(run, n, (struct vec3){0, 0, 0}, x - 2, 0, 0);
    check_at(run, n, (struct vec3){1, 0, 0}, 0.25 * (x - 2) + 0.75 * (x + 1), 0.25 * 1 + 0.75 * 1, 0.75 * 5);
    check_at(run, n, (struct vec3){1, 1, 0}, 1, 2, 0); /* where the bind shape is, whatever the arm does */
}

TEST(collada_instances_of_a_skin_have_skeletons_of_their_own)
{
    struct assimp_run run;
    import_parts(&run,
                 GEOMETRY(SQUARE "<trifans count=\"1\">" VERTEX "<p>0 1 2 3</p></trifans>")
                     SKIN(NAMES("j", "Name_array", "2", "upper lower")),
                 ARM("one", "10") ARM("two", "-20") "<node name=\"both\"><translate>7 7 7</translate>" INSTANCE("one")
                     INSTANCE("two") "</node>");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.warning_count, 0);
    assert_int_equal(run.model.skin_count, 2);
    assert_int_equal(run.model.mesh_count, 1); /* which both show */
    const uint32_t both = assimp_run_node(&run, "both");
    check_arm(&run, both, 10);
    check_arm(&run, run.model.node_count - 1, -20); /* a node of its own, behind all others */
    assimp_run_fini(&run);
}

TEST(collada_joints_are_found_by_id_and_below_several_roots)
{
    static const struct {
        const char *names, *nodes;
    } ROWS[] = {
        {SKIN(NAMES("j", "IDREF_array", "2", "two-a two-b")),
         ARM("one", "10") ARM("two", "-20") "<node name=\"both\"><instance_controller url=\"#k\"/></node>"},
        {SKIN(NAMES("j", "SIDREF_array", "2", "two/upper two/lower")),
         ARM("one", "10") ARM("two", "-20") "<node name=\"both\">" INSTANCE("two") "</node>"},
        {SKIN(NAMES("j", "Name_array", "2", "upper lower")),
         ARM("one", "10") ARM("two", "-20") "<node name=\"both\"><instance_controller url=\"#k\">"
                                            "<skeleton>#two-a</skeleton><skeleton> #two-b </skeleton>"
                                            "</instance_controller></node>"},
        {SKIN(NAMES("j", "Name_array", "2", "two-a two-b")),
         ARM("two", "-20") "<node name=\"both\"><instance_controller url=\"#k\"/></node>"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        char libraries[8000];
        snprintf(libraries, sizeof libraries,
                 GEOMETRY(SQUARE "<trifans count=\"1\">" VERTEX "<p>0 1 2 3</p></trifans>") "%s", ROWS[i].names);
        import_parts(&run, libraries, ROWS[i].nodes);
        assert_int_equal(run.rc, 0);
        check_arm(&run, assimp_run_node(&run, "both"), -20);
        assimp_run_fini(&run);
    }
}

TEST(collada_skins_that_cannot_be_read_are_named)
{
#define FAN   GEOMETRY(SQUARE "<trifans count=\"1\">" VERTEX "<p>0 1 2 3</p></trifans>")
#define NODES ARM("two", "-20") "<node name=\"both\">" INSTANCE("two") "</node>"
    check_refused(FAN SKIN(NAMES("j", "Name_array", "3", "upper lower upper")), NODES,
                  "it has 3 joints and inverse bind matrices for 2");
    check_refused(FAN
                  "<library_controllers><controller id=\"k\"><skin source=\"#k\"/></controller></library_controllers>",
                  NODES, "is a skin of a skin");
    check_refused(FAN "<library_controllers><controller id=\"k\"/></library_controllers>", NODES,
                  "has neither <skin> nor <morph>");
    struct assimp_run run;
    import_parts(&run, FAN SKIN(NAMES("j", "Name_array", "2", "upper nobody")), NODES);
    assert_int_equal(run.rc, 0);
    assert_true(assimp_run_warned(&run, "bone_without_node"));
    assert_int_equal(run.model.skins[0].joint_count, 2); /* one of the file, and the bind shape */
    check_at(&run, assimp_run_node(&run, "both"), (struct vec3){1, 0, 0}, -22, 1, 0); /* what remains counts whole */
    assimp_run_fini(&run);
}

/* --- morphs --- */

#define TARGET(id, text)                                                                                               \
    "<geometry id=\"" id "\" name=\"" id "\"><mesh>" FLOATS(id "-p", "6", "3", XYZ, text)                              \
        FLOATS(id "-n", "1", "3", XYZ,                                                                                 \
               "1 0 0") "<vertices id=\"" id "-v\"><input semantic=\"POSITION\" source=\"#" id                         \
                        "-p\"/><input semantic=\"NORMAL\" source=\"#" id                                               \
                        "-p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#" id             \
                        "-v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry>"
#define MORPH(method)                                                                                                  \
    "<library_geometries><geometry id=\"g\"><mesh>" SQUARE TRIANGLES("0 1 2") "</mesh></geometry>" TARGET(             \
        "wide", "0 0 0 5 0 0 5 1 0 0 1 0 0 0 2 1 0 2")                                                                 \
        TARGET("up",                                                                                                   \
               "0 0 3 1 0 3 1 1 3 0 1 0 0 0 2 1 0 2") "</library_geometries><library_controllers><controller "         \
                                                      "id=\"m\"><morph source=\"#g\" " method                          \
                                                      ">" NAMES("t", "IDREF_array", "2", "wide up") FLOATS(            \
                                                          "mw", "2", "1", "<param name=\"W\"/>",                       \
                                                          "0.5 0.25") "<targets><input semantic=\"MORPH_TARGET\" "     \
                                                                      "source=\"#t\"/><input "                         \
                                                                      "semantic=\"MORPH_WEIGHT\" source=\"#mw\"/>"     \
                                                                      "</targets></morph></controller></"              \
                                                                      "library_controllers>"

TEST(collada_morphs_add_what_targets_differ_by_or_hold)
{
    for (int is_relative = 0; is_relative < 2; is_relative++) {
        struct assimp_run run;
        import_parts(&run, is_relative ? MORPH("method=\"RELATIVE\"") : MORPH(""),
                     "<node id=\"n\"><instance_controller url=\"#m\"/></node>");
        assert_int_equal(run.rc, 0);
        const struct model *model = &run.model;
        const struct node *node = &model->nodes[1];
        assert_int_equal(node->weight_count, 2);
        CHECK_NEAR(model->weights[node->weight_first], 0.5, 0);
        CHECK_NEAR(model->weights[node->weight_first + 1], 0.25, 0);
        const struct morph_target *targets = &model->morph_targets[model->primitives[0].morph_target_first];
        assert_int_equal(model->primitives[0].morph_target_count, 2);
        assert_memory_equal(model->text + targets[1].name.offset, "up", 2);
        const struct vec3 wide = model->morph_deltas[targets[0].position_first + 1];
        CHECK_NEAR(wide.x, is_relative ? 5 : 4, 0);
        CHECK_NEAR(model->morph_deltas[targets[1].position_first].z, 3, 0);
        assimp_run_fini(&run);
    }
    check_refused(MORPH("") "<library_controllers><controller id=\"mm\"><morph source=\"#m\"/></controller>"
                            "</library_controllers>",
                  "<node><instance_controller url=\"#mm\"/></node>", "is a morph of a morph");
}

TEST(collada_morph_targets_of_other_sizes_are_left_out)
{
    struct assimp_run run;
    import_parts(
        &run,
        "<library_geometries><geometry id=\"g\"><mesh>" SQUARE TRIANGLES(
            "0 1 2") "</mesh></geometry>"
                     "<geometry id=\"s\"><mesh>" FLOATS(
                         "sp", "2", "3", XYZ,
                         "0 0 0 1 1 1") "<vertices id=\"sv\">"
                                        "<input semantic=\"POSITION\" "
                                        "source=\"#sp\"/></vertices></mesh></geometry></library_geometries>"
                                        "<library_controllers><controller id=\"m\"><morph source=\"#g\">" NAMES(
                                            "t", "IDREF_array", "1", "s")
                                            FLOATS("mw", "1", "1", "",
                                                   "1") "<targets><input semantic=\"MORPH_TARGET\" "
                                                        "source=\"#t\"/><input semantic=\"MORPH_WEIGHT\" "
                                                        "source=\"#mw\"/></targets></morph></controller></"
                                                        "library_controllers>",
        "<node><instance_controller url=\"#m\"/></node>");
    assert_int_equal(run.rc, 0);
    assert_true(assimp_run_warned(&run, "morph_target_ignored"));
    assimp_run_fini(&run);
}

/* --- normals, cameras, names --- */

TEST(collada_faces_without_normals_get_them_by_angle)
{
    struct assimp_run run;
    /* two faces at right angles, of points that the file has twice */
    import_parts(
        &run,
        GEOMETRY(FLOATS("p", "6", "3", XYZ,
                        "0 0 0 1 0 0 0 1 0  0 0 0 0 0 1 1 0 0") "<vertices id=\"v\"><input semantic=\"POSITION\" "
                                                                "source=\"#p\"/></vertices>"
                                                                "<triangles count=\"2\">" VERTEX
                                                                "<p>0 1 2 3 4 5</p></triangles>"),
        SHOWN);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.position_count, 6);
    for (uint32_t v = 0; v < 6; v++)
        CHECK_NEAR(run.model.normals[v].z + run.model.normals[v].y, 1, 1e-6); /* one of the two axes */
    assert_int_equal(run.model.primitives[0].flags & PRIMITIVE_FILE_NORMALS, 0);
    assimp_run_fini(&run);
}

TEST(collada_cameras_look_from_their_nodes)
{
    struct assimp_run run;
    import_parts(&run,
                 "<library_cameras><camera id=\"c\" name=\"lens\"><optics><technique_common><perspective>"
                 "<xfov>90</xfov><aspect_ratio>2</aspect_ratio><znear>0.5</znear><zfar>100</zfar></perspective>"
                 "</technique_common></optics></camera><camera id=\"o\"><optics><technique_common><orthographic>"
                 "<ymag>3</ymag><aspect_ratio>2</aspect_ratio><znear>0</znear><zfar>9</zfar></orthographic>"
                 "</technique_common></optics></camera><camera id=\"x\"/></library_cameras>",
                 "<node id=\"n\"><instance_camera url=\"#c\"/></node><node><instance_camera url=\"#o\"/></node>"
                 "<node><instance_camera url=\"#x\"/></node>");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.camera_count, 2);
    CHECK_NEAR(run.model.cameras[0].height, 2 * atan(0.5), 1e-6);
    CHECK_NEAR(run.model.cameras[0].width, 2, 1e-6);
    assert_int_equal(run.model.cameras[0].node, 1);
    CHECK_NEAR(run.model.cameras[1].width, 6, 1e-6);
    assert_true(assimp_run_warned(&run, "camera_ignored"));
    assimp_run_fini(&run);
}

TEST(collada_scene_is_the_first_where_none_is_shown)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.dae",
                   "<c:COLLADA xmlns:c=\"http://www.collada.org/2005/11/COLLADASchema\"><c:library_visual_scenes>"
                   "<c:visual_scene id=\"first\"><c:node id=\"only\"/></c:visual_scene></c:library_visual_scenes>"
                   "</c:COLLADA>");
    assimp_run_import(&run, "a.dae");
    assert_int_equal(run.rc, 0);
    assert_true(assimp_run_warned(&run, "scene_assumed"));
    assimp_run_node(&run, "only"); /* without a name its id */
    assimp_run_fini(&run);
}

TEST(collada_one_id_may_name_things_of_several_kinds)
{
    struct assimp_run run;
    double out[3];
    import_parts(
        &run,
        "<library_materials><material id=\"g\" name=\"paint\"/></library_materials>" GEOMETRY(
            SQUARE
            "<triangles count=\"1\" material=\"s\">" VERTEX
            "<p>0 1 2</p></triangles>") "<library_animations><animation id=\"g\">" FLOATS("i", "2", "1", "", "0 1")
            FLOATS("o", "2", "1", "", "0 6") "<sampler id=\"c\"><input semantic=\"INPUT\" source=\"#i\"/><input "
                                             "semantic=\"OUTPUT\" source=\"#o\"/></sampler><channel source=\"#c\" "
                                             "target=\"g/t.X\"/></animation>"
                                             "</library_animations>",
        "<node id=\"g\" name=\"n\"><translate sid=\"t\">1 2 3</translate><instance_geometry url=\"#g\"><bind_material>"
        "<technique_common><instance_material symbol=\"s\" target=\"#g\"/></technique_common></bind_material>"
        "</instance_geometry></node>");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.warning_count, 0);
    assert_int_equal(run.model.primitives[0].material, 0);
    assert_int_equal(run.model.index_count, 3);
    assimp_run_point(&run, 0, 0.5, assimp_run_node(&run, "n"), (const double[3]){1, 1, 0}, out);
    CHECK_NEAR(out[0], 4, 1e-6);
    CHECK_NEAR(out[2], 3, 1e-6);
    assimp_run_fini(&run);
}
