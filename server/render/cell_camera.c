/* cell_camera.c - what each cell of a picture shows, and the camera that sees it. */
#include "render/renderer_parts.h"

#include "base/view.h"

#include <math.h>
#include <string.h>

static struct frame_view view_of(const struct drawn *drawn, const struct render_cell *cell)
{
    const struct render_job *job = &drawn->work->job;
    return (struct frame_view){.look = &job->look,
                               .yaw_deg = job->look.yaw_deg + cell->yaw_deg,
                               .pitch_deg = job->look.pitch_deg + cell->pitch_deg,
                               .clip = drawn->layers.count > 0 ? POSE_REST : cell->clip,
                               .clip_time_s = cell->clip_time_s,
                               .layers = drawn->layers.layers,
                               .layer_count = drawn->layers.count,
                               .movers = drawn->movers,
                               .mover_count = drawn->mover_count,
                               .root = job->root,
                               .has_turn = job->has_turn != 0,
                               .root_start_s = cell->begin_s};
}

/* The model whose clip the cell shows. */
static const struct model *posed_by(const struct drawn *drawn, const struct render_cell *cell)
{
    return job_source(drawn->sources, drawn->layers.count > 0 ? 0 : cell->clip_source);
}

/* What the cell's clip shows, and when it is taken. */
static int aim_cell(struct renderer *renderer, struct drawn *drawn, const struct render_cell *cell,
                    struct frame_view *view, struct err *err)
{
    const struct render_job *job = &drawn->work->job;
    const struct reach_key key = {.model = job->model_key,
                                  .source = cell->clip_source > 0 && cell->clip_source <= job->source_count
                                                ? job->sources[cell->clip_source - 1].key
                                                : 0,
                                  .clip = cell->clip,
                                  .root = job->root,
                                  .has_turn = job->has_turn,
                                  .begin_s = cell->begin_s,
                                  .end_s = cell->end_s};
    return aim_prepare(&drawn->aim, &renderer->reaches, drawn->loaded, &renderer->frame, posed_by(drawn, cell), &key,
                       view, err);
}

int cells_name(const struct drawn *drawn, uint32_t c, const struct frame_view *view, struct err *err)
{
    const struct render_cell *cell = &drawn->work->cells[c];
    if (drawn->work->job.cell_count == 1 && drawn->work->job.look.view != VIEW_ONION)
        return err->code;
    if (drawn->layers.count > 0 || cell->clip == POSE_REST)
        return err_prefix(err, "moment %u", c);
    return err_prefix(err, "moment %u, clip %d at %.9g s", c, cell->clip, view->clip_time_s);
}

int cells_pose(struct renderer *renderer, struct drawn *drawn, uint32_t c, struct frame_view *view, struct err *err)
{
    const struct render_cell *cell = &drawn->work->cells[c];
    if (job_layers_set(&drawn->layers, drawn->work->layer_times_s + (size_t)c * drawn->layers.count, err) < 0)
        return err->code;
    *view = view_of(drawn, cell);
    if (aim_cell(renderer, drawn, cell, view, err) < 0)
        return err->code;
    return frame_pose(&renderer->frame, posed_by(drawn, cell), drawn->loaded->is_used, view, err) < 0
               ? cells_name(drawn, c, view, err)
               : 0;
}

const struct model *cells_model(const struct drawn *drawn) { return &drawn->loaded->mapped.model; }

static int start_framing(const struct renderer *renderer, struct drawn *drawn, const struct frame_view *view,
                         const struct camera *seen, struct frame_view *first, struct err *err)
{
    *first = *view;
    first->yaw_deg = first->pitch_deg = 0;
    const struct camera level = frame_aim(cells_model(drawn), first, NULL, 0);
    framing_init(&drawn->framing, &level, seen);
    *first = *view;
    if (aim_target(&drawn->aim, &renderer->frame, cells_model(drawn), first, err) < 0)
        return err->code;
    drawn->framing.has_target = first->has_target;
    memcpy(drawn->framing.target, first->target, sizeof first->target);
    return 0;
}

static bool has_own_camera(const struct drawn *drawn) { return drawn->work->job.look.camera > 0; }

/* A camera of the file stands and moves as the file says. What the cells have in common is its lens, with planes that
 * hold the model in all of them. */
static int add_own_camera(struct renderer *renderer, struct drawn *drawn, bool is_first, struct frame_view *view,
                          struct err *err)
{
    struct camera camera;
    if (aim_find(&drawn->aim, &renderer->frame, cells_model(drawn), view, &camera, err) < 0)
        return err->code;
    if (is_first)
        drawn->all = camera;
    drawn->all.near = fmin(drawn->all.near, camera.near);
    drawn->all.far = fmax(drawn->all.far, camera.far);
    return 0;
}

