/* picture_json.h - writes the JSON and headers of pictures: time and camera of a picture, and the manifest of a sheet
 * with the cells' positions, contents and cameras. Documents: protocol/http.md ("Overlays"), protocol/answers.md. Pure;
 * any thread. */
#pragma once

#include "anim/model/mat.h"
#include "base/picture/pass.h"
#include "wire/sheet/sheet_plan.h"
#include "wire/encode/reply.h"

/* The content of a picture. */
struct picture_shown {
    double time_s; /* as given by t= */
    double clip_time_s;
    const struct picture_camera *camera;
    const double *clip_from_view; /* [16], column-major */
    const struct model *clips;    /* the model with the clip; NULL: a blend */
    int32_t clip;                 /* or POSE_REST, as for a blend */
};

/* Writes a camera as JSON, which request_take_camera() reads. clip_from_view: [16], column-major. A non-finite number
 * makes `out` fail. */
void picture_put_camera(struct buf *out, const struct picture_camera *camera, const double *clip_from_view);
/* Adds the header line X-Posed-Clip: index and name of the clip, or - at rest. */
void reply_put_shown_clip(const struct model *clips, int32_t clip, struct reply *reply);

/* Adds the header lines X-Posed-Clip, X-Posed-Time and X-Posed-Camera. */
void reply_put_shown(const struct picture_shown *shown, struct reply *reply);
/* Adds the header line X-Posed-Pass of a pass in a PNG file: its name, and which numbers 16 bits stand for. least,
 * most: the numbers of 1 and 65535 where it shows a range. */
void reply_put_pass(enum pass pass, double least, double most, struct reply *reply);
/* Writes the JSON of format=json as the body. */
void body_put_picture(const struct request *request, const struct picture_shown *shown, struct reply *reply);

/* The cameras of a plan's cells, as the renderer computed them. */
struct sheet_cameras {
    struct dmat4 clip_from_view; /* shared by all cells */
    double pivot[3];             /* scene space */
    bool is_ortho;
    struct dmat4 *views;  /* [cell_count]: view_from_scene */
    double *clip_times_s; /* [cell_count]: clip times, for cells whose time the renderer chooses */
};

/* Appends the manifest to `out`, which may fail. model: the drawn model; sources: the request's. */
void sheet_manifest_put(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *cameras,
                        const struct model *model, const struct model *const *sources, const struct request *request);
