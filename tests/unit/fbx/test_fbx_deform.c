/* Meshes and skins of FBX files: what nodes share, and where bones were bound. */
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

#define TRIANGLE " Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }\n PolygonVertexIndex: *3 { a: 0,1,-3 }\n"
#define MESH(id) "Geometry: " id ", 'Geometry::', 'Mesh' {\n" TRIANGLE "}\n"

static void read_meshes(struct fbx_run *run, const char *objects, const char *connections)
{
    fbx_run_nodes(run, "", objects, connections);
    assert_int_equal(run->rc, 0);
    assert_int_equal(fbx_read_materials(&run->fbx, &run->err), 0);
    assert_int_equal(fbx_read_skins(&run->fbx, &run->err), 0);
    assert_int_equal(fbx_read_meshes(&run->fbx, &run->err), 0);
}

TEST(fbx_nodes_that_show_one_mesh_have_weights_of_their_own)
{
    struct fbx_run run;
    read_meshes(&run,
                FBX_MODEL_OF("1", "a", "Mesh", "") FBX_MODEL_OF("2", "b", "Mesh", "") MESH(
                    "3") "Deformer: 4, 'Deformer::', 'BlendShape' {\n}\n"
                         "Deformer: 5, 'SubDeformer::c', 'BlendShapeChannel' {\n DeformPercent: 30\n}\n"
                         "Geometry: 6, 'Geometry::', 'Shape' {\n Indexes: *1 { a: 0 }\n Vertices: *3 { a: 0,0,1 }\n}\n",
                "C: 'OO',3,1\nC: 'OO',3,2\nC: 'OO',4,3\nC: 'OO',5,4\nC: 'OO',6,5\n");
    const struct node *nodes = run.builder.nodes;
    assert_int_equal(run.builder.mesh_count, 1);
    assert_int_equal(nodes[1].mesh, nodes[0].mesh);
    assert_int_equal(run.builder.weight_count, 2);
    for (uint32_t n = 0; n < 2; n++) {
        assert_int_equal(nodes[n].weight_first, n);
        assert_int_equal(nodes[n].weight_count, 1);
        CHECK_NEAR(run.builder.weights[n], 0.3, 1e-7);
    }
    fbx_run_fini(&run);
}

#define MATRIX(name, x) name ": *16 { a: 1,0,0,0,0,1,0,0,0,0,1,0," x ",0,0,1 }\n"
#define ZEROES          "Transform: *16 { a: 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 }\n"
#define BIND_POSE(x)    "Pose: 9, 'Pose::', 'BindPose' {\n PoseNode: {\n Node: 2\n" MATRIX("Matrix", x) "}\n}\n"

/* The mesh rests at 1 along x, its bone at 5. */
static void check_bind(const char *cluster, const char *pose, double bone_from_mesh, bool is_known)
{
    struct fbx_run run;
    char objects[2000];
    snprintf(objects, sizeof objects,
             FBX_MODEL_OF("1", "mesh", "Mesh", FBX_P3("Lcl Translation", "1,0,0"))
                 FBX_MODEL_OF("2", "bone", "LimbNode", FBX_P3("Lcl Translation", "5,0,0"))
                     MESH("3") "Deformer: 4, 'Deformer::', 'Skin' {\n}\nDeformer: 5, 'SubDeformer::', 'Cluster' {\n"
                               " Indexes: *3 { a: 0,1,2 }\n Weights: *3 { a: 1,1,1 }\n%s}\n%s",
             cluster, pose);
    read_meshes(&run, objects, "C: 'OO',3,1\nC: 'OO',4,3\nC: 'OO',5,4\nC: 'OO',2,5\n");
    assert_int_equal(run.builder.joint_count, 1);
    assert_int_equal(run.builder.joints[0].node, 1);
    CHECK_NEAR(run.builder.joints[0].joint_from_bind.m[12], bone_from_mesh, 1e-6);
    assert_int_equal(fbx_run_warned(&run, "bind_pose_missing"), !is_known);
    fbx_run_fini(&run);
}

TEST(fbx_bones_were_bound_where_the_file_says)
{
    check_bind(MATRIX("Transform", "7") MATRIX("TransformLink", "3"), BIND_POSE("4"), 7, true);
    check_bind(MATRIX("Transform", "7"), BIND_POSE("4"), 7, true);
    check_bind(ZEROES MATRIX("TransformLink", "3"), BIND_POSE("4"), -2, true);
    check_bind("", BIND_POSE("4"), -3, true);
    check_bind("TransformLink: *3 { a: 1,2,3 }\n", BIND_POSE("4"), -3, true);
    check_bind("", "", -4, false);
    check_bind(ZEROES, "Pose: 9, 'Pose::', 'RestPose' {\n PoseNode: {\n Node: 2\n" MATRIX("Matrix", "4") "}\n}\n", -4,
               false);
}

