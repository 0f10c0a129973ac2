#include "base/bytes.h"
#include "wire/encode/frames.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const double TIMES[] = {0.3, 1.25};

/* One skin in every frame: its palette must not be that of the frame before. */
TEST(answer_mesh_frames_are_those_of_single_answers)
{
    struct request request = wire_request(OP_MESH, TIMES, 2);
    request.mesh = wire_index(0);
    cJSON *both = wire_answer_json(wire_model(), &request);
    request.pose.times_s = TIMES + 1;
    request.pose.time_count = 1;
    cJSON *second = wire_answer_json(wire_model(), &request);
    assert_true(cJSON_Compare(wire_at(wire_get(both, "frames"), 1), wire_at(wire_get(second, "frames"), 0), true));
    assert_false(cJSON_Compare(wire_at(wire_get(both, "frames"), 0), wire_at(wire_get(second, "frames"), 0), true));
    for (uint32_t i = 0; i < 2; i++) {
        struct reply reply;
        reply_init(&reply);
        request.pose.times_s = TIMES + i;
        request.pose.time_count = 2 - i;
        request.format = FORMAT_BIN;
        wire_answer(wire_model(), &request, &reply);
        float positions[9];
        memcpy(positions, reply.body.data + reply.body.size_bytes - 48, sizeof positions); /* of the last frame */
        wire_check_floats(wire_at(wire_get(wire_at(wire_get(second, "frames"), 0), "positions"), 0), positions, 9);
        reply_fini(&reply);
    }
    cJSON_Delete(both);
    cJSON_Delete(second);
}

/* By hand: morph with weight 0.5, then the weighted sum of both joints. */
TEST(answer_mesh_vertex_is_the_sum_over_its_joints)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    cJSON *mesh = wire_answer_json(wire_model(), &request);
    request.op = OP_PALETTE;
    cJSON *palette = wire_answer_json(wire_model(), &request);
    const cJSON *joints = wire_at(wire_get(wire_at(wire_get(palette, "frames"), 0), "palettes"), 0);
    const cJSON *positions = wire_at(wire_get(wire_at(wire_get(mesh, "frames"), 0), "positions"), 0);
    static const double BIND[3][3] = {{0, 2, 1}, {1 + 0.25, 1 - 0.5, 1 + 2}, {2, 0, 1}};
    static const double WEIGHTS[3][2] = {{1, 0}, {0, 1}, {0.75, 0.25}};
    assert_int_equal(cJSON_GetArraySize(positions), 9);
    for (int v = 0; v < 3; v++)
        for (int r = 0; r < 3; r++) {
            double sum = 0;
            for (int j = 0; j < 2; j++) {
                const cJSON *m = wire_at(joints, j);
                double moved = wire_at(m, 12 + r)->valuedouble;
                for (int c = 0; c < 3; c++)
                    moved += wire_at(m, 4 * c + r)->valuedouble * BIND[v][c];
                sum += WEIGHTS[v][j] * moved;
            }
            CHECK_NEAR(wire_at(positions, 3 * v + r)->valuedouble, sum, 1e-5);
        }
    cJSON_Delete(mesh);
    cJSON_Delete(palette);
}

TEST(answer_mesh_lists_every_draw)
{
    struct request request = wire_request(OP_MESH, TIMES, 2);
    request.vertices.has_rest = request.vertices.has_indices = request.vertices.has_normals = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    static const struct {
        int node, mesh, primitive, skin, material;
    } ENTRIES[] = {{3, 0, 0, 0, 0}, {4, 1, 0, 1, -1}, {4, 1, 1, 1, 0}};
    static const float REST[] = {2, 2, 1, 3, 1, 3, 4, 0, 5};
    const cJSON *meshes = wire_get(json, "meshes");
    assert_int_equal(cJSON_GetArraySize(meshes), 3);
    for (int e = 0; e < 3; e++) {
        const cJSON *entry = wire_at(meshes, e);
        assert_int_equal(wire_get(entry, "node")->valueint, ENTRIES[e].node);
        assert_int_equal(wire_get(entry, "mesh")->valueint, ENTRIES[e].mesh);
        assert_int_equal(wire_get(entry, "primitive")->valueint, ENTRIES[e].primitive);
        assert_int_equal(wire_get(entry, "skin")->valueint, ENTRIES[e].skin);
        assert_int_equal(wire_get(entry, "vertices")->valueint, 3);
        assert_int_equal(wire_get(entry, "indices")->valueint, 3);
        assert_string_equal(wire_get(entry, "topology")->valuestring, "triangles");
        assert_true(cJSON_IsTrue(wire_get(entry, "in_scene")));
        if (ENTRIES[e].material < 0)
            assert_true(cJSON_IsNull(wire_get(entry, "material")));
        else
            assert_int_equal(wire_get(entry, "material")->valueint, ENTRIES[e].material);
        const float indices[] = {2, 1, 0};
        wire_check_floats(wire_at(wire_get(json, "indices"), e), indices, 3);
    }
    assert_string_equal(wire_get(wire_at(meshes, 0), "name")->valuestring, "body");
    assert_true(cJSON_IsNull(wire_get(wire_at(meshes, 1), "name")));
    wire_check_floats(wire_at(wire_get(json, "rest"), 2), REST, 9);
    wire_check_floats(wire_at(wire_get(json, "rest"), 0), &wire_model()->positions[0].x, 9); /* before its morph */
    for (int f = 0; f < 2; f++)
        for (int v = 0; v < 3; v++) {
            const cJSON *normals = wire_at(wire_get(wire_at(wire_get(json, "frames"), f), "normals"), 0);
            double squares = 0;
            for (int i = 0; i < 3; i++)
                squares += pow(wire_at(normals, 3 * v + i)->valuedouble, 2);
            CHECK_NEAR(squares, 1, 1e-6);
        }
    cJSON_Delete(json);
}

