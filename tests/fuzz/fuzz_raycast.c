/* Binary raycasts and bodies in JSON: an accepted raycast can be cast. */
#include "wire/request/crowd_request.h"
#include "wire/request/request_raycast.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rays(const struct request_raycast *raycast)
{
    for (uint32_t r = 0; r < raycast->ray_count; r++) {
        const struct hit_ray *ray = &raycast->rays[r];
        if (!(fabs(dot3(ray->direction, ray->direction) - 1) < 1e-6) || !(ray->most >= 0) || !(ray->radius >= 0) ||
            !(ray->at >= 0 && ray->at <= 1))
            abort();
    }
}

/* The poses exist, and both poses of a target have the same model. */
static void check_targets(const struct request *request)
{
    const struct crowd_request *crowd = request->crowd;
    for (uint32_t e = 0; e < request->hits.raycast->entity_count; e++) {
        const struct raycast_target *target = &request->hits.raycast->targets[e];
        if (target->begin >= crowd->entity_count || target->end < -1 || target->end >= (int64_t)crowd->entity_count ||
            (target->end >= 0 && crowd->entities[target->begin].model != crowd->entities[target->end].model))
            abort();
    }
}

static void read_binary(const char *bytes, size_t size, const struct limits *limits)
{
    struct request request;
    struct err err;
    size_t bad_at;
    request_init(&request);
    request.op = OP_RAYCAST;
    if (request_read_raycast(&request, bytes, size, limits, &bad_at, &err) == 0) {
        check_rays(request.hits.raycast);
        check_targets(&request);
    } else if (bad_at != SIZE_MAX && bad_at > size) {
        abort();
    }
    request_fini(&request);
}

static void read_body(const char *bytes, size_t size, const struct limits *limits)
{
    static const char TARGET[] = "/v1/raycast";
    const struct request_head head = {
        .method = "POST", .target = TARGET, .target_bytes = sizeof TARGET - 1, .body = bytes, .body_bytes = size};
    struct request request;
    struct err err;
    request_init(&request);
    if (request_parse(&request, &head, limits, &err) == 0) {
        if (request.hits.raycast == NULL || request.hits.raycast->entity_count == 0 || request.model == NULL)
            abort();
        check_rays(request.hits.raycast);
        check_targets(&request);
        for (uint32_t m = 0; m < request.crowd->model_count; m++)
            if (request.crowd->models[m].slot > request.source_count)
                abort();
    }
    request_fini(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    limits_default(&limits);
    char *exact = malloc(size == 0 ? 1 : size); /* so that a read past the end is detected */
    if (exact == NULL)
        abort();
    for (size_t i = 0; i < size; i++)
        exact[i] = (char)data[i];
    read_binary(exact, size, &limits);
    read_body(exact, size, &limits);
    free(exact);
    return 0;
}
