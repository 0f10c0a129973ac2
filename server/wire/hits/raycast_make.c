/* raycast_make.c - from a request to hits: looks up clips and joints of every entity, poses them, casts the rays. */
#include "wire/hits/raycast.h"

#include "anim/hits/hit_cache.h"
#include "base/mem.h"
#include "wire/request/request_raycast.h"

#include <stdlib.h>

enum { HIT_BYTES = 256 }; /* a hit as JSON, about; in memory it takes half of that */

/* One raycast under way. */
struct raycast {
    struct workspace *workspace;
    const struct model *model, *const *sources;
    const struct request *request;
    const struct limits *limits;
    struct reply *reply;
    struct hit_cache **own;      /* [1 + source_count]: of models that have none beside them; or NULL */
    const struct hit_set **sets; /* [entity_count] */
};

static const struct model *model_of(const struct raycast *raycast, const struct raycast_entity *entity)
{
    return entity->source == 0 ? raycast->model : raycast->sources[entity->source - 1];
}

/* Makes the reply an error about an entity. Returns false. */
static bool fail_entity(struct raycast *raycast, uint32_t index, struct err *err)
{
    err_prefix(err, "entities[%u]", index);
    reply_error(raycast->reply, err, NULL, 0);
    return false;
}

/* The reply is an error already, which does not name the entity. */
static bool name_entity(struct raycast *raycast, uint32_t index)
{
    struct err err;
    err_set(&err, raycast->reply->code, "%.*s", (int)raycast->reply->message.size_bytes, raycast->reply->message.data);
    return fail_entity(raycast, index, &err);
}

/* --- poses --- */

/* layers: filled with what the pose plays; *entity borrows it. */
static bool find_pose(struct raycast *raycast, const struct model *model, const struct request *pose, uint32_t index,
                      struct resolved_layers *layers, struct entity *entity)
{
    struct err err;
    *entity = (struct entity){.model = model, .layers = layers->layers};
    if (pose->layer_count > 0) {
        if (layers_resolve(layers, model, NULL, pose, raycast->reply) < 0)
            return name_entity(raycast, index);
        layers_set_times(layers, pose, 0);
        entity->layer_count = layers->count;
        return true;
    }
    struct blend_layer *layer = &layers->layers[0];
    struct clip_span span;
    *layer = (struct blend_layer){.weight = 1};
    if (select_clip(model, pose, &layer->clip, raycast->reply) < 0)
        return name_entity(raycast, index);
    if (span_resolve(pose, clip_duration_s(model, layer->clip), &span, &err) < 0)
        return fail_entity(raycast, index, &err);
    layer->clip_time_s = clip_time_in_span(&span, pose->times_s[0]);
    entity->layer_count = layer->clip == POSE_REST ? 0 : 1;
    return true;
}

/* What is kept beside the entity's model. */
static struct hit_cache *cache_of(struct raycast *raycast, const struct raycast_entity *entity)
{
    const struct model *model = model_of(raycast, entity);
    if (model->hits != NULL)
        return model->hits;
    if (raycast->own[entity->source] == NULL)
        raycast->own[entity->source] = hit_cache_new();
    return raycast->own[entity->source];
}

static bool find_set(struct raycast *raycast, uint32_t index)
{
    const struct raycast_entity *entity = &raycast->request->raycast->entities[index];
    struct err err;
    if (hit_cache_set(cache_of(raycast, entity), model_of(raycast, entity), raycast->request->fit,
                      raycast->limits->value[LIMIT_BOUNDS_VERTICES], &raycast->sets[index], &err) == 0)
        return true;
    err_prefix(&err, "%s", entity->begin.model);
    return fail_entity(raycast, index, &err);
}

/* rays: of meshes, cast at the entity at once; NULL: its volumes are added to the scene. */
static bool add_entity(struct raycast *raycast, uint32_t index, const struct mesh_rays *rays)
{
    const struct raycast_entity *of = &raycast->request->raycast->entities[index];
    const struct model *model = model_of(raycast, of);
    struct workspace *workspace = raycast->workspace;
    struct entity first, second;
    struct scene_pose begin = {&first, of->world}, moved = {&second, of->end_world};
    const struct scene_pose *end = of->end != NULL ? &moved : NULL;
    struct err err;
    if ((rays == NULL && !find_set(raycast, index)) ||
        !find_pose(raycast, model, &of->begin, index, &workspace->layers, &first) ||
        (end != NULL && !find_pose(raycast, model, of->end, index, &workspace->end_layers, &second)))
        return false;
    const int rc = rays == NULL ? hit_scene_add(&workspace->scene, &workspace->entity, index, of->mask,
                                                raycast->sets[index], &begin, end, &err)
                                : hit_mesh_cast(&workspace->mesh_hits, &workspace->entity,
                                                hit_cache_mesh(cache_of(raycast, of), model), index, of->mask, &begin,
                                                end, rays, &err);
    if (rc == 0)
        return true;
    err_prefix(&err, "%s", of->begin.model);
    return fail_entity(raycast, index, &err);
}

