/* Root motion in answers. */
#include "base/bytes.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const double TIMES[] = {0.75, 1.25};

static struct request motion_request(enum op op, uint32_t root)
{
    struct request request = wire_request(op, TIMES, 2);
    request.motion.is_extracted = request.motion.has_turn = true;
    request.motion.root = wire_index(root);
    request.pose.span = (struct request_span){.has_from = true, .from = 0.5};
    return request;
}

static struct dmat4 matrix_of(const cJSON *json)
{
    struct dmat4 m;
    for (int i = 0; i < 16; i++)
        m.m[i] = wire_at(json, i)->valuedouble;
    return m;
}

/* T(origin + translation) * R(y, yaw) * T(-origin) */
static struct dmat4 scene_from_still(const cJSON *head, const cJSON *step)
{
    const double half = wire_get(step, "yaw")->valuedouble * 3.14159265358979323846 / 360;
    struct trs there = {.rotation = {0, sin(half), 0, cos(half)}, .scale = {1, 1, 1}};
    struct trs back = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (int i = 0; i < 3; i++) {
        const double origin = wire_at(wire_get(head, "origin"), i)->valuedouble;
        there.translation[i] = origin + wire_at(wire_get(step, "translation"), i)->valuedouble;
        back.translation[i] = -origin;
    }
    const struct dmat4 a = dmat4_from_trs(&there), b = dmat4_from_trs(&back);
    return dmat4_mul(&a, &b);
}

TEST(answer_motion_put_back_gives_the_plain_answer)
{
    struct request request = motion_request(OP_PALETTE, 1);
    cJSON *still = wire_answer_json(wire_model(), &request);
    request.motion.is_extracted = request.motion.has_turn = false;
    cJSON *plain = wire_answer_json(wire_model(), &request);
    const cJSON *head = wire_get(still, "root_motion");
    assert_int_equal(wire_get(wire_get(head, "root"), "node")->valueint, 1);
    wire_check_floats(wire_get(head, "up"), (const float[]){0, 1, 0}, 3);
    assert_null(cJSON_GetObjectItem(plain, "root_motion"));
    for (int f = 0; f < 2; f++) {
        const cJSON *a = wire_at(wire_get(still, "frames"), f), *b = wire_at(wire_get(plain, "frames"), f);
        const struct dmat4 back = scene_from_still(head, wire_get(a, "root_motion"));
        assert_true(fabs(wire_get(wire_get(a, "root_motion"), "yaw")->valuedouble) > 1);
        for (int j = 0; j < 2; j++) { /* joints 2 and 1, which hang from node 1 */
            const struct dmat4 m = matrix_of(wire_at(wire_at(wire_get(a, "palettes"), 0), j));
            const struct dmat4 again = dmat4_mul(&back, &m);
            const struct dmat4 expected = matrix_of(wire_at(wire_at(wire_get(b, "palettes"), 0), j));
            for (int i = 0; i < 16; i++)
                CHECK_NEAR(again.m[i], expected.m[i], 1e-5);
        }
        assert_true(cJSON_Compare(wire_at(wire_get(a, "palettes"), 1), wire_at(wire_get(b, "palettes"), 1), true));
    }
    cJSON_Delete(still);
    cJSON_Delete(plain);
}

TEST(answer_motion_in_binary)
{
    const enum op ops[] = {OP_PALETTE, OP_POSE, OP_MESH};
    for (int o = 0; o < 3; o++) {
        struct request request = motion_request(ops[o], 2);
        struct reply reply;
        cJSON *json = wire_answer_json(wire_model(), &request);
        request.format = FORMAT_BIN;
        reply_init(&reply);
        wire_answer(wire_model(), &request, &reply);
        assert_int_equal(reply.status, 200);
        const char *bytes = reply.body.data, *row = bytes + 96;
        assert_true(get_u64(bytes + 48) == reply.body.size_bytes);
        while (get_u16(row) != 7)
            row += 32;
        assert_int_equal(get_u16(row + 2), 0);
        for (uint32_t f = 0; f < 2; f++) {
            const char *at = bytes + get_u64(bytes + 32) + f * get_u64(bytes + 40) + get_u64(row + 24);
            const cJSON *step = wire_get(wire_at(wire_get(json, "frames"), (int)f), "root_motion");
            float floats[4];
            memcpy(floats, at, sizeof floats);
            wire_check_floats(wire_get(step, "translation"), floats, 3);
            assert_true((float)wire_get(step, "yaw")->valuedouble == floats[3]);
        }
        cJSON_Delete(json);
        reply_fini(&reply);
    }
}

