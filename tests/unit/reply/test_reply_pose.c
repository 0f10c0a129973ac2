#include "base/bytes.h"
#include "wire/encode/frames.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const double TIMES[] = {0.3, 1.25};

static void evaluate(struct pose *pose, int32_t clip, double clip_time_s)
{
    pose_init(pose);
    pose_evaluate(pose, wire_model(), clip, clip_time_s);
}

TEST(answer_pose_scene_of_all_nodes)
{
    struct request request = wire_request(OP_POSE, TIMES, 2);
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *nodes = wire_get(json, "nodes");
    static const int PARENTS[] = {-1, 0, 1, 0, 5, 0};
    assert_int_equal(cJSON_GetArraySize(nodes), 6);
    for (int n = 0; n < 6; n++) {
        assert_int_equal(wire_get(wire_at(nodes, n), "node")->valueint, n);
        assert_int_equal(wire_get(wire_at(nodes, n), "parent")->valueint, PARENTS[n]);
    }
    assert_true(cJSON_IsNull(wire_get(wire_at(nodes, 4), "name")));
    assert_string_equal(wire_get(wire_at(nodes, 5), "name")->valuestring, "");
    for (int f = 0; f < 2; f++) {
        struct pose pose;
        const cJSON *frame = wire_at(wire_get(json, "frames"), f);
        evaluate(&pose, 0, TIMES[f]);
        for (int n = 0; n < 6; n++) {
            const struct mat4 expected = mat4_from_dmat4(&pose.scene_from_node[n]);
            wire_check_near(wire_at(wire_get(frame, "scene"), n), expected.m, 16, 1e-5);
        }
        assert_null(cJSON_GetObjectItem(frame, "local"));
        assert_null(cJSON_GetObjectItem(frame, "local_matrix"));
        pose_fini(&pose);
    }
    cJSON_Delete(json);
}

/* Composing the local transforms of the answer along the parents of the answer must give its scene matrices. */
TEST(answer_pose_local_composes_to_scene)
{
    struct request request = wire_request(OP_POSE, TIMES, 2);
    request.what = WHAT_LOCAL | WHAT_SCENE;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *frame = wire_at(wire_get(json, "frames"), 1);
    struct dmat4 scene[6];
    static const int ORDER[] = {0, 1, 2, 3, 5, 4};
    for (int i = 0; i < 6; i++) {
        const int n = ORDER[i];
        const int parent = wire_get(wire_at(wire_get(json, "nodes"), n), "parent")->valueint;
        const cJSON *local = wire_at(wire_get(frame, "local"), n);
        struct dmat4 parent_from_node;
        if (n == 4) {
            assert_true(cJSON_IsNull(local));
            const cJSON *matrix = wire_get(wire_get(frame, "local_matrix"), "4");
            for (int e = 0; e < 16; e++)
                parent_from_node.m[e] = wire_at(matrix, e)->valuedouble;
        } else {
            double t[10], norm = 0;
            assert_int_equal(cJSON_GetArraySize(local), 10);
            for (int e = 0; e < 10; e++)
                t[e] = wire_at(local, e)->valuedouble;
            for (int e = 3; e < 7; e++)
                norm += t[e] * t[e];
            CHECK_NEAR(norm, 1, 1e-6);
            const struct trs trs = {{t[0], t[1], t[2]}, {t[3], t[4], t[5], t[6]}, {t[7], t[8], t[9]}};
            parent_from_node = dmat4_from_trs(&trs);
        }
        scene[n] = parent < 0 ? parent_from_node : dmat4_mul(&scene[parent], &parent_from_node);
        for (int e = 0; e < 16; e++)
            CHECK_NEAR(wire_at(wire_at(wire_get(frame, "scene"), n), e)->valuedouble, scene[n].m[e], 1e-5);
    }
    cJSON_Delete(json);
}

TEST(answer_pose_local_of_a_sheared_node_that_the_clip_moves)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    struct reply reply;
    request.pose.clip = wire_index(2);
    request.what = WHAT_LOCAL;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *frame = wire_at(wire_get(json, "frames"), 0);
    assert_int_equal(cJSON_GetArraySize(wire_at(wire_get(frame, "local"), 4)), 10);
    assert_null(cJSON_GetObjectItem(frame, "local_matrix"));
    assert_null(cJSON_GetObjectItem(frame, "scene"));
    cJSON_Delete(json);
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(get_u32(reply.body.data + 20), 1); /* one block: local */
    reply_fini(&reply);
}

