/* job_points.h - the points of a job (worker/render_job.h). Only on the worker's single thread. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"
#include "worker/render_job.h"

struct job_points {
    struct render_point *points; /* [count] */
    uint32_t count;
};

/* Reads the points behind the given poses of the job's descriptor, and checks that the model has what they name. Call
 * job_points_fini() in any case. Returns 0, ERR_BAD_PARAMETER, ERR_NO_MEMORY or ERR_INTERNAL. */
int job_points_init(struct job_points *points, const struct render_job *job, int fd, const struct model *model,
                    struct err *err);
void job_points_fini(struct job_points *points);
