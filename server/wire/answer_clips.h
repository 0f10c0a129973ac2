/* answer_clips.h - answers whose clips lie in another file (clip_file=). Private to server/wire/answer*.c. Pure. */
#pragma once

#include "answer_parts.h"

/* Gives the clips that the task plays the channels they have here. False: the reply is the error. */
bool answer_play_clips(struct task *task);

/* ,"clip_file":{..}: where the clips lie, and what of them and of the model's joints has no partner. */
void answer_put_clip_file(struct task *task);