TEST(answer_pose_of_selected_joints)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    const struct selector joints[] = {wire_index(4), wire_name("bone \"A\"\n"), wire_name("")};
    struct pose pose;
    request.pose.joints = joints;
    request.pose.joint_count = 3;
    request.layout = LAYOUT_MAT3X4;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *nodes = wire_get(json, "nodes");
    assert_int_equal(cJSON_GetArraySize(nodes), 3);
    assert_int_equal(wire_get(wire_at(nodes, 0), "node")->valueint, 4);
    assert_int_equal(wire_get(wire_at(nodes, 0), "parent")->valueint, 5);
    assert_int_equal(wire_get(wire_at(nodes, 1), "node")->valueint, 1);
    assert_int_equal(wire_get(wire_at(nodes, 2), "node")->valueint, 5);
    evaluate(&pose, 0, 0.3);
    const struct mat4 m = mat4_from_dmat4(&pose.scene_from_node[1]);
    const float rows[12] = {m.m[0], m.m[4],  m.m[8], m.m[12], m.m[1],  m.m[5],
                            m.m[9], m.m[13], m.m[2], m.m[6],  m.m[10], m.m[14]};
    wire_check_near(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "scene"), 1), rows, 12, 1e-5);
    pose_fini(&pose);
    cJSON_Delete(json);
}

TEST(answer_pose_refuses_names_that_mean_nothing_or_too_much)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    struct selector joint = wire_name("Bone");
    cJSON *root;
    request.pose.joints = &joint;
    request.pose.joint_count = 1;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_AMBIGUOUS_NAME, &root);
    const cJSON *candidates = wire_get(error, "candidates");
    assert_int_equal(cJSON_GetArraySize(candidates), 2);
    assert_int_equal(wire_get(wire_at(candidates, 0), "index")->valueint, 2);
    assert_int_equal(wire_get(wire_at(candidates, 1), "index")->valueint, 3);
    assert_string_equal(wire_get(wire_at(candidates, 1), "name")->valuestring, "Bone");
    cJSON_Delete(root);

    joint = wire_name("rOot2");
    error = wire_answer_error(wire_model(), &request, ERR_JOINT_NOT_FOUND, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb' has no node 'rOot2'");
    candidates = wire_get(error, "candidates");
    assert_int_equal(cJSON_GetArraySize(candidates), 6);
    assert_string_equal(wire_get(wire_at(candidates, 0), "name")->valuestring, "root"); /* the nearest first */
    cJSON_Delete(root);

    joint = wire_index(6);
    error = wire_answer_error(wire_model(), &request, ERR_JOINT_NOT_FOUND, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb' has no node 6: they go from 0 to 5");
    cJSON_Delete(root);

    joint = wire_index(UINT32_MAX);
    wire_answer_error(wire_model_empty(), &request, ERR_JOINT_NOT_FOUND, &root);
    cJSON_Delete(root);
}

TEST(answer_pose_not_finite_names_clip_joint_and_time)
{
    static const double LATE[] = {0, 0.5};
    struct request request = wire_request(OP_POSE, LATE, 1);
    struct reply reply;
    cJSON *root;
    request.pose.clip = wire_index(3);
    request.what = WHAT_LOCAL | WHAT_SCENE;
    root = wire_answer_json(wire_model(), &request);
    cJSON_Delete(root);
    request.pose.time_count = 2;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_NOT_FINITE, &root);
    assert_string_equal(wire_get(error, "message")->valuestring,
                        "'arm.glb', clip 3 '' at 0.5 s: the transform of joint 1 'bone \"A\"?' is not finite");
    cJSON_Delete(root);
    request.op = OP_PALETTE;
    wire_answer_error(wire_model(), &request, ERR_NOT_FINITE, &root);
    cJSON_Delete(root);
    request.op = OP_MESH;
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(reply.code, ERR_NOT_FINITE);
    assert_string_equal(reply.content_type, "application/json");
    reply_fini(&reply);
}

