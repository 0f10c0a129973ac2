/* request_raycast.c - parses entities and rays from the body of a raycast. It first removes an entity's own members;
 * the parsers of request_params.def take those of its pose. */
#include "wire/request/request_raycast.h"

#include "wire/request/request_parser.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

void request_raycast_free(struct request_raycast *raycast)
{
    if (raycast == NULL)
        return;
    for (uint32_t e = 0; e < raycast->entity_count; e++) {
        struct raycast_poses *poses = raycast->entities[e].poses;
        if (poses == NULL)
            continue;
        request_pose_fini(&poses->begin);
        if (poses->end != NULL)
            request_pose_fini(poses->end);
        free(poses->end);
        free(poses);
    }
    free(raycast->entities);
    free(raycast->targets);
    free(raycast->rays);
    free(raycast);
}

/* --- numbers --- */

static int bad(const char *name, const char *expected, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' must be %s", name, expected);
}

/* Takes a list of `count` numbers that floats can represent. */
static int take_numbers(const cJSON *item, const char *name, int count, double *out, struct err *err)
{
    static const char *const EXPECTED[] = {[3] = "a list of 3 numbers that a float can hold",
                                           [16] = "a list of 16 numbers that a float can hold, column by column"};
    int at = 0;
    const cJSON *entry;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != count)
        return bad(name, EXPECTED[count], err);
    cJSON_ArrayForEach(entry, item)
    {
        if (!cJSON_IsNumber(entry) || !(fabs(entry->valuedouble) <= (double)FLT_MAX))
            return bad(name, EXPECTED[count], err);
        out[at++] = entry->valuedouble;
    }
    return 0;
}

static int take_number(const cJSON *item, const char *name, double least, double most, const char *expected,
                       double *out, struct err *err)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
        return bad(name, expected, err);
    *out = item->valuedouble;
    return 0;
}

static int take_whole(const cJSON *item, const char *name, uint32_t most, uint32_t *out, struct err *err)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= most) ||
        item->valuedouble != floor(item->valuedouble))
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' must be a whole number from 0 to %u", name, most);
    *out = (uint32_t)item->valuedouble;
    return 0;
}

static int take_world(const cJSON *item, struct dmat4 *out, struct err *err)
{
    if (take_numbers(item, "world", 16, out->m, err) < 0)
        return err->code;
    for (int c = 0; c < 4; c++)
        if (out->m[4 * c + 3] < (c == 3) || out->m[4 * c + 3] > (c == 3))
            return bad("world",
                       "an affine matrix: its last row is 0, 0, 0, 1, so numbers 3, 7 and 11 are 0 and 15 is 1", err);
    return 0;
}

/* --- entities --- */

/* The second pose inherits what it does not specify from the first. Its own clip or layers replace both clip and layers
 * of the first. */
static int inherit(cJSON *end, const cJSON *begin, struct err *err)
{
    static const char *const MOTION[] = {"clip", "clip_name", "layers"};
    bool has_motion = false;
    for (size_t i = 0; i < sizeof MOTION / sizeof *MOTION; i++)
        has_motion = has_motion || cJSON_GetObjectItemCaseSensitive(end, MOTION[i]) != NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, begin)
    {
        bool is_motion = false;
        for (size_t i = 0; i < sizeof MOTION / sizeof *MOTION; i++)
            is_motion = is_motion || strcmp(item->string, MOTION[i]) == 0;
        if (strcmp(item->string, "model") == 0 || strcmp(item->string, "hash") == 0 || (is_motion && has_motion) ||
            cJSON_GetObjectItemCaseSensitive(end, item->string) != NULL)
            continue;
        cJSON *copy = cJSON_Duplicate(item, true);
        if (copy == NULL || !cJSON_AddItemToObject(end, item->string, copy)) {
            cJSON_Delete(copy);
            return err_set(err, ERR_NO_MEMORY, "no memory for an entity");
        }
    }
    return 0;
}

/* Takes a pose of an entity: one time of its own clips. asked: the entity's; its first pose sets model and hash. */
static int take_pose(struct raycast_poses *asked, struct request_pose *pose, const cJSON *object,
                     const struct limits *limits, struct err *err)
{
    struct request part = {.op = OP_ENTITY};
    const int rc = request_take_object(&part, object, asked->model, limits, err);
    if (asked->model == NULL) {
        asked->model = part.model;
        asked->hash = part.hash;
    }
    *pose = request_take_pose(&part);
    if (rc < 0 || pose->time_count == 1)
        return rc;
    return err_set(err, ERR_BAD_PARAMETER, "parameter 't' names %u times; an entity has one", pose->time_count);
}

