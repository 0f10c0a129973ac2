/* sheet_video.c - finds the constant frame rate of a video. */
#include "wire/sheet/sheet_plan.h"

#include <math.h>

static const double RATE_LEAST = 0.001, RATE_MOST = 1000;
/* A relative difference of durations up to this is rounding. */
static const double SAME = 1e-6;

/* The last frame of a loop may be shorter than the others: the video is then longer by less than a frame. */
static bool is_last(const struct sheet_plan *plan, uint32_t cell)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    return cell + 1 == plan->cell_count || cells[cell + 1].clip != cells[cell].clip ||
           cells[cell + 1].clip_source != cells[cell].clip_source || cells[cell + 1].direction != cells[cell].direction;
}

int sheet_plan_video(struct sheet_plan *plan, const struct request *request, struct err *err)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    double frame_s = 0;
    for (uint32_t c = 0; c < plan->cell_count; c++)
        frame_s = fmax(frame_s, cells[c].duration_s);
    for (uint32_t c = 0; request->sheet.play_rate == 0 && c < plan->cell_count; c++)
        if (cells[c].duration_s < frame_s * (1 - SAME) && !is_last(plan, c))
            return err_set(err, ERR_BAD_PARAMETER,
                           "frame %u would last %g seconds and another one %g, but in a video all last alike: "
                           "'play_rate' says how many are shown a second",
                           c, cells[c].duration_s, frame_s);
    plan->frame_rate = request->sheet.play_rate > 0 ? request->sheet.play_rate : 1 / frame_s;
    if (plan->frame_rate >= RATE_LEAST && plan->frame_rate <= RATE_MOST)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER,
                   "the video would have %g frames a second; it may have %g to %g: 'play_rate' says how many",
                   plan->frame_rate, RATE_LEAST, RATE_MOST);
}
