/* Nodes of FBX files: which objects are some, their order, names and parents; where they are at rest; axes, cameras. */
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

static void check_place(const struct fbx_run *run, uint32_t node, const double from[3], const double to[3])
{
    double out[3];
    dmat4_point(&run->fbx.scene_from_node[node], from, out);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(out[i], to[i], 1e-12);
}

TEST(fbx_nodes_are_all_models_in_the_files_order)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("30", "leg", "LimbNode", FBX_P3("Lcl Translation", "1,0,0"))
                      FBX_MODEL_OF("10", "hip", "Null", FBX_P3("Lcl Rotation", "0,0,90")) FBX_MODEL_OF("20", "", "", "")
                          FBX_MODEL_OF("-5", "hip", "IKEffector", "") "Material: 7, 'Material::m', '' {\n}\n",
                  "C: 'OO',30,10\nC: 'OO',10,0\nC: 'OO',7,20\n");
    assert_int_equal(run.rc, 0);
    const struct node *nodes = run.builder.nodes;
    assert_int_equal(run.builder.node_count, 4);
    assert_true(fbx_run_is_text(&run, nodes[0].name, "leg"));
    assert_true(fbx_run_is_text(&run, nodes[1].name, "hip"));
    assert_true(fbx_run_is_text(&run, nodes[2].name, ""));
    assert_true(fbx_run_is_text(&run, nodes[3].name, "hip"));
    assert_int_equal(nodes[0].parent, 1);
    assert_int_equal(nodes[1].parent, -1);
    assert_int_equal(nodes[3].parent, -1);
    assert_int_equal(run.builder.root_count, 3); /* what hangs from nothing, too */
    check_place(&run, 0, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0});
    CHECK_NEAR(nodes[1].rotation[2], sqrt(0.5), 1e-7);
    CHECK_NEAR(nodes[0].translation[0], 1, 0);
    CHECK_NEAR(nodes[0].scale[0], 1, 0);
    fbx_run_fini(&run);
}

TEST(fbx_names_become_utf8)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "", FBX_MODEL_OF("1", "a&quot;b::c", "", "") FBX_MODEL_OF("2", "\xe9t\xe9", "", ""), "");
    assert_int_equal(run.rc, 0);
    assert_true(fbx_run_is_text(&run, run.builder.nodes[1].name, "\xef\xbf\xbdt\xef\xbf\xbd"));
    assert_true(fbx_run_warned(&run, "name_repaired"));
    const struct str name = fbx_put_name(&run.fbx, (struct fbx_span){(const uint8_t *)"pC\xff\0e1", 6});
    assert_true(fbx_run_is_text(&run, name,
                                "pC\xef\xbf\xbd\xef\xbf\xbd"
                                "e1"));
    assert_true(fbx_run_is_text(&run, run.builder.nodes[0].name, "a\"b::c"));
    assert_int_equal(bake_finish(&run.builder, &run.err), 0); /* which checks that all text is UTF-8 */
    fbx_run_fini(&run);
}

/* A turn about the pivot (1, 0, 0), in an order and with a pre-rotation that count only in rotation space. */
TEST(fbx_nodes_take_all_properties_of_their_transform)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "a", "",
                               FBX_P3("Lcl Rotation", "90,90,0") FBX_P1("RotationOrder", "3")
                                   FBX_P3("PreRotation", "0,0,90") FBX_P3("RotationPivot", "1,0,0")
                                       FBX_P3("RotationOffset", "0,0,5") FBX_P3("PostRotation", "0,0,90")
                                           FBX_P3("ScalingOffset", "0,2,0") FBX_P3("ScalingPivot", "0,0,1")
                                               FBX_P3("Lcl Scaling", "1,1,3"))
                      FBX_MODEL_OF("2", "b", "",
                                   FBX_P3("Lcl Rotation", "90,90,0") FBX_P1("RotationOrder", "3")
                                       FBX_P1("RotationActive", "0") FBX_P3("PreRotation", "0,0,90")),
                  "");
    assert_int_equal(run.rc, 0);
    /* Of a point (2, 1, 2): minus Sp (2,1,1), scaled (2,1,3), plus Sp and Soff (2,3,4), minus Rp (1,3,4); the inverse
     * of PostRotation (3,-1,4), about y (4,-1,-3), about x (4,3,-1), PreRotation (-3,4,-1); plus Rp and Roff (-2,4,4)
     */
    check_place(&run, 0, (const double[3]){2, 1, 2}, (const double[3]){-2, 4, 4});
    /* about x, then y: (2,1,2) to (2,-2,1) to (1,-2,-2) */
    check_place(&run, 1, (const double[3]){2, 1, 2}, (const double[3]){1, -2, -2});
    fbx_run_fini(&run);
}