/* Two clusters: one has a bone; the other has none, and weights or not. */
static bool warns_of_cluster(const char *weights)
{
    struct fbx_run run;
    char objects[2000];
    snprintf(objects, sizeof objects,
             FBX_MODEL_OF("1", "mesh", "Mesh", "") FBX_MODEL_OF("2", "bone", "LimbNode", "")
                 MESH("3") "Deformer: 4, 'Deformer::', 'Skin' {\n}\nDeformer: 5, 'SubDeformer::', 'Cluster' {\n"
                           " Indexes: *3 { a: 0,1,2 }\n Weights: *3 { a: 1,1,1 }\n" MATRIX(
                               "Transform", "0") "}\n"
                                                 "Deformer: 6, 'SubDeformer::lost', 'Cluster' {\n%s}\n",
             weights);
    read_meshes(&run, objects, "C: 'OO',3,1\nC: 'OO',4,3\nC: 'OO',5,4\nC: 'OO',2,5\nC: 'OO',6,4\n");
    assert_int_equal(run.builder.joint_count, 1);
    const bool is_warned = fbx_run_warned(&run, "bone_without_node");
    if (is_warned) {
        const struct str text = run.builder.warnings[run.builder.warning_count - 1].message;
        const char *message = run.builder.text + text.offset;
        assert_non_null(memmem(message, text.size_bytes, "'lost'", 6));
        assert_non_null(memmem(message, text.size_bytes, "Geometry", 8));
    }
    fbx_run_fini(&run);
    return is_warned;
}

TEST(fbx_clusters_without_a_bone_are_left_out_with_a_warning)
{
    assert_true(warns_of_cluster(" Indexes: *1 { a: 0 }\n Weights: *1 { a: 1 }\n"));
    assert_false(warns_of_cluster(""));
}

TEST(fbx_caches_are_left_out_with_a_warning)
{
    struct fbx_run run;
    read_meshes(
        &run, FBX_MODEL_OF("1", "mesh", "Mesh", "") MESH("2") "Deformer: 3, 'Deformer::', 'VertexCacheDeformer' {\n}\n",
        "C: 'OO',2,1\nC: 'OO',3,2\n");
    assert_int_equal(run.builder.nodes[0].mesh, 0);
    assert_true(fbx_run_warned(&run, "caches_ignored"));
    fbx_run_fini(&run);
}

TEST(fbx_what_is_linked_twice_deforms_once)
{
    struct fbx_run run;
    read_meshes(
        &run,
        FBX_MODEL_OF("1", "mesh", "Mesh", "") FBX_MODEL_OF("2", "bone", "LimbNode", "") MESH(
            "3") "Deformer: 4, 'Deformer::', 'Skin' {\n}\nDeformer: 5, 'SubDeformer::', 'Cluster' {\n"
                 " Indexes: *3 { a: 0,1,2 }\n Weights: *3 { a: 1,1,1 }\n" MATRIX(
                     "Transform",
                     "7") "}\n"
                          "Deformer: 6, 'Deformer::', 'BlendShape' {\n}\n"
                          "Deformer: 7, 'SubDeformer::c', 'BlendShapeChannel' {\n}\n"
                          "Geometry: 8, 'Geometry::', 'Shape' {\n Indexes: *1 { a: 0 }\n Vertices: *3 { a: 0,0,1 }\n}\n"
                          "Material: 9, 'Material::', '' {\n}\n",
        "C: 'OO',3,1\nC: 'OO',4,3\nC: 'OO',5,4\nC: 'OO',2,5\nC: 'OO',6,3\nC: 'OO',7,6\nC: 'OO',8,7\n"
        "C: 'OO',9,1\nC: 'OO',9,1\nC: 'OO',7,6\nC: 'OO',6,3\nC: 'OO',5,4\nC: 'OO',4,3\nC: 'OO',5,4\n");
    uint32_t count;
    fbx_children(&run.fbx.scene, run.fbx.object_of[0], &count);
    assert_int_equal(count, 3); /* two slots of one material */
    assert_int_equal(run.builder.joint_count, 1);
    assert_int_equal(run.builder.nodes[0].weight_count, 1);
    assert_int_equal(run.builder.warning_count, 0); /* of two skins */
    fbx_run_fini(&run);
}
