/* raycast_make.c - makes hits from a request: it resolves clips and joints of every entity, poses them, and casts the
 * rays. */
#include "wire/hits/raycast.h"

#include "anim/hits/hit_cache.h"
#include "base/mem.h"
#include "wire/crowd/crowd_entity.h"
#include "wire/reply/clip_sources.h"
#include "wire/request/request_raycast.h"

#include <stdlib.h>

enum { HIT_BYTES = 256 };          /* approximate JSON size of a hit; in memory it takes half of that */
enum { LONG_TEXTS_BYTES = 65536 }; /* a model with more text may have long names */

/* The state of a raycast. */
struct raycast {
    struct workspace *workspace;
    const struct model *model, *const *sources;
    const struct request *request;
    const struct limits *limits;
    struct reply *reply;
    struct crowd_clips retargeted_clips; /* clips of other files */
    struct crowd_poses poses;            /* given poses of a binary raycast */
    struct hit_cache **own;              /* [1 + source_count]: caches for models without one of their own; or NULL */
    const struct hit_set **sets;         /* [entity_count] */
};

static const struct model *model_of(const struct raycast *raycast, uint32_t index)
{
    return raycast_model(raycast->request, index, raycast->model, raycast->sources);
}

/* Makes the reply an error about an entity. Returns false. */
static bool fail_entity(struct raycast *raycast, uint32_t index, struct err *err)
{
    err_prefix(err, "entities[%u]", index);
    reply_error(raycast->reply, err, NULL, 0);
    return false;
}

/* Adds the entity's name to an existing error. Returns false. */
static bool name_entity(struct raycast *raycast, uint32_t index)
{
    struct err err;
    err_set(&err, raycast->reply->code, "%.*s", (int)raycast->reply->message.size_bytes, raycast->reply->message.data);
    return fail_entity(raycast, index, &err);
}

/* Makes the reply the error of a pose of an entity, or of all poses. Returns false. */
static bool fail_pose(struct raycast *raycast, uint32_t index, struct err *err)
{
    const struct err *ended =
        raycast->retargeted_clips.ended.code != 0 ? &raycast->retargeted_clips.ended : &raycast->poses.ended;
    if (ended->code == 0)
        return fail_entity(raycast, index, err);
    reply_error(raycast->reply, ended, NULL, 0);
    return false;
}

/* --- poses --- */

/* *source: the model that plays a clip of a layer or a reference. NULL: the model itself, also for the rest pose. */
static int find_source(struct raycast *raycast, const struct model *model, const struct request_pose *part,
                       int32_t clip, const struct model **source, struct err *err)
{
    *source = NULL;
    if (part->clip_source == 0 || clip == POSE_REST)
        return 0;
    *source = crowd_clips_find(&raycast->retargeted_clips, model, raycast->sources[part->clip_source - 1],
                               (uint32_t)clip, err);
    return *source != NULL ? 0 : err_prefix(err, "'%s'", part->clip_file);
}

/* Finds the clips of other files among the layers. False: the reply is an error. */
static bool find_sources(struct raycast *raycast, const struct model *model, const struct request_pose *pose,
                         uint32_t index, struct resolved_layers *layers)
{
    struct err err;
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct request_pose *layer = &pose->layers[i];
        struct blend_layer *found = &layers->layers[i];
        if (find_source(raycast, model, layer, found->clip, &found->source, &err) < 0 ||
            (found->is_additive && found->given == NULL &&
             find_source(raycast, model, layer->reference != NULL ? layer->reference : layer, found->reference_clip,
                         &found->reference_source, &err) < 0)) {
            err_prefix(&err, "layers[%u]", i);
            return fail_pose(raycast, index, &err);
        }
    }
    return true;
}

