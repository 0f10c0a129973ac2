#include "base/mem.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include <stdlib.h>
#include <string.h>

static const double TIMES[] = {0, 1};

TEST(answer_clip_by_index_name_and_default)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    struct reply reply;
    int32_t clip = 99;
    reply_init(&reply);
    assert_int_equal(select_clip(wire_model(), &request.pose, &clip, &reply), 0);
    assert_int_equal(clip, 0);
    assert_int_equal(select_clip(wire_model_empty(), &request.pose, &clip, &reply), 0);
    assert_int_equal(clip, POSE_REST);
    request.pose.clip = wire_index(3);
    assert_int_equal(select_clip(wire_model(), &request.pose, &clip, &reply), 0);
    assert_int_equal(clip, 3);
    request.pose.clip = wire_name("wave");
    assert_int_equal(select_clip(wire_model(), &request.pose, &clip, &reply), 0);
    assert_int_equal(clip, 0);
    request.pose.clip.kind = SELECT_REST;
    assert_int_equal(select_clip(wire_model(), &request.pose, &clip, &reply), 0);
    assert_int_equal(clip, POSE_REST);
    assert_int_equal(reply.status, 200);
    reply_fini(&reply);
}

TEST(answer_clip_unknown_or_ambiguous)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    cJSON *root;
    request.pose.clip = wire_name("twin");
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_AMBIGUOUS_NAME, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb' has 2 clips called 'twin'; use the index");
    assert_int_equal(cJSON_GetArraySize(wire_get(error, "candidates")), 2);
    assert_int_equal(wire_get(wire_at(wire_get(error, "candidates"), 0), "index")->valueint, 1);
    cJSON_Delete(root);
    request.pose.clip = wire_name("Wavee");
    error = wire_answer_error(wire_model(), &request, ERR_CLIP_NOT_FOUND, &root);
    assert_string_equal(wire_get(wire_at(wire_get(error, "candidates"), 0), "name")->valuestring, "wave");
    assert_true(cJSON_IsNull(wire_get(wire_at(wire_get(error, "candidates"), 3), "name")));
    cJSON_Delete(root);
    request.pose.clip = wire_name(""); /* no name is not the empty name */
    wire_answer_error(wire_model(), &request, ERR_CLIP_NOT_FOUND, &root);
    cJSON_Delete(root);
    request.pose.clip = wire_index(0);
    error = wire_answer_error(wire_model_empty(), &request, ERR_CLIP_NOT_FOUND, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb' has no clips");
    cJSON_Delete(root);
}

static int answer_with_limit(struct request *request, enum limit limit, uint64_t value)
{
    struct workspace answer;
    struct limits limits;
    struct reply reply;
    limits_default(&limits);
    limits.value[limit] = value;
    workspace_init(&answer);
    reply_init(&reply);
    reply_make(&answer, wire_model(), NULL, request, &limits, &reply);
    const int code = reply.code;
    assert_true(code != 0 || limit != LIMIT_ANSWER_BYTES || reply.body.size_bytes <= value);
    workspace_fini(&answer);
    reply_fini(&reply);
    return code;
}

/* Whatever the limit, the answer is whole or an error; the plan and the buffer must agree on that. */
TEST(answer_of_limited_size)
{
    static const enum op OPS[] = {OP_MODEL, OP_PALETTE, OP_POSE, OP_MESH};
    for (int o = 0; o < 4; o++)
        for (int format = FORMAT_JSON; format <= (OPS[o] == OP_MESH ? FORMAT_GLB : FORMAT_BIN); format++) {
            struct request request = wire_request(OPS[o], TIMES, format == FORMAT_GLB ? 1 : 2);
            bool was_whole = false;
            request.format = (enum format)format;
            request.what = WHAT_LOCAL | WHAT_SCENE;
            request.vertices.has_rest = request.vertices.has_indices = request.vertices.has_normals = true;
            assert_int_equal(answer_with_limit(&request, LIMIT_ANSWER_BYTES, 1), ERR_TOO_MANY_FRAMES);
            for (uint64_t limit = 2; limit < 20000; limit += 61) {
                const int code = answer_with_limit(&request, LIMIT_ANSWER_BYTES, limit);
                assert_true(code == (was_whole ? 0 : code) && (code == 0 || code == ERR_TOO_MANY_FRAMES));
                was_whole = code == 0;
            }
            assert_true(was_whole);
        }
}

