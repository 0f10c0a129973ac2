/* Answers of requests with layers: their data about the layers, and that the pose is the blend. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include "anim/pose/blend.h"

static const double TIMES[] = {0, 0.5}, WHOLE = 1;

static struct request request_of(enum op op, struct request_pose *layers, uint32_t count)
{
    struct request request = wire_request(op, TIMES, 2);
    request.pose.layers = layers;
    request.pose.layer_count = count;
    for (uint32_t i = 0; i < count; i++) {
        layers[i].model = request.model;
        if (layers[i].weight_count == 0) {
            layers[i].weights = &WHOLE;
            layers[i].weight_count = 1;
        }
    }
    return request;
}

/* The scene matrix of node 2 in frame `frame`, as floats. */
static void scene_of(const cJSON *json, int frame, float out[16])
{
    const cJSON *matrix = wire_at(wire_get(wire_at(wire_get(json, "frames"), frame), "scene"), 2);
    for (int i = 0; i < 16; i++)
        out[i] = (float)cJSON_GetNumberValue(wire_at(matrix, i));
}

TEST(answer_layers_blend_the_pose)
{
    const double held = 0.25, three = 3, own[2] = {1, 2}, fading[2] = {0.5, 0.125};
    struct selector root = wire_name("root");
    root.scope = BLEND_SUBTREE;
    struct request_pose layers[3] = {
        {.clip = wire_name("wave"), .wrap = WRAP_LOOP},
        {.clip = wire_index(1),
         .weights = &three,
         .weight_count = 1,
         .times_s = &held,
         .time_count = 1,
         .joints = &root,
         .joint_count = 1},
        {.clip = wire_name("wave"),
         .weights = fading,
         .weight_count = 2,
         .mode = LAYER_ADDITIVE,
         .times_s = own,
         .time_count = 2,
         .wrap = WRAP_CLAMP},
    };
    const struct blend_mask mask = {0, BLEND_SUBTREE};
    struct request request = request_of(OP_POSE, layers, 3);
    cJSON *json = wire_answer_json(wire_model(), &request);
    struct blend blend;
    struct pose pose;
    blend_init(&blend);
    pose_init(&pose);
    for (int f = 0; f < 2; f++) {
        const struct blend_layer expected[3] = {
            {.clip = 0, .clip_time_s = TIMES[f], .weight = 1},
            {.clip = 1, .clip_time_s = held, .weight = 3, .masks = &mask, .mask_count = 1},
            {.clip = 0, .clip_time_s = own[f], .weight = fading[f], .is_additive = true, .reference_clip = 0},
        };
        float found[16];
        blend_evaluate(&blend, &pose, wire_model(), expected, 3);
        const struct mat4 matrix = mat4_from_dmat4(&pose.scene_from_node[2]);
        scene_of(json, f, found);
        for (int i = 0; i < 16; i++)
            CHECK_NEAR(found[i], matrix.m[i], 1e-5); /* in float */
        const cJSON *times = wire_get(wire_at(wire_get(json, "frames"), f), "clip_times");
        CHECK_NEAR(cJSON_GetNumberValue(wire_at(times, 0)), TIMES[f], 0);
        CHECK_NEAR(cJSON_GetNumberValue(wire_at(times, 1)), held, 0);
        CHECK_NEAR(cJSON_GetNumberValue(wire_at(times, 2)), own[f], 0);
    }
    assert_true(cJSON_IsNull(wire_get(json, "clip")));
    const cJSON *said = wire_get(json, "layers");
    assert_int_equal(cJSON_GetArraySize(said), 3);
    assert_string_equal(wire_get(wire_get(wire_at(said, 1), "clip"), "name")->valuestring, "twin");
    CHECK_NEAR(wire_get(wire_at(said, 1), "weight")->valuedouble, 3, 0);
    CHECK_NEAR(cJSON_GetNumberValue(wire_at(wire_get(wire_at(said, 2), "weight"), 1)), 0.125, 0);
    assert_int_equal(cJSON_GetArraySize(wire_get(wire_at(said, 2), "weight")), 2);
    assert_string_equal(wire_get(wire_at(said, 2), "mode")->valuestring, "additive");
    assert_string_equal(wire_get(wire_at(said, 2), "wrap")->valuestring, "clamp");
    pose_fini(&pose);
    blend_fini(&blend);
    cJSON_Delete(json);
}