static const char *item_of(const char *bytes, uint32_t block, uint32_t frame, uint32_t item)
{
    const char *row = bytes + FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * block;
    const uint64_t base = get_u16(row + 2) != 0 ? 0 : get_u64(bytes + 32) + frame * get_u64(bytes + 40);
    return bytes + base + get_u64(row + 24) + (uint64_t)item * get_u32(row + 20);
}

TEST(answer_pose_binary_has_the_bits_of_the_json)
{
    struct request request = wire_request(OP_POSE, TIMES, 2);
    const struct selector joints[] = {wire_index(4), wire_index(2)};
    struct reply reply;
    float floats[16];
    request.pose.joints = joints;
    request.pose.joint_count = 2;
    request.what = WHAT_LOCAL | WHAT_SCENE;
    cJSON *json = wire_answer_json(wire_model(), &request);
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(reply.status, 200);
    const char *bytes = reply.body.data;
    static const uint16_t KINDS[] = {BLOCK_NODES, BLOCK_SHEARED, BLOCK_SCENE, BLOCK_LOCAL, BLOCK_LOCAL_MATRIX};
    assert_int_equal(get_u32(bytes + 20), 5);
    for (uint32_t b = 0; b < 5; b++)
        assert_int_equal(get_u16(bytes + FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * b), KINDS[b]);
    assert_int_equal(get_u32(item_of(bytes, 0, 0, 0)), 4);
    assert_int_equal(get_u32(item_of(bytes, 0, 0, 1)), 2);
    assert_int_equal(get_u32(item_of(bytes, 1, 0, 0)), 0);
    for (uint32_t f = 0; f < 2; f++) {
        const cJSON *frame = wire_at(wire_get(json, "frames"), (int)f);
        static const float ZEROS[10];
        for (int n = 0; n < 2; n++) {
            memcpy(floats, item_of(bytes, 2, f, (uint32_t)n), 64);
            wire_check_floats(wire_at(wire_get(frame, "scene"), n), floats, 16);
        }
        assert_memory_equal(item_of(bytes, 3, f, 0), ZEROS, 40);
        memcpy(floats, item_of(bytes, 3, f, 1), 40);
        wire_check_floats(wire_at(wire_get(frame, "local"), 1), floats, 10);
        memcpy(floats, item_of(bytes, 4, f, 0), 64);
        wire_check_floats(wire_get(wire_get(frame, "local_matrix"), "4"), floats, 16);
    }
    cJSON_Delete(json);
    reply_fini(&reply);
}

static void check_nodes(const struct selector *joints, uint32_t count, const int *expected, int expected_count)
{
    static const double TIME[] = {0.25};
    struct request request = wire_request(OP_POSE, TIME, 1);
    cJSON *whole = wire_answer_json(wire_model(), &request);
    request.pose.joints = joints;
    request.pose.joint_count = count;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *nodes = wire_get(json, "nodes"), *scene = wire_get(wire_at(wire_get(json, "frames"), 0), "scene");
    assert_int_equal(cJSON_GetArraySize(nodes), expected_count);
    assert_int_equal(cJSON_GetArraySize(scene), expected_count);
    for (int i = 0; i < expected_count; i++) {
        assert_int_equal(wire_get(wire_at(nodes, i), "node")->valueint, expected[i]);
        const cJSON *all = wire_get(wire_at(wire_get(whole, "frames"), 0), "scene");
        assert_true(cJSON_Compare(wire_at(scene, i), wire_at(all, expected[i]), true));
    }
    cJSON_Delete(json);
    cJSON_Delete(whole);
}

TEST(answer_pose_of_subtrees)
{
    struct selector bone = wire_name("bone \"A\"\n"), empty = wire_name(""), root = wire_index(0), leaf = wire_index(2);
    bone.scope = empty.scope = root.scope = leaf.scope = BLEND_SUBTREE;
    check_nodes(&bone, 1, (const int[]){1, 2}, 2);
    check_nodes(&empty, 1, (const int[]){4, 5}, 2); /* the child's index is the smaller one */
    check_nodes(&root, 1, (const int[]){0, 1, 2, 3, 4, 5}, 6);
    check_nodes(&leaf, 1, (const int[]){2}, 1);
    const struct selector mixed[] = {wire_index(3), empty, wire_index(4), bone, bone};
    check_nodes(mixed, 5, (const int[]){3, 4, 5, 4, 1, 2, 1, 2}, 8);
}

