/* job_sources.h - the other models that a job's clips are from, as views of the one that is drawn
 * (anim/pose/retarget.h). The worker's only thread. */
#pragma once

#include "anim/pose/retarget.h"
#include "base/buf.h"
#include "worker/render_job.h"
#include "render/job/model_mapping.h"

struct job_sources {
    const struct model *model;                      /* the one that is drawn */
    const struct model *models[RENDER_SOURCES_MAX]; /* those of the views */
    struct retarget views[RENDER_SOURCES_MAX];
    uint32_t count;
};

/* Maps the files, finds the partners and gives the clips that the job plays their channels. fds: [source_count of the
 * job]. unmatched: gets what of these clips has no partner; nothing without other files. Call job_sources_fini() in any
 * case. Returns 0, ERR_BAD_PARAMETER for a source that the job does not have, ERR_CLIP_NO_MATCH, or as
 * model_mapping_open().
 */
int job_sources_init(struct job_sources *sources, struct clip_files *files, const struct render_work *work,
                     const int *fds, const struct model *model, struct buf *unmatched, struct err *err);
void job_sources_fini(struct job_sources *sources);

/* What has the clips of `source` as a job numbers them, <= count: the model itself, or a view of it. */
const struct model *job_source(const struct job_sources *sources, uint32_t source);

/* The models whose channels move something in the picture: out[RENDER_SOURCES_MAX + 1]; returns how many. */
uint32_t job_movers(const struct job_sources *sources, const struct render_work *work, const struct model **out);
