/* cell_camera.c - what each cell of a picture shows, and the camera that sees it. */
#include "render/cells.h"

#include "anim/camera/camera_numbers.h"
#include "base/picture/view.h"

#include <math.h>
#include <string.h>

static struct pose_view view_of(const struct cells *cells, const struct render_cell *cell)
{
    const struct render_job *job = &cells->work->job;
    return (struct pose_view){.picture = &job->picture,
                              .yaw_deg = job->picture.yaw_deg + cell->yaw_deg,
                              .pitch_deg = job->picture.pitch_deg + cell->pitch_deg,
                              .clip = cells->layers.count > 0 ? POSE_REST : cell->clip,
                              .clip_time_s = cell->clip_time_s,
                              .layers = cells->layers.layers,
                              .layer_count = cells->layers.count,
                              .movers = cells->movers,
                              .mover_count = cells->mover_count,
                              .root = job->root,
                              .has_turn = job->has_turn != 0,
                              .root_start_s = cell->begin_s,
                              .on_top = cells->on_top};
}

/* Returns the model with the clip that the cell shows. */
static const struct model *posed_by(const struct cells *cells, const struct render_cell *cell)
{
    return job_source(cells->sources, cells->layers.count > 0 ? 0 : cell->clip_source);
}

/* Finds what the cell's clip shows, and the cell's time. */
static int aim_cell(struct renderer *renderer, struct cells *cells, const struct render_cell *cell,
                    struct pose_view *view, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const struct clip_bounds_key key = {.model = job->model_key,
                                        .rules = cells->sources->rules_hash,
                                        .source = cell->clip_source > 0 && cell->clip_source <= job->source_count
                                                      ? job->sources[cell->clip_source - 1].key
                                                      : 0,
                                        .clip = cell->clip,
                                        .root = job->root,
                                        .has_turn = job->has_turn,
                                        .begin_s = cell->begin_s,
                                        .end_s = cell->end_s};
    return camera_setup_prepare(&renderer->bounds_cache, cells->loaded, &renderer->posed, posed_by(cells, cell), &key,
                                view, &cells->bounds, err);
}

int cells_name(const struct cells *cells, uint32_t c, const struct pose_view *view, struct err *err)
{
    const struct render_cell *cell = &cells->work->cells[c];
    if (cells->work->job.cell_count == 1 && cells->work->job.picture.view != VIEW_ONION)
        return err->code;
    if (cells->layers.count > 0 || cell->clip == POSE_REST)
        return err_prefix(err, "moment %u", c);
    return err_prefix(err, "moment %u, clip %d at %.9g s", c, cell->clip, view->clip_time_s);
}

int cells_pose(struct renderer *renderer, struct cells *cells, uint32_t c, struct pose_view *view, struct err *err)
{
    const struct render_cell *cell = &cells->work->cells[c];
    if (job_layers_set(&cells->layers, cells->work->layer_moments + (size_t)c * cells->layers.count, err) < 0)
        return err->code;
    *view = view_of(cells, cell);
    if (aim_cell(renderer, cells, cell, view, err) < 0)
        return err->code;
    return posed_model_pose(&renderer->posed, posed_by(cells, cell), cells->loaded->is_used, view, err) < 0
               ? cells_name(cells, c, view, err)
               : 0;
}

int cells_pose_later(struct renderer *renderer, struct cells *cells, struct err *err)
{
    const struct render_work *work = cells->work;
    const uint32_t c = work->job.cell_count;
    struct picture_spec picture = work->job.picture;
    if (job_layers_set(&cells->layers, work->layer_moments + (size_t)c * cells->layers.count, err) < 0)
        return err->code;
    struct pose_view view = view_of(cells, &work->cells[c]);
    picture.flags |= PICTURE_ALLOW_EMPTY; /* the model may have vanished by then */
    view.picture = &picture;
    return posed_model_evaluate(&renderer->later, posed_by(cells, &work->cells[c]), &view, err) < 0
               ? err_prefix(err, "at t2")
               : 0;
}

const struct model *cells_model(const struct cells *cells) { return &cells->loaded->mapped.model; }

static bool has_frame_box(const struct cells *cells)
{
    return (cells->work->job.picture.flags & PICTURE_FRAME_BOX) != 0;
}

static int start_framing(const struct renderer *renderer, struct cells *cells, const struct pose_view *view,
                         const struct camera *seen, struct pose_view *first, struct err *err)
{
    *first = *view;
    first->yaw_deg = first->pitch_deg = 0;
    const struct camera level = posed_model_camera(cells_model(cells), first, NULL, 0);
    shared_camera_init(&cells->shared, &level, seen);
    *first = *view;
    if (camera_setup_target(cells->bounds, &renderer->posed, cells_model(cells), first, err) < 0)
        return err->code;
    cells->shared.has_target = first->has_target;
    cells->shared.is_told = has_frame_box(cells);
    memcpy(cells->shared.target, first->target, sizeof first->target);
    return 0;
}

static bool has_own_camera(const struct cells *cells) { return camera_setup_is_own(&cells->work->job.picture); }

/* A camera of the file stands and moves as the file says, one by numbers stands. The cells share its lens, with near
 * and far planes that hold the model in all of them. */
static int add_own_camera(struct renderer *renderer, struct cells *cells, bool is_first, struct pose_view *view,
                          struct err *err)
{
    struct camera camera;
    if (camera_setup_find(cells->bounds, &renderer->posed, cells_model(cells), view, &camera, err) < 0)
        return err->code;
    if (is_first)
        cells->all = camera;
    cells->all.near = fmin(cells->all.near, camera.near);
    cells->all.far = fmax(cells->all.far, camera.far);
    return 0;
}

/* Beyond this the numbers of a camera that sees everything would overflow. */
static const float FARTHEST = 1e36f;