TEST(answer_layers_references)
{
    const double half = 0.5, none = 0, one[] = {0.5};
    struct request_pose reference = {.model = "arm.glb", .times_s = &half, .time_count = 1};
    struct request_pose layers[2] = {
        {.clip = wire_name("wave"), .times_s = &none, .time_count = 1},
        {.clip = wire_name("wave"), .mode = LAYER_ADDITIVE, .times_s = one, .time_count = 1, .reference = &reference},
    };
    /* its own clip at its own time: nothing is added */
    struct request request = request_of(OP_POSE, layers, 2), plain = wire_request(OP_POSE, &none, 1);
    float blended[16], alone[16];
    cJSON *json = wire_answer_json(wire_model(), &request), *other = wire_answer_json(wire_model(), &plain);
    scene_of(json, 0, blended);
    scene_of(other, 0, alone);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(blended[i], alone[i], 1e-6);
    cJSON_Delete(json);
    cJSON_Delete(other);
    /* without a reference the clip's beginning: the base is that too, so the sum is the clip */
    layers[1].reference = NULL;
    plain.pose.times_s = &half;
    json = wire_answer_json(wire_model(), &request);
    other = wire_answer_json(wire_model(), &plain);
    scene_of(json, 0, blended);
    scene_of(other, 0, alone);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(blended[i], alone[i], 1e-6);
    cJSON_Delete(json);
    cJSON_Delete(other);
}

TEST(answer_layers_refuse_what_is_not_there)
{
    cJSON *root = NULL;
    struct selector joint = wire_name("nose");
    struct request_pose reference = {.model = "arm.glb", .clip = wire_name("fly")};
    struct request_pose layers[2] = {{.clip = wire_name("wave")}, {.clip = wire_name("wve")}};
    struct request request = request_of(OP_PALETTE, layers, 2);
    cJSON *error = wire_answer_error(wire_model(), &request, ERR_CLIP_NOT_FOUND, &root);
    assert_string_equal(wire_get(wire_at(wire_get(error, "candidates"), 0), "name")->valuestring, "wave");
    cJSON_Delete(root);
    layers[1].clip = wire_name("twin");
    wire_answer_error(wire_model(), &request, ERR_AMBIGUOUS_NAME, &root);
    cJSON_Delete(root);
    layers[1].clip = wire_index(0);
    layers[1].joints = &joint;
    layers[1].joint_count = 1;
    wire_answer_error(wire_model(), &request, ERR_JOINT_NOT_FOUND, &root);
    cJSON_Delete(root);
    layers[1].joint_count = 0;
    layers[1].mode = LAYER_ADDITIVE;
    layers[1].reference = &reference;
    wire_answer_error(wire_model(), &request, ERR_CLIP_NOT_FOUND, &root);
    cJSON_Delete(root);
    layers[1].reference = NULL;
    layers[1].span.has_to = true;
    layers[1].span.to = 3;
    wire_answer_error(wire_model(), &request, ERR_BAD_PARAMETER, &root);
    cJSON_Delete(root);
}

static struct reply_cost cost_of(const struct request *request)
{
    struct limits limits;
    struct workspace answer;
    struct reply reply;
    limits_default(&limits);
    workspace_init(&answer);
    reply_init(&reply);
    reply_make(&answer, wire_model(), NULL, request, &limits, &reply);
    assert_int_equal(reply.code, 0);
    const struct reply_cost cost = answer.cost;
    workspace_fini(&answer);
    reply_fini(&reply);
    return cost;
}

TEST(answer_layers_limits_are_those_of_blending)
{
    assert_int_equal(LIMIT_INFO[LIMIT_LAYERS].initial, BLEND_LAYERS_MAX);
    assert_int_equal(LIMIT_INFO[LIMIT_LAYER_JOINTS].initial, BLEND_MASKS_MAX);
    assert_int_equal(LIMIT_INFO[LIMIT_CLIP_FILES].initial, REQUEST_CLIP_FILES_MAX);
    assert_int_equal(LIMIT_INFO[LIMIT_EXPORT_FILES].initial, REQUEST_SOURCES_MAX);
    struct request_pose layers[2] = {{.wrap = WRAP_LOOP}};
    struct request request = request_of(OP_POSE, layers, 2);
    struct request bounds = request_of(OP_BOUNDS, layers, 2);
    assert_int_equal(cost_of(&request).evaluations, 2 * 2 * 2 * (6 + 1)); /* nodes, and a morph weight */
    assert_int_equal(cost_of(&bounds).evaluations, 2 * 2 * 2 * (6 + 1));
    assert_int_equal(cost_of(&bounds).vertices, 2 * 9);
    request.pose.layer_count = bounds.pose.layer_count = 0;
    assert_int_equal(cost_of(&request).evaluations, 2 * (6 + 1));
    bounds.bounds.is_over_clip = true;
    assert_int_equal(cost_of(&bounds).frames, 121); /* every evaluated pose */
    assert_int_equal(cost_of(&bounds).evaluations, 121 * (6 + 1));
    assert_int_equal(cost_of(&bounds).vertices, 121 * 9);
}
