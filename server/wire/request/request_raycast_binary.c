/* request_raycast_binary.c - parses a raycast from bytes: its own records, then a crowd (protocol/hits.md). */
#include "wire/request/request_raycast.h"

#include "base/bytes.h"
#include "wire/request/crowd_request.h"
#include "wire/request/request_parser.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A request that is being parsed. */
struct reading {
    const char *bytes;
    size_t size_bytes;
    size_t *bad_at;
    struct err *err;
};

static int malformed(struct reading *reading, size_t at, const char *what)
{
    *reading->bad_at = at;
    return err_set(reading->err, ERR_BAD_REQUEST, "raycast: %s at byte %zu", what, at);
}

static int check_zeros(struct reading *reading, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (reading->bytes[i] != 0)
            return malformed(reading, i, "a reserved byte is not 0");
    return 0;
}

static int check_header(struct reading *reading, const struct limits *limits)
{
    const char *b = reading->bytes;
    if (reading->size_bytes < RAYCAST_ASKED_BYTES)
        return malformed(reading, reading->size_bytes, "it ends within its header");
    if (memcmp(b, RAYCAST_MAGIC, sizeof RAYCAST_MAGIC - 1) != 0)
        return malformed(reading, 0, "the magic is not " RAYCAST_MAGIC);
    if (get_u16(b + RAYCAST_AT_ASKED_version) != RAYCAST_VERSION)
        return malformed(reading, RAYCAST_AT_ASKED_version, "the version is not 1");
    if (check_zeros(reading, RAYCAST_AT_ASKED_reserved, 2) < 0 ||
        check_zeros(reading, RAYCAST_AT_ASKED_reserved2, 1) < 0 ||
        check_zeros(reading, RAYCAST_AT_ASKED_reserved3, RAYCAST_ASKED_BYTES - RAYCAST_AT_ASKED_reserved3) < 0)
        return reading->err->code;
    const uint32_t entities = get_u32(b + RAYCAST_AT_ASKED_entity_count),
                   rays = get_u32(b + RAYCAST_AT_ASKED_ray_count);
    const uint64_t size_bytes = RAYCAST_ASKED_BYTES + (uint64_t)entities * RAYCAST_TARGET_BYTES +
                                (uint64_t)rays * RAYCAST_RAY_BYTES + get_u32(b + RAYCAST_AT_ASKED_crowd_bytes);
    if (get_u32(b + RAYCAST_AT_ASKED_size_bytes) != reading->size_bytes || size_bytes != reading->size_bytes)
        return malformed(reading, RAYCAST_AT_ASKED_size_bytes, "the sizes are not those of the bytes");
    const uint64_t most_entities = limits->value[LIMIT_ENTITIES], most_rays = limits->value[LIMIT_RAYS];
    if (entities == 0 || entities > most_entities || rays == 0 || rays > most_rays)
        return err_set(reading->err, ERR_BAD_PARAMETER,
                       "raycast: %u entities and %u rays; it takes 1 to %llu and 1 to %llu", entities, rays,
                       (unsigned long long)most_entities, (unsigned long long)most_rays);
    return 0;
}

static int take_words(struct reading *reading, struct request *request)
{
    const unsigned fit = (unsigned char)reading->bytes[RAYCAST_AT_ASKED_fit],
                   test = (unsigned char)reading->bytes[RAYCAST_AT_ASKED_test],
                   hits = (unsigned char)reading->bytes[RAYCAST_AT_ASKED_hits];
    if (fit >= VOLUME_KIND_COUNT || test > 1 || hits > 1)
        return err_set(reading->err, ERR_BAD_PARAMETER, "raycast: 'fit' is %u, 'test' %u, 'hits' %u; see the table",
                       fit, test, hits);
    request->hits.fit = (enum volume_kind)fit;
    request->hits.is_of_meshes = test == 1;
    request->hits.has_all = hits == 1;
    return 0;
}

/* --- rays --- */

