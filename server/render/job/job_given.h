/* job_given.h - the given poses of a job (anim/given/given_pose.h). Only on the worker's single thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "worker/render_job.h"

/* Numbered from 1 on, as the job's layers and on_top name them. */
struct job_given {
    struct given_pose poses[RENDER_GIVEN_MAX];
    uint32_t count;
};

/* Reads all poses from the job's descriptor and checks them against the model. Call job_given_fini() in any case.
 * Returns 0, ERR_BAD_PARAMETER, ERR_NO_MEMORY or ERR_INTERNAL. */
int job_given_init(struct job_given *given, const struct render_job *job, int fd, const struct model *model,
                   struct err *err);
void job_given_fini(struct job_given *given);

/* Returns pose `number`: NULL for 0, and for one that the job does not have. */
const struct given_pose *job_given_pose(const struct job_given *given, uint32_t number);
