/* answer_layers.h - from the layers that a request names to those that blend.h takes. Pure; any thread. */
#pragma once

#include "anim/pose/blend.h"
#include "anim/pose/clip_time.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

/* Points into itself: it stays where it was filled. */
struct resolved_layers {
    struct blend_layer layers[BLEND_LAYERS_MAX]; /* all but clip_time_s */
    struct clip_span spans[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_MASKS_MAX];
    uint32_t count, mask_count;
};

/* Looks up the clips, joints and reference poses of request->layers. sources: [request->source_count], the models of
 * request->sources; the layers' own `source` stays NULL. Returns 0, or the code of *reply, which is then the complete
 * error. */
int layers_resolve(struct resolved_layers *layers, const struct model *model, const struct model *const *sources,
                   const struct request *request, struct reply *reply);

/* Sets every layer's clip_time_s for the frame `frame` of the request. */
void layers_set_times(struct resolved_layers *layers, const struct request *request, uint32_t frame);