TEST(answer_motion_begins_at_from_and_ends_a_lap_at_to)
{
    static const double ENDS[] = {0, 2};
    struct request request = motion_request(OP_POSE, 2);
    request.pose.times_s = ENDS;
    request.pose.wrap = WRAP_CLAMP;
    request.motion.has_turn = false;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *frames = wire_get(json, "frames"), *lap = wire_get(wire_get(json, "root_motion"), "lap");
    wire_check_floats(wire_get(wire_get(wire_at(frames, 0), "root_motion"), "translation"), (const float[]){0, 0, 0},
                      3);
    assert_true(cJSON_Compare(lap, wire_get(wire_at(frames, 1), "root_motion"), true));
    assert_null(cJSON_GetObjectItem(lap, "yaw"));
    assert_true(wire_at(wire_get(lap, "translation"), 1)->valuedouble == 0); /* not height */
    cJSON_Delete(json);
}

TEST(answer_motion_at_rest_is_none)
{
    struct request request = motion_request(OP_POSE, 1);
    request.pose.clip.kind = SELECT_REST;
    request.pose.span.has_from = false;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *step = wire_get(wire_at(wire_get(json, "frames"), 1), "root_motion");
    wire_check_floats(wire_get(step, "translation"), (const float[]){0, 0, 0}, 3);
    CHECK_NEAR(wire_get(step, "yaw")->valuedouble, 0, 1e-5);
    cJSON_Delete(json);
}

TEST(answer_motion_finds_the_topmost_joint)
{
    struct request request = motion_request(OP_POSE, 0);
    cJSON *json;
    request.motion.root.kind = SELECT_NONE;
    json = wire_answer_json(wire_model(), &request);
    assert_int_equal(wire_get(wire_get(wire_get(json, "root_motion"), "root"), "node")->valueint, 1);
    cJSON_Delete(json);
    wire_answer_error(wire_model_empty(), &request, ERR_BAD_PARAMETER, &json); /* its clip is no part either */
    cJSON_Delete(json);
    request.pose.span.has_from = false;
    const cJSON *error = wire_answer_error(wire_model_empty(), &request, ERR_BAD_PARAMETER, &json);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "root="));
    cJSON_Delete(json);
    request.motion.root = wire_name("bone");
    wire_answer_error(wire_model(), &request, ERR_JOINT_NOT_FOUND, &json);
    cJSON_Delete(json);
}

TEST(answer_motion_not_finite)
{
    struct request request = motion_request(OP_POSE, 1);
    cJSON *root;
    request.pose.clip = wire_index(3);
    request.pose.span.has_from = false;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_NOT_FINITE, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "not finite"));
    cJSON_Delete(root);
}

/* It says where the root is before any frame, of which the first would be found out. */
TEST(answer_motion_from_a_place_beyond_floats)
{
    const float large[3] = {100, 100, 100}, far[3] = {3e38f, 0, 0};
    struct fixture f;
    cJSON *root;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, large);
    fixture_node(&f, 0, far, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_finish(&f);
    struct request request = wire_request(OP_POSE, TIMES, 1);
    request.pose.clip.kind = SELECT_REST;
    request.motion.is_extracted = true;
    request.motion.root = wire_index(1);
    const cJSON *error = wire_answer_error(&f.model, &request, ERR_NOT_FINITE, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "the movement of the root, node 1, is not finite"));
    cJSON_Delete(root);
    fixture_fini(&f);
}
