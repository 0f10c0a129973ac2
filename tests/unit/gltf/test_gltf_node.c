#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{'asset':{'version':'2.0'}"

TEST(gltf_nodes_keep_index_and_find_parents)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  HEAD ",'nodes':[{'name':'hand'},{'children':[0,3]},{},{'translation':[1,2,3],"
                       "'rotation':[0,0,1,0],'scale':[4,5,6]}],'scenes':[{'nodes':[2]},{'nodes':[1]}],'scene':1}");
    assert_true(gltf_succeeded(&run));
    const int32_t parents[] = {1, -1, -1, 1};
    const bool is_in_scene[] = {true, true, false, true};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run.builder.nodes[i].parent, parents[i]);
        assert_int_equal((run.builder.nodes[i].flags & NODE_IN_SCENE) != 0, is_in_scene[i]);
    }
    const struct node *node = &run.builder.nodes[3];
    CHECK_NEAR(node->translation[2], 3, 0);
    CHECK_NEAR(node->rotation[2], 1, 0);
    CHECK_NEAR(node->scale[1], 5, 0);
    assert_int_equal(run.builder.root_count, 1);
    assert_int_equal(run.builder.scene_roots[0], 1);
    gltf_run_fini(&run);
}

TEST(gltf_scene_is_the_first_or_all_roots)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'nodes':[{},{'children':[0]},{}],'scenes':[{'nodes':[2]},{'nodes':[1]}]}");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.root_count, 1);
    assert_int_equal(run.builder.scene_roots[0], 2);
    gltf_run_json(&run, HEAD ",'nodes':[{},{'children':[0]},{}]}");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.root_count, 2);
    assert_int_equal(run.builder.scene_roots[0], 1);
    assert_int_equal(run.builder.scene_roots[1], 2);
    gltf_run_json(&run, HEAD ",'nodes':[{},{'children':[0]}],'scenes':[{'nodes':[0,0]}]}");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.root_count, 1);
    assert_true(gltf_warned(&run, "scene_root_twice") && gltf_warned(&run, "scene_root_has_parent"));
    gltf_run_fini(&run);
}

TEST(gltf_node_graphs_that_are_no_trees)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'nodes':[{'name':'a','children':[2]},{'children':[2]},{'name':'c'}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "nodes[2] ('c') is a child of nodes[0] ('a') and again of nodes[1]"));
    gltf_run_json(&run, HEAD ",'nodes':[{'children':[0]}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "nodes[0] is its own child"));
    gltf_run_json(&run, HEAD ",'nodes':[{},{'children':[3]},{'children':[1]},{'children':[2]}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "is its own ancestor"));
    gltf_run_fini(&run);
}

/* Each of 26 nodes lists its child twice: expanded, 2^26 nodes. */
TEST(gltf_node_graph_that_would_explode)
{
    char json[4096] = HEAD ",'nodes':[{}";
    size_t size = strlen(json);
    for (int i = 0; i < 26; i++)
        size += (size_t)snprintf(json + size, sizeof json - size, ",{'children':[%d,%d]}", i, i);
    snprintf(json + size, sizeof json - size, "]}");
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, json);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "nodes[0] is a child of nodes[1] and again of nodes[1]"));
    gltf_run_fini(&run);
}

/* A few bytes name a mesh once more, and each time all of its morph targets count. */
TEST(gltf_morph_weights_that_would_explode)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run.limits.value[LIMIT_WEIGHTS] = 5;
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'accessors':[{'componentType':5126,'type':'VEC3','count':3}],"
                        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{},{},{}]}]}],"
                        "'nodes':[{'mesh':0},{'mesh':0}]}");
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "more than 5 weights"));
    gltf_run_fini(&run);
}

TEST(gltf_nodes_in_a_long_chain)
{
    enum { COUNT = 50000 };
    char *json = malloc(COUNT * 40 + 100);
    assert_non_null(json);
    size_t size = (size_t)sprintf(json, HEAD ",'nodes':[{}");
    for (int i = 1; i < COUNT; i++)
        size += (size_t)sprintf(json + size, ",{'children':[%d]}", i - 1);
    sprintf(json + size, "]}");
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.nodes[0].parent, 1);
    run.limits.value[LIMIT_NODES] = COUNT - 1;
    gltf_run_json(&run, json);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "nodes"));
    gltf_run_fini(&run);
    free(json);
}

TEST(gltf_node_transforms_that_are_odd)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'nodes':[{'matrix':[0,2,0,0,-2,0,0,0,0,0,2,0.5,7,8,9,1]},{'rotation':[0,0,0,0]},"
                             "{'rotation':[0,0,0,2]},{'rotation':[0,0,0.707,0.707]},{'skin':0}],"
                             "'skins':[{'joints':[1,0]}]}");
    assert_true(gltf_succeeded(&run));
    const struct node *nodes = run.builder.nodes;
    assert_int_equal(nodes[0].matrix, 0);
    CHECK_NEAR(run.builder.node_matrices[0].m[1], 2, 0);
    CHECK_NEAR(run.builder.node_matrices[0].m[11], 0, 0);
    CHECK_NEAR(run.builder.node_matrices[0].m[13], 8, 0);
    CHECK_NEAR(nodes[1].rotation[3], 1, 0);
    CHECK_NEAR(nodes[2].rotation[3], 2, 0);
    assert_int_equal(nodes[4].skin, -1);
    assert_true(gltf_warned(&run, "matrix_row_repaired") && gltf_warned(&run, "skin_without_mesh"));
    assert_true(gltf_warned(&run, "rotation_normalised"));
    /* nodes[1] and [2]; 0.707 is three decimals of a unit rotation */
    assert_int_equal(run.builder.warning_count, 4);
    gltf_run_fini(&run);
}

TEST(gltf_skin_matrices)
{
    static const float MATRICES[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1,
                                       2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 8, 9, 1, 2};
#define SKIN(count)                                                                                                    \
    HEAD ",'nodes':[{},{},{}],'buffers':[{'byteLength':128}],'bufferViews':[{'buffer':0,'byteLength':128}],"           \
         "'accessors':[{'bufferView':0,'componentType':5126,'count':" count ",'type':'MAT4'}],"                        \
         "'skins':[{'name':'s','joints':[2,0],'inverseBindMatrices':0},{'joints':[1]}]}"
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, SKIN("2"), MATRICES, sizeof MATRICES);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.skin_count, 2);
    assert_int_equal(run.builder.joints[0].node, 2);
    assert_int_equal(run.builder.joints[1].node, 0);
    CHECK_NEAR(run.builder.joints[0].joint_from_bind.m[13], 6, 0);
    CHECK_NEAR(run.builder.joints[1].joint_from_bind.m[15], 1, 0);
    CHECK_NEAR(run.builder.joints[2].joint_from_bind.m[0], 1, 0);
    CHECK_NEAR(run.builder.joints[2].joint_from_bind.m[12], 0, 0);
    assert_true(gltf_warned(&run, "matrix_row_repaired"));
    gltf_run_glb(&run, SKIN("1"), MATRICES, sizeof MATRICES);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "skins[0].inverseBindMatrices has 1 matrices for 2 joints"));
    gltf_run_fini(&run);
}
