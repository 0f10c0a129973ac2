/* job_check.h - whether what a job asks for can be drawn at all, and its layers. Pure; any thread. */
#pragma once

#include "anim/pose/blend.h"
#include "base/err.h"
#include "render/job/job_sources.h"
#include "worker/render_job.h"

/* Sizes, numbers and places of cells. What the job says of clips is checked by those who look them up. Returns 0 or
 * ERR_BAD_PARAMETER. */
int job_check(const struct render_work *work, struct err *err);

/* The layers of a job, checked against its models. Points into itself: it stays where it was filled. */
struct job_layers {
    struct blend_layer layers[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_MASKS_MAX];
    uint32_t count; /* 0: the job has a clip */
};

/* All but what the layers are in each cell. Returns 0, or ERR_BAD_PARAMETER for what the models do not have or blend.h
 * does not take. */
int job_layers_init(struct job_layers *layers, const struct render_blend *blend, const struct job_sources *sources,
                    struct err *err);
/* Sets the layers' clip times and weights to those of a cell: moments[layers->count]. Returns 0 or ERR_BAD_PARAMETER.
 */
int job_layers_set(struct job_layers *layers, const struct render_layer_moment *moments, struct err *err);
