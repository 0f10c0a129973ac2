/* clip_select.h - resolves what a request plays: its clip, the part of the clip, and the layers of a blend. Pure; any
 * thread. */
#pragma once

#include "anim/pose/blend.h"
#include "anim/pose/clip_time.h"
#include "wire/encode/reply.h"
#include "wire/reply/given_resolve.h"
#include "wire/request/request.h"

/* Resolves the clip of a pose in `model`, the model that has the clips (of pose->clip_file, if given). The result is an
 * index or POSE_REST. Without a name it is the first clip; a blend, or a model without clips, has POSE_REST, but a clip
 * file without clips is an error. An unknown name is a 404 and an ambiguous one a 409; *reply is then the complete
 * error with candidates. Returns 0, ERR_CLIP_NOT_FOUND or ERR_AMBIGUOUS_NAME. */
int select_clip(const struct model *model, const struct request_pose *pose, int32_t *clip, struct reply *reply);
/* Returns the duration of a clip; 0 for POSE_REST. */
static inline double clip_duration_s(const struct model *model, int32_t clip)
{
    return clip == POSE_REST ? 0 : model->clips[clip].duration_s;
}

/* Computes the part of a clip of `duration_s` (0 at rest) that the pose plays. Returns 0, or ERR_BAD_PARAMETER when
 * from= or to= exceeds the clip's end by more than 0.1 ms; a smaller excess counts as the end. */
int span_resolve(const struct request_pose *pose, double duration_s, struct clip_span *span, struct err *err);
/* True when the request specifies a part of the clip, so that the reply repeats it. */
static inline bool span_is_given(const struct request_pose *pose)
{
    const struct request_span *asked = &pose->span;
    return asked->has_from || asked->has_to || asked->has_speed || asked->has_phase;
}

/* Contains pointers into itself, so it must not move after it is filled. Initialise it with zeros. */
struct resolved_layers {
    struct blend_layer layers[BLEND_LAYERS_MAX]; /* without the fields that layers_set_times() sets */
    struct clip_span spans[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_MASKS_MAX];
    struct given_pose given[BLEND_LAYERS_MAX]; /* of the layers that have one */
    uint32_t count, mask_count;
    struct given_budget budget;
    bool has_on_top; /* layers[count] is what the request puts on top */
};

/* Resolves the clips, joints, given and reference poses of pose->layers. sources: [request->source_count], the models
 * of request->sources. on_top: a given pose after all layers, or NULL. The layers' `source` stays NULL. Returns 0, or
 * the code of *reply, which is then the complete error. */
int layers_resolve(struct resolved_layers *layers, const struct model *model, const struct model *const *sources,
                   const struct request_pose *pose, const struct request_given *on_top, const struct limits *limits,
                   struct reply *reply);
/* Frees given poses; the layers' times can still be set. */
void layers_free_given(struct resolved_layers *layers);
/* Frees given poses, and removes all layers. */
void layers_clear(struct resolved_layers *layers);
/* Returns how many layers there are with the one on top. */
static inline uint32_t layers_all(const struct resolved_layers *layers) { return layers->count + layers->has_on_top; }
/* Sets the clip_time_s and weight of every layer for frame `frame` of the pose. */
void layers_set_times(struct resolved_layers *layers, const struct request_pose *pose, uint32_t frame);
/* The same where the frame has another time than the pose says. */
void layers_set_moment(struct resolved_layers *layers, const struct request_pose *pose, uint32_t frame, double time_s);
