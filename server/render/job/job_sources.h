/* job_sources.h - the other models that a job's clips are from, as views of the one that is drawn
 * (anim/retarget/retarget.h). The worker's only thread. */
#pragma once

#include "anim/retarget/retarget.h"
#include "base/buf.h"
#include "worker/render_job.h"

struct job_sources {
    const struct model *model;                      /* the one that is drawn */
    const struct model *models[RENDER_SOURCES_MAX]; /* those of the views */
    struct retarget views[RENDER_SOURCES_MAX];
    struct name_rule rules[RENDER_RENAMES_MAX]; /* into the job's text: what renames the nodes of all sources */
    uint64_t rules_hash; /* of all that says how clips of other files are played: renames, roles, feet */
    uint32_t count;
};

/* Finds the partners and gives the clips that the job plays their channels. work and clips, [source_count of the
 * job], are borrowed.
 * unmatched: gets what of these clips has no partner; nothing without other files. Call job_sources_fini() in any case.
 * Returns 0, ERR_BAD_PARAMETER for a source that the job does not have or rules that are none, ERR_CLIP_NO_MATCH,
 * ERR_NO_HUMANOID or ERR_TOO_MANY_FRAMES. */
int job_sources_init(struct job_sources *sources, const struct render_work *work, const struct model *model,
                     const struct model *const *clips, struct buf *unmatched, struct err *err);
void job_sources_fini(struct job_sources *sources);

/* What has the clips of `source` as a job numbers them, <= count: the model itself, or a view of it. */
const struct model *job_source(const struct job_sources *sources, uint32_t source);

/* The models whose channels move something in the picture: out[RENDER_SOURCES_MAX + 1]; returns how many. */
uint32_t job_movers(const struct job_sources *sources, const struct render_work *work, const struct model **out);