TEST(fbx_nodes_inherit_scales_as_their_type_says)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "top", "", FBX_P3("Lcl Scaling", "1,2,3"))
                      FBX_MODEL_OF("2", "RrSs", "", FBX_P1("InheritType", "0") FBX_P3("Lcl Rotation", "90,0,0"))
                          FBX_MODEL_OF("3", "RSrs", "", FBX_P1("InheritType", "1") FBX_P3("Lcl Rotation", "90,0,0"))
                              FBX_MODEL_OF("4", "Rrs", "",
                                           FBX_P1("InheritType", "2") FBX_P3("Lcl Rotation", "90,0,0")
                                               FBX_P3("Lcl Translation", "1,1,1"))
                                  FBX_MODEL_OF("5", "odd", "", FBX_P1("InheritType", "7")),
                  "C: 'OO',2,1\nC: 'OO',3,1\nC: 'OO',4,1\nC: 'OO',5,1\n");
    assert_int_equal(run.rc, 0);
    const uint32_t flags[5] = {0, NODE_SCALE_BY_AXIS, 0, NODE_SCALE_OWN, 0};
    for (int n = 0; n < 5; n++)
        assert_int_equal(run.builder.nodes[n].flags & NODE_SCALES, flags[n]);
    check_place(&run, 1, (const double[3]){1, 1, 1}, (const double[3]){1, -3, 2}); /* scaled, then about x */
    check_place(&run, 2, (const double[3]){1, 1, 1}, (const double[3]){1, -2, 3}); /* about x, then scaled */
    check_place(&run, 3, (const double[3]){1, 1, 1}, (const double[3]){2, 1, 4});  /* about x, moved by (1,2,3) */
    fbx_run_fini(&run);
}

TEST(fbx_geometric_transforms_are_the_nodes_own)
{
    struct fbx_run run;
    fbx_run_nodes(
        &run, "",
        FBX_MODEL_OF("1", "a", "Mesh", FBX_P3("GeometricTranslation", "1,2,3") FBX_P3("GeometricScaling", "2,2,2"))
            FBX_MODEL_OF("2", "b", "", "") "Geometry: 3, 'Geometry::', 'Mesh' {\n}\n"
                                           "Geometry: 4, 'Geometry::', 'Shape' {\n}\n"
                                           "Geometry: 5, 'Geometry::', 'Mesh' {\n}\n",
        "C: 'OO',2,1\nC: 'OO',3,1\nC: 'OO',5,1\nC: 'OO',4,1\n");
    assert_int_equal(run.rc, 0);
    CHECK_NEAR(run.fbx.node_from_geometry[0].translation[2], 3, 0);
    CHECK_NEAR(run.fbx.node_from_geometry[0].scale[0], 2, 0);
    CHECK_NEAR(run.fbx.node_from_geometry[1].scale[0], 1, 0);
    check_place(&run, 1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 0});
    assert_int_equal(run.fbx.scene.objects[run.fbx.geometry_of[0]].id, 5);
    assert_int_equal(run.fbx.geometry_of[1], FBX_NONE);
    fbx_run_fini(&run);
}