/* Beyond this the numbers of a camera that sees everything would overflow, in every cell. */
static const float FARTHEST = 1e36f;

static int check_near(const struct vec3 *points, uint64_t count, struct err *err)
{
    for (uint64_t n = 0; n < count; n++)
        if (!(fabsf(points[n].x) < FARTHEST && fabsf(points[n].y) < FARTHEST && fabsf(points[n].z) < FARTHEST))
            return err_set(err, ERR_NOT_FINITE, "a vertex is at %g, %g, %g, too far away for the camera of all cells",
                           (double)points[n].x, (double)points[n].y, (double)points[n].z);
    return 0;
}

int cells_frame(struct renderer *renderer, struct drawn *drawn, struct err *err)
{
    const struct render_work *work = drawn->work;
    struct framing *framing = &drawn->framing;
    struct frame_view view, first = {.look = &work->job.look};
    uint64_t count;
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        const struct render_cell *cell = &work->cells[c], *before = c > 0 ? cell - 1 : NULL;
        if (cells_pose(renderer, drawn, c, &view, err) < 0)
            return err->code;
        const struct camera seen = frame_aim(cells_model(drawn), &view, NULL, 0);
        if (c == 0 && start_framing(renderer, drawn, &view, &seen, &first, err) < 0)
            return err->code;
        const struct reach *reach = drawn->aim.reach;
        const bool is_new = before == NULL || before->clip != cell->clip || before->clip_source != cell->clip_source ||
                            before->yaw_deg != cell->yaw_deg || before->pitch_deg != cell->pitch_deg;
        const struct vec3 *points = frame_points(&renderer->frame, &count);
        if (check_near(points, count, err) < 0)
            return cells_name(drawn, c, &view, err);
        if ((reach != NULL && is_new &&
             framing_add_few(framing, &framing->reached, &seen, reach->points, reach->point_count, err) < 0) ||
            framing_add(framing, &framing->posed, &seen, points, count, err) < 0)
            return err->code;
        if (has_own_camera(drawn) && add_own_camera(renderer, drawn, c == 0, &view, err) < 0)
            return cells_name(drawn, c, &view, err);
    }
    if (has_own_camera(drawn))
        return 0;
    const struct camera_query query = frame_query(cells_model(drawn), &first);
    return framing_find(framing, &query, &drawn->all, err);
}

bool cells_are_framed_by_poses(const struct drawn *drawn)
{
    const struct picture_spec *look = &drawn->work->job.look;
    return drawn->aim.reach == NULL && look->camera == 0 && look->target_kind == PICTURE_TARGET_NONE;
}

int cells_find_camera(struct renderer *renderer, const struct drawn *drawn, struct frame_view *view,
                      struct camera *camera, struct err *err)
{
    if (drawn->work->job.cell_count == 1 ||
        (drawn->work->job.look.view == VIEW_ONION && !cells_are_framed_by_poses(drawn)))
        return aim_find(&drawn->aim, &renderer->frame, cells_model(drawn), view, camera, err);
    if (has_own_camera(drawn)) {
        if (aim_find(&drawn->aim, &renderer->frame, cells_model(drawn), view, camera, err) < 0)
            return err->code;
        camera->near = drawn->all.near;
        camera->far = drawn->all.far;
        camera_project(camera);
        return 0;
    }
    const struct camera seen = frame_aim(cells_model(drawn), view, NULL, 0);
    *camera = framing_camera(&drawn->framing, &drawn->all, &seen);
    return 0;
}

void cells_tell(struct renderer *renderer, const struct frame_view *view, const struct camera *camera)
{
    renderer->shown.clip_time_s = view->clip_time_s;
    memcpy(renderer->shown.view_from_scene, camera->view_from_scene.m, sizeof camera->view_from_scene.m);
    memcpy(renderer->shown.clip_from_view, camera->clip_from_view.m, sizeof camera->clip_from_view.m);
}

int cells_put_cameras(struct renderer *renderer, struct drawn *drawn, struct buf *out, struct err *err)
{
    const struct render_work *work = drawn->work;
    struct render_shots shots = {.cell_count = work->job.cell_count};
    struct camera camera;
    framing_pivot(&drawn->framing, shots.pivot);
    const size_t at = out->size_bytes;
    buf_put(out, &shots, sizeof shots); /* filled in below */
    for (uint32_t c = 0; c < work->job.cell_count; c++) {
        struct frame_view view = view_of(drawn, &work->cells[c]);
        const int rc = has_own_camera(drawn) ? cells_pose(renderer, drawn, c, &view, err)
                                             : aim_cell(renderer, drawn, &work->cells[c], &view, err);
        if (rc < 0 || cells_find_camera(renderer, drawn, &view, &camera, err) < 0)
            return err->code;
        struct render_view seen = {.clip_time_s = view.clip_time_s};
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
