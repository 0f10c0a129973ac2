/* job_check.c - checks sizes, numbers and places of cells. */
#include "render/job/job_check.h"

#include "base/view.h"

#include <math.h>
#include <stdbool.h>

enum {
    SIDE_MAX = 16384,    /* of a framebuffer, everywhere that GL 3.3 is */
    PIXELS_MAX = 1 << 28 /* of all cells together */
};

static int check_cell(const struct render_job *job, const struct render_cell *cell, struct err *err)
{
    if (!isfinite(cell->clip_time_s) || !isfinite(cell->begin_s) || !isfinite(cell->end_s) ||
        !isfinite(cell->yaw_deg) || !isfinite(cell->pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    const uint32_t height = job->picture.height + job->caption_height;
    if (cell->x > job->width - job->picture.width || cell->y > job->height - height)
        return err_set(err, ERR_BAD_PARAMETER, "a cell at %u, %u lies outside the picture", cell->x, cell->y);
    return 0;
}

/* In an animation cells are frames and lie as image_sequence.h wants them. */
static bool is_in_place(const struct render_work *work)
{
    const struct render_job *job = &work->job;
    const uint32_t height = job->picture.height + job->caption_height;
    if (job->format == SHEET_PNG || job->format == SHEET_JSON)
        return true;
    for (uint32_t c = 0; c < job->cell_count; c++)
        if (work->cells[c].x != 0 || work->cells[c].y != c * height)
            return false;
    return job->width == job->picture.width && job->height == job->cell_count * height;
}

static int check_size(const struct render_job *job, struct err *err)
{
    const bool is_cell = job->picture.width >= 1 && job->picture.height >= 1 && job->picture.width <= SIDE_MAX &&
                         job->picture.height <= SIDE_MAX && job->caption_height <= SIDE_MAX;
    if (is_cell && job->picture.width <= job->width && job->picture.height + job->caption_height <= job->height &&
        job->width <= SIDE_MAX && (uint64_t)job->width * job->height <= PIXELS_MAX)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "a picture of %u x %u pixels in one of %u x %u cannot be drawn",
                   job->picture.width, job->picture.height, job->width, job->height);
}

int job_check(const struct render_work *work, struct err *err)
{
    const struct render_job *job = &work->job;
    if (check_size(job, err) < 0)
        return err->code;
    if (!isfinite(job->picture.yaw_deg) || !isfinite(job->picture.pitch_deg))
        return err_set(err, ERR_BAD_PARAMETER, "time, yaw or pitch of the picture is not finite");
    if (job->picture.view >= VIEW_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "there is no view %u", job->picture.view);
    if (!render_job_is_bounded(job) || job->format >= SHEET_FORMAT_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "a picture cannot have %u cells of %u layers in format %u",
                       job->cell_count, job->blend.layer_count, job->format);
    for (uint32_t c = 0; c < job->cell_count; c++)
        if (check_cell(job, &work->cells[c], err) < 0)
            return err->code;
    return is_in_place(work) ? 0 : err_set(err, ERR_BAD_PARAMETER, "the frames of the animation are out of place");
}
