/* job_check.h - whether what a job asks for can be drawn at all. Pure; any thread. */
#pragma once

#include "base/err.h"
#include "worker/render_job.h"

/* Sizes, numbers and places of cells. What the job says of clips is checked by those who look them up. Returns 0 or
 * ERR_BAD_PARAMETER. */
int job_check(const struct render_work *work, struct err *err);
