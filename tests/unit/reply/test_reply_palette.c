#include "anim/pose/dualquat.h"
#include "base/bytes.h"
#include "wire/encode/frames.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/dualquat_point.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const double TIMES[] = {0.3, -0.25, 2, 0.3};
enum { TIME_COUNT = 4 };

/* `exact` is in double precision. */
static void expect_compiled(uint32_t skin, double clip_time_s, struct mat4 exact[2])
{
    struct clip_palette palette;
    struct mat4 compiled[2];
    const uint32_t count = wire_model()->skins[skin].joint_count;
    clip_palette_init(&palette, &KERNEL_SCALAR);
    clip_palette_evaluate(&palette, wire_model(), 0, clip_time_s, skin, PALETTE_MAT4, compiled[0].m);
    clip_palette_fini(&palette);
    for (uint32_t i = 0; i < 16 * count; i++)
        CHECK_NEAR(compiled[i / 16].m[i % 16], exact[i / 16].m[i % 16], 1e-5);
    memcpy(exact, compiled, count * sizeof *compiled);
}

/* The palette that the answer must hold, from the animation library: in scene space that of the compiled clip, which is
 * near the other one. */
static void expect_palette(uint32_t skin, double clip_time_s, enum space space, int32_t mesh_node, struct mat4 out[2])
{
    struct pose pose;
    struct dmat4 space_from_scene;
    struct err err = {0};
    pose_init(&pose);
    pose_evaluate(&pose, wire_model(), 0, clip_time_s);
    if (pose_space_from_scene(&pose, wire_model(), space, mesh_node, &space_from_scene, &err) < 0 ||
        pose_palette(&pose, wire_model(), skin, &space_from_scene, out, &err) < 0)
        fail_msg("%s", err.message);
    pose_fini(&pose);
    assert_true(clip_palette_is_compiled(wire_model(), 0));
    if (space == SPACE_SCENE)
        expect_compiled(skin, clip_time_s, out);
}

static void check_frames(const cJSON *json, enum wrap wrap, enum space space)
{
    for (int f = 0; f < TIME_COUNT; f++) {
        const cJSON *frame = wire_at(wire_get(json, "frames"), f);
        const double clip_time_s = clip_time_wrap(TIMES[f], 2, wrap);
        assert_true(wire_get(frame, "time")->valuedouble == TIMES[f]);
        assert_true(wire_get(frame, "clip_time")->valuedouble == clip_time_s);
        assert_int_equal(cJSON_GetArraySize(wire_get(frame, "palettes")), 2);
        for (uint32_t s = 0; s < 2; s++) {
            struct mat4 expected[2];
            const cJSON *palette = wire_at(wire_get(frame, "palettes"), (int)s);
            expect_palette(s, clip_time_s, space, wire_model()->skins[s].mesh_node, expected);
            assert_int_equal(cJSON_GetArraySize(palette), s == 0 ? 2 : 1);
            for (int j = 0; j < cJSON_GetArraySize(palette); j++)
                if (space == SPACE_SCENE)
                    wire_check_floats(wire_at(palette, j), expected[j].m, 16);
                else
                    wire_check_near(wire_at(palette, j), expected[j].m, 16, 1e-5);
        }
    }
}

TEST(answer_palette_head_names_everything)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_string_equal(wire_get(json, "model")->valuestring, "arm.glb");
    assert_string_equal(wire_get(json, "hash")->valuestring,
                        "0109111921293139414951596169717981899199a1a9b1b9c1c9d1d9e1e9f1f9");
    assert_int_equal(wire_get(wire_get(json, "clip"), "index")->valueint, 0);
    assert_string_equal(wire_get(wire_get(json, "clip"), "name")->valuestring, "wave");
    assert_true(wire_get(wire_get(json, "clip"), "duration")->valuedouble == 2);
    assert_string_equal(wire_get(json, "wrap")->valuestring, "loop");
    assert_string_equal(wire_get(json, "space")->valuestring, "scene");
    assert_string_equal(wire_get(json, "layout")->valuestring, "mat4");
    const cJSON *skins = wire_get(json, "skins");
    assert_int_equal(cJSON_GetArraySize(skins), 2);
    assert_string_equal(wire_get(wire_at(skins, 0), "name")->valuestring, "arm");
    assert_null(cJSON_GetObjectItem(wire_at(skins, 0), "rigid"));
    const cJSON *joints = wire_get(wire_at(skins, 0), "joints");
    assert_int_equal(cJSON_GetArraySize(joints), 2);
    assert_int_equal(wire_get(wire_at(joints, 0), "node")->valueint, 2);
    assert_string_equal(wire_get(wire_at(joints, 0), "name")->valuestring, "Bone");
    assert_string_equal(wire_get(wire_at(joints, 1), "name")->valuestring, "bone \"A\"\n");
    assert_true(cJSON_IsTrue(wire_get(wire_at(skins, 1), "rigid")));
    assert_true(cJSON_IsNull(wire_get(wire_at(wire_get(wire_at(skins, 1), "joints"), 0), "name")));
    cJSON_Delete(json);
}

