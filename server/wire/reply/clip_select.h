/* clip_select.h - what a request plays: its clip, which part of it, and the layers of a blend, looked up in a model.
 * Pure; any thread. */
#pragma once

#include "anim/pose/blend.h"
#include "anim/pose/clip_time.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

/* Looks the clip of a pose up in `model`, which is the one that has the clips (pose->clip_file, where that is given):
 * an index, POSE_REST, or the first clip when none is named (the rest pose when a model has none, and POSE_REST for a
 * blend; a clip file without clips is an error). Unknown: 404, ambiguous: 409, with candidates in *reply, which is then
 * complete. Returns 0, ERR_CLIP_NOT_FOUND or ERR_AMBIGUOUS_NAME. */
int select_clip(const struct model *model, const struct request_pose *pose, int32_t *clip, struct reply *reply);
/* Of a clip; 0 of POSE_REST. */
static inline double clip_duration_s(const struct model *model, int32_t clip)
{
    return clip == POSE_REST ? 0 : model->clips[clip].duration_s;
}

/* The part of a clip of `duration_s` (0 at rest) that the pose means. Returns 0, or ERR_BAD_PARAMETER when from= or
 * to= lies behind the clip's end by more than 0.1 ms; nearer than that it is the end. */
int span_resolve(const struct request_pose *pose, double duration_s, struct clip_span *span, struct err *err);
/* True when the request says anything of that part, so that the reply repeats it. */
static inline bool span_is_given(const struct request_pose *pose)
{
    const struct request_span *asked = &pose->span;
    return asked->has_from || asked->has_to || asked->has_speed || asked->has_phase;
}

/* Points into itself: it stays where it was filled. */
struct resolved_layers {
    struct blend_layer layers[BLEND_LAYERS_MAX]; /* all but what layers_set_times() sets */
    struct clip_span spans[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_MASKS_MAX];
    uint32_t count, mask_count;
};

/* Looks up the clips, joints and reference poses of pose->layers. sources: [request->source_count], the models of
 * request->sources; the layers' own `source` stays NULL. Returns 0, or the code of *reply, which is then the complete
 * error. */
int layers_resolve(struct resolved_layers *layers, const struct model *model, const struct model *const *sources,
                   const struct request_pose *pose, struct reply *reply);
/* Sets every layer's clip_time_s and weight for the frame `frame` of the pose. */
void layers_set_times(struct resolved_layers *layers, const struct request_pose *pose, uint32_t frame);
