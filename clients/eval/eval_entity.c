/* eval_entity.c - checks and resolves the entities of callers. */
#include "clients/eval/eval_internal.h"

#include "anim/pose/clip_time.h"

#include <math.h>
#include <string.h>

int pe_entity_clip(struct pe_entity *entity, const struct pe_model *model, const char *clip, double time_s,
                   struct pe_error *error)
{
    if (entity == NULL || model == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or no place for the entity");
    *entity = (struct pe_entity){.model = model, .time_s = time_s};
    return pe_find_clip(model, clip, &entity->clip, error);
}

struct pe_entity eval_as_blend(const struct pe_entity *entity, struct pe_layer *alone)
{
    struct pe_entity blend = *entity;
    const bool has_clips = entity->model->file.model.clip_count > 0;
    if (entity->layers != NULL)
        return blend;
    *alone = (struct pe_layer){.clip = entity->clip, .wrap = entity->wrap, .time_s = entity->time_s, .weight = 1};
    blend.layers = alone;
    blend.layer_count = entity->clip == PE_REST_POSE || (entity->clip == 0 && !has_clips) ? 0 : 1;
    return blend;
}

static double duration_of(const struct model *model, int32_t clip)
{
    return clip == POSE_REST ? 0 : model->clips[clip].duration_s;
}

static double lesser(double a, double b) { return a < b ? a : b; }

static bool is_clip(const struct model *model, int32_t clip)
{
    return clip >= POSE_REST && (clip < 0 || (uint32_t)clip < model->clip_count);
}

static bool is_wrap(int32_t wrap) { return wrap >= WRAP_LOOP && wrap <= WRAP_MIRROR; }

static bool is_for(const struct pe_retargeted_clip *clip, const struct pe_model *model)
{
    return clip == NULL || clip->of == model;
}

static bool is_given(const struct pe_layer *layer) { return layer->pose != NULL || layer->given != NULL; }

/* Returns NULL, or the fault of a layer with a given pose. */
static const char *given_fault(const struct pe_model *of, const struct pe_layer *layer)
{
    return layer->pose != NULL && layer->given != NULL      ? "both a pose and a motion are given"
           : layer->given != NULL && layer->given->of != of ? "the given motion is for another model"
           : layer->retargeted != NULL                      ? "a given pose and a retargeted clip exclude each other"
           : layer->has_reference != 0                      ? "a given pose has no reference"
           : !(layer->weight >= 0 && layer->weight <= 1)    ? "weight is not in 0..1"
                                                            : NULL;
}

/* Returns NULL, or the fault of a layer. */
static const char *layer_fault(const struct pe_model *of, const struct pe_layer *layer)
{
    enum { WEIGHT_MOST = 1000 };
    const struct model *model = &of->file.model;
    const bool is_additive = layer->is_additive != 0;
    return !is_for(layer->retargeted, of) || !is_for(layer->reference_retargeted, of)
               ? "a retargeted clip is for another model"
           : layer->retargeted == NULL && !is_given(layer) && !is_clip(model, layer->clip)
               ? "clip is none of the model's"
           : !is_wrap(layer->wrap)                               ? "wrap is unknown"
           : !isfinite(layer->time_s)                            ? "time_s is not finite"
           : !(isfinite(layer->from_s) && layer->from_s >= 0)    ? "from_s is not finite and positive"
           : !(layer->to_s >= layer->from_s || layer->to_s == 0) ? "to_s is before from_s"
           : !isfinite(layer->speed)                             ? "speed is not finite"
           : !(layer->phase >= 0 && layer->phase <= 1)           ? "phase is not in 0..1"
           : !(layer->weight >= 0 && layer->weight <= (is_additive ? 1 : WEIGHT_MOST)) ? "weight is out of range"
           : !is_wrap(layer->reference_wrap)                                           ? "reference_wrap is unknown"
           : !isfinite(layer->reference_time_s) ? "reference_time_s is not finite"
           : layer->has_reference != 0 && layer->reference_retargeted == NULL && !is_clip(model, layer->reference_clip)
               ? "reference_clip is none of the model's"
           : layer->mask_count > 0 && layer->masks == NULL ? "masks are missing"
           : is_given(layer)                               ? given_fault(of, layer)
                                                           : NULL;
}

/* A clip, and the model to evaluate it on; source NULL: the entity's own. */
struct played {
    const struct model *source;
    int32_t clip;
    double duration_s;
};

static struct played played_of(const struct model *model, const struct pe_retargeted_clip *retargeted, int32_t clip)
{
    const struct model *source = retargeted != NULL ? &retargeted->clip->retarget.model : NULL;
    clip = retargeted != NULL ? (int32_t)retargeted->clip->clip : clip;
    return (struct played){source, clip, duration_of(source != NULL ? source : model, clip)};
}

static struct clip_span span_of(const struct pe_layer *layer, double duration_s)
{
    return (struct clip_span){.from_s = lesser(layer->from_s, duration_s),
                              .to_s = layer->to_s > 0 ? lesser(layer->to_s, duration_s) : duration_s,
                              .speed = layer->speed == 0 ? 1 : layer->speed,
                              .phase = layer->phase,
                              .wrap = (enum wrap)layer->wrap};
}

static int take_given(const struct pe_model *of, const struct pe_layer *layer, struct given_room *room,
                      struct given_pose *pose, struct blend_layer *out, struct pe_error *error)
{
    const int rc = layer->pose != NULL ? eval_take_pose(room, of, layer->pose, pose, error) : 0;
    const struct given_pose *given = layer->pose != NULL ? pose : &layer->given->pose;
    if (rc < 0)
        return rc;
    const struct clip_span span = span_of(layer, given_pose_duration_s(given));
    *out = (struct blend_layer){.clip = POSE_REST,
                                .clip_time_s = clip_time_in_span(&span, layer->time_s),
                                .weight = layer->weight,
                                .is_additive = layer->is_additive != 0,
                                .given = given};
    return 0;
}

static void take_clip(const struct model *model, const struct pe_layer *layer, struct blend_layer *out)
{
    const struct played own = played_of(model, layer->retargeted, layer->clip);
    const struct played reference =
        layer->has_reference == 0 ? own : played_of(model, layer->reference_retargeted, layer->reference_clip);
    const struct clip_span span = span_of(layer, own.duration_s);
    *out = (struct blend_layer){
        .clip = own.clip,
        .source = own.source,
        .clip_time_s = clip_time_in_span(&span, layer->time_s),
        .weight = layer->weight,
        .is_additive = layer->is_additive != 0,
        .reference_clip = reference.clip,
        .reference_source = reference.source,
        .reference_time_s =
            clip_time_wrap(layer->reference_time_s, reference.duration_s, (enum wrap)layer->reference_wrap),
    };
}

static int take_masks(struct taken *taken, const struct model *model, const struct pe_layer *layer, uint32_t *used,
                      struct blend_layer *out, struct pe_error *error)
{
    if (layer->mask_count > BLEND_MASKS_MAX - *used)
        return eval_fail(error, PE_E_ARGUMENT, "the layers have more than %d masks", BLEND_MASKS_MAX);
    if (layer->mask_count > taken->mask_capacity - *used)
        return eval_fail(error, PE_E_RESERVE, "there is no room for %u masks more", layer->mask_count);
    out->masks = taken->masks + *used;
    out->mask_count = layer->mask_count;
    for (uint32_t i = 0; i < layer->mask_count; i++) {
        const struct pe_mask *mask = &layer->masks[i];
        if (mask->node >= model->node_count || mask->scope < PE_NODE || mask->scope > PE_EXCEPT)
            return eval_fail(error, PE_E_ARGUMENT, "mask %u: node %u of %u, scope %d", i, mask->node, model->node_count,
                             (int)mask->scope);
        taken->masks[(*used)++] = (struct blend_mask){mask->node, (enum mask_scope)mask->scope};
    }
    return 0;
}

static int take_world(struct taken *taken, const double *world_from_scene, struct pe_error *error)
{
    struct dmat4 *m = taken->world_from_scene;
    bool is_affine =
        world_from_scene[3] == 0 && world_from_scene[7] == 0 && world_from_scene[11] == 0 && world_from_scene[15] == 1;
    for (int i = 0; i < 16; i++)
        is_affine = is_affine && isfinite(world_from_scene[i]);
    if (!is_affine)
        return eval_fail(error, PE_E_ARGUMENT, "world_from_scene is not affine and finite");
    memcpy(m->m, world_from_scene, sizeof m->m);
    return 0;
}

/* Motion is measured from the beginning of the part that the layer plays. */
static int take_motion(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken,
                       struct pe_error *error)
{
    const struct model *model = &entity->model->file.model;
    const bool has_root = entity->has_root != 0;
    const int64_t root = has_root ? (int64_t)entity->root : entity->model->root;
    const struct pe_layer *layer = entity->layers;
    if (entity->motion < 0 || entity->motion > PE_MOTION_EXTRACT_TURN ||
        (has_root && entity->root >= model->node_count))
        return eval_fail(error, PE_E_ARGUMENT, "motion %d of node %u: there is no such thing", (int)entity->motion,
                         entity->root);
    if (entity->layer_count != 1 || layer->is_additive != 0 || layer->mask_count > 0 || !(layer->weight > 0) ||
        is_given(layer))
        return eval_fail(error, PE_E_ARGUMENT, "root motion needs one layer, of a clip that is the whole pose");
    if (root < 0)
        return eval_fail(error, PE_E_ARGUMENT,
                         "the model has no joint that all others hang from: name the node whose movement it is");
    struct pose *pose = &evaluator->work.pose;
    root_motion_mark(model, (uint32_t)root, taken->is_moved);
    const struct blend_layer *played = &taken->layers[0];
    const struct model *source = played->source != NULL ? played->source : model;
    pose_evaluate(pose, source, played->clip, lesser(layer->from_s, duration_of(source, played->clip)));
    root_motion_start(&taken->motion, pose, model, (uint32_t)root, entity->motion == PE_MOTION_EXTRACT_TURN,
                      taken->is_moved);
    return 0;
}

int eval_take_entity(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken,
                     struct entity *out, struct pe_error *error)
{
    const struct model *model = &entity->model->file.model;
    uint32_t masks = 0;
    int rc = 0;
    for (uint32_t i = 0; i < entity->layer_count && rc == 0; i++) {
        const struct pe_layer *layer = &entity->layers[i];
        const char *fault = layer_fault(entity->model, layer);
        struct pe_error inner;
        if (fault != NULL)
            return eval_fail(error, PE_E_ARGUMENT, "layer %u: %s", i, fault);
        if (!is_given(layer))
            take_clip(model, layer, &taken->layers[i]);
        else if (take_given(entity->model, layer, taken->room, &taken->given[i], &taken->layers[i], &inner) < 0)
            return eval_fail(error, inner.status, "layer %u: %.440s", i, inner.message);
        rc = take_masks(taken, model, layer, &masks, &taken->layers[i], error);
    }
    if (rc == 0 && entity->world_from_scene != NULL)
        rc = take_world(taken, entity->world_from_scene, error);
    if (rc == 0 && entity->motion != PE_MOTION_STAYS)
        rc = take_motion(evaluator, entity, taken, error);
    if (rc < 0)
        return rc;
    *out = (struct entity){
        .model = model,
        .layers = taken->layers,
        .layer_count = entity->layer_count,
        .motion = entity->motion != PE_MOTION_STAYS ? &taken->motion : NULL,
        .world_from_scene = entity->world_from_scene != NULL ? taken->world_from_scene : NULL,
    };
    return 0;
}