TEST(answer_palette_of_every_wrap_and_space)
{
    for (int wrap = WRAP_LOOP; wrap <= WRAP_MIRROR; wrap++)
        for (int space = SPACE_SCENE; space <= SPACE_MESH; space++) {
            struct request request = wire_request(OP_PALETTE, TIMES, TIME_COUNT);
            request.pose.wrap = (enum wrap)wrap;
            request.space = (enum space)space;
            cJSON *json = wire_answer_json(wire_model(), &request);
            check_frames(json, request.pose.wrap, request.space);
            cJSON_Delete(json);
        }
}

TEST(answer_palette_mat3x4_is_the_top_rows)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    struct mat4 expected[2];
    request.layout = LAYOUT_MAT3X4;
    expect_palette(0, 0.3, SPACE_SCENE, -1, expected);
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_string_equal(wire_get(json, "layout")->valuestring, "mat3x4");
    const cJSON *palette = wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "palettes"), 0);
    for (int j = 0; j < 2; j++) {
        const float *m = expected[j].m;
        const float rows[12] = {m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]};
        wire_check_floats(wire_at(palette, j), rows, 12);
    }
    cJSON_Delete(json);
}

TEST(answer_palette_of_selected_skins_in_the_order_asked)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    const struct selector skins[] = {wire_index(1), wire_name("arm"), wire_index(1)};
    request.skins = skins;
    request.skin_count = 3;
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_int_equal(wire_get(wire_at(wire_get(json, "skins"), 0), "index")->valueint, 1);
    assert_int_equal(wire_get(wire_at(wire_get(json, "skins"), 1), "index")->valueint, 0);
    const cJSON *palettes = wire_get(wire_at(wire_get(json, "frames"), 0), "palettes");
    assert_int_equal(cJSON_GetArraySize(palettes), 3);
    assert_int_equal(cJSON_GetArraySize(wire_at(palettes, 1)), 2);
    assert_true(cJSON_Compare(wire_at(palettes, 0), wire_at(palettes, 2), true));
    cJSON_Delete(json);
}

TEST(answer_palette_in_the_space_of_a_chosen_mesh_node)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    struct mat4 expected[2];
    request.space = SPACE_MESH;
    request.mesh = wire_index(4);
    expect_palette(0, 0.3, SPACE_MESH, 4, expected);
    cJSON *json = wire_answer_json(wire_model(), &request);
    wire_check_near(wire_at(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "palettes"), 0), 1), expected[1].m,
                    16, 1e-5);
    cJSON_Delete(json);

    request.mesh = wire_name("Bone"); /* two nodes are called so, one has a mesh */
    expect_palette(0, 0.3, SPACE_MESH, 3, expected);
    json = wire_answer_json(wire_model(), &request);
    wire_check_near(wire_at(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "palettes"), 0), 1), expected[1].m,
                    16, 1e-5);
    cJSON_Delete(json);

    request.mesh = wire_index(2);
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_MESH_NOT_FOUND, &json);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb': node 2 has no mesh");
    assert_int_equal(cJSON_GetArraySize(wire_get(error, "candidates")), 2);
    cJSON_Delete(json);
}

TEST(answer_palette_at_rest)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 2);
    request.pose.clip.kind = SELECT_REST;
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_true(cJSON_IsNull(wire_get(json, "clip")));
    const cJSON *frames = wire_get(json, "frames");
    assert_true(wire_get(wire_at(frames, 1), "time")->valuedouble == -0.25);
    assert_true(wire_get(wire_at(frames, 1), "clip_time")->valuedouble == 0);
    assert_true(
        cJSON_Compare(wire_get(wire_at(frames, 0), "palettes"), wire_get(wire_at(frames, 1), "palettes"), true));
    cJSON_Delete(json);
}

TEST(answer_palette_of_a_model_without_skins_or_clips)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    cJSON *json = wire_answer_json(wire_model_empty(), &request);
    assert_true(cJSON_IsNull(wire_get(json, "clip")));
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "skins")), 0);
    assert_int_equal(cJSON_GetArraySize(wire_get(wire_at(wire_get(json, "frames"), 0), "palettes")), 0);
    cJSON_Delete(json);
}

