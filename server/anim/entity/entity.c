/* entity.c - poses an entity by compiled clips where their error is within its bound, else in double precision. */
#include "anim/entity/entity.h"

#include "anim/entity/entity_chain.h"
#include "anim/entity/entity_given.h"

#include <stdlib.h>

void entity_work_init(struct entity_work *work)
{
    *work = (struct entity_work){0};
    clip_palette_init(&work->compiled, kernel_best());
    clip_blend_init(&work->mixed);
    pose_init(&work->pose);
    blend_init(&work->blend);
}

void entity_work_fini(struct entity_work *work)
{
    clip_palette_fini(&work->compiled);
    clip_blend_fini(&work->mixed);
    pose_fini(&work->pose);
    blend_fini(&work->blend);
    free(work->chain);
    free(work->is_in_chain);
    free(work->matrices);
    free(work->rows);
    free(work->is_moved);
    free(work->signs.items);
}

static size_t pose_bytes(const struct pose *pose)
{
    return pose->node_capacity * (sizeof *pose->local + sizeof *pose->scene_from_node) +
           pose->weight_capacity * sizeof *pose->weights;
}

/* Returns the memory of exact and compiled blending. */
static size_t blend_bytes(const struct entity_work *work)
{
    size_t held_bytes = pose_bytes(&work->blend.reference);
    for (int i = 0; i < BLEND_LAYERS_MAX; i++)
        held_bytes += pose_bytes(&work->blend.poses[i]);
    return held_bytes + (work->mixed.part_capacity * (size_t)KERNEL_PART + work->mixed.weight_capacity) * sizeof(float);
}

size_t entity_work_held_bytes(const struct entity_work *work)
{
    const struct clip_palette *compiled = &work->compiled;
    return pose_bytes(&work->pose) + blend_bytes(work) +
           compiled->matrix_capacity * (size_t)KERNEL_MATRIX * sizeof(float) +
           compiled->f64_capacity * (size_t)12 * sizeof(double);
}

void entity_work_trim(struct entity_work *work, size_t kept_bytes)
{
    if (blend_bytes(work) <= kept_bytes)
        return;
    blend_fini(&work->blend);
    clip_blend_fini(&work->mixed);
}

/* True for a layer that alone makes the whole pose. */
static bool is_whole(const struct blend_layer *layer)
{
    return blend_is_override(layer) && layer->mask_count == 0 && layer->weight > 0;
}

static void evaluate_pose(struct entity_work *work, const struct entity *entity)
{
    const struct blend_layer *layer = entity->layers;
    if (entity->layer_count == 0)
        pose_evaluate(&work->pose, entity->model, POSE_REST, 0);
    else if (entity->layer_count == 1 && is_whole(layer))
        pose_evaluate(&work->pose, layer->source != NULL ? layer->source : entity->model, layer->clip,
                      layer->clip_time_s);
    else
        blend_evaluate(&work->blend, &work->pose, entity->model, entity->layers, entity->layer_count);
    if (entity->motion != NULL)
        root_motion_remove(entity->motion, &work->pose, entity->model, &work->step);
    work->has_exact = true;
}

void entity_evaluate_exact(struct entity_work *work, const struct entity *entity)
{
    work->entity = *entity;
    work->is_compiled = false;
    evaluate_pose(work, entity);
}

/* Fills parent_from_node as work->plan says. False: the kernels cannot mix these layers. */
static bool sample_clips(struct entity_work *work, const struct entity *entity, enum clip_blend_way way)
{
    const struct blend_layer *layer = &work->plan.layers[0];
    work->is_mixed = way == CLIP_BLEND_MIXED;
    if (way == CLIP_BLEND_MIXED && work->plan.is_covered) {
        clip_palette_grow(&work->compiled, entity->model, 0, false);
        work->compiled.is_f64 = work->compiled.is_widened = false;
        return true;
    }
    if (way == CLIP_BLEND_MIXED)
        return clip_blend_sample(&work->mixed, &work->compiled, entity->model, &work->plan);
    if (way == CLIP_BLEND_SINGLE)
        clip_palette_sample(&work->compiled, layer->source != NULL ? layer->source : entity->model,
                            (uint32_t)layer->clip, layer->clip_time_s);
    return way == CLIP_BLEND_SINGLE;
}

static bool sample_compiled(struct entity_work *work, const struct entity *entity)
{
    const bool has_given = entity_has_given(entity);
    const enum clip_blend_way way =
        has_given ? entity_given_choose(entity, &work->plan)
                  : clip_blend_choose(entity->model, entity->layers, entity->layer_count, &work->plan);
    if (!sample_clips(work, entity, way))
        return false;
    if (!has_given)
        return true;
    work->is_mixed = true; /* its matrices may not be finite, and its nodes are not those of a clip */
    return entity_given_apply(work, entity);
}

void entity_evaluate(struct entity_work *work, const struct entity *entity)
{
    if (!sample_compiled(work, entity)) {
        entity_evaluate_exact(work, entity);
        work->exact_count++;
        return;
    }
    work->entity = *entity;
    work->is_compiled = true;
    work->is_composed = work->has_exact = false;
    work->compiled_count++;
    work->cubic_count += clip_blend_is_cubic(entity->model, &work->plan);
    if (entity->motion != NULL)
        entity_chain_still(work);
}

void entity_give_up(struct entity_work *work)
{
    const struct entity entity = work->entity;
    entity_evaluate_exact(work, &entity);
    work->compiled_count--;
    work->cubic_count -= clip_blend_is_cubic(entity.model, &work->plan);
    work->exact_count++;
}

void entity_complete(struct entity_work *work)
{
    if (!work->has_exact)
        evaluate_pose(work, &work->entity);
}

const struct pose *entity_pose(struct entity_work *work)
{
    entity_complete(work);
    return &work->pose;
}

bool entity_is_certain(const struct entity *entity, enum layout layout)
{
    struct clip_blend_plan plan;
    return layout != LAYOUT_DUALQUAT && entity->motion == NULL && entity->world_from_scene == NULL &&
           !entity_has_given(entity) &&
           clip_blend_choose(entity->model, entity->layers, entity->layer_count, &plan) == CLIP_BLEND_SINGLE;
}