static int check_near(const struct vec3 *points, uint64_t count, struct err *err)
{
    for (uint64_t n = 0; n < count; n++)
        if (!(fabsf(points[n].x) < FARTHEST && fabsf(points[n].y) < FARTHEST && fabsf(points[n].z) < FARTHEST))
            return err_set(err, ERR_NOT_FINITE, "a vertex is at %g, %g, %g, too far away for the camera of all cells",
                           (double)points[n].x, (double)points[n].y, (double)points[n].z);
    return 0;
}

/* Adds what the common camera frames besides the poses: what a clip reaches, or the request's box. */
static int add_reached(struct cells *cells, const struct camera *seen, struct err *err)
{
    struct shared_camera *shared = &cells->shared;
    struct vec3 corners[8];
    if (has_frame_box(cells)) {
        camera_setup_box(&cells->work->job.picture, corners);
        return shared_camera_add_few(shared, &shared->reached, seen, corners, 8, err);
    }
    const struct clip_bounds *bounds = cells->bounds;
    return bounds == NULL
               ? 0
               : shared_camera_add_few(shared, &shared->reached, seen, bounds->points, bounds->point_count, err);
}

int cells_frame(struct renderer *renderer, struct cells *cells, struct err *err)
{
    const struct render_work *work = cells->work;
    struct shared_camera *shared = &cells->shared;
    struct pose_view view, first = {.picture = &work->job.picture};
    uint64_t count;
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        const struct render_cell *cell = &work->cells[c], *before = c > 0 ? cell - 1 : NULL;
        if (cells_pose(renderer, cells, c, &view, err) < 0)
            return err->code;
        const struct camera seen = posed_model_camera(cells_model(cells), &view, NULL, 0);
        if (c == 0 && start_framing(renderer, cells, &view, &seen, &first, err) < 0)
            return err->code;
        const bool is_new = before == NULL || before->clip != cell->clip || before->clip_source != cell->clip_source ||
                            before->yaw_deg != cell->yaw_deg || before->pitch_deg != cell->pitch_deg;
        const struct vec3 *points = posed_model_points(&renderer->posed, &count);
        if (check_near(points, count, err) < 0)
            return cells_name(cells, c, &view, err);
        if ((is_new && add_reached(cells, &seen, err) < 0) ||
            shared_camera_add(shared, &shared->posed, &seen, points, count, err) < 0)
            return err->code;
        if (has_own_camera(cells) && add_own_camera(renderer, cells, c == 0, &view, err) < 0)
            return cells_name(cells, c, &view, err);
    }
    if (has_own_camera(cells))
        return 0;
    const struct camera_query query = posed_model_camera_query(cells_model(cells), &first);
    return shared_camera_find(shared, &query, &cells->all, err);
}

bool cells_are_framed_by_poses(const struct cells *cells)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    return cells->bounds == NULL && !camera_setup_is_own(picture) && picture->target_kind == PICTURE_TARGET_NONE &&
           !has_frame_box(cells);
}

int cells_find_camera(struct renderer *renderer, const struct cells *cells, struct pose_view *view,
                      struct camera *camera, struct err *err)
{
    if (cells_are_alone(cells) || (cells->work->job.picture.view == VIEW_ONION && !cells_are_framed_by_poses(cells)))
        return camera_setup_find(cells->bounds, &renderer->posed, cells_model(cells), view, camera, err);
    if (has_own_camera(cells)) {
        if (camera_setup_find(cells->bounds, &renderer->posed, cells_model(cells), view, camera, err) < 0)
            return err->code;
        camera->near = cells->all.near;
        camera->far = cells->all.far;
        camera_project(camera);
        return 0;
    }
    const struct camera seen = posed_model_camera(cells_model(cells), view, NULL, 0);
    *camera = shared_camera_of_cell(&cells->shared, &cells->all, &seen);
    return 0;
}

/* The numbers come from the camera, and the camera from its numbers, so that a request with these numbers has the same
 * camera to the last bit. Numbers of a request are not computed anew. */
struct picture_camera cells_settle_camera(const struct cells *cells, struct camera *camera)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    struct picture_camera numbers = picture->given;
    if (numbers.kind == PICTURE_CAMERA_NONE)
        numbers = camera_numbers(camera, picture->width, picture->height);
    numbers.near = camera->near;
    numbers.far = camera->far;
    *camera = camera_of_numbers(&numbers, picture->width, picture->height);
    return numbers;
}

int cells_put_cameras(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err)
{
    const struct render_work *work = cells->work;
    struct render_cameras shots = {.cell_count = work->job.cell_count};
    struct camera camera;
    shared_camera_pivot(&cells->shared, shots.pivot);
    const size_t at = out->size_bytes;
    buf_put(out, &shots, sizeof shots); /* filled in below */
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        struct pose_view view = view_of(cells, &work->cells[c]);
        const int rc = has_own_camera(cells) ? cells_pose(renderer, cells, c, &view, err)
                                             : aim_cell(renderer, cells, &work->cells[c], &view, err);
        if (rc < 0 || cells_find_camera(renderer, cells, &view, &camera, err) < 0)
            return err->code;
        struct render_cell_camera seen = {.clip_time_s = view.clip_time_s};
        memcpy(seen.view_from_scene, camera.view_from_scene.m, sizeof seen.view_from_scene);
        buf_put(out, &seen, sizeof seen);
    }
    if (buf_failed(out))
        return err_set(err, ERR_NO_MEMORY, "no memory for the cameras of %u cells", shots.cell_count);
    shots.is_ortho = camera.is_ortho;
    memcpy(shots.clip_from_view, camera.clip_from_view.m, sizeof shots.clip_from_view);
    memcpy(out->data + at, &shots, sizeof shots);
    return 0;
}