/* A client's way to an item: arithmetic on the header and the block table only. */
static const char *find_item(const struct reply *reply, uint32_t block, uint32_t frame, uint32_t item)
{
    const char *bytes = reply->body.data;
    const char *row = bytes + FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * block;
    const uint64_t base = get_u16(row + 2) != 0 ? 0 : get_u64(bytes + 32) + frame * get_u64(bytes + 40);
    return bytes + base + get_u64(row + 24) + (uint64_t)item * get_u32(row + 20);
}

TEST(answer_palette_binary_has_the_bits_of_the_json)
{
    for (int layout = LAYOUT_MAT4; layout <= LAYOUT_MAT3X4; layout++) {
        struct request request = wire_request(OP_PALETTE, TIMES, TIME_COUNT);
        struct reply reply;
        request.layout = (enum layout)layout;
        cJSON *json = wire_answer_json(wire_model(), &request);
        request.format = FORMAT_BIN;
        reply_init(&reply);
        wire_answer(wire_model(), &request, &reply);
        assert_int_equal(reply.status, 200);
        assert_true(reply.is_vary_accept);
        assert_string_equal(reply.content_type, "application/vnd.posed.frames");
        assert_true(get_u64(reply.body.data + 48) == reply.body.size_bytes);
        for (uint32_t f = 0; f < TIME_COUNT; f++)
            for (uint32_t s = 0; s < 2; s++)
                for (uint32_t j = 0; j < (s == 0 ? 2u : 1u); j++) {
                    float floats[16];
                    const int count = layout == LAYOUT_MAT4 ? 16 : 12;
                    const char *item = find_item(&reply, s, f, j);
                    assert_int_equal((size_t)(item - reply.body.data) % 16, 0);
                    memcpy(floats, item, sizeof floats[0] * (size_t)count);
                    const cJSON *frame = wire_at(wire_get(json, "frames"), (int)f);
                    wire_check_floats(wire_at(wire_at(wire_get(frame, "palettes"), (int)s), (int)j), floats, count);
                }
        cJSON_Delete(json);
        reply_fini(&reply);
    }
}

/* A skin of a bent finger whose child joint comes first, bent by 170 and by 210 degrees. */
TEST(answer_palette_dualquat_moves_vertices_as_the_matrices_do)
{
    static const float MOVES[][3] = {{1, 2, 3}, {0, 1.5f, 0}, {0.5f, -1, 2}};
    static const float TURNS[][4] = {{0.59771682f, 0, 0.79695576f, 0.08715574f},
                                     {0.20521208f, 0, 0.27361611f, 0.93969262f},
                                     {0, 0.17364818f, 0, 0.98480775f}};
    static const uint32_t JOINTS[] = {2, 0, 1, 2};
    struct fixture f;
    fixture_init(&f);
    for (int n = 0; n < 3; n++)
        fixture_node(&f, n - 1, MOVES[n], TURNS[n], FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_skin(&f, JOINTS, 4);
    fixture_finish(&f);
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    cJSON *matrices = wire_answer_json(&f.model, &request);
    request.layout = LAYOUT_DUALQUAT;
    cJSON *json = wire_answer_json(&f.model, &request);
    const cJSON *a = wire_at(wire_get(wire_at(wire_get(matrices, "frames"), 0), "palettes"), 0);
    const cJSON *b = wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "palettes"), 0);
    struct dualquat q[4];
    for (int j = 0; j < 4; j++) {
        const double vertex[3] = {0.25, -1.5, 4};
        double by_matrix[3], by_q[3];
        struct dmat4 m;
        assert_int_equal(cJSON_GetArraySize(wire_at(b, j)), 8);
        for (int i = 0; i < 16; i++)
            m.m[i] = wire_at(wire_at(a, j), i)->valuedouble;
        for (int i = 0; i < 4; i++) {
            q[j].real[i] = wire_at(wire_at(b, j), i)->valuedouble;
            q[j].dual[i] = wire_at(wire_at(b, j), 4 + i)->valuedouble;
        }
        dmat4_point(&m, vertex, by_matrix);
        dualquat_point(&q[j], vertex, by_q);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(by_q[i], by_matrix[i], 3e-6);
    }
    const int pairs[][2] = {{2, 1}, {0, 2}, {3, 0}}; /* joint and the one above; node 2 is there twice */
    for (int p = 0; p < 3; p++) {
        const double *x = q[pairs[p][0]].real, *y = q[pairs[p][1]].real;
        assert_true(x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] >= 0);
    }
    assert_true(q[0].real[3] < 0); /* not just every w >= 0 */
    cJSON_Delete(matrices);
    cJSON_Delete(json);
    fixture_fini(&f);
}

TEST(answer_palette_dualquat_refuses_scale)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    cJSON *root;
    request.layout = LAYOUT_DUALQUAT;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_NOT_RIGID, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "of skin 0 (node "));
    cJSON_Delete(root);
}