TEST(fbx_nodes_that_do_not_fit_are_refused_by_name)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "", FBX_MODEL_OF("1", "a", "", "") FBX_MODEL_OF("2", "b", "", ""),
                  "C: 'OO',1,2\nC: 'OO',2,1\n");
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_non_null(strstr(run.err.message, "Model 'a' is its own ancestor"));
    fbx_run_fini(&run);
    fbx_run_nodes(
        &run, "",
        FBX_MODEL_OF("1", "a", "", FBX_P3("Lcl Translation", "3e38,0,0") FBX_P3("RotationOffset", "3e38,0,0")), "");
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_non_null(strstr(run.err.message, "Model 'a' has a transform that is not finite"));
    fbx_run_fini(&run);
}

/* Such files exist, and the rest of them is whole. */
TEST(fbx_node_without_its_vectors_that_are_no_numbers)
{
    struct fbx_run run;
    fbx_run_nodes(
        &run, "",
        FBX_MODEL_OF("1", "a", "", FBX_P3("Lcl Translation", "1,2,3") FBX_P3("Lcl Scaling", "1,1.#NAN,0.#INF"))
            FBX_MODEL_OF("2", "b", "", FBX_P3("GeometricTranslation", "1e300,0,0")),
        "");
    assert_int_equal(run.rc, 0);
    assert_true(fbx_run_warned(&run, "not_finite_repaired"));
    assert_int_equal(run.builder.warning_count, 2);
    CHECK_NEAR(run.builder.nodes[0].translation[1], 2, 0);
    CHECK_NEAR(run.builder.nodes[0].scale[1], 1, 0);
    CHECK_NEAR(run.builder.nodes[0].scale[2], 1, 0);
    CHECK_NEAR(run.fbx.node_from_geometry[1].translation[0], 0, 0);
    fbx_run_fini(&run);
}

TEST(fbx_node_with_several_meshes_has_the_last)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "a", "", "")
                      FBX_MODEL_OF("2", "b", "", "") "Geometry: 3, 'Geometry::', 'Mesh' {\n}\n"
                                                     "Geometry: 4, 'Geometry::', 'Mesh' {\n}\n",
                  "C: 'OO',3,1\nC: 'OO',3,1\n");
    assert_false(fbx_run_warned(&run, "meshes_ignored"));
    fbx_run_fini(&run);
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "a", "", "") "Geometry: 3, 'Geometry::c', 'Mesh' {\n}\n"
                                                 "Geometry: 4, 'Geometry::d', 'Mesh' {\n}\n",
                  "C: 'OO',4,1\nC: 'OO',3,1\n");
    assert_true(fbx_span_is(run.fbx.scene.objects[run.fbx.geometry_of[0]].name, "c"));
    assert_true(fbx_run_warned(&run, "meshes_ignored"));
    fbx_run_fini(&run);
}

TEST(fbx_node_with_several_parents_has_the_last)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "a", "", "") FBX_MODEL_OF("2", "b", "", "") FBX_MODEL_OF("3", "c", "", ""),
                  "C: 'OO',1,3\nC: 'OO',1,2\nC: 'OO',1,0\nC: 'OP',1,2, 'LookAtProperty'\n");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.nodes[0].parent, 2);
    assert_true(fbx_run_warned(&run, "several_parents"));
    fbx_run_fini(&run);
}

TEST(fbx_settings_say_axes_and_unit)
{
    struct fbx_run run;
    fbx_run_nodes(&run,
                  FBX_P1("UpAxis", "2") FBX_P1("UpAxisSign", "1") FBX_P1("FrontAxis", "1") FBX_P1("FrontAxisSign", "-1")
                      FBX_P1("UnitScaleFactor", "0.99999998"),
                  "", "");
    assert_int_equal(run.rc, 0);
    const struct model_info *info = run.import.info;
    assert_int_equal(info->flags, MODEL_HAS_UP | MODEL_HAS_FORWARD | MODEL_HAS_UNIT);
    CHECK_NEAR(info->up[2], 1, 0);
    CHECK_NEAR(info->forward[1], -1, 0);
    CHECK_NEAR(info->unit_m, 0.01f, 0);
    assert_true(fbx_run_is_text(&run, info->generator, "a test"));
    fbx_run_fini(&run);
    fbx_run_nodes(&run, FBX_P1("UpAxis", "3") FBX_P1("UnitScaleFactor", "-1"), "", "");
    assert_int_equal(run.import.info->flags, 0);
    assert_int_equal(bake_finish(&run.builder, &run.err), 0);
    fbx_run_fini(&run);
}