TEST(answer_pose_of_an_unknown_subtree)
{
    static const double TIME[] = {0};
    struct request request = wire_request(OP_POSE, TIME, 1);
    struct selector selector = wire_name("bone");
    cJSON *root;
    selector.scope = BLEND_SUBTREE;
    request.pose.joints = &selector;
    request.pose.joint_count = 1;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_JOINT_NOT_FOUND, &root);
    assert_true(cJSON_GetArraySize(wire_get(error, "candidates")) > 0);
    cJSON_Delete(root);
}

TEST(answer_pose_dualquat_names_the_joint_with_scale)
{
    static const double TIME[] = {0.25};
    struct request request = wire_request(OP_POSE, TIME, 1);
    const struct selector bone = wire_index(1), sheared = wire_index(4);
    cJSON *root;
    request.pose.joints = &bone;
    request.pose.joint_count = 1;
    request.layout = LAYOUT_DUALQUAT; /* of matrices; a local translation, rotation and scale is not one */
    request.what = WHAT_LOCAL;
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_string_equal(wire_get(json, "layout")->valuestring, "dualquat");
    assert_int_equal(cJSON_GetArraySize(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "local"), 0)), 10);
    cJSON_Delete(json);
    request.what = WHAT_SCENE;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_NOT_RIGID, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "joint 1 'bone \"A\"?': scales by "));
    cJSON_Delete(root);
    request.what = WHAT_LOCAL;
    request.pose.joints = &sheared;
    wire_answer_error(wire_model(), &request, ERR_NOT_RIGID, &root);
    cJSON_Delete(root);
}

/* An arm, turned about x, that the hip's scale does not reach, but for where it hangs. */
static void arm_without_scale(struct fixture *f, const float hip_scale[3])
{
    const float arm[3] = {2, 1, 0}, turn[4] = {0.6f, 0, 0, 0.8f};
    fixture_init(f);
    fixture_node(f, -1, FIXTURE_ONE, FIXTURE_NO_TURN, hip_scale);
    fixture_node(f, 0, arm, turn, FIXTURE_ONE);
    f->builder.nodes[1].flags = NODE_SCALE_OWN;
    fixture_root(f, 0);
    fixture_finish(f);
}

TEST(answer_pose_local_of_a_node_without_its_parents_scale)
{
    static const double NOW[] = {0};
    struct fixture f;
    struct request request = wire_request(OP_POSE, NOW, 1);
    request.what = WHAT_LOCAL;
    arm_without_scale(&f, (const float[3]){2, 2, 2});
    cJSON *json = wire_answer_json(&f.model, &request);
    const float local[10] = {2, 1, 0, 0.6f, 0, 0, 0.8f, 0.5f, 0.5f, 0.5f};
    for (int e = 0; e < 10; e++)
        CHECK_NEAR(wire_at(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "local"), 1), e)->valuedouble,
                   local[e], 1e-6);
    cJSON_Delete(json);
    fixture_fini(&f);
    arm_without_scale(&f, (const float[3]){1, 2, 3});
    cJSON *root = NULL;
    wire_answer_error(&f.model, &request, ERR_NOT_RIGID, &root);
    cJSON_Delete(root);
    request.what = WHAT_SCENE;
    json = wire_answer_json(&f.model, &request);
    const cJSON *scene = wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "scene"), 1);
    CHECK_NEAR(wire_at(scene, 5)->valuedouble, 0.28, 1e-6); /* cos of the turn: not scaled */
    CHECK_NEAR(wire_at(scene, 13)->valuedouble, 3, 1e-6);   /* 1 + 2 * 1 */
    cJSON_Delete(json);
    fixture_fini(&f);
    arm_without_scale(&f, (const float[3]){1, 0, 1});
    request.what = WHAT_LOCAL;
    wire_answer_error(&f.model, &request, ERR_NOT_RIGID, &root);
    cJSON_Delete(root);
    fixture_fini(&f);
}