/* What poses and meshes take, as the limits count it. */
static bool is_affordable(struct raycast *raycast)
{
    const struct request_raycast *of = raycast->request->raycast;
    const uint64_t *limits = raycast->limits->value;
    uint64_t steps = 0, vertices = 0;
    struct err err;
    for (uint32_t e = 0; e < of->entity_count; e++) {
        const struct model *model = model_of(raycast, &of->entities[e]);
        const bool is_moving = of->entities[e].end != NULL;
        steps += pose_steps(model, &of->entities[e].begin);
        steps += is_moving ? pose_steps(model, of->entities[e].end) : 0;
        vertices += raycast->request->is_of_meshes ? (is_moving ? 2 : 1) * hit_mesh_vertices(model) : 0;
    }
    raycast->workspace->cost = (struct reply_cost){.evaluations = steps, .vertices = vertices};
    if (steps <= limits[LIMIT_EVALUATIONS] && vertices <= limits[LIMIT_BOUNDS_VERTICES])
        return true;
    err_set(
        &err, ERR_TOO_MANY_FRAMES,
        "%u entities take %llu steps and %llu vertices, more than one request may ask for (%llu steps, %llu vertices)",
        of->entity_count, (unsigned long long)steps, (unsigned long long)vertices,
        (unsigned long long)limits[LIMIT_EVALUATIONS], (unsigned long long)limits[LIMIT_BOUNDS_VERTICES]);
    reply_error(raycast->reply, &err, NULL, 0);
    return false;
}

/* --- rays --- */

static bool is_stopped(const struct workspace *workspace)
{
    return workspace->is_stopped != NULL && *workspace->is_stopped;
}

static bool add_entities(struct raycast *raycast, const struct mesh_rays *rays)
{
    for (uint32_t e = 0; e < raycast->request->raycast->entity_count && !is_stopped(raycast->workspace); e++)
        if (!add_entity(raycast, e, rays))
            return false;
    return true;
}

static bool cast_at_volumes(struct raycast *raycast)
{
    const struct request_raycast *of = raycast->request->raycast;
    struct workspace *workspace = raycast->workspace;
    hit_scene_clear(&workspace->scene);
    if (!add_entities(raycast, NULL))
        return false;
    hit_scene_order(&workspace->scene);
    for (uint32_t r = 0; r < of->ray_count && !hit_list_is_over(&workspace->hits) && !is_stopped(workspace); r++)
        hit_scene_cast(&workspace->scene, r, &of->rays[r], &workspace->hits);
    return true;
}

static bool cast_at_meshes(struct raycast *raycast)
{
    struct workspace *workspace = raycast->workspace;
    const struct mesh_rays rays = {.rays = raycast->request->raycast->rays,
                                   .count = raycast->request->raycast->ray_count,
                                   .list = &workspace->hits};
    hit_mesh_begin(&workspace->mesh_hits, &rays);
    return add_entities(raycast, &rays);
}

static bool make_hits(struct raycast *raycast)
{
    const struct request *request = raycast->request;
    struct hit_list *hits = &raycast->workspace->hits;
    struct err err;
    hits->count = 0;
    hits->steps = 0;
    hits->steps_most = raycast->limits->value[LIMIT_RAY_STEPS];
    hits->count_most = raycast->limits->value[LIMIT_ANSWER_BYTES] / HIT_BYTES;
    hits->is_all = request->has_all_hits;
    if (!is_affordable(raycast) || !(request->is_of_meshes ? cast_at_meshes(raycast) : cast_at_volumes(raycast)))
        return false;
    hit_list_sort(hits);
    if (!hit_list_is_over(hits))
        return true;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%u rays at %u entities take more than %s, or have more than %zu hits: ask for fewer or shorter ones",
            request->raycast->ray_count, request->raycast->entity_count, LIMIT_TEXT(raycast->limits, LIMIT_RAY_STEPS),
            hits->count_most);
    reply_error(raycast->reply, &err, NULL, 0);
    return false;
}

static void put_answer(struct raycast *raycast)
{
    struct reply *reply = raycast->reply;
    const uint64_t most = raycast->limits->value[LIMIT_ANSWER_BYTES];
    struct err err;
    reply_describe(raycast->request, most, reply);
    raycast_put_json(raycast->request, raycast->model, raycast->sources, raycast->sets, &raycast->workspace->hits,
                     &reply->body);
    if (!buf_failed(&reply->body) && reply->body.size_bytes <= most)
        return;
    err_set(&err, ERR_TOO_MANY_FRAMES, "%zu hits are more than an answer holds", raycast->workspace->hits.count);
    reply_error(reply, &err, NULL, 0);
}

void body_put_raycast(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                      const struct request *request, const struct limits *limits, struct reply *reply)
{
    const uint32_t models = 1 + request->source_count;
    struct raycast raycast = {
        .workspace = workspace,
        .model = model,
        .sources = sources,
        .request = request,
        .limits = limits,
        .reply = reply,
        .own = mem_zalloc(models, sizeof *raycast.own),
        .sets = mem_zalloc(request->raycast->entity_count, sizeof *raycast.sets),
    };
    workspace->entity.compiled.kernel = workspace->clip_palette.kernel;
    if (make_hits(&raycast))
        put_answer(&raycast);
    for (uint32_t m = 0; m < models; m++)
        hit_cache_free(raycast.own[m]);
    free(raycast.own);
    free(raycast.sets);
    workspace_trim(workspace);
}
