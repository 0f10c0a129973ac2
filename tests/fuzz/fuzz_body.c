/* A path and, after a newline, the body of a POST to it: never a crash, and accepted requests are within limits. Given
 * poses, of JSON or of binary frames, are then looked up in a model of a few nodes, and posed. */
#include "anim/bake/bake.h"
#include "anim/camera/camera_numbers.h"
#include "anim/pose/blend.h"
#include "wire/reply/given_resolve.h"
#include "wire/request/request.h"
#include "wire/request/request_given.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int is_true)
{
    if (!is_true)
        abort();
}

/* --- given poses --- */

/* Four nodes: hip, spine and two called arm. The hip has a mesh with the morph targets smile and frown, and there is an
 * expression happy of one of them. A constraint turns the last arm as the other one turns. */
static void build_model(struct bake_builder *builder)
{
    static const char *const NAMES[] = {"hip", "spine", "arm", "arm"};
    static const float PLACES[][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    bake_builder_init(builder, 0);
    bake_add_info(builder, 1);
    for (int32_t n = 0; n < 4; n++)
        *bake_add_node(builder, 1) = (struct node){.name = bake_textz(builder, NAMES[n]),
                                                   .parent = n > 1 ? 1 : n - 1,
                                                   .mesh = n == 0 ? 0 : -1,
                                                   .skin = -1,
                                                   .matrix = -1,
                                                   .translation = {0, 1, 0.5F},
                                                   .rotation = {0, 0.6F, 0, 0.8F},
                                                   .scale = {1, 1, n == 1 ? 2 : 1},
                                                   .weight_count = n == 0 ? 2 : 0};
    *bake_add_root(builder, 1) = 0;
    bake_add_weight(builder, 2);
    *bake_add_mesh(builder, 1) = (struct mesh){.name = bake_textz(builder, "face"), .primitive_count = 1};
    *bake_add_primitive(builder, 1) = (struct primitive){
        .topology = TOPOLOGY_TRIANGLES, .vertex_count = 3, .index_count = 3, .morph_target_count = 2, .material = -1};
    memcpy(bake_add_position(builder, 3), PLACES, sizeof PLACES);
    for (uint32_t v = 0; v < 3; v++)
        *bake_add_normal(builder, 1) = (struct vec3){0, 0, 1};
    memcpy(bake_add_index(builder, 3), (const uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
    for (int t = 0; t < 2; t++)
        *bake_add_morph_target(builder, 1) =
            (struct morph_target){.name = bake_textz(builder, t == 0 ? "smile" : "frown"),
                                  .position_first = UINT32_MAX,
                                  .normal_first = UINT32_MAX};
    *bake_add_expression(builder, 1) = (struct expression){
        .name = bake_textz(builder, "happy"), .override_mouth = EXPRESSION_BLEND, .node = -1, .bind_count = 1};
    *bake_add_expression_bind(builder, 1) = (struct expression_bind){.kind = BIND_MORPH, .index = 1, .weight = 0.5F};
    *bake_add_constraint(builder, 1) = (struct node_constraint){3, 2, CONSTRAINT_ROTATION, AXIS_X, 0.5F};
    struct err err;
    require(bake_finish(builder, &err) == 0);
}

/* What given_pose_finish() promises. */
static void check_resolved(const struct given_pose *given, const struct model *model)
{
    require(given->frame_count >= 1 && given->frame_values >= 1);
    for (uint32_t f = 0; f < given->frame_count; f++) {
        const double *values = given->values + (size_t)f * given->frame_values;
        require(isfinite(given->times_s[f]) && (f == 0 || given->times_s[f] > given->times_s[f - 1]));
        for (uint32_t n = 0; n < given->node_count; n++) {
            const struct given_node *node = &given->nodes[n];
            require(node->node < model->node_count && (n == 0 || node->node > given->nodes[n - 1].node));
            const uint32_t count = given_part_values(node->parts);
            require(count > 0 && node->first + count <= given->frame_values);
            for (uint32_t i = 0; i < count; i++)
                require(fabs(values[node->first + i]) <= (double)FLT_MAX);
            const double *q = values + node->first + ((node->parts & GIVEN_TRANSLATION) != 0 ? 3 : 0);
            const double length = (node->parts & GIVEN_ROTATION) != 0 ? sqrt(dot4(q, q)) : 1;
            require(fabs(length - 1) <= 1.1e-3); /* quat_repair() leaves what a file rounds to three decimals */
        }
        for (uint32_t w = 0; w < given->weight_count; w++)
            require(given->weights[w].weight < model->weight_count &&
                    fabs(values[given->weights[w].first]) <= (double)FLT_MAX);
    }
}

static void pose_given(const struct request_given *asked, bool is_additive)
{
    uint64_t left = GIVEN_STEPS_MAX;
    struct bake_builder builder;
    struct given_pose given;
    struct reply reply;
    build_model(&builder);
    const struct model model = bake_builder_view(&builder);
    reply_init(&reply);
    if (given_resolve(&given, &model, "a", asked, &left, &reply) == 0) {
        const struct blend_layer layer = {.clip = POSE_REST,
                                          .weight = 0.75,
                                          .is_additive = is_additive,
                                          .given = &given,
                                          .reference_clip = POSE_REST,
                                          .clip_time_s = given_pose_duration_s(&given) / 3};
        struct blend blend;
        struct pose pose;
        check_resolved(&given, &model);
        blend_init(&blend);
        pose_init(&pose);
        blend_evaluate(&blend, &pose, &model, &layer, 1);
        blend_fini(&blend);
        pose_fini(&pose);
    } else {
        require(reply.code != 0 && reply.body.size_bytes > 0);
    }
    given_pose_fini(&given);
    reply_fini(&reply);
    bake_builder_fini(&builder);
}

static void check_given(const struct request_given *given, bool is_additive, const struct limits *limits)
{
    uint64_t values = given->weight_count;
    for (uint32_t n = 0; n < given->node_count; n++)
        values += given_part_values(given->nodes[n].parts);
    require(given->frame_count >= 1 && given->frame_count <= limits->value[LIMIT_FRAMES]);
    require(given->frame_values == (values > 0 ? values : 1));
    require((uint64_t)given->frame_count * given->frame_values <= limits->value[LIMIT_GIVEN_VALUES]);
    for (uint32_t f = 0; f < given->frame_count; f++)
        require(isfinite(given->times_s[f]) && (f == 0 || given->times_s[f] > given->times_s[f - 1]));
    pose_given(given, is_additive);
}

/* The bytes alone, which request_parse() takes for some paths only. */
static void read_frames(const char *bytes, size_t size_bytes, const struct limits *limits)
{
    struct request_given *given;
    struct err err = {0};
    const int rc = request_given_read_frames(&given, bytes, size_bytes, limits, &err);
    require(rc == 0 || (rc == err.code && err.message[0] != '\0' && given == NULL));
    if (rc == 0)
        check_given(given, false, limits);
    request_given_free(given);
}

/* --- requests --- */

static void check_pose(const struct request_pose *pose, const struct limits *limits)
{
    require(pose->time_count <= limits->value[LIMIT_FRAMES]);
    for (uint32_t i = 0; i < pose->time_count; i++)
        require(isfinite(pose->times_s[i]));
    for (uint32_t i = 0; i < pose->joint_count; i++)
        require(pose->joints[i].kind == SELECT_INDEX || strlen(pose->joints[i].name) == pose->joints[i].name_bytes);
}

/* A camera by numbers stands alone, and can be drawn by. */
static void check_camera(const struct request *request)
{
    const struct picture_camera *given = &request->picture.given;
    struct err err = {0};
    if (given->kind == PICTURE_CAMERA_NONE)
        return;
    require(given->kind <= PICTURE_CAMERA_ORTHOGRAPHIC && camera_numbers_check(given, &err) == 0);
    require(request->view.camera.kind == SELECT_NONE && request->view.side == 0);
    require((request->picture.flags & (PICTURE_ORTHO | PICTURE_FRAME_POSE | PICTURE_FRAME_BOX)) == 0);
    struct picture_camera numbers = *given;
    const struct vec3 points[] = {{0, 0, 0}, {1, 2, -3}};
    camera_numbers_hold(&numbers, points, 2);
    require(numbers.near > 0 && numbers.near < numbers.far && isfinite(numbers.far));
    const struct camera camera = camera_of_numbers(&numbers, request->picture.width, request->picture.height);
    for (int k = 0; k < 16; k++)
        require(isfinite(camera.clip_from_view.m[k]) && isfinite(camera.view_from_scene.m[k]));
}

static void check_request(const struct request *request, const struct limits *limits)
{
    check_pose(&request->pose, limits);
    check_camera(request);
    require(strlen(request->canonical) == 16);
}

static void check_layers(const struct request *request, const struct limits *limits)
{
    uint64_t joints = 0;
    require(request->pose.layer_count <= limits->value[LIMIT_LAYERS]);
    require(request->source_count <= REQUEST_SOURCES_MAX);
    for (uint32_t i = 0; i < request->pose.layer_count; i++) {
        const struct request_pose *layer = &request->pose.layers[i];
        check_pose(layer, limits);
        require(layer->layer_count == 0 && layer->model == request->model);
        require(layer->time_count <= 1 || layer->time_count == request->pose.time_count);
        require(layer->weight_count == 1 || layer->weight_count == request->pose.time_count);
        for (uint32_t w = 0; w < layer->weight_count; w++)
            require(layer->weights[w] >= 0 && layer->weights[w] <= (layer->mode != LAYER_OVERRIDE ? 1 : 1000));
        require(layer->clip_source <= request->source_count && (layer->clip_source > 0) == (layer->clip_file != NULL));
        require(layer->reference == NULL || layer->reference->clip_source <= request->source_count);
        require(layer->reference == NULL || (layer->mode == LAYER_ADDITIVE && layer->reference->time_count == 1));
        joints += layer->joint_count;
        require(layer->given != NULL ? layer->mode != LAYER_OVERRIDE : layer->mode != LAYER_REPLACE);
        if (layer->given != NULL)
            check_given(layer->given, layer->mode == LAYER_ADDITIVE, limits);
    }
    if (request->on_top != NULL)
        check_given(request->on_top, false, limits);
    require(joints <= limits->value[LIMIT_LAYER_JOINTS]);
}

static void check_all(const struct request *request, const struct limits *limits)
{
    uint64_t frames = 0;
    check_request(request, limits);
    check_layers(request, limits);
    require(request->query_count <= limits->value[LIMIT_QUERIES]);
    for (uint32_t i = 0; i < request->query_count; i++) {
        const struct request_query *query = &request->queries[i];
        require(query->err.code == 0 || query->err.message[0] != '\0');
        if (query->err.code != 0)
            continue;
        require(query->request.model != NULL && query->request.query_count == 0);
        check_request(&query->request, limits);
        check_layers(&query->request, limits);
        frames += query->request.pose.time_count;
    }
    require(frames <= limits->value[LIMIT_FRAMES]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_FRAMES] = 100;
    limits.value[LIMIT_QUERIES] = 8;
    const uint8_t *newline = size == 0 ? NULL : memchr(data, '\n', size);
    const size_t target_bytes = newline == NULL ? size : (size_t)(newline - data);
    const size_t body_bytes = newline == NULL ? 0 : size - target_bytes - 1;
    char *target = malloc(target_bytes + 1), *body = malloc(body_bytes == 0 ? 1 : body_bytes);
    require(target != NULL && body != NULL);
    memcpy(target, size == 0 ? (const uint8_t *)"" : data, target_bytes);
    if (newline != NULL)
        memcpy(body, newline + 1, body_bytes);
    struct request request;
    struct err err = {0};
    request_init(&request);
    const struct request_head head = {
        .method = "POST", .target = target, .target_bytes = target_bytes, .body = body, .body_bytes = body_bytes};
    const int rc = request_parse(&request, &head, &limits, &err);
    require(rc == 0 || (rc == err.code && err.message[0] != '\0'));
    if (rc == 0)
        check_all(&request, &limits);
    request_fini(&request);
    if (body_bytes >= 4 && memcmp(body, "PSDF", 4) == 0)
        read_frames(body, body_bytes, &limits);
    free(target);
    free(body);
    return 0;
}
