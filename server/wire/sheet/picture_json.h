/* picture_json.h - JSON and headers beside pictures: when a picture was taken and from where; and the manifest of a
 * sheet: where its cells are, what they show, and the cameras they were drawn with. Documents: protocol/http.md
 * ("Overlays"), protocol/answers.md. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "wire/sheet/sheet_plan.h"
#include "wire/encode/reply.h"

/* What a picture shows. */
struct picture_shown {
    double time_s; /* as t= says it */
    double clip_time_s;
    const double *view_from_scene; /* [16], column-major */
    const double *clip_from_view;  /* likewise */
    const struct model *clips;     /* what has the clip; NULL: it is a blend */
    int32_t clip;                  /* or POSE_REST, as of a blend */
};

/* Adds the header line X-Posed-Clip: index and name of the clip, or - at rest. */
void reply_put_shown_clip(const struct model *clips, int32_t clip, struct reply *reply);

/* Adds the header lines X-Posed-Clip, X-Posed-Time and X-Posed-Camera. */
void reply_put_shown(const struct picture_shown *shown, struct reply *reply);
/* Makes the body the JSON of format=json. */
void body_put_picture(const struct request *request, const struct picture_shown *shown, struct reply *reply);

/* The cameras of a plan's cells, as the renderer found them. */
struct sheet_cameras {
    struct dmat4 clip_from_view; /* of all cells */
    double pivot[3];             /* scene space */
    bool is_ortho;
    struct dmat4 *views;  /* [cell_count]: view_from_scene */
    double *clip_times_s; /* [cell_count]: of what is shown, where the renderer picks it */
};

/* model: the one that is drawn; sources: those of the request. Appends to `out`, which may fail. */
void sheet_manifest_put(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *cameras,
                        const struct model *model, const struct model *const *sources, const struct request *request);