/* Removes a member of the entity's own, which the parsers of its pose do not know. */
static cJSON *take_member(cJSON *object, const char *name, struct err *err)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(object, name);
    if (item != NULL && cJSON_GetObjectItemCaseSensitive(object, name) != NULL)
        err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%s' is given twice; it may be given once", name);
    return item;
}

static int take_end(struct raycast_poses *poses, cJSON *end, const cJSON *begin, const struct limits *limits,
                    struct err *err)
{
    if (!cJSON_IsObject(end))
        return bad("end", "an object: the entity's second pose", err);
    err->code = 0;
    cJSON *world = take_member(end, "world", err);
    const int rc = err->code != 0 || world == NULL ? err->code : take_world(world, &poses->end_world, err);
    cJSON_Delete(world);
    if (rc < 0 || inherit(end, begin, err) < 0)
        return err->code;
    const char *given = cJSON_GetObjectItemCaseSensitive(end, "model") != NULL  ? "model"
                        : cJSON_GetObjectItemCaseSensitive(end, "hash") != NULL ? "hash"
                                                                                : NULL;
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s': both poses are of one model", given);
    poses->end = calloc(1, sizeof *poses->end);
    if (poses->end == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for an entity");
    return take_pose(poses, poses->end, end, limits, err);
}

static int take_own(struct raycast_entity *entity, const cJSON *world, const cJSON *mask, struct err *err)
{
    entity->poses = calloc(1, sizeof *entity->poses);
    if (entity->poses == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for an entity");
    entity->poses->world = DMAT4_IDENTITY;
    entity->mask = UINT32_MAX;
    int rc = world == NULL ? 0 : take_world(world, &entity->poses->world, err);
    if (rc == 0 && mask != NULL)
        rc = take_whole(mask, "mask", UINT32_MAX, &entity->mask, err);
    entity->poses->end_world = entity->poses->world;
    return rc;
}

static int take_entity(struct raycast_entity *entity, cJSON *object, const struct limits *limits, struct err *err)
{
    err->code = 0;
    cJSON *world = take_member(object, "world", err);
    cJSON *mask = take_member(object, "mask", err);
    cJSON *end = take_member(object, "end", err);
    int rc = err->code != 0 ? err->code : take_own(entity, world, mask, err);
    if (rc == 0)
        rc = take_pose(entity->poses, &entity->poses->begin, object, limits, err);
    if (rc == 0 && end != NULL && take_end(entity->poses, end, object, limits, err) < 0)
        rc = err_prefix(err, "end");
    cJSON_Delete(world);
    cJSON_Delete(mask);
    cJSON_Delete(end);
    return rc;
}

static struct request_raycast *raycast_of(struct request *request)
{
    if (request->hits.raycast == NULL)
        request->hits.raycast = calloc(1, sizeof *request->hits.raycast);
    return request->hits.raycast;
}

int request_take_entities(struct request *request, cJSON *list, const struct limits *limits, struct err *err)
{
    struct request_raycast *raycast = raycast_of(request);
    const int count = request_count_objects(list, "entities", limits->value[LIMIT_ENTITIES], err);
    if (count < 0)
        return count;
    if (raycast != NULL)
        raycast->entities = calloc((size_t)count, sizeof *raycast->entities);
    if (raycast == NULL || raycast->entities == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %d entities", count);
    cJSON *object;
    uint64_t layers = 0;
    cJSON_ArrayForEach(object, list)
    {
        struct raycast_entity *entity = &raycast->entities[raycast->entity_count++];
        if (take_entity(entity, object, limits, err) < 0)
            return err_prefix(err, "entities[%u]", raycast->entity_count - 1);
        const struct raycast_poses *poses = entity->poses;
        layers += poses->begin.layer_count + (poses->end != NULL ? poses->end->layer_count : 0);
        if (layers >
            limits->value[LIMIT_RAYCAST_LAYERS]) /* each takes hundreds of bytes of memory, but only "{}" in the body */
            return err_set(err, ERR_BAD_PARAMETER, "entities[%u]: all together have more than %llu layers",
                           raycast->entity_count - 1, (unsigned long long)limits->value[LIMIT_RAYCAST_LAYERS]);
    }
    return 0;
}

/* Finds a model that another entity already uses; hashes must match too. */
static int add_model(struct request *request, struct raycast_entity *entity, uint32_t index, struct err *err)
{
    const struct raycast_poses *poses = entity->poses;
    const char **hash = &request->hash;
    uint32_t at = 0;
    if (index == 0)
        request->model = poses->model;
    while (at <= request->source_count &&
           strcmp(at == 0 ? request->model : request->sources[at - 1].path, poses->model) != 0)
        at++;
    if (at > REQUEST_SOURCES_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "the entities are of more than %d models", REQUEST_SOURCES_MAX + 1);
    if (at > request->source_count && request_add_source(request, poses->model, NULL, err) < 0)
        return err->code;
    if (at > 0)
        hash = &request->sources[at - 1].hash;
    if (*hash != NULL && poses->hash != NULL && strcmp(*hash, poses->hash) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "entities[%u]: parameter 'hash' says of '%.200s' that it is %s and %s",
                       index, poses->model, *hash, poses->hash);
    *hash = *hash != NULL ? *hash : poses->hash;
    entity->source = at;
    return 0;
}

/* Lists the files of the clips that its layers play. */
static int add_clip_files(struct request *request, struct raycast_entity *entity, const struct limits *limits,
                          struct err *err)
{
    if (request_collect_layers(request, &entity->poses->begin, limits, err) < 0)
        return err->code;
    return entity->poses->end == NULL || request_collect_layers(request, entity->poses->end, limits, err) == 0
               ? 0
               : err_prefix(err, "end");
}

int request_collect_models(struct request *request, const struct param_set *seen __attribute__((unused)),
                           const struct limits *limits, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast;
    if (request->crowd != NULL)
        return 0;
    for (uint32_t e = 0; e < raycast->entity_count; e++)
        if (add_model(request, &raycast->entities[e], e, err) < 0)
            return err->code;
    for (uint32_t e = 0; e < raycast->entity_count; e++)
        if (add_clip_files(request, &raycast->entities[e], limits, err) < 0)
            return err_prefix(err, "entities[%u]", e);
    for (uint32_t r = 0; r < raycast->ray_count; r++)
        if (raycast->rays[r].ignored != (uint32_t)HIT_NONE && raycast->rays[r].ignored >= raycast->entity_count)
            return err_set(err, ERR_BAD_PARAMETER, "rays[%u]: parameter 'ignore' is %u; there are %u entities", r,
                           raycast->rays[r].ignored, raycast->entity_count);
    return 0;
}

/* --- rays --- */

static int take_ray_member(struct hit_ray *ray, const cJSON *item, struct err *err)
{
    const char *name = item->string;
    if (strcmp(name, "origin") == 0)
        return take_numbers(item, name, 3, ray->origin, err);
    if (strcmp(name, "direction") == 0)
        return take_numbers(item, name, 3, ray->direction, err);
    if (strcmp(name, "max") == 0)
        return take_number(item, name, 0, (double)FLT_MAX, "a distance from 0", &ray->most, err);
    if (strcmp(name, "radius") == 0)
        return take_number(item, name, 0, (double)FLT_MAX, "a distance from 0", &ray->radius, err);
    if (strcmp(name, "at") == 0)
        return take_number(item, name, 0, 1, "a number from 0, the entities' first poses, to 1, their second ones",
                           &ray->at, err);
    if (strcmp(name, "mask") == 0)
        return take_whole(item, name, UINT32_MAX, &ray->mask, err);
    if (strcmp(name, "ignore") == 0)
        return take_whole(item, name, UINT32_MAX - 1, &ray->ignored, err);
    return err_set(err, ERR_UNKNOWN_PARAMETER,
                   "unknown parameter '%.64s'; a ray takes origin, direction, max, radius, at, mask, ignore", name);
}

static int take_ray(struct hit_ray *ray, const cJSON *object, struct err *err)
{
    const cJSON *item;
    *ray = (struct hit_ray){.most = HUGE_VAL, .mask = UINT32_MAX, .ignored = (uint32_t)HIT_NONE};
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
            return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%.64s' is given twice; it may be given once",
                           item->string);
        if (take_ray_member(ray, item, err) < 0)
            return err->code;
    }
    for (int i = 0; i < 2; i++) {
        const char *needed = i == 0 ? "origin" : "direction";
        if (cJSON_GetObjectItemCaseSensitive(object, needed) == NULL)
            return err_set(err, ERR_MISSING_PARAMETER, "a ray needs the parameter '%s'", needed);
    }
    return request_finish_ray(ray, err);
}

int request_finish_ray(struct hit_ray *ray, struct err *err)
{
    return hit_ray_finish(ray) ? 0 : bad("direction", "a vector that is not 0", err);
}

int request_take_rays(struct request *request, const cJSON *list, const struct limits *limits, struct err *err)
{
    struct request_raycast *raycast = raycast_of(request);
    const int count = request_count_objects(list, "rays", limits->value[LIMIT_RAYS], err);
    if (count < 0)
        return count;
    if (raycast != NULL)
        raycast->rays = calloc((size_t)count, sizeof *raycast->rays);
    if (raycast == NULL || raycast->rays == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %d rays", count);
    const cJSON *object;
    cJSON_ArrayForEach(object, list) if (take_ray(&raycast->rays[raycast->ray_count++], object, err) <
                                         0) return err_prefix(err, "rays[%u]", raycast->ray_count - 1);
    return 0;
}
