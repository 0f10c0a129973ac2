/* empty_diagnosis.h - explains why a picture shows nothing of its model. Pure; any thread. */
#pragma once

#include "render/pose/posed_model.h"

/* Examines every triangle, line and point of a model that was drawn without leaving a pixel, and explains the reason in
 * *err: ERR_NOTHING_TO_DRAW, or ERR_NO_MEMORY. samples: the picture's width and height. */
int empty_diagnosis_explain(const struct posed_model *posed, const struct model *model, const uint32_t samples[2],
                            struct err *err);
