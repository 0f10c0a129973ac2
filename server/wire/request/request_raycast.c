/* request_raycast.c - parses entities and rays from the body of a raycast. It first removes an entity's own members;
 * the parsers of request_params.def take those of its pose. */
#include "wire/request/request_raycast.h"

#include "wire/request/crowd_request.h"
#include "wire/request/request_parser.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

void request_raycast_free(struct request_raycast *raycast)
{
    if (raycast == NULL)
        return;
    for (uint32_t p = 0; p < raycast->pose_count; p++)
        request_pose_fini(&raycast->poses[p]);
    free(raycast->poses);
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

/* Appends a pose of an entity, with its record in the crowd. model: the entity's path, for its second pose; NULL: the
 * object has its own, and *own receives the request that it is, whose strings the pose owns. */
static int take_pose(struct request *request, struct request *own, const cJSON *object, const char *model,
                     const struct limits *limits, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast;
    struct request part = {.op = OP_ENTITY};
    const int rc = request_take_object(&part, object, model, limits, err);
    own->model = part.model;
    own->hash = part.hash;
    const struct request_pose *pose = &raycast->poses[raycast->pose_count];
    raycast->poses[raycast->pose_count++] = request_take_pose(&part);
    request->crowd->entities[request->crowd->entity_count++] = (struct crowd_entity){.world = -1};
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

/* Places the last pose. */
static int place_pose(struct request *request, const cJSON *world, struct err *err)
{
    struct crowd_request *crowd = request->crowd;
    if (world == NULL)
        return 0;
    crowd->entities[crowd->entity_count - 1].world = (int32_t)crowd->world_count;
    return take_world(world, &crowd->worlds[crowd->world_count++], err);
}

/* Finds a model that another entity already uses, or adds it. Hashes must match too. */
static int find_model(struct crowd_request *crowd, const struct request *own, uint16_t *index, struct err *err)
{
    uint32_t at = 0;
    while (at < crowd->model_count && strcmp(crowd->models[at].path, own->model) != 0)
        at++;
    if (at == REQUEST_SOURCES_MAX + 1)
        return err_set(err, ERR_BAD_PARAMETER, "the entities are of more than %d models", REQUEST_SOURCES_MAX + 1);
    if (at == crowd->model_count) { /* most raycasts have one model, and each holds a long message */
        struct crowd_model *grown = realloc(crowd->models, (at + 1) * sizeof *grown);
        if (grown == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory for %u models", at + 1);
        crowd->models = grown;
        grown[crowd->model_count++] = (struct crowd_model){.path = own->model};
    }
    struct crowd_model *model = &crowd->models[at];
    if (own->hash != NULL && model->hash[0] != '\0' && strcmp(model->hash, own->hash) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'hash' says of '%.200s' that it is %s and %s", own->model,
                       model->hash, own->hash);
    if (own->hash != NULL)
        memcpy(model->hash, own->hash, sizeof model->hash);
    *index = (uint16_t)at;
    return 0;
}

static int take_end(struct request *request, cJSON *end, const cJSON *begin, const struct limits *limits,
                    struct err *err)
{
    struct crowd_request *crowd = request->crowd;
    const struct crowd_entity first = crowd->entities[crowd->entity_count - 1];
    struct request own;
    if (!cJSON_IsObject(end))
        return bad("end", "an object: the entity's second pose", err);
    err->code = 0;
    cJSON *world = take_member(end, "world", err);
    const char *given = cJSON_GetObjectItemCaseSensitive(end, "model") != NULL  ? "model"
                        : cJSON_GetObjectItemCaseSensitive(end, "hash") != NULL ? "hash"
                                                                                : NULL;
    if (given != NULL && err->code == 0)
        err_set(err, ERR_BAD_PARAMETER, "parameter '%s': both poses are of one model", given);
    int rc = err->code != 0 ? err->code : inherit(end, begin, err);
    if (rc == 0)
        rc = take_pose(request, &own, end, crowd->models[first.model].path, limits, err);
    if (rc == 0) {
        crowd->entities[crowd->entity_count - 1].model = first.model;
        crowd->entities[crowd->entity_count - 1].world = first.world;
        rc = place_pose(request, world, err);
    }
    cJSON_Delete(world);
    return rc;
}

/* Takes the entity's first pose, and its members that are not of a pose. */
static int take_begin(struct request *request, const cJSON *object, const cJSON *world, const cJSON *mask,
                      const struct limits *limits, struct err *err)
{
    struct crowd_request *crowd = request->crowd;
    struct raycast_target *target = &request->hits.raycast->targets[request->hits.raycast->entity_count - 1];
    struct request own;
    *target = (struct raycast_target){.begin = crowd->entity_count, .end = -1, .mask = UINT32_MAX};
    if (mask != NULL && take_whole(mask, "mask", UINT32_MAX, &target->mask, err) < 0)
        return err->code;
    return take_pose(request, &own, object, NULL, limits, err) < 0 || place_pose(request, world, err) < 0
               ? err->code
               : find_model(crowd, &own, &crowd->entities[target->begin].model, err);
}

static int take_entity(struct request *request, cJSON *object, const struct limits *limits, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast;
    struct raycast_target *target = &raycast->targets[raycast->entity_count++];
    err->code = 0;
    cJSON *world = take_member(object, "world", err);
    cJSON *mask = take_member(object, "mask", err);
    cJSON *end = take_member(object, "end", err);
    int rc = err->code != 0 ? err->code : take_begin(request, object, world, mask, limits, err);
    if (rc == 0 && end != NULL) {
        target->end = (int32_t)request->crowd->entity_count;
        if (take_end(request, end, object, limits, err) < 0)
            rc = err_prefix(err, "end");
    }
    cJSON_Delete(world);
    cJSON_Delete(mask);
    cJSON_Delete(end);
    return rc;
}

/* Allocates the records for all entities and all their poses. */
static int make_capacity(struct request *request, const cJSON *list, uint32_t count, struct err *err)
{
    struct request_raycast *raycast = request->hits.raycast;
    struct crowd_request *crowd = request->crowd = calloc(1, sizeof *request->crowd);
    size_t poses = count;
    const cJSON *object;
    cJSON_ArrayForEach(object, list) poses += cJSON_GetObjectItemCaseSensitive(object, "end") != NULL;
    if (raycast != NULL) {
        raycast->targets = calloc(count, sizeof *raycast->targets);
        raycast->poses = calloc(poses, sizeof *raycast->poses);
    }
    if (crowd != NULL) {
        crowd->entities = calloc(poses, sizeof *crowd->entities);
        crowd->worlds = calloc(poses, sizeof *crowd->worlds);
    }
    return raycast != NULL && raycast->targets != NULL && raycast->poses != NULL && crowd != NULL &&
                   crowd->entities != NULL && crowd->worlds != NULL
               ? 0
               : err_set(err, ERR_NO_MEMORY, "no memory for %u entities", count);
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
    if (count < 0 || make_capacity(request, list, (uint32_t)count, err) < 0)
        return err->code;
    cJSON *object;
    uint64_t layers = 0;
    cJSON_ArrayForEach(object, list)
    {
        const uint32_t index = raycast->entity_count, first = raycast->pose_count;
        if (take_entity(request, object, limits, err) < 0)
            return err_prefix(err, "entities[%u]", index);
        for (uint32_t p = first; p < raycast->pose_count; p++)
            layers += raycast->poses[p].layer_count;
        if (layers >
            limits->value[LIMIT_RAYCAST_LAYERS]) /* each takes hundreds of bytes of memory, but only "{}" in the body */
            return err_set(err, ERR_BAD_PARAMETER, "entities[%u]: all together have more than %llu layers", index,
                           (unsigned long long)limits->value[LIMIT_RAYCAST_LAYERS]);
    }
    return 0;
}

int request_collect_models(struct request *request, const struct param_set *seen __attribute__((unused)),
                           const struct limits *limits, struct err *err)
{
    const struct request_raycast *raycast = request->hits.raycast;
    if (raycast->poses == NULL)
        return 0;
    if (request_complete_raycast(request, err) < 0)
        return err->code;
    for (uint32_t e = 0; e < raycast->entity_count; e++) {
        const struct raycast_target *target = &raycast->targets[e];
        if (request_collect_layers(request, &raycast->poses[target->begin], limits, err) < 0)
            return err_prefix(err, "entities[%u]", e);
        if (target->end >= 0 && request_collect_layers(request, &raycast->poses[target->end], limits, err) < 0)
            return err_prefix(err, "entities[%u]: end", e);
    }
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
