#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <float.h>
#include <string.h>

static const double TIMES[] = {0.3, -0.25, 1.5};
enum { TIME_COUNT = 3 };

static void widen(const cJSON *positions, int axis, double *low, double *high)
{
    for (int i = axis; i < cJSON_GetArraySize(positions); i += 3) {
        *low = fmin(*low, wire_at(positions, i)->valuedouble);
        *high = fmax(*high, wire_at(positions, i)->valuedouble);
    }
}

static void check_side(const cJSON *box, int axis, double low, double high)
{
    assert_true((float)wire_at(wire_get(box, "min"), axis)->valuedouble == (float)low);
    assert_true((float)wire_at(wire_get(box, "max"), axis)->valuedouble == (float)high);
}

TEST(answer_bounds_are_those_of_the_mesh_answer)
{
    struct request request = wire_request(OP_BOUNDS, TIMES, TIME_COUNT);
    cJSON *bounds = wire_answer_json(wire_model(), &request);
    request.op = OP_MESH;
    cJSON *mesh = wire_answer_json(wire_model(), &request);
    assert_string_equal(wire_get(bounds, "source")->valuestring, "vertices");
    assert_int_equal(cJSON_GetArraySize(wire_get(bounds, "meshes")), 3);
    assert_null(cJSON_GetObjectItem(bounds, "joints"));
    for (int f = 0; f < TIME_COUNT; f++) {
        const cJSON *a = wire_at(wire_get(bounds, "frames"), f), *b = wire_at(wire_get(mesh, "frames"), f);
        assert_true(wire_get(a, "clip_time")->valuedouble == wire_get(b, "clip_time")->valuedouble);
        for (int axis = 0; axis < 3; axis++) {
            double all_low = DBL_MAX, all_high = -DBL_MAX;
            for (int e = 0; e < 3; e++) {
                double low = DBL_MAX, high = -DBL_MAX;
                widen(wire_at(wire_get(b, "positions"), e), axis, &low, &high);
                check_side(wire_at(wire_get(a, "meshes"), e), axis, low, high);
                all_low = fmin(all_low, low);
                all_high = fmax(all_high, high);
            }
            check_side(wire_get(a, "bounds"), axis, all_low, all_high);
        }
    }
    cJSON_Delete(bounds);
    cJSON_Delete(mesh);
}

TEST(answer_bounds_of_layers_are_those_of_the_mesh_answer)
{
    const double one = 1, two = 2;
    struct request_pose layers[2] = {{.clip = wire_name("wave"), .weights = &one, .weight_count = 1},
                                     {.clip = wire_index(2), .weights = &two, .weight_count = 1, .wrap = WRAP_MIRROR}};
    struct request request = wire_request(OP_BOUNDS, TIMES, TIME_COUNT);
    layers[0].model = layers[1].model = request.model;
    request.pose.layers = layers;
    request.pose.layer_count = 2;
    request.bounds.is_per_joint = true;
    cJSON *bounds = wire_answer_json(wire_model(), &request);
    request.op = OP_MESH;
    cJSON *mesh = wire_answer_json(wire_model(), &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(bounds, "layers")), 2);
    for (int f = 0; f < TIME_COUNT; f++) {
        const cJSON *a = wire_at(wire_get(bounds, "frames"), f), *b = wire_at(wire_get(mesh, "frames"), f);
        assert_true(cJSON_Compare(wire_get(a, "clip_times"), wire_get(b, "clip_times"), true));
        assert_int_equal(cJSON_GetArraySize(wire_get(a, "joints")), 3);
        for (int axis = 0; axis < 3; axis++) {
            double low = DBL_MAX, high = -DBL_MAX;
            for (int e = 0; e < 3; e++)
                widen(wire_at(wire_get(b, "positions"), e), axis, &low, &high);
            check_side(wire_get(a, "bounds"), axis, low, high);
        }
    }
    cJSON_Delete(bounds);
    cJSON_Delete(mesh);
}

