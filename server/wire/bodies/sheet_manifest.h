/* sheet_manifest.h - the JSON beside a sheet: where its cells are, what they show, and the camera they were drawn with.
 * Fields: protocol/answers.md. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "wire/bodies/sheet_plan.h"

/* The cameras of a plan's cells, as the renderer found them. */
struct sheet_cameras {
    struct dmat4 clip_from_view; /* of all cells */
    double pivot[3];             /* scene space */
    bool is_ortho;
    struct dmat4 *views;  /* [cell_count]: view_from_scene */
    double *clip_times_s; /* [cell_count]: of what is shown, where the renderer picks it */
};

/* model: the one that is drawn; clips: that which has the clips. Appends to `out`, which may fail. */
void sheet_manifest_put(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *shots,
                        const struct model *model, const struct model *clips, const struct request *request);
