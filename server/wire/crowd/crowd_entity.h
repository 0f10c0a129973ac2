/* crowd_entity.h - an entity of a crowd, once its model is known: its clips, times, masks and place. Pure; any thread.
 */
#pragma once

#include "anim/entity/entity.h"
#include "wire/request/crowd_request.h"
#include "wire/crowd/crowd_clips.h"

/* The models of a crowd. Borrowed. */
struct crowd_files {
    const struct crowd_request *crowd;
    const struct model *model, *const *sources; /* of the request, and of its sources */
    struct crowd_clips *retargeted_clips;       /* of clips of other files */
};

/* NULL: it is not there, and its crowd_model says why. */
const struct model *crowd_files_model(const struct crowd_files *files, uint32_t place);

/* Fills *out, but not what it has of others; layers[asked->layer_count], the caller's, are what it plays. Returns 0,
 * ERR_CLIP_NOT_FOUND, ERR_JOINT_NOT_FOUND or ERR_BAD_PARAMETER, naming the layer, or why a clip of another file cannot
 * be played; once files->retargeted_clips->ended has a code there is no answer to the request. */
int crowd_entity_resolve(const struct crowd_files *files, const struct crowd_entity *asked, const struct model *model,
                         struct blend_layer *layers, struct entity *out, struct err *err);
