/* job_sources.h - the other models that provide a job's clips, as views of the drawn model (anim/retarget/retarget.h).
 * Only on the worker's single thread. */
#pragma once

#include "anim/retarget/retarget.h"
#include "base/buf.h"
#include "worker/render_job.h"

struct job_sources {
    const struct model *model;                      /* the drawn model */
    const struct model *models[RENDER_SOURCES_MAX]; /* models of the views */
    struct retarget views[RENDER_SOURCES_MAX];
    struct name_rule rules[RENDER_RENAMES_MAX]; /* point into the job's text; rename the nodes of all sources */
    uint64_t rules_hash; /* of everything that decides how clips of other files are played: renames, roles, feet */
    uint32_t count;
};

/* Finds the partners and gives the clips that the job plays their channels. work and clips, [source_count of the job],
 * are borrowed. unmatched: receives the report of nodes of these clips without a partner; unchanged without other
 * files. Call job_sources_fini() in any case. Returns 0, ERR_BAD_PARAMETER for a source that the job does not have or
 * malformed rules, ERR_CLIP_NO_MATCH, ERR_NO_HUMANOID or ERR_TOO_MANY_FRAMES. */
int job_sources_init(struct job_sources *sources, const struct render_work *work, const struct model *model,
                     const struct model *const *clips, struct buf *unmatched, struct err *err);
void job_sources_fini(struct job_sources *sources);

/* Returns the model with the clips of `source` (<= count), numbered as in a job: the model itself, or a view of it. */
const struct model *job_source(const struct job_sources *sources, uint32_t source);

/* Lists the models whose channels move something in the picture: out[RENDER_SOURCES_MAX + 1]. Returns how many there
 * are. */
uint32_t job_movers(const struct job_sources *sources, const struct render_work *work, const struct model **out);