TEST(answer_bounds_of_one_mesh)
{
    struct request request = wire_request(OP_BOUNDS, TIMES, 1);
    request.mesh = wire_name("body");
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *entry = wire_at(wire_get(json, "meshes"), 0), *frame = wire_at(wire_get(json, "frames"), 0);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "meshes")), 1);
    assert_int_equal(wire_get(entry, "node")->valueint, 3);
    assert_int_equal(wire_get(entry, "vertices")->valueint, 3);
    assert_true(cJSON_Compare(wire_get(frame, "bounds"), wire_at(wire_get(frame, "meshes"), 0), true));
    cJSON_Delete(json);
    request.mesh = wire_name("bod");
    wire_answer_error(wire_model(), &request, ERR_MESH_NOT_FOUND, &json);
    cJSON_Delete(json);
}

TEST(answer_bounds_of_joints)
{
    struct request request = wire_request(OP_BOUNDS, TIMES, 1);
    request.bounds.is_per_joint = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *joints = wire_get(json, "joints"), *frame = wire_at(wire_get(json, "frames"), 0);
    /* node 1 moves vertex 1, node 2 vertices 0 and 2 (three quarters of it), node 4 the other mesh */
    const int nodes[] = {1, 2, 4}, counts[] = {1, 2, 6};
    assert_int_equal(cJSON_GetArraySize(joints), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wire_get(wire_at(joints, i), "node")->valueint, nodes[i]);
        assert_int_equal(wire_get(wire_at(joints, i), "vertices")->valueint, counts[i]);
    }
    /* the rigid mesh stays where it is in its node's own space: positions as in the file */
    const cJSON *own = wire_get(wire_at(wire_get(frame, "joints"), 2), "joint");
    const double low[] = {1, 0, 1}, high[] = {4, 2, 5};
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(wire_at(wire_get(own, "min"), i)->valuedouble, low[i], 1e-5);
        CHECK_NEAR(wire_at(wire_get(own, "max"), i)->valuedouble, high[i], 1e-5);
    }
    const cJSON *single = wire_get(wire_at(wire_get(frame, "joints"), 0), "scene");
    assert_true(cJSON_Compare(wire_get(single, "min"), wire_get(single, "max"), true));
    cJSON_Delete(json);
}

static bool holds(const cJSON *outer, const cJSON *inner, double slack)
{
    for (int i = 0; i < 3; i++)
        if (wire_at(wire_get(outer, "min"), i)->valuedouble - slack > wire_at(wire_get(inner, "min"), i)->valuedouble ||
            wire_at(wire_get(outer, "max"), i)->valuedouble + slack < wire_at(wire_get(inner, "max"), i)->valuedouble)
            return false;
    return true;
}

TEST(answer_bounds_over_a_clip_hold_every_pose)
{
    double times[201];
    for (int i = 0; i <= 200; i++)
        times[i] = i / 100.0;
    struct request request = wire_request(OP_BOUNDS, times, 201);
    request.pose.wrap = WRAP_CLAMP;
    request.bounds.is_per_joint = true;
    cJSON *frames = wire_answer_json(wire_model(), &request);
    request = wire_request(OP_BOUNDS, times, 1);
    request.bounds.is_over_clip = request.bounds.is_per_joint = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *whole = wire_get(json, "whole"), *sampled = wire_get(json, "sampled");
    assert_int_equal(wire_get(sampled, "poses")->valueint, 121); /* 60 a second; the keys 0, 0.5 and 2 are among them */
    assert_true(wire_get(sampled, "rate")->valuedouble == 60 && wire_get(sampled, "to")->valuedouble == 2);
    assert_null(cJSON_GetObjectItem(json, "frames"));
    for (int f = 0; f <= 200; f++) {
        const cJSON *frame = wire_at(wire_get(frames, "frames"), f);
        assert_true(holds(wire_get(whole, "bounds"), wire_get(frame, "bounds"), 0.02));
        for (int j = 0; j < 3; j++)
            assert_true(holds(wire_get(wire_at(wire_get(whole, "joints"), j), "joint"),
                              wire_get(wire_at(wire_get(frame, "joints"), j), "joint"), 0.02));
    }
    cJSON_Delete(frames);
    cJSON_Delete(json);
}

