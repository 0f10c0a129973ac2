/* Meshes and skins of FBX files: what nodes share, and where bones were bound. */
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

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
