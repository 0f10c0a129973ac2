/* Joints and weights of vertices, and one whole skinned file followed to its deformed vertices. */
#include "anim/pose/pose.h"
#include "anim/pose/skin.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/linear_palette.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct skin_bin {
    float positions[9];
    uint8_t joints[12];
    float weights[12];
    uint16_t more_joints[12];
    uint8_t more_weights[12];
};

#define ACCESSORS                                                                                                      \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"                                      \
    "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"                                   \
    "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"                                   \
    "{'bufferView':0,'byteOffset':96,'componentType':5123,'count':3,'type':'VEC4'},"                                   \
    "{'bufferView':0,'byteOffset':120,'componentType':5121,'normalized':true,'count':3,'type':'VEC4'}]"

static void run_skin(struct gltf_run *run, const char *nodes, const char *attributes, const struct skin_bin *bin)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':132}],'bufferViews':[{'buffer':0,'byteLength':132}]"
             "," ACCESSORS ",'nodes':[{},{},%s],'skins':[{'joints':[0,1]}],"
             "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0%s}}]}]}",
             nodes, attributes);
    gltf_run_glb(run, json, bin, sizeof *bin);
}

static const struct skin_bin GOOD = {
    .joints = {0, 1, 0, 0, 1, 9, 9, 9, 1, 0, 0, 0}, /* joints of weight 0 may be anything */
    .weights = {0.25f, 0.75f, 0, 0, 1, 0, 0, 0, 0.5f, 0, 0, 0},
    .more_joints = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    .more_weights = {0, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0},
};
static const char SKINNED[] = "{'mesh':0,'skin':0}";
static const char ONE_SET[] = ",'JOINTS_0':1,'WEIGHTS_0':2";

TEST(gltf_influences_sum_to_one)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_skin(&run, SKINNED, ",'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,'WEIGHTS_1':4", &GOOD);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    const uint32_t firsts[] = {0, 2, 3, 5};
    assert_int_equal(b->influence_first_count, 4);
    assert_memory_equal(b->influence_firsts, firsts, sizeof firsts);
    assert_int_equal(b->influences[1].joint, 1);
    CHECK_NEAR(b->influences[1].weight, 0.75, 0);
    CHECK_NEAR(b->influences[3].weight, 0.5 / 0.7, 1e-7); /* 0.5 and 51/255 */
    CHECK_NEAR(b->influences[4].weight, 0.2 / 0.7, 1e-7);
    assert_true(gltf_warned(&run, "weights_renormalised"));
    gltf_run_fini(&run);
}

TEST(gltf_influences_that_are_wrong)
{
    struct skin_bin bin = GOOD;
    struct gltf_run run;
    gltf_run_init(&run);
    bin.joints[4] = 2; /* of two */
    bin.weights[1] = -0.5f;
    run_skin(&run, SKINNED, ONE_SET, &bin);
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "weights_dropped"));
    assert_true(gltf_warned(&run, "vertices_unweighted"));
    assert_int_equal(run.builder.influence_count, 2);
    run_skin(&run, SKINNED, ",'JOINTS_0':1,'WEIGHTS_0':2,'WEIGHTS_1':4", &GOOD);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "has WEIGHTS_1 without JOINTS_1"));
    run_skin(&run, SKINNED, ",'JOINTS_0':2,'WEIGHTS_0':2", &GOOD);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "JOINTS_0 cannot be accessors[2], which is VEC4 of FLOAT"));
    run_skin(&run, SKINNED, ",'JOINTS_64':1,'WEIGHTS_64':2", &GOOD);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "64"));
    gltf_run_fini(&run);
}

TEST(gltf_vertices_without_weights)
{
    struct skin_bin bin = GOOD;
    memset(bin.weights + 4, 0, 4 * sizeof *bin.weights);
    struct gltf_run run;
    gltf_run_init(&run);
    run_skin(&run, SKINNED, ONE_SET, &bin);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.influence_firsts[1], run.builder.influence_firsts[2]);
    assert_true(gltf_warned(&run, "vertices_unweighted"));
    run_skin(&run, SKINNED, "", &bin);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.influence_count, 0);
    assert_true(gltf_warned(&run, "joints_missing"));
    gltf_run_fini(&run);
}

