/* answer_clips.h - answers whose clips lie in other files (clip_file=). Private to server/wire/answer*.c. Pure. */
#pragma once

#include "anim/pose/retarget.h"
#include "wire/answer/answer_parts.h"

/* The model with the clips of each of a request's sources. */
struct answer_clips {
    struct retarget views[REQUEST_SOURCES_MAX];
    const struct model *models[REQUEST_SOURCES_MAX]; /* those of the views */
    uint32_t count;
};

/* All models are borrowed. */
void answer_clips_init(struct answer_clips *clips, const struct model *model, const struct model *const *sources,
                       uint32_t source_count);
void answer_clips_fini(struct answer_clips *clips);

/* Gives the clips that the task plays the channels they have here, and its layers their sources. False: the reply is
 * the error. */
bool answer_play_clips(struct task *task);

/* ,"clip_file":{..}: where the request's clips lie, and what of them and of the model's joints has no partner. Nothing
 * when the request names no file. */
void answer_put_clip_file(struct task *task);
/* The same of a layer that names a file of its own, and of its reference: ,"clip_file":{..},"reference":{..} */
void answer_put_layer_clip_file(struct task *task, uint32_t layer);
/* The header's line of the same: reply->unmatched. */
void answer_put_unmatched(struct task *task);
