/* A path and, after a newline, the body of a POST to it: never a crash, and accepted requests are within limits. */
#include "wire/request/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int is_true)
{
    if (!is_true)
        abort();
}

static void check_pose(const struct request_pose *pose, const struct limits *limits)
{
    require(pose->time_count <= limits->value[LIMIT_FRAMES]);
    for (uint32_t i = 0; i < pose->time_count; i++)
        require(isfinite(pose->times_s[i]));
    for (uint32_t i = 0; i < pose->joint_count; i++)
        require(pose->joints[i].kind == SELECT_INDEX || strlen(pose->joints[i].name) == pose->joints[i].name_bytes);
}

static void check_request(const struct request *request, const struct limits *limits)
{
    check_pose(&request->pose, limits);
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
    }
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
    free(target);
    free(body);
    return 0;
}