/* A mesh with joints under a node without a skin moves with the node, also when another node skins it. */
TEST(gltf_skinned_mesh_drawn_without_skin)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_skin(&run, "{'mesh':0}", ONE_SET, &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.influence_count, 0);
    assert_true(gltf_warned(&run, "joints_without_skin"));
    run_skin(&run, "{'mesh':0},{'mesh':0,'skin':0}", ONE_SET, &GOOD);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->draw_count, 2);
    for (uint32_t d = 0; d < 2; d++) {
        const struct primitive *p = &b->primitives[b->draws[d].primitive];
        const uint32_t count = b->influence_firsts[p->vertex_first + 3] - b->influence_firsts[p->vertex_first];
        assert_int_equal(count, b->draws[d].node == 2 ? 0 : 4);
    }
    gltf_run_fini(&run);
}

/* Decodes what an import wrote, as the server does; the block is the caller's. */
static void *decode(struct gltf_run *run, struct model *model)
{
    struct buf buf;
    buf_init(&buf, 0);
    assert_int_equal(bake_encode(&run->builder, &buf, &run->err), 0);
    void *block =
        aligned_alloc(BAKE_ALIGNMENT, (buf.size_bytes + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT);
    assert_non_null(block);
    memcpy(block, buf.data, buf.size_bytes);
    assert_int_equal(bake_decode(block, buf.size_bytes, model, &run->err), 0);
    buf_fini(&buf);
    return block;
}

/* A joint that is moved, rotated and unevenly scaled in its bind pose, and rotated further by a clip. Any product in
 * the wrong order, or a mesh node with an effect, moves the vertex elsewhere. */
TEST(gltf_skinned_vertex_end_to_end)
{
    static const struct {
        float position[3];
        uint8_t joints[4];
        float weights[4], inverse[16], times[2], turns[8];
    } BIN = {
        .position = {5, 7, 10},
        .weights = {1},
        /* the inverse of: move by (1, 2, 3), quarter turn about z, scale by (1, 2, 4) */
        .inverse = {0, -0.5f, 0, 0, 1, 0, 0, 0, 0, 0, 0.25f, 0, -2, 0.5f, -0.75f, 1},
        .times = {1, 2},
        .turns = {0, 0, 0.70710678f, 0.70710678f, 0.5f, 0.5f, 0.5f, 0.5f},
    };
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':136}],'bufferViews':[{'buffer':0,'byteLength':136}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':12,'componentType':5121,'count':1,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':16,'componentType':5126,'count':1,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':32,'componentType':5126,'count':1,'type':'MAT4'},"
        "{'bufferView':0,'byteOffset':96,'componentType':5126,'count':2,'type':'SCALAR'},"
        "{'bufferView':0,'byteOffset':104,'componentType':5126,'count':2,'type':'VEC4'}],"
        "'nodes':[{'mesh':0,'skin':0,'translation':[100,0,0]},{'translation':[1,2,3],'scale':[1,2,4],"
        "'rotation':[0,0,0.70710678,0.70710678]},{'children':[1],'scale':[2,1,1]}],"
        "'skins':[{'joints':[1],'inverseBindMatrices':3}],"
        "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}],"
        "'animations':[{'name':'turn','channels':[{'sampler':0,'target':{'node':1,'path':'rotation'}}],"
        "'samplers':[{'input':4,'output':5}]}]}";
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, JSON, &BIN, sizeof BIN);
    assert_true(gltf_succeeded(&run));
    struct model model;
    void *block = decode(&run, &model);
    struct pose pose;
    struct mat4 palette;
    struct vec3 out;
    pose_init(&pose);
    CHECK_NEAR(model.clips[0].start_s, 1, 0);
    CHECK_NEAR(model.clips[0].duration_s, 2, 0);

    /* at the bind pose the joint and its inverse cancel; the parent doubles x */
    pose_evaluate(&pose, &model, 0, 1);
    assert_int_equal(pose_palette(&pose, &model, 0, &DMAT4_IDENTITY, &palette, &run.err), 0);
    skin_positions(&model, 0, LINEAR(&palette), model.positions, &out);
    CHECK_NEAR(out.x, 10, 1e-5);
    CHECK_NEAR(out.y, 7, 1e-5);
    CHECK_NEAR(out.z, 10, 1e-5);

    /* In the joint the vertex is (5, -2, 1.75), scaled (5, -4, 7). The second key takes x to y, y to z, z to x:
     * (7, 5, -4). Moved (8, 7, -1), doubled (16, 7, -1). */
    pose_evaluate(&pose, &model, 0, 2);
    assert_int_equal(pose_palette(&pose, &model, 0, &DMAT4_IDENTITY, &palette, &run.err), 0);
    skin_positions(&model, 0, LINEAR(&palette), model.positions, &out);
    CHECK_NEAR(out.x, 16, 1e-5);
    CHECK_NEAR(out.y, 7, 1e-5);
    CHECK_NEAR(out.z, -1, 1e-5);
    pose_fini(&pose);
    free(block);
    gltf_run_fini(&run);
}