/* Resolves a pose in the words of JSON. layers: receive what it plays; *entity borrows them. */
static bool find_named(struct raycast *raycast, const struct request_pose *pose, uint32_t index,
                       struct resolved_layers *layers, struct entity *entity)
{
    const struct model *model = model_of(raycast, index);
    struct err err;
    *entity = (struct entity){.model = model, .layers = layers->layers};
    if (pose->layer_count > 0) {
        if (layers_resolve(layers, model, raycast->sources, pose, NULL, raycast->limits, raycast->reply) < 0)
            return name_entity(raycast, index);
        if (!find_sources(raycast, model, pose, index, layers))
            return false;
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

/* Resolves a pose by its record in the crowd. */
static bool find_recorded(struct raycast *raycast, const struct crowd_entity *record, uint32_t index,
                          struct resolved_layers *layers, struct entity *entity)
{
    const struct crowd_files files = {raycast->request->crowd, raycast->model, raycast->sources,
                                      &raycast->retargeted_clips, &raycast->poses};
    struct err err;
    if (crowd_entity_resolve(&files, record, model_of(raycast, index), layers->layers, entity, &err) < 0)
        return fail_pose(raycast, index, &err);
    entity->world_from_scene = NULL; /* the pose has it */
    return true;
}

/* Resolves a pose of an entity in scene space, and its world matrix. place: its record in the crowd. False: the reply
 * is an error. */
static bool find_pose(struct raycast *raycast, uint32_t index, uint32_t place, struct resolved_layers *layers,
                      struct entity *entity, struct scene_pose *pose)
{
    const struct crowd_request *crowd = raycast->request->crowd;
    const struct crowd_entity *record = &crowd->entities[place];
    const struct request_pose *named = raycast->request->hits.raycast->poses;
    if (named != NULL ? !find_named(raycast, &named[place], index, layers, entity)
                      : !find_recorded(raycast, record, index, layers, entity))
        return false;
    *pose = (struct scene_pose){entity, record->world >= 0 ? crowd->worlds[record->world] : DMAT4_IDENTITY};
    return true;
}

/* Returns the hit cache of the entity's model. */
static struct hit_cache *cache_of(struct raycast *raycast, uint32_t index)
{
    const struct model *model = model_of(raycast, index);
    if (model->hits != NULL)
        return model->hits;
    struct hit_cache **own = &raycast->own[raycast_slot(raycast->request, index)];
    if (*own == NULL)
        *own = hit_cache_new();
    return *own;
}

static bool find_set(struct raycast *raycast, uint32_t index)
{
    struct err err;
    if (hit_cache_set(cache_of(raycast, index), model_of(raycast, index), raycast->request->hits.fit,
                      raycast->limits->value[LIMIT_BOUNDS_VERTICES], &raycast->sets[index], &err) == 0)
        return true;
    return fail_entity(raycast, index, &err);
}

/* rays: cast at the meshes of the entity immediately; NULL: adds its volumes to the scene. */
static bool add_entity(struct raycast *raycast, uint32_t index, const struct mesh_rays *rays)
{
    const struct raycast_target *of = &raycast->request->hits.raycast->targets[index];
    struct workspace *workspace = raycast->workspace;
    struct entity first, second;
    struct scene_pose begin, moved = {0};
    const struct scene_pose *end = of->end >= 0 ? &moved : NULL;
    struct err err;
    if ((rays == NULL && !find_set(raycast, index)) ||
        !find_pose(raycast, index, of->begin, &workspace->layers, &first, &begin) ||
        (end != NULL && !find_pose(raycast, index, (uint32_t)of->end, &workspace->end_layers, &second, &moved)))
        return false;
    const int rc = rays == NULL ? hit_scene_add(&workspace->scene, &workspace->entity, index, of->mask,
                                                raycast->sets[index], &begin, end, &err)
                                : hit_mesh_cast(&workspace->mesh_hits, &workspace->entity,
                                                hit_cache_mesh(cache_of(raycast, index), model_of(raycast, index)),
                                                index, of->mask, &begin, end, rays, &err);
    return rc == 0 || fail_entity(raycast, index, &err);
}

/* Returns the steps of a pose as LIMIT_EVALUATIONS counts them. */
static uint64_t steps_of(const struct request *request, uint32_t place, const struct model *model)
{
    const uint64_t layers = raycast_layers(request, place);
    return (layers > 1 ? 2 * layers : 1) * pose_step_count(model);
}

/* Checks the cost of poses and meshes against the limits. */
static bool is_affordable(struct raycast *raycast)
{
    const struct request_raycast *of = raycast->request->hits.raycast;
    const uint64_t *limits = raycast->limits->value;
    uint64_t steps = 0, vertices = 0;
    struct err err;
    for (uint32_t e = 0; e < of->entity_count; e++) {
        const struct model *model = model_of(raycast, e);
        const bool is_moving = of->targets[e].end >= 0;
        steps += steps_of(raycast->request, of->targets[e].begin, model);
        steps += is_moving ? steps_of(raycast->request, (uint32_t)of->targets[e].end, model) : 0;
        vertices += raycast->request->hits.is_of_meshes ? (is_moving ? 2 : 1) * hit_mesh_vertices(model) : 0;
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
    for (uint32_t e = 0; e < raycast->request->hits.raycast->entity_count && !is_stopped(raycast->workspace); e++)
        if (!add_entity(raycast, e, rays))
            return false;
    return true;
}

static bool cast_at_volumes(struct raycast *raycast)
{
    const struct request_raycast *of = raycast->request->hits.raycast;
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
    const struct mesh_rays rays = {.rays = raycast->request->hits.raycast->rays,
                                   .count = raycast->request->hits.raycast->ray_count,
                                   .list = &workspace->hits};
    hit_mesh_begin(&workspace->mesh_hits, &rays);
    return add_entities(raycast, &rays);
}

/* Estimates the output of a hit. JSON contains two names of the model, which can be long. */
static uint32_t hit_ns(const struct raycast *raycast)
{
    enum { NAMES = 2 };
    const struct request_raycast *of = raycast->request->hits.raycast;
    const uint64_t name_most = LIMIT_INFO[LIMIT_NAME_BYTES].initial;
    uint64_t longest = 0;
    if (raycast->request->format != FORMAT_JSON)
        return COST_HIT_NS;
    for (uint32_t e = 0; e < of->entity_count && longest < name_most; e++) {
        const uint64_t bytes = model_of(raycast, e)->text_byte_count;
        longest = bytes > longest ? bytes : longest;
    }
    return COST_JSON_HIT_NS + (uint32_t)(longest > LONG_TEXTS_BYTES ? name_most * NAMES * COST_TEXT_BYTE_NS : 0);
}

static void begin_list(const struct raycast *raycast, struct hit_list *hits)
{
    hits->count = 0;
    hits->steps = hits->work_ns = 0;
    hits->steps_most = raycast->limits->value[LIMIT_RAY_STEPS];
    hits->count_most = raycast->limits->value[LIMIT_ANSWER_BYTES] / HIT_BYTES;
    hits->work_ns_most = raycast->workspace->work_ns_most;
    hits->hit_ns = hits->work_ns_most != 0 ? hit_ns(raycast) : 0;
    hits->is_stopped = raycast->workspace->is_stopped;
    hits->is_all = raycast->request->hits.has_all;
}

static bool make_hits(struct raycast *raycast)
{
    const struct request *request = raycast->request;
    struct workspace *workspace = raycast->workspace;
    struct hit_list *hits = &workspace->hits;
    struct err err;
    begin_list(raycast, hits);
    if (!is_affordable(raycast) || !(request->hits.is_of_meshes ? cast_at_meshes(raycast) : cast_at_volumes(raycast)))
        return false;
    workspace->cost.hits_ns = hit_list_work_ns(hits);
    workspace->is_too_long = hits->work_ns_most != 0 && hit_list_work_ns(hits) > hits->work_ns_most;
    if (workspace->is_too_long)
        return false;
    hit_list_sort(hits);
    if (!hit_list_is_over(hits))
        return true;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%u rays at %u entities take more than %s, or have more than %zu hits: ask for fewer or shorter ones",
            request->hits.raycast->ray_count, request->hits.raycast->entity_count,
            LIMIT_TEXT(raycast->limits, LIMIT_RAY_STEPS), hits->count_most);
    reply_error(raycast->reply, &err, NULL, 0);
    return false;
}

static void put_answer(struct raycast *raycast)
{
    struct reply *reply = raycast->reply;
    const struct request *request = raycast->request;
    const uint64_t most = raycast->limits->value[LIMIT_ANSWER_BYTES];
    struct err err;
    reply_describe(request, most, reply);
    if (request->format == FORMAT_BIN) {
        reply->content_type = RAYCAST_ANSWER_CONTENT_TYPE;
        raycast_put_binary(request, raycast->model, raycast->sources, raycast->sets, &raycast->workspace->hits,
                           &reply->body);
    } else {
        reply->is_json = true;
        raycast_put_json(request, raycast->model, raycast->sources, raycast->sets, &raycast->workspace->hits,
                         &reply->body);
    }
    if (!buf_failed(&reply->body) && reply->body.size_bytes <= most)
        return;
    err_set(&err, ERR_TOO_MANY_FRAMES, "%zu hits are more than an answer holds", raycast->workspace->hits.count);
    reply_error(reply, &err, NULL, 0);
}

void body_put_raycast(struct reply_context *context)
{
    const struct request *request = context->request;
    const uint32_t models = 1 + request->source_count;
    struct raycast raycast = {
        .workspace = context->workspace,
        .model = context->own_model,
        .sources = context->clips->sources,
        .request = request,
        .limits = context->limits,
        .reply = context->reply,
        .own = mem_zalloc(models, sizeof *raycast.own),
        .sets = mem_zalloc(request->hits.raycast->entity_count, sizeof *raycast.sets),
    };
    crowd_clips_init(&raycast.retargeted_clips, context->workspace);
    crowd_poses_init(&raycast.poses, request->crowd, context->limits);
    if (make_hits(&raycast))
        put_answer(&raycast);
    crowd_clips_fini(&raycast.retargeted_clips);
    crowd_poses_fini(&raycast.poses);
    for (uint32_t m = 0; m < models; m++)
        hit_cache_free(raycast.own[m]);
    free(raycast.own);
    free(raycast.sets);
}