static int bad_ray(struct reading *reading, uint32_t index, const char *name, const char *expected)
{
    return err_set(reading->err, ERR_BAD_PARAMETER, "rays[%u]: '%s' must be %s", index, name, expected);
}

static int take_ray(struct reading *reading, size_t at, uint32_t index, struct hit_ray *ray)
{
    const char *b = reading->bytes + at;
    ray->most = get_f64(b + RAYCAST_AT_RAY_max);
    ray->radius = get_f64(b + RAYCAST_AT_RAY_radius) + 0; /* avoids -0 */
    ray->at = get_f64(b + RAYCAST_AT_RAY_at) + 0;
    ray->mask = get_u32(b + RAYCAST_AT_RAY_mask);
    ray->ignored = get_u32(b + RAYCAST_AT_RAY_ignore);
    for (size_t i = 0; i < 3; i++) {
        ray->origin[i] = get_f64(b + RAYCAST_AT_RAY_origin + 8 * i);
        ray->direction[i] = get_f64(b + RAYCAST_AT_RAY_direction + 8 * i);
        if (!(fabs(ray->origin[i]) <= (double)FLT_MAX) || !(fabs(ray->direction[i]) <= (double)FLT_MAX))
            return bad_ray(reading, index, "origin' and 'direction", "numbers that a float can hold");
    }
    if (!(ray->most >= 0))
        return bad_ray(reading, index, "max", "a distance from 0");
    if (!(ray->radius >= 0 && ray->radius <= (double)FLT_MAX))
        return bad_ray(reading, index, "radius", "a distance from 0");
    if (!(ray->at >= 0 && ray->at <= 1))
        return bad_ray(reading, index, "at", "a number from 0 to 1");
    return request_finish_ray(ray, reading->err) < 0 ? err_prefix(reading->err, "rays[%u]", index) : 0;
}

/* --- entities --- */

static int take_target(struct reading *reading, size_t at, uint32_t index, struct request *request)
{
    const char *b = reading->bytes + at;
    const struct crowd_request *crowd = request->crowd;
    struct raycast_target *target = &request->hits.raycast->targets[index];
    *target = (struct raycast_target){.begin = get_u32(b + RAYCAST_AT_TARGET_begin),
                                      .end = (int32_t)get_u32(b + RAYCAST_AT_TARGET_end),
                                      .mask = get_u32(b + RAYCAST_AT_TARGET_mask)};
    if (check_zeros(reading, at + RAYCAST_AT_TARGET_reserved, 4) < 0)
        return reading->err->code;
    if (target->begin >= crowd->entity_count || target->end < -1 ||
        (target->end >= 0 && (uint32_t)target->end >= crowd->entity_count))
        return err_set(reading->err, ERR_BAD_PARAMETER, "entities[%u]: its poses are %u and %d; the crowd has %u",
                       index, target->begin, target->end, crowd->entity_count);
    if (target->end >= 0 && crowd->entities[target->begin].model != crowd->entities[target->end].model)
        return err_set(reading->err, ERR_BAD_PARAMETER, "entities[%u]: its poses are of two models", index);
    return 0;
}

