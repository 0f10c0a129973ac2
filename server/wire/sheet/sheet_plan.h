/* sheet_plan.h - from a request of OP_SHEET or OP_TURNTABLE to its cells: which moments, seen from where, and where in
 * the picture. The picture and its manifest are made from the same plan. Pure; any thread.
 *
 * The frames of a clip are spread over the time in which the part that is played passes once, and the last of them is
 * not the first again: so a loop closes. Only where the clip is clamped its end is a frame too. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"
#include "base/sheet_spec.h"
#include "wire/request/request.h"
#include "wire/sheet/sheet_layout.h"

enum { SHEET_CELLS_MAX = 1024 };

struct sheet_cell {
    int32_t clip;   /* or POSE_REST */
    uint32_t frame; /* of its clip; when times are given the place among them */
    uint32_t column, row;
    uint32_t x, y; /* of its picture's top left pixel, where it is drawn */
    double time_s; /* as a request names it */
    double clip_time_s;
    double yaw_deg;        /* added to the request's */
    double begin_s, end_s; /* clip times between which its clip is played */
    double duration_s;     /* how long it stands in an animation */
    uint32_t direction;
    uint32_t clip_source; /* whose clip it is: 0: the model; n: sources[n - 1] of the request */
};

struct sheet_plan {
    struct sheet_layout layout;
    uint32_t width, height; /* of the picture; of an animation all its frames one below the other */
    uint32_t direction_count;
    uint32_t cell_count;
    uint32_t first_drawn, drawn_count; /* the cells that the picture has: those of the rows that are asked for */
    double frame_rate;                 /* of a video, frames a second; of others 0 */
    struct buf cells;                  /* of struct sheet_cell */
};

void sheet_plan_init(struct sheet_plan *plan);
void sheet_plan_fini(struct sheet_plan *plan);
const struct sheet_cell *sheet_plan_cells(const struct sheet_plan *plan);

/* Sets the rate of a planned video, or ERR_BAD_PARAMETER: its frames would not all last alike. Private to sheet_plan.c.
 */
int sheet_plan_video(struct sheet_plan *plan, const struct request *request, struct err *err);

/* Chooses the cells that are drawn and the size of their picture. Returns 0 or ERR_BAD_PARAMETER. Private to
 * sheet_plan.c. */
int sheet_plan_cut(struct sheet_plan *plan, const struct request *request, const struct limits *limits,
                   struct err *err);

/* Of how many rows one request may be, by the limits on pictures: at least 1. The padding counts with each of them. */
uint32_t sheet_plan_rows_at_once(const struct sheet_plan *plan, const struct request *request,
                                 const struct limits *limits);

/* clips: the model that has the clips, or of a request with several clip files these, in their order; clip: the one
 * that is meant, where not all are. Returns 0, ERR_BAD_PARAMETER
 * (part of a clip, a picture larger than the limits, or a video whose frames do not last alike), ERR_TOO_MANY_FRAMES or
 * ERR_CLIP_NOT_FOUND. */
int sheet_plan_make(struct sheet_plan *plan, const struct model *const *clips, int32_t clip,
                    const struct request *request, const struct limits *limits, struct err *err);
