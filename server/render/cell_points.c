/* cell_points.c - finds the points of a job in its cells, or paints those of a body. */
#include "render/image/openpose.h"
#include "render/passes/keypoints.h"
#include "render/cells.h"

#include <stdlib.h>
#include <string.h>

bool cells_are_alone(const struct cells *cells)
{
    return cells->work->job.cell_count == 1 || cells->work->job.format == SHEET_POINTS;
}

/* --- keypoints --- */

/* Finds the points in the cell that was posed last. */
static int find(struct renderer *renderer, struct cells *cells, struct visible *visible, struct render_keypoint *found,
                struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const struct picture_spec *picture = &job->picture;
    const struct loaded_model shown = pixels_shown(renderer, cells);
    struct keypoint_query query = {.visible = visible,
                                   .width = picture->width,
                                   .height = picture->height,
                                   .variant = picture->variant,
                                   .tolerance = job->tolerance};
    struct pass_surfaces surfaces;
    if (visibility_draw(&renderer->visibility, &renderer->drawing, &shown, &renderer->posed, picture->width,
                        picture->height, visible, err) < 0)
        return err->code;
    pass_camera_init(&query.camera, &renderer->posed.camera.view_from_scene, &renderer->posed.camera.clip_from_view,
                     picture->width, picture->height);
    int rc = pass_surfaces_init(&surfaces, cells_model(cells), &renderer->posed, NULL, err);
    if (rc == 0)
        rc = keypoints_find(&query, &surfaces, cells->points->points, cells->points->count, found, err);
    pass_surfaces_fini(&surfaces);
    return rc;
}

int points_put(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    struct visible *visible = malloc((size_t)job->picture.width * job->picture.height * sizeof *visible);
    struct render_keypoint *found = malloc((cells->points->count + (size_t)1) * sizeof *found);
    int rc = 0;
    if (visible == NULL || found == NULL)
        rc = err_set(err, ERR_NO_MEMORY, "no memory for %u points", cells->points->count);
    for (uint32_t c = 0; c < job->cell_count && rc == 0; c++) {
        rc = pixels_pose(renderer, cells, c, err);
        if (rc == 0)
            rc = find(renderer, cells, visible, found, err);
        buf_put(out, &renderer->shown, sizeof renderer->shown);
        buf_put(out, found, cells->points->count * sizeof *found);
    }
    if (rc == 0 && buf_failed(out))
        rc = err_set(err, ERR_NO_MEMORY, "no memory for %u points at %u times", cells->points->count, job->cell_count);
    free(visible);
    free(found);
    return rc;
}

/* --- the body --- */

_Static_assert((int)OPENPOSE_POINTS == (int)RENDER_BODY_POINTS, "a job has the points of a body");

int points_draw_body(struct renderer *renderer, const struct cells *cells, uint32_t scale, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    const uint32_t width = picture->width * scale, height = picture->height * scale;
    const size_t size_bytes = (size_t)width * height * 4;
    struct openpose_point body[OPENPOSE_POINTS] = {{.is_there = false}};
    struct pass_camera camera;
    if (pixels_reserve(&renderer->samples, &renderer->samples_bytes, size_bytes, err) < 0 ||
        pixels_reserve(&renderer->pixels, &renderer->pixels_bytes, size_bytes / (scale * scale), err) < 0)
        return err->code;
    pass_camera_init(&camera, &renderer->posed.camera.view_from_scene, &renderer->posed.camera.clip_from_view, width,
                     height);
    for (uint32_t p = 0; p < cells->points->count && p < OPENPOSE_POINTS; p++) {
        double scene[3], view[3], pixel[2];
        if (!keypoint_of_nodes(&cells->points->points[p], &renderer->posed.pose, scene))
            continue;
        dmat4_point(&camera.view_from_scene, scene, view);
        const bool is_there = pass_camera_pixel(&camera, view, pixel) && isfinite(pixel[0]) && isfinite(pixel[1]);
        body[p] = (struct openpose_point){.is_there = is_there, .x = pixel[0], .y = pixel[1]};
    }
    memset(renderer->samples, 0, size_bytes);
    openpose_paint(body, width, height, renderer->samples);
    return 0;
}