/* The smallest limit that lets the request pass. */
static uint64_t least_evaluations(struct request *request)
{
    uint64_t limit = 0;
    while (answer_with_limit(request, LIMIT_EVALUATIONS, limit) == ERR_TOO_MANY_FRAMES)
        limit++;
    return limit;
}

TEST(answer_of_limited_cost)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 2);
    const struct model *model = wire_model();
    const uint64_t pose = 2 * ((uint64_t)model->node_count + model->weight_count);
    assert_true(model->weight_count > 0 && model->joint_count > 0 && model->draw_count > 0);
    assert_int_equal(answer_with_limit(&request, LIMIT_EVALUATIONS, pose), 0);
    assert_int_equal(answer_with_limit(&request, LIMIT_EVALUATIONS, pose - 1), ERR_TOO_MANY_FRAMES);
    /* a mesh takes its joints and draws as well: of the draws asked for, and again for the normals */
    request = wire_request(OP_MESH, TIMES, 2);
    const uint64_t mesh = least_evaluations(&request);
    assert_in_range(mesh, pose + 2 * ((uint64_t)model->joint_count + model->draw_count), pose + 100);
    request.vertices.has_normals = true;
    const uint64_t with_normals = least_evaluations(&request);
    assert_true(with_normals > mesh);
    request.vertices.has_normals = false;
    request.format = FORMAT_GLB; /* which has them too */
    assert_int_equal(least_evaluations(&request), with_normals);
    request.format = FORMAT_JSON;
    request.mesh = (struct selector){.kind = SELECT_INDEX, .index = 0};
    assert_in_range(least_evaluations(&request), pose, mesh);
}

static const char *content_type_of(const struct request *request)
{
    struct reply reply;
    reply_init(&reply);
    reply_describe(request, 1, &reply);
    return reply.content_type;
}

TEST(answer_content_types)
{
    struct request request = wire_request(OP_MODEL, TIMES, 1);
    assert_string_equal(content_type_of(&request), "application/json");
    request.format = FORMAT_BIN;
    assert_string_equal(content_type_of(&request), "application/json");
    request.op = OP_MESH;
    assert_string_equal(content_type_of(&request), "application/vnd.posed.frames");
    request.format = FORMAT_GLB;
    assert_string_equal(content_type_of(&request), "model/gltf-binary");
}

TEST(answer_model_tells_what_is_in_it)
{
    struct request request = wire_request(OP_MODEL, NULL, 0);
    cJSON *json = wire_answer_json(wire_model(), &request);
    static const float UP[] = {0, 1, 0};
    assert_string_equal(wire_get(json, "model")->valuestring, "arm.glb");
    assert_string_equal(wire_get(json, "format")->valuestring, "GLB 2.0");
    assert_true(cJSON_IsNull(wire_get(json, "generator")));
    assert_true(cJSON_IsNull(wire_get(json, "forward"))); /* the file does not say */
    wire_check_floats(wire_get(json, "up"), UP, 3);
    assert_true(wire_get(json, "unit_m")->valuedouble == 1);
    const cJSON *bounds = wire_get(json, "bounds");
    wire_check_floats(wire_get(bounds, "min"), &wire_model()->infos[0].rest_min.x, 3);
    wire_check_floats(wire_get(bounds, "max"), &wire_model()->infos[0].rest_max.x, 3);
    const cJSON *counts = wire_get(json, "counts");
    assert_int_equal(wire_get(counts, "nodes")->valueint, 6);
    assert_int_equal(wire_get(counts, "joints")->valueint, 2);
    assert_int_equal(wire_get(counts, "vertices")->valueint, 9);
    assert_int_equal(wire_get(counts, "triangles")->valueint, 3);
    const cJSON *clip = wire_at(wire_get(json, "clips"), 0);
    assert_string_equal(wire_get(clip, "name")->valuestring, "wave");
    assert_true(wire_get(clip, "start")->valuedouble == 0 && wire_get(clip, "duration")->valuedouble == 2);
    assert_int_equal(wire_get(clip, "channels")->valueint, 2);
    assert_int_equal(wire_get(clip, "keys")->valueint, 6);
    assert_int_equal(cJSON_GetArraySize(wire_get(json, "clips")), 4);
    cJSON_Delete(json);
}

