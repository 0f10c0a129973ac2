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

/* All but the layers' clip times. Returns 0, or ERR_BAD_PARAMETER for what the models do not have or blend.h does not
 * take. */
int job_layers_init(struct job_layers *layers, const struct render_blend *blend, const struct job_sources *sources,
                    struct err *err);
/* Sets the layers' clip times to those of a cell: times_s[layers->count]. Returns 0 or ERR_BAD_PARAMETER. */
int job_layers_set(struct job_layers *layers, const double *times_s, struct err *err);
