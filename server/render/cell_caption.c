/* cell_caption.c - what is written under a cell. */
#include "render/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The clip's name, or what stands for it. */
static void name_clip(const struct cells *cells, const struct render_cell *cell, char room[32], struct caption *caption)
{
    const struct model *model = job_source(cells->sources, cells->layers.count > 0 ? 0 : cell->clip_source);
    caption->name = room;
    if (cells->layers.count > 0 || cell->clip == POSE_REST) {
        snprintf(room, 32, "%s", cells->layers.count > 0 ? "blend" : "rest");
    } else if (model->clips[cell->clip].name.offset == STR_NONE || model->clips[cell->clip].name.size_bytes == 0) {
        snprintf(room, 32, "clip %d", cell->clip);
    } else {
        caption->name = model->text + model->clips[cell->clip].name.offset;
        caption->name_bytes = model->clips[cell->clip].name.size_bytes;
        return;
    }
    caption->name_bytes = strlen(room);
}

int caption_put(struct renderer *renderer, const struct cells *cells, const struct render_cell *cell, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    char room[32], rest[64];
    struct caption caption = {.rest = rest};
    int rest_bytes = 0;
    rest[0] = '\0';
    if ((job->captions & RENDER_CAPTION_CLIP) != 0)
        name_clip(cells, cell, room, &caption);
    if ((job->captions & RENDER_CAPTION_TIME) != 0)
        rest_bytes = snprintf(rest, sizeof rest, "  %.2f s", fmod(cells->clip_time_s, 1e6));
    if ((job->captions & RENDER_CAPTION_YAW) != 0) {
        const double yaw_deg = fmod(job->picture.yaw_deg + cell->yaw_deg, 360);
        snprintf(rest + rest_bytes, sizeof rest - (size_t)rest_bytes, "%s%.4g\u00b0", rest_bytes > 0 ? "  " : "",
                 yaw_deg < 0 ? yaw_deg + 360 : yaw_deg);
    }
    const struct caption_band band = {.pixels = renderer->canvas +
                                                ((size_t)(cell->y + job->picture.height) * job->width + cell->x) * 4,
                                      .stride = job->width,
                                      .width = job->picture.width,
                                      .height = job->caption_height,
                                      .is_premultiplied = (job->picture.flags & PICTURE_PREMULTIPLIED) != 0};
    return caption_draw(renderer->font, &caption, &band, err);
}