TEST(fbx_settings_say_the_frame_rate)
{
    static const struct {
        const char *settings;
        double rate;
    } ROWS[] = {
        {"", 0},
        {FBX_P1("TimeMode", "0"), 0},
        {FBX_P1("TimeMode", "11"), 24},
        {FBX_P1("TimeMode", "13"), 23.976},
        {FBX_P1("TimeMode", "18"), 119.88},
        {FBX_P1("TimeMode", "14") FBX_P1("CustomFrameRate", "12.5"), 12.5},
        {FBX_P1("TimeMode", "14") FBX_P1("CustomFrameRate", "-1"), 0},
        {FBX_P1("TimeMode", "14") FBX_P1("CustomFrameRate", "1e300"), 0},
        {FBX_P1("TimeMode", "6") FBX_P1("CustomFrameRate", "-1"), 30},
        {FBX_P1("TimeMode", "19"), 0},
        {FBX_P1("TimeMode", "-1"), 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_run run;
        fbx_run_nodes(&run, ROWS[i].settings, "", "");
        assert_int_equal(run.rc, 0);
        CHECK_NEAR(run.import.info->frame_rate, ROWS[i].rate, 1e-3);
        fbx_run_fini(&run);
    }
}

/* --- cameras --- */

static struct model_camera camera_with(const char *properties)
{
    struct fbx_run run;
    char objects[4000];
    snprintf(objects, sizeof objects,
             FBX_MODEL_OF("1", "shot", "Camera", "") "NodeAttribute: 2, 'NodeAttribute::', 'Camera' {\n"
                                                     " Properties70: {\n%s}\n}\n",
             properties);
    fbx_run_nodes(&run, "", objects, "C: 'OO',2,1\n");
    assert_int_equal(run.rc, 0);
    assert_int_equal(fbx_read_cameras(&run.fbx, &run.err), 0);
    const bool is_there = run.builder.camera_count == 1;
    assert_true(is_there != fbx_run_warned(&run, "camera_ignored"));
    const struct model_camera camera = is_there ? run.builder.cameras[0] : (struct model_camera){.node = UINT32_MAX};
    assert_true(!is_there || fbx_run_is_text(&run, camera.name, "shot"));
    fbx_run_fini(&run);
    return camera;
}

TEST(fbx_camera_views_by_all_aperture_modes)
{
#define ASPECT FBX_P1("AspectWidth", "1920") FBX_P1("AspectHeight", "960")
#define FILM   FBX_P1("FilmWidth", "2") FBX_P1("FilmHeight", "1.6")
    struct model_camera camera = camera_with(ASPECT FBX_P1("FieldOfView", "60"));
    const double half = 3.14159265358979323846 / 6;
    assert_int_equal(camera.kind, CAMERA_PERSPECTIVE);
    assert_int_equal(camera.facing, CAMERA_FACING_X);
    CHECK_NEAR(camera.height, 2 * half, 1e-6);
    CHECK_NEAR(camera.width, 2, 1e-6);
    CHECK_NEAR(camera.z_near, 10, 0);
    CHECK_NEAR(camera.z_far, 4000, 0);
    camera = camera_with(ASPECT FBX_P1("FieldOfView", "60") FBX_P1("ApertureMode", "1"));
    CHECK_NEAR(camera.height, 2 * atan(tan(half) / 2), 1e-6);
    camera = camera_with(ASPECT FBX_P1("FieldOfViewY", "60") FBX_P1("ApertureMode", "0"));
    CHECK_NEAR(camera.height, 2 * half, 1e-6);
    camera = camera_with(ASPECT FILM FBX_P1("FocalLength", "50.8") FBX_P1("ApertureMode", "3"));
    CHECK_NEAR(camera.height, 2 * atan(1.6 / 2 / 2), 1e-6); /* 50.8 mm are 2 inches */
    camera = camera_with(ASPECT FILM FBX_P1("FocalLength", "50.8") FBX_P1("ApertureMode", "3") FBX_P1("GateFit", "2"));
    CHECK_NEAR(camera.height, 2 * atan(1.0 / 2 / 2), 1e-6); /* as wide as the film: 2 / 2 inches high */
}

TEST(fbx_camera_orthographic_and_impossible_ones)
{
    const struct model_camera camera = camera_with(FBX_P1("CameraProjectionType", "1") FBX_P1("OrthoZoom", "2")
                                                       FBX_P1("AspectW", "3") FBX_P1("AspectH", "2"));
    assert_int_equal(camera.kind, CAMERA_ORTHOGRAPHIC);
    CHECK_NEAR(camera.height, 30, 1e-5);
    CHECK_NEAR(camera.width, 45, 1e-5);
    assert_int_equal(camera_with(FBX_P1("FieldOfView", "180")).node, UINT32_MAX);
    assert_int_equal(camera_with(FBX_P1("NearPlane", "0")).node, UINT32_MAX);
    assert_int_equal(camera_with(FBX_P1("ApertureMode", "3")).node, UINT32_MAX); /* no lens */
    assert_int_equal(camera_with(FBX_P1("CameraProjectionType", "1") FBX_P1("OrthoZoom", "0")).node, UINT32_MAX);
}

/* --- visibility --- */

TEST(fbx_hidden_nodes_hide_what_is_below_unless_that_does_not_inherit)
{
    struct fbx_run run;
    fbx_run_nodes(&run, "",
                  FBX_MODEL_OF("1", "below", "", "") FBX_MODEL_OF("2", "hidden", "", FBX_P1("Visibility", "0"))
                      FBX_MODEL_OF("3", "own", "", FBX_P1("Visibility Inheritance", "0"))
                          FBX_MODEL_OF("4", "blinks", "", FBX_P1("Visibility", "0")) FBX_MODEL_OF(
                              "5", "mesh", "Mesh", "") "Geometry: 6, 'Geometry::', 'Mesh' {\n}\n"
                                                       "AnimationCurveNode: 7, 'AnimCurveNode::', '' {\n}\n",
                  "C: 'OO',1,2\nC: 'OO',3,2\nC: 'OO',6,5\nC: 'OP',7,4, 'Visibility'\n");
    assert_int_equal(run.rc, 0);
    fbx_read_visibility(&run.fbx);
    const bool hidden[5] = {true, true, false, false, false};
    for (int n = 0; n < 5; n++)
        assert_int_equal((run.builder.nodes[n].flags & NODE_HIDDEN) != 0, hidden[n]);
    fbx_run_fini(&run);
}

TEST(fbx_levels_of_detail_show_the_first)
{
    static const char OBJECTS[] =
        FBX_MODEL_OF("1", "group", "LodGroup", "") "NodeAttribute: 9, 'NodeAttribute::', 'LodGroup' {\n}\n" //
        FBX_MODEL_OF("2", "fine", "Mesh", "") FBX_MODEL_OF("3", "coarse", "Mesh", "")                       //
        "Geometry: 6, 'Geometry::', 'Mesh' {\n}\n";
    struct fbx_run run;
    fbx_run_nodes(&run, "", OBJECTS, "C: 'OO',9,1\nC: 'OO',2,1\nC: 'OO',3,1\nC: 'OO',6,2\nC: 'OO',6,3\n");
    assert_int_equal(run.rc, 0);
    fbx_read_visibility(&run.fbx);
    assert_int_equal(run.builder.nodes[1].flags & NODE_HIDDEN, 0);
    assert_int_equal(run.builder.nodes[2].flags & NODE_HIDDEN, NODE_HIDDEN);
    fbx_run_fini(&run);
    /* the only mesh is in the second level: everything is shown */
    fbx_run_nodes(&run, "", OBJECTS, "C: 'OO',9,1\nC: 'OO',2,1\nC: 'OO',3,1\nC: 'OO',6,3\n");
    fbx_read_visibility(&run.fbx);
    assert_int_equal(run.builder.nodes[2].flags & NODE_HIDDEN, 0);
    fbx_run_fini(&run);
}
