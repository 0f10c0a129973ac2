/* crowd_entity.h - resolves an entity of a crowd once its model is known: its clips, times, masks and world matrix.
 * Pure; any thread. */
#pragma once

#include "anim/entity/entity.h"
#include "wire/request/crowd_request.h"
#include "wire/crowd/crowd_clips.h"
#include "wire/crowd/crowd_poses.h"

/* The models of a crowd. Borrowed. */
struct crowd_files {
    const struct crowd_request *crowd;
    const struct model *model, *const *sources; /* model of the request, models of its sources */
    struct crowd_clips *retargeted_clips;       /* prepared clips of other files */
    struct crowd_poses *poses;                  /* given poses */
};

/* NULL: the model is missing, and its crowd_model has the reason. */
const struct model *crowd_files_model(const struct crowd_files *files, uint32_t place);

/* Fills *out, except for the parts that it shares with other entities. The caller's layers[asked->layer_count] receive
 * what it plays. Returns 0, or ERR_CLIP_NOT_FOUND, ERR_JOINT_NOT_FOUND or ERR_BAD_PARAMETER naming the layer, or the
 * reason why a clip of another file cannot be played. Once files->retargeted_clips->ended or
 * files->poses->ended has a code, the request has no answer. */
int crowd_entity_resolve(const struct crowd_files *files, const struct crowd_entity *asked, const struct model *model,
                         struct blend_layer *layers, struct entity *out, struct err *err);