TEST(answer_mesh_of_a_sheared_node_is_in_scene_space)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    cJSON *json = wire_answer_json(wire_model(), &request);
    struct pose pose;
    const double bind[3] = {3, 1, 3};
    double expected[3];
    pose_init(&pose);
    pose_evaluate(&pose, wire_model(), 0, 0.3);
    dmat4_point(&pose.scene_from_node[4], bind, expected);
    const cJSON *positions = wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "positions"), 2);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(wire_at(positions, 3 + i)->valuedouble, expected[i], 1e-5);
    pose_fini(&pose);
    cJSON_Delete(json);
}

TEST(answer_mesh_of_one_mesh)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    cJSON *json;
    request.mesh = wire_name("body");
    json = wire_answer_json(wire_model(), &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "meshes")), 1);
    assert_int_equal(cJSON_GetArraySize(wire_get(wire_at(wire_get(json, "frames"), 0), "positions")), 1);
    cJSON_Delete(json);
    request.mesh = wire_index(1);
    json = wire_answer_json(wire_model(), &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "meshes")), 2);
    cJSON_Delete(json);
    request.mesh = wire_name("bodyy");
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_MESH_NOT_FOUND, &json);
    assert_string_equal(wire_get(wire_at(wire_get(error, "candidates"), 0), "name")->valuestring, "body");
    cJSON_Delete(json);
}

/* What weights=1 tells of a vertex at rest and moves it by the palette is where the answer has it. */
TEST(answer_mesh_weights_move_the_vertices)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    request.vertices.has_weights = true;
    cJSON *mesh = wire_answer_json(wire_model(), &request);
    static const float FIRSTS[] = {0, 1, 2, 4}, JOINTS[] = {0, 1, 0, 1}, WEIGHTS[] = {1, 1, 0.75F, 0.25F};
    static const float RIGID_FIRSTS[] = {0, 1, 2, 3}, RIGID_JOINTS[] = {0, 0, 0}, RIGID_WEIGHTS[] = {1, 1, 1};
    for (int e = 0; e < 3; e++) {
        const cJSON *entry = wire_at(wire_get(mesh, "influences"), e);
        const bool is_rigid = e > 0; /* moves with its node: the file gives it no weights */
        wire_check_floats(wire_get(entry, "firsts"), is_rigid ? RIGID_FIRSTS : FIRSTS, 4);
        wire_check_floats(wire_get(entry, "joints"), is_rigid ? RIGID_JOINTS : JOINTS, is_rigid ? 3 : 4);
        wire_check_floats(wire_get(entry, "weights"), is_rigid ? RIGID_WEIGHTS : WEIGHTS, is_rigid ? 3 : 4);
        assert_null(cJSON_GetObjectItem(entry, "dual_weights"));
    }
    const cJSON *skins = wire_get(mesh, "skins");
    assert_int_equal(cJSON_GetArraySize(skins), 2);
    for (int s = 0; s < 2; s++) {
        const struct skin *skin = &wire_model()->skins[s];
        assert_int_equal(wire_get(wire_at(skins, s), "index")->valueint, s);
        for (uint32_t j = 0; j < skin->joint_count; j++) {
            const struct joint *joint = &wire_model()->joints[skin->joint_first + j];
            wire_check_floats(wire_at(wire_get(wire_at(skins, s), "joint_from_bind"), (int)j), joint->joint_from_bind.m,
                              16);
            assert_int_equal(wire_get(wire_at(wire_get(wire_at(skins, s), "joints"), (int)j), "node")->valueint,
                             joint->node);
        }
    }
    request.mesh = wire_index(1);
    cJSON *one = wire_answer_json(wire_model(), &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(one, "influences")), 2);
    assert_int_equal(wire_get(wire_at(wire_get(one, "skins"), 0), "index")->valueint, 1);
    assert_int_equal(cJSON_GetArraySize(wire_get(one, "skins")), 1);
    cJSON_Delete(one);
    cJSON_Delete(mesh);
}

