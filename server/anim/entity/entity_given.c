#include "anim/entity/entity_given.h"

#include "anim/pose/give_rows.h"
#include "base/sort.h"

/* Takes the layers apart into clips[*clip_count] and given poses. False: only exact evaluation will do. */
static bool split(const struct entity *entity, struct blend_layer clips[BLEND_LAYERS_MAX], uint32_t *clip_count,
                  bool *is_covered)
{
    bool has_given = false;
    *clip_count = 0;
    *is_covered = false;
    for (uint32_t i = 0; i < entity->layer_count; i++) {
        const struct blend_layer *layer = &entity->layers[i];
        if (!(layer->weight > 0))
            continue;
        if (layer->given == NULL && has_given && layer->is_additive)
            return false; /* it comes after a given pose */
        if (layer->given == NULL) {
            clips[(*clip_count)++] = *layer;
            continue;
        }
        has_given = true;
        *is_covered = *is_covered || give_covers(layer);
        if ((layer->given->flags & GIVEN_MODEST) == 0 || layer->mask_count > 0)
            return false;
    }
    return true;
}

/* True when some given pose changes a node's transform without replacing its scale. */
static bool lets_scale_be(const struct entity *entity, uint32_t node)
{
    bool lets = false;
    for (uint32_t i = 0; i < entity->layer_count && !lets; i++) {
        const struct given_pose *given = entity->layers[i].given;
        if (given == NULL)
            continue;
        const struct give give = {
            .given = given, .weight = entity->layers[i].weight, .is_additive = entity->layers[i].is_additive};
        const uint32_t at = LOWER_BOUND(given->nodes, given->node_count, node, node);
        lets = at < given->node_count && given->nodes[at].node == node && !give_is_whole(&give, &given->nodes[at]);
    }
    return lets;
}

static bool changes_scale(const struct entity *entity, const struct model *source, int32_t clip)
{
    source = source != NULL ? source : entity->model;
    for (uint32_t c = 0; clip != POSE_REST && c < source->clips[clip].channel_count; c++) {
        const struct channel *channel = &source->channels[source->clips[clip].channel_first + c];
        if (channel->path == PATH_SCALE && lets_scale_be(entity, channel->node))
            return true;
    }
    return false;
}

/* True when a clip changes the scale of a node, which its matrix would have to say then: the signs are not in it. */
static bool has_unknown_scale(const struct entity *entity, const struct clip_blend_plan *plan)
{
    bool has = false;
    for (uint32_t i = 0; i < plan->count && !has; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        has = changes_scale(entity, layer->source, layer->clip) ||
              (layer->is_additive && changes_scale(entity, layer->reference_source, layer->reference_clip));
    }
    return has;
}

enum clip_blend_way entity_given_choose(const struct entity *entity, struct clip_blend_plan *plan)
{
    struct blend_layer clips[BLEND_LAYERS_MAX];
    uint32_t clip_count;
    bool is_covered;
    const struct model *model = entity->model;
    if (model->rig_place_count == 0 || model->rig_part_count == 0 || !split(entity, clips, &clip_count, &is_covered))
        return CLIP_BLEND_EXACT;
    if (is_covered || clip_count == 0) {
        plan->count = plan->override_count = 0;
        plan->is_f64 = false;
        plan->is_sized = true; /* scales at rest */
        plan->is_covered = is_covered;
        return CLIP_BLEND_MIXED;
    }
    const enum clip_blend_way way = clip_blend_choose(model, clips, clip_count, plan);
    if (way == CLIP_BLEND_EXACT)
        return way;
    plan->is_sized = clip_blend_is_sized(model, plan);
    return plan->is_sized && has_unknown_scale(entity, plan) ? CLIP_BLEND_EXACT : way;
}

_Static_assert((int)GIVE_WHOLE == (int)KERNEL_WHOLE, "a kernel makes so many");

bool entity_given_apply(struct entity_work *work, const struct entity *entity)
{
    const bool is_f64 = work->compiled.is_f64 && !work->compiled.is_widened;
    const struct rig_rows rows = {.whole = work->compiled.kernel->whole,
                                  .rows = work->compiled.matrices,
                                  .f64 = is_f64 ? work->compiled.f64 : NULL,
                                  .node_step = is_f64 ? 12 : KERNEL_MATRIX,
                                  .element_step = 1};
    return give_layers(entity->layers, entity->layer_count, entity->model, work->plan.is_sized, &rows);
}