/* Allocates the whole raycast. */
static int make_capacity(struct request *request, uint32_t entities, uint32_t rays, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast = calloc(1, sizeof *raycast);
    if (raycast == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a raycast");
    raycast->targets = calloc(entities, sizeof *raycast->targets);
    raycast->rays = calloc(rays, sizeof *raycast->rays);
    if (raycast->targets == NULL || raycast->rays == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u entities and %u rays", entities, rays);
    raycast->entity_count = entities;
    raycast->ray_count = rays;
    return 0;
}

int request_read_raycast(struct request *request, const char *bytes, size_t size_bytes, const struct limits *limits,
                         size_t *bad_at, struct err *err)
{
    struct reading reading = {bytes, size_bytes, bad_at, err};
    *bad_at = SIZE_MAX;
    if (check_header(&reading, limits) < 0 || take_words(&reading, request) < 0)
        return err->code;
    const uint32_t entities = get_u32(bytes + RAYCAST_AT_ASKED_entity_count),
                   rays = get_u32(bytes + RAYCAST_AT_ASKED_ray_count);
    const size_t rays_at = RAYCAST_ASKED_BYTES + (size_t)entities * RAYCAST_TARGET_BYTES,
                 crowd_at = rays_at + (size_t)rays * RAYCAST_RAY_BYTES;
    if (make_capacity(request, entities, rays, err) < 0)
        return err->code;
    if (crowd_request_read(&request->crowd, bytes + crowd_at, size_bytes - crowd_at, limits, bad_at, err) < 0) {
        *bad_at += *bad_at == SIZE_MAX ? 0 : crowd_at;
        return err->code;
    }
    for (uint32_t e = 0; e < entities; e++)
        if (take_target(&reading, RAYCAST_ASKED_BYTES + (size_t)e * RAYCAST_TARGET_BYTES, e, request) < 0)
            return err->code;
    for (uint32_t r = 0; r < rays; r++)
        if (take_ray(&reading, rays_at + (size_t)r * RAYCAST_RAY_BYTES, r, &request->hits.raycast->rays[r]) < 0)
            return err->code;
    return 0;
}

int request_complete_raycast(struct request *request, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast;
    if (request_complete_crowd(request, err) < 0)
        return err->code;
    for (uint32_t e = 0; e < raycast->entity_count; e++) {
        const struct crowd_model *model =
            &request->crowd->models[request->crowd->entities[raycast->targets[e].begin].model];
        if (model->err.code != 0)
            return err_set(err, model->err.code, "entities[%u]: %s", e, model->err.message);
    }
    for (uint32_t r = 0; r < raycast->ray_count; r++)
        if (raycast->rays[r].ignored != (uint32_t)HIT_NONE && raycast->rays[r].ignored >= raycast->entity_count)
            return err_set(err, ERR_BAD_PARAMETER, "rays[%u]: 'ignore' is %u; there are %u entities", r,
                           raycast->rays[r].ignored, raycast->entity_count);
    /* models that no target uses are looked up too, and a missing one is an error */
    for (uint32_t m = 0; m < request->crowd->model_count; m++)
        if (request->crowd->models[m].err.code != 0)
            return err_set(err, request->crowd->models[m].err.code, "models[%u]: %s", m,
                           request->crowd->models[m].err.message);
    return 0;
}

/* --- bodies --- */

bool raycast_is_binary(const char *bytes, size_t size_bytes)
{
    return size_bytes >= sizeof RAYCAST_MAGIC - 1 && memcmp(bytes, RAYCAST_MAGIC, sizeof RAYCAST_MAGIC - 1) == 0;
}

bool request_has_binary_body(enum op op, const struct request_head *head)
{
    return OP_INFO[op].form == FORM_CROWD || (op_has(op, OP_RAYS) && raycast_is_binary(head->body, head->body_bytes)) ||
           request_has_frames(op, head);
}

int request_take_raycast(struct request *request, const struct request_head *head, const struct limits *limits,
                         struct param_set *seen, struct err *err)
{
    static const int WORDS[] = {PARAM_FIT, PARAM_TEST, PARAM_HITS, PARAM_END};
    const char *given = param_given(seen, WORDS);
    size_t bad_at;
    if (request_check_binary_type(head->content_type, RAYCAST_CONTENT_TYPE, "raycast", err) < 0)
        return err->code;
    if (given != NULL)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%s' stands in the binary body", given);
    seen->has[PARAM_ENTITIES] = seen->has[PARAM_RAYS] = true;
    if (request_read_raycast(request, head->body, head->body_bytes, limits, &bad_at, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < request->crowd->model_count; i++) {
        struct crowd_model *model = &request->crowd->models[i];
        if (model->handle != 0)
            return err_set(err, ERR_MODEL_NOT_FOUND, "models[%u]: handles are for packets: here a model has a path", i);
    }
    return request_complete_raycast(request, err);
}
