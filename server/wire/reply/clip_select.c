#include "wire/reply/clip_select.h"

#include "wire/reply/given_resolve.h"
#include "wire/reply/usual_clip.h"
#include "wire/reply/select.h"

#include <math.h>
#include <stdio.h>

int select_clip(const struct model *model, const struct request_pose *pose, int32_t *clip, struct reply *reply)
{
    uint32_t index;
    struct err err;
    *clip = POSE_REST;
    if (pose->layer_count > 0 || pose->clip.kind == SELECT_REST)
        return 0;
    if (pose->clip.kind == SELECT_NONE && model->clip_count == 0 && pose->clip_file != NULL) {
        err_set(&err, ERR_CLIP_NOT_FOUND, "the clip file '%s' has no clips", pose->clip_file);
        return reply_error(reply, &err, NULL, 0);
    }
    if (pose->clip.kind == SELECT_NONE) {
        *clip = model->clip_count == 0 ? POSE_REST : pose->is_of_picture ? (int32_t)usual_clip(model) : 0;
        return 0;
    }
    const char *path = pose->clip_file != NULL ? pose->clip_file : pose->model;
    const int rc = select_thing(model, path, THING_CLIP, &pose->clip, &index, reply);
    *clip = rc < 0 ? POSE_REST : (int32_t)index;
    return rc;
}

/* --- played part --- */

/* In files that count in frames or floats, the last key may lie slightly before the time that the author entered. */
#define END_TOLERANCE_S 1e-4

/* Converts one end of the part to seconds. */
static int resolve_end(const char *name, double given, const struct request_span *asked, double duration_s, double *out,
                       struct err *err)
{
    const double time_s = asked->has_fps ? given / asked->fps : given;
    *out = fmin(time_s, duration_s);
    if (time_s <= duration_s + END_TOLERANCE_S)
        return 0;
    if (asked->has_fps)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter '%s' is frame %.15g, which is %.9g s; the clip ends at %.9g s, frame %.9g", name,
                       given, time_s, duration_s, duration_s * asked->fps);
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' is %.15g s; the clip ends at %.9g s", name, given,
                   duration_s);
}

int span_resolve(const struct request_pose *pose, double duration_s, struct clip_span *span, struct err *err)
{
    const struct request_span *asked = &pose->span;
    *span = (struct clip_span){
        .to_s = duration_s,
        .speed = asked->has_speed ? asked->speed : 1,
        .phase = asked->has_phase ? asked->phase : 0,
        .wrap = pose->wrap,
    };
    int rc = 0;
    if (asked->has_from)
        rc = resolve_end("from", asked->from, asked, duration_s, &span->from_s, err);
    if (rc == 0 && asked->has_to)
        rc = resolve_end("to", asked->to, asked, duration_s, &span->to_s, err);
    return rc;
}

/* --- layers --- */

/* Returns the model with the clips of a layer or a reference. */
static const struct model *source_of(const struct model *model, const struct model *const *sources,
                                     const struct request_pose *part)
{
    return part->clip_source == 0 ? model : sources[part->clip_source - 1];
}

/* clips: the model that contains them. */
static int find_clip(struct resolved_layers *layers, const struct model *clips, const struct request_pose *layer,
                     struct reply *reply)
{
    struct blend_layer *out = &layers->layers[layers->count];
    struct err err;
    const int rc = select_clip(clips, layer, &out->clip, reply);
    if (rc < 0)
        return rc;
    if (span_resolve(layer, clip_duration_s(clips, out->clip), &layers->spans[layers->count], &err) < 0) {
        err_prefix(&err, "layers[%u]", layers->count);
        return reply_error(reply, &err, NULL, 0);
    }
    return 0;
}

/* The default reference is the layer's clip at time 0. A reference without clip and file uses the layer's clip. */
static int find_reference(const struct model *clips, const struct request_pose *layer, struct blend_layer *out,
                          struct reply *reply)
{
    const struct request_pose *reference = layer->reference;
    out->reference_clip = out->clip;
    out->reference_time_s = 0;
    if (reference == NULL)
        return 0;
    if (reference->clip.kind != SELECT_NONE || reference->clip_file != layer->clip_file) {
        const int rc = select_clip(clips, reference, &out->reference_clip, reply);
        if (rc < 0)
            return rc;
    }
    out->reference_time_s =
        clip_time_wrap(reference->times_s[0], clip_duration_s(clips, out->reference_clip), reference->wrap);
    return 0;
}

