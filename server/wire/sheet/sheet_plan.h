/* sheet_plan.h - plans the cells of an OP_SHEET or OP_TURNTABLE request: their times, directions and positions. The
 * picture and its manifest follow the same plan. Pure; any thread.
 *
 * The frames of a clip are spread over one pass of the played part. The last frame does not repeat the first, so that a
 * loop closes. Only a clamped clip also has a frame at its end. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"
#include "base/picture/sheet_spec.h"
#include "wire/request/request.h"
#include "wire/sheet/sheet_layout.h"

enum { SHEET_CELLS_MAX = 1024 };

struct sheet_cell {
    int32_t clip;   /* or POSE_REST */
    uint32_t frame; /* index within its clip, or among the given times */
    uint32_t column, row;
    uint32_t x, y; /* top left pixel of its picture, if it is drawn */
    double time_s; /* as in a request */
    double clip_time_s;
    double yaw_deg;        /* added to the request's */
    double begin_s, end_s; /* range of clip times that its clip plays */
    double duration_s;     /* display time in an animation */
    uint32_t direction;
    uint32_t clip_source; /* source of its clip: 0 is the model, n is sources[n - 1] of the request */
};

struct sheet_plan {
    struct sheet_layout layout;
    uint32_t width, height; /* of the picture; of an animation with all frames in one column */
    uint32_t direction_count;
    uint32_t cell_count;
    uint32_t first_drawn, drawn_count; /* the drawn cells, from the requested rows */
    double frame_rate;                 /* of a video, frames per second; otherwise 0 */
    struct buf cells;                  /* of struct sheet_cell */
};

void sheet_plan_init(struct sheet_plan *plan);
void sheet_plan_fini(struct sheet_plan *plan);
const struct sheet_cell *sheet_plan_cells(const struct sheet_plan *plan);

/* Sets the rate of a planned video. ERR_BAD_PARAMETER when its frames would differ in duration. Private to
 * sheet_plan.c. */
int sheet_plan_video(struct sheet_plan *plan, const struct request *request, struct err *err);

/* Chooses the drawn cells and the size of their picture. Returns 0 or ERR_BAD_PARAMETER. Private to sheet_plan.c. */
int sheet_plan_cut(struct sheet_plan *plan, const struct request *request, const struct limits *limits,
                   struct err *err);

/* Returns how many rows one request may have by the limits on pictures, at least 1. Each row counts with the padding.
 */
uint32_t sheet_plan_rows_at_once(const struct sheet_plan *plan, const struct request *request,
                                 const struct limits *limits);

/* Plans a sheet. clips: the model with the clips; for several clip files, these models in order. clip: the requested
 * clip, unless all are. Returns 0, ERR_BAD_PARAMETER (an invalid part of a clip, a picture beyond the limits, or a
 * video whose frames differ in duration), ERR_TOO_MANY_FRAMES or ERR_CLIP_NOT_FOUND. */
int sheet_plan_make(struct sheet_plan *plan, const struct model *const *clips, int32_t clip,
                    const struct request *request, const struct limits *limits, struct err *err);
