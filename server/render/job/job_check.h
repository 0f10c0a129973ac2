/* job_check.h - checks that a job can be drawn, and its layers. Pure; any thread. */
#pragma once

#include "anim/pose/blend.h"
#include "base/err.h"
#include "render/job/job_given.h"
#include "render/job/job_sources.h"
#include "worker/render_job.h"

/* Checks sizes, numbers and places of cells. The functions that look clips up check the job's references to them.
 * Returns 0 or ERR_BAD_PARAMETER. */
int job_check(const struct render_work *work, struct err *err);

/* The layers of a job, checked against its models. It contains pointers to itself, so it must not be moved. */
struct job_layers {
    struct blend_layer layers[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_MASKS_MAX];
    uint32_t count; /* 0: the job plays a clip */
};

/* Sets everything except what differs between cells. Returns 0, or ERR_BAD_PARAMETER for what the models do not have or
 * blend.h does not accept. */
int job_layers_init(struct job_layers *layers, const struct render_blend *blend, const struct job_sources *sources,
                    const struct job_given *given, struct err *err);
/* Sets the layers' clip times and weights for a cell: moments[layers->count]. Returns 0 or ERR_BAD_PARAMETER. */
int job_layers_set(struct job_layers *layers, const struct render_layer_moment *moments, struct err *err);
