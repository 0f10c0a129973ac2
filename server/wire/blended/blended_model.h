/* blended_model.h - steps of blended_clip.h. Private to this folder. Pure. */
#pragma once

#include "wire/blended/blended_clip.h"

/* Makes blended->model of blended->made. below: the clip of the model whose place it takes, or POSE_REST; end_s: its
 * length. False: no memory, or too many keys. */
bool blended_model_make(struct blended_clip *blended, const struct model *model, int32_t below, double end_s);

/* Returns the poses a second of a request, and the length of its layers. */
double blended_rate(const struct request *request);
double blended_end_s(const struct resolved_layers *layers, const struct request_pose *pose);
