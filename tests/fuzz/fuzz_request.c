/* A request target, and after a newline an Accept header: never a crash, and accepted requests are within limits. */
#include "wire/http/http_response.h"
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

static void check_selectors(const struct selector *selectors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        require(selectors[i].kind == SELECT_INDEX || selectors[i].kind == SELECT_NAME);
        require(selectors[i].kind == SELECT_INDEX || strlen(selectors[i].name) == selectors[i].name_bytes);
    }
}

static void check_request(const struct request *request, const struct limits *limits)
{
    require(request->pose.time_count <= limits->value[LIMIT_FRAMES]);
    for (uint32_t i = 0; i < request->pose.time_count; i++)
        require(isfinite(request->pose.times_s[i]));
    check_selectors(request->skins, request->skin_count);
    check_selectors(request->pose.joints, request->pose.joint_count);
    require(request->picture.width >= 1 && request->picture.width <= limits->value[LIMIT_PICTURE_SIDE]);
    require(request->picture.height >= 1 && request->picture.height <= limits->value[LIMIT_PICTURE_SIDE]);
    require(isfinite(request->picture.yaw_deg) && fabs(request->picture.pitch_deg) <= 90);
    require(request->what >= WHAT_LOCAL && request->what <= (WHAT_LOCAL | WHAT_SCENE));
    require(strlen(request->canonical) == 16);
    if (request->op >= OP_MODEL && request->op <= OP_BOUNDS) {
        require(request->model != NULL && request->model[0] != '\0' && request->model[0] != '/');
        for (const char *dots = request->model; (dots = strstr(dots, "..")) != NULL; dots += 2)
            require((dots > request->model && dots[-1] != '/') || (dots[2] != '/' && dots[2] != '\0'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_FRAMES] = 100;
    const uint8_t *newline = size == 0 ? NULL : memchr(data, '\n', size);
    const size_t target_bytes = newline == NULL ? size : (size_t)(newline - data);
    const size_t header_bytes = newline == NULL ? 0 : size - target_bytes - 1;
    char *target = malloc(target_bytes == 0 ? 1 : target_bytes), *header = calloc(1, header_bytes + 1);
    require(target != NULL && header != NULL);
    memcpy(target, size == 0 ? (const uint8_t *)"" : data, target_bytes);
    if (newline != NULL)
        memcpy(header, newline + 1, header_bytes);
    struct request request;
    struct err err = {0};
    request_init(&request);
    const struct request_head head = {.method = "GET",
                                      .target = target,
                                      .target_bytes = target_bytes,
                                      .accept = newline == NULL ? NULL : header,
                                      .if_none_match = newline == NULL ? NULL : header};
    const int rc = request_parse(&request, &head, &limits, &err);
    require(rc == 0 || (rc == err.code && err.message[0] != '\0'));
    if (rc == 0)
        check_request(&request, &limits);
    http_etag_matches(request.if_none_match, "\"0123\"");
    request_fini(&request);
    free(target);
    free(header);
    return 0;
}