TEST(answer_bounds_over_a_part_at_its_keys)
{
    const double ends[] = {0.5, 2};
    struct request request = wire_request(OP_BOUNDS, ends, 2);
    request.pose.wrap = WRAP_CLAMP;
    cJSON *frames = wire_answer_json(wire_model(), &request);
    request = wire_request(OP_BOUNDS, ends, 1);
    request.bounds.is_over_clip = request.bounds.has_rate = request.pose.span.has_from = true;
    request.pose.span.from = 0.5;
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_int_equal(wire_get(wire_get(json, "sampled"), "poses")->valueint, 2);
    for (int i = 0; i < 3; i++) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int f = 0; f < 2; f++) {
            const cJSON *box = wire_get(wire_at(wire_get(frames, "frames"), f), "bounds");
            low = fmin(low, wire_at(wire_get(box, "min"), i)->valuedouble);
            high = fmax(high, wire_at(wire_get(box, "max"), i)->valuedouble);
        }
        check_side(wire_get(wire_get(json, "whole"), "bounds"), i, low, high);
    }
    cJSON_Delete(frames);
    cJSON_Delete(json);
}

TEST(answer_bounds_without_meshes_are_of_node_origins)
{
    static const float PLACE[] = {1, 2, 3}, SCALE[] = {2, 2, 2}, STEP[] = {0, -4, 0};
    struct fixture f;
    fixture_init(&f);
    const uint32_t top = fixture_node(&f, -1, PLACE, FIXTURE_NO_TURN, SCALE);
    fixture_node(&f, (int32_t)top, STEP, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, -1, (const float[]){99, 99, 99}, FIXTURE_NO_TURN, FIXTURE_ONE); /* not in the scene */
    fixture_root(&f, top);
    fixture_finish(&f);
    struct request request = wire_request(OP_BOUNDS, TIMES, 1);
    request.bounds.is_per_joint = true;
    cJSON *json = wire_answer_json(&f.model, &request);
    assert_string_equal(wire_get(json, "source")->valuestring, "nodes");
    const cJSON *box = wire_get(wire_at(wire_get(json, "frames"), 0), "bounds");
    wire_check_floats(wire_get(box, "min"), (const float[]){1, -6, 3}, 3);
    wire_check_floats(wire_get(box, "max"), (const float[]){1, 2, 3}, 3);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "joints")), 0);
    cJSON_Delete(json);
    fixture_fini(&f);

    json = wire_answer_json(wire_model_empty(), &request);
    assert_true(cJSON_IsNull(wire_get(wire_at(wire_get(json, "frames"), 0), "bounds")));
    cJSON_Delete(json);
}

static void check_too_much(const struct limits *limits, const struct request *request, const char *words)
{
    struct workspace answer;
    struct reply reply;
    reply_init(&reply);
    workspace_init(&answer);
    reply_make(&answer, wire_model(), NULL, request, limits, &reply);
    assert_int_equal(reply.code, ERR_TOO_MANY_FRAMES);
    buf_put_char(&reply.body, '\0');
    if (strstr(reply.body.data, words) == NULL)
        fail_msg("'%s' should say '%s'", reply.body.data, words);
    workspace_fini(&answer);
    reply_fini(&reply);
}

TEST(answer_bounds_are_limited)
{
    struct request request = wire_request(OP_BOUNDS, TIMES, TIME_COUNT);
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_BOUNDS_VERTICES] = 26; /* three poses of nine vertices are 27 */
    check_too_much(&limits, &request, "3 poses of 'arm.glb' (9 vertices, 7 steps each)");
    request.bounds.is_over_clip = true;
    check_too_much(&limits, &request, "121 poses");
    limits.value[LIMIT_BOUNDS_VERTICES] = 1000000;
    limits.value[LIMIT_FRAMES] = 120;
    check_too_much(&limits, &request, "more than 120 poses");
}

TEST(answer_bounds_not_finite_names_the_joint)
{
    struct request request = wire_request(OP_BOUNDS, TIMES, 1);
    cJSON *root;
    request.pose.clip = wire_index(3);
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_NOT_FINITE, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "clip 3"));
    cJSON_Delete(root);
}