TEST(answer_model_lists_parts_and_files)
{
    struct request request = wire_request(OP_MODEL, NULL, 0);
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *node = wire_at(wire_get(json, "nodes"), 3);
    assert_int_equal(wire_get(node, "mesh")->valueint, 0);
    assert_int_equal(wire_get(node, "skin")->valueint, 0);
    assert_int_equal(wire_get(node, "parent")->valueint, 0);
    assert_true(cJSON_IsNull(wire_get(wire_at(wire_get(json, "nodes"), 0), "mesh")));
    const cJSON *skin = wire_at(wire_get(json, "skins"), 1);
    assert_true(cJSON_IsTrue(wire_get(skin, "rigid")));
    assert_int_equal(wire_get(skin, "mesh_node")->valueint, 4);
    const cJSON *primitive = wire_at(wire_get(wire_at(wire_get(json, "meshes"), 0), "primitives"), 0);
    assert_int_equal(wire_get(primitive, "influences_max")->valueint, 2);
    assert_int_equal(wire_get(primitive, "morph_targets")->valueint, 1);
    assert_true(cJSON_IsNull(wire_at(wire_get(wire_at(wire_get(json, "meshes"), 0), "targets"), 0)));
    assert_null(cJSON_GetObjectItemCaseSensitive(wire_at(wire_get(json, "meshes"), 1), "targets"));
    assert_string_equal(wire_get(wire_at(wire_get(json, "materials"), 0), "name")->valuestring, "skin \xc3\xa9");
    const cJSON *texture = wire_at(wire_get(json, "textures"), 0);
    assert_string_equal(wire_get(texture, "uri")->valuestring, "skin.png");
    assert_string_equal(wire_get(texture, "state")->valuestring, "missing");
    const cJSON *file = wire_at(wire_get(json, "files"), 0);
    assert_string_equal(wire_get(file, "path")->valuestring, "arm.glb");
    assert_string_equal(wire_get(file, "role")->valuestring, "model");
    assert_int_equal(wire_get(file, "bytes")->valueint, 1234);
    assert_true(cJSON_IsTrue(wire_get(wire_at(wire_get(json, "files"), 1), "missing")));
    assert_string_equal(wire_get(wire_at(wire_get(json, "warnings"), 0), "code")->valuestring, "texture_missing");
    cJSON_Delete(json);
    json = wire_answer_json(wire_model_empty(), &request);
    assert_true(cJSON_IsNull(wire_get(json, "bounds")));
    cJSON_Delete(json);
}

/* Whatever the form, and without breaking what the encoders count on. */
TEST(answer_that_nobody_needs_any_more_ends_as_an_error)
{
    static const enum op OPS[] = {OP_PALETTE, OP_POSE, OP_MESH, OP_BOUNDS};
    for (int i = 0; i < 4; i++) {
        for (int format = FORMAT_JSON; format <= FORMAT_BIN; format++) {
            struct request request = wire_request(OPS[i], TIMES, 2);
            struct limits limits;
            struct workspace answer;
            struct reply reply;
            _Atomic bool is_stopped = false;
            request.format = (enum format)format;
            limits_default(&limits);
            workspace_init(&answer);
            answer.is_stopped = &is_stopped;
            reply_init(&reply);
            reply_make(&answer, wire_model(), NULL, &request, &limits, &reply);
            assert_int_equal(reply.code, 0);
            is_stopped = true;
            reply_make(&answer, wire_model(), NULL, &request, &limits, &reply);
            assert_int_not_equal(reply.code, 0);
            reply_fini(&reply);
            workspace_fini(&answer);
        }
    }
}

/* No checked model contains one. Computed ones are refused where they are made, or at the latest here. */
TEST(answer_with_a_number_that_json_has_no_text_for)
{
    struct model model = *wire_model();
    struct clip *clips = mem_alloc(model.clip_count * sizeof *clips);
    const struct request request = wire_request(OP_MODEL, NULL, 0);
    cJSON *root;
    memcpy(clips, model.clips, model.clip_count * sizeof *clips);
    clips[1].duration_s = HUGE_VAL;
    model.clips = clips;
    const cJSON *error = wire_answer_error(&model, &request, ERR_NOT_FINITE, &root);
    assert_non_null(strstr(wire_get(error, "message")->valuestring, "not finite"));
    cJSON_Delete(root);
    free(clips);
}