static int find_masks(struct resolved_layers *layers, const struct model *model, const struct request_pose *layer,
                      struct reply *reply)
{
    struct blend_layer *out = &layers->layers[layers->count];
    out->masks = layers->masks + layers->mask_count;
    out->mask_count = layer->joint_count;
    for (uint32_t i = 0; i < layer->joint_count; i++) {
        struct blend_mask *mask = &layers->masks[layers->mask_count++];
        mask->scope = layer->joints[i].scope;
        const int rc = select_thing(model, layer->model, THING_NODE, &layer->joints[i], &mask->node, reply);
        if (rc < 0)
            return rc;
    }
    return 0;
}

void layers_free_given(struct resolved_layers *layers)
{
    for (uint32_t i = 0; i < BLEND_LAYERS_MAX; i++)
        given_pose_fini(&layers->given[i]);
}

void layers_clear(struct resolved_layers *layers)
{
    layers_free_given(layers);
    layers->count = layers->mask_count = 0;
    layers->has_on_top = false;
}

/* Resolves the given pose of a layer, and what of it is played. */
static int find_given(struct resolved_layers *layers, const struct model *model, const struct request_pose *layer,
                      struct reply *reply)
{
    struct given_pose *given = &layers->given[layers->count];
    struct blend_layer *out = &layers->layers[layers->count];
    struct err err;
    out->clip = out->reference_clip = POSE_REST; /* render workers check both against the clips, which may be none */
    out->given = given;
    const int rc = given_resolve(given, model, layer->model, layer->given, &layers->budget, reply);
    if (rc < 0)
        return rc;
    return span_resolve(layer, given_pose_duration_s(given), &layers->spans[layers->count], &err) == 0
               ? 0
               : reply_error(reply, &err, NULL, 0);
}

/* Adds what lies on top of all layers. */
static int find_on_top(struct resolved_layers *layers, const struct model *model, const char *path,
                       const struct request_given *on_top, struct reply *reply)
{
    struct given_pose *given = &layers->given[layers->count];
    const int rc = given_resolve(given, model, path, on_top, &layers->budget, reply);
    if (rc < 0)
        return rc;
    layers->layers[layers->count] = (struct blend_layer){.clip = POSE_REST, .weight = 1, .given = given};
    layers->has_on_top = true;
    return given_check_led(given, model, path, reply);
}

int layers_resolve(struct resolved_layers *layers, const struct model *model, const struct model *const *sources,
                   const struct request_pose *pose, const struct request_given *on_top, const struct limits *limits,
                   struct reply *reply)
{
    layers_clear(layers);
    layers->budget = given_budget_of(limits, pose->is_of_picture);
    for (uint32_t i = 0; i < pose->layer_count && i < BLEND_LAYERS_MAX; i++) {
        const struct request_pose *layer = &pose->layers[i];
        struct blend_layer *out = &layers->layers[i];
        struct err err;
        *out = (struct blend_layer){.weight = layer->weights[0], .is_additive = layer->mode == LAYER_ADDITIVE};
        if (layers->mask_count + layer->joint_count > BLEND_MASKS_MAX) {
            err_set(&err, ERR_BAD_PARAMETER, "the layers name more than %d joints", BLEND_MASKS_MAX);
            return reply_error(reply, &err, NULL, 0);
        }
        const struct request_pose *reference = layer->reference != NULL ? layer->reference : layer;
        int rc = layer->given != NULL ? find_given(layers, model, layer, reply)
                                      : find_clip(layers, source_of(model, sources, layer), layer, reply);
        if (rc == 0 && layer->given == NULL)
            rc = find_reference(source_of(model, sources, reference), layer, out, reply);
        if (rc == 0)
            rc = find_masks(layers, model, layer, reply);
        if (rc < 0 && layer->given != NULL) {
            char name[24];
            snprintf(name, sizeof name, "layers[%u]", i);
            reply_prefix(reply, name);
        }
        if (rc < 0)
            return rc;
        layers->count++;
    }
    return on_top == NULL ? 0 : find_on_top(layers, model, pose->model, on_top, reply);
}

void layers_set_times(struct resolved_layers *layers, const struct request_pose *pose, uint32_t frame)
{
    layers_set_moment(layers, pose, frame, pose->times_s[frame]);
}

void layers_set_moment(struct resolved_layers *layers, const struct request_pose *pose, uint32_t frame, double time_s)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct request_pose *layer = &pose->layers[i];
        const double own_s = layer->time_count == 0   ? time_s
                             : layer->time_count == 1 ? layer->times_s[0]
                                                      : layer->times_s[frame];
        layers->layers[i].clip_time_s = clip_time_in_span(&layers->spans[i], own_s);
        layers->layers[i].weight = layer->weights[layer->weight_count == 1 ? 0 : frame];
    }
}