/* The arrays of an entry, or of a skin, as the JSON has them. */
static void check_weights_block(const cJSON *json, const char *row, const char *items)
{
    static const char *const NAMES[] = {"firsts", "joints", "weights"};
    const int kind = get_u16(row), index = (int)get_u32(row + 4);
    const uint32_t count = get_u32(row + 16);
    float floats[64];
    assert_int_equal(get_u16(row + 2), 1);
    if (kind == BLOCK_JOINT_NODES || kind == BLOCK_JOINT_FROM_BIND) {
        const cJSON *skin = wire_at(wire_get(json, "skins"), index); /* skins 0 and 1 are all there are */
        assert_int_equal((int)get_u32(row + 8), -1);
        for (uint32_t j = 0; j < count; j++) {
            if (kind == BLOCK_JOINT_NODES) {
                assert_int_equal(get_u32(items + 4 * j),
                                 wire_get(wire_at(wire_get(skin, "joints"), (int)j), "node")->valueint);
                continue;
            }
            memcpy(floats, items + 64 * (size_t)j, 64);
            wire_check_floats(wire_at(wire_get(skin, "joint_from_bind"), (int)j), floats, 16);
        }
        return;
    }
    const cJSON *entry = wire_at(wire_get(json, "influences"), index);
    assert_in_range(kind, BLOCK_INFLUENCE_FIRSTS, BLOCK_INFLUENCE_WEIGHTS);
    assert_in_range(count, 3, 4);
    for (uint32_t i = 0; i < count; i++) {
        floats[i] = (float)get_u32(items + 4 * i);
        if (kind == BLOCK_INFLUENCE_WEIGHTS)
            memcpy(&floats[i], items + 4 * (size_t)i, 4);
    }
    wire_check_floats(wire_get(entry, NAMES[kind - BLOCK_INFLUENCE_FIRSTS]), floats, (int)count);
}

TEST(answer_mesh_weights_in_binary)
{
    struct request request = wire_request(OP_MESH, TIMES, 2);
    struct reply reply;
    request.vertices.has_weights = request.vertices.has_rest = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(reply.status, 200);
    const char *bytes = reply.body.data;
    assert_int_equal(get_u32(bytes + 20), 3 + 3 * 3 + 2 * 2 + 3);
    for (uint32_t b = 3; b < 3 + 3 * 3 + 2 * 2; b++) {
        const char *row = bytes + FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * (size_t)b;
        check_weights_block(json, row, bytes + get_u64(row + 24));
    }
    cJSON_Delete(json);
    reply_fini(&reply);
}

TEST(answer_mesh_binary_has_the_bits_of_the_json)
{
    struct request request = wire_request(OP_MESH, TIMES, 2);
    struct reply reply;
    request.vertices.has_rest = request.vertices.has_indices = request.vertices.has_normals = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(reply.status, 200);
    const char *bytes = reply.body.data;
    assert_int_equal(get_u32(bytes + 20), 12);
    for (uint32_t b = 0; b < 12; b++) {
        const char *row = bytes + FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * b;
        const int entry = (int)get_u32(row + 4);
        const bool is_static = get_u16(row + 2) != 0;
        assert_int_equal(get_u32(row + 8), wire_get(wire_at(wire_get(json, "meshes"), entry), "node")->valueint);
        assert_int_equal(get_u32(row + 12), wire_get(wire_at(wire_get(json, "meshes"), entry), "primitive")->valueint);
        for (int f = 0; f < (is_static ? 1 : 2); f++) {
            const uint64_t base = is_static ? 0 : get_u64(bytes + 32) + (uint64_t)f * get_u64(bytes + 40);
            const char *items = bytes + base + get_u64(row + 24);
            const cJSON *frame = wire_at(wire_get(json, "frames"), f);
            float floats[9];
            memcpy(floats, items, get_u32(row + 16) * get_u32(row + 20));
            switch (get_u16(row)) {
            case BLOCK_REST:
                wire_check_floats(wire_at(wire_get(json, "rest"), entry), floats, 9);
                break;
            case BLOCK_POSITIONS:
                wire_check_floats(wire_at(wire_get(frame, "positions"), entry), floats, 9);
                break;
            case BLOCK_NORMALS:
                wire_check_floats(wire_at(wire_get(frame, "normals"), entry), floats, 9);
                break;
            default:
                assert_int_equal(get_u16(row), BLOCK_INDICES);
                for (int i = 0; i < 3; i++)
                    assert_int_equal(get_u32(items + 4 * i),
                                     wire_at(wire_at(wire_get(json, "indices"), entry), i)->valueint);
            }
        }
    }
    cJSON_Delete(json);
    reply_fini(&reply);
}
