/* service_points.c - keypoints and the body of view=openpose: converts points for the renderer, and what it finds into
 * the reply. */
#include "daemon/service/job.h"

#include "wire/keypoints/keypoints_json.h"
#include "wire/keypoints/point_resolve.h"

#include <math.h>
#include <string.h>

_Static_assert((int)POINT_NODE == (int)RENDER_POINT_NODE && (int)POINT_BETWEEN == (int)RENDER_POINT_BETWEEN &&
                   (int)POINT_SURFACE == (int)RENDER_POINT_SURFACE && (int)POINT_NONE == (int)RENDER_POINT_NONE,
               "the renderer has the same kinds of points");
_Static_assert((int)KEYPOINT_VISIBLE == (int)RENDER_POINT_VISIBLE && (int)KEYPOINT_OUTSIDE == (int)RENDER_POINT_OUTSIDE,
               "the renderer has the same states");

/* How far a point may lie behind what is drawn, as a share of the model's size, unless the request says so. */
static const double TOLERANCE = 1e-3;

static const struct resolved_point *points_of(const struct picture_job *picture, uint32_t *count)
{
    *count = (uint32_t)(picture->points.size_bytes / sizeof(struct resolved_point));
    return (const struct resolved_point *)(const void *)picture->points.data;
}

/* Returns the diagonal of the model's box at rest; 1 where it has none. */
static double size_of(const struct model *model)
{
    const struct vec3 least = model->infos[0].rest_min, most = model->infos[0].rest_max;
    const double x = (double)most.x - (double)least.x, y = (double)most.y - (double)least.y,
                 z = (double)most.z - (double)least.z;
    const double size = sqrt(x * x + y * y + z * z);
    return x >= 0 && isfinite(size) && size > 0 ? size : 1;
}

static double tolerance_of(const struct picture_job *picture)
{
    const struct request *request = &picture->job->call->request;
    return (request->compare.has_tolerance ? request->compare.tolerance : TOLERANCE) *
           size_of(&picture->job->models[0]->model);
}

bool service_points_find(struct picture_job *picture, struct reply *reply)
{
    const struct request *request = &picture->job->call->request;
    const uint32_t times = request->sheet.format == SHEET_POINTS ? request->pose.time_count : 1;
    const uint64_t limit = picture->job->service->config->limits.value[LIMIT_KEYPOINTS];
    return points_resolve(request, &picture->job->models[0]->model, limit / times, &picture->points, reply) == 0;
}

void service_points_fill(struct picture_job *picture)
{
    struct render_job *drawing = &picture->drawing;
    const struct resolved_point *points = points_of(picture, &drawing->point_count);
    for (uint32_t i = 0; i < drawing->point_count; i++) {
        struct render_point point = {.kind = points[i].kind, .first = points[i].first, .second = points[i].second};
        memcpy(point.place, points[i].place, sizeof point.place);
        buf_put(&picture->given, &point, sizeof point);
    }
    if (drawing->format == SHEET_POINTS)
        drawing->tolerance = tolerance_of(picture);
}

/* Reads what the renderer found at one time. It is not trusted: false when it cannot be. */
static bool read_point(const char *bytes, const struct model *model, struct keypoint *out)
{
    struct render_keypoint found;
    memcpy(&found, bytes, sizeof found);
    *out = (struct keypoint){.pixel = {found.pixel[0], found.pixel[1]},
                             .depth = found.depth,
                             .drawn_depth = found.drawn_depth,
                             .state = found.state,
                             .drawn_joint = found.drawn_joint};
    return found.state < RENDER_POINT_STATES && found.drawn_joint >= -1 &&
           found.drawn_joint < (int64_t)model->node_count;
}

static bool put_frames(const struct picture_job *picture, const struct blob *made, struct buf *out)
{
    const struct request *request = &picture->job->call->request;
    const char *at = made->data;
    uint32_t count;
    const struct resolved_point *points = points_of(picture, &count);
    for (uint32_t f = 0; f < request->pose.time_count; f++) {
        struct render_shown shown;
        struct keypoint found;
        memcpy(&shown, at, sizeof shown);
        at += sizeof shown;
        keypoints_begin_frame(out, f, request->pose.times_s[f], shown.clip_time_s, &shown.camera, shown.clip_from_view);
        for (int column = 0; column < KEYPOINT_COLUMNS; column++) {
            keypoints_begin_column(out, column);
            for (uint32_t i = 0; i < count; i++) {
                if (!read_point(at + i * sizeof(struct render_keypoint), &picture->job->models[0]->model, &found))
                    return false;
                keypoints_put(out, column, i, &points[i], &found);
            }
        }
        at += count * sizeof(struct render_keypoint);
        keypoints_end_frame(out);
    }
    return true;
}

void service_points_reply(const struct picture_job *picture, const struct blob *made, struct reply *reply)
{
    const struct job *job = picture->job;
    const struct request *request = &job->call->request;
    uint32_t count;
    const struct resolved_point *points = points_of(picture, &count);
    struct err err;
    reply->content_type = "application/json";
    keypoints_put_head(&reply->body, request, &job->models[0]->model,
                       request->pose.layer_count > 0 ? NULL : &job->models[request->pose.clip_source]->model,
                       picture->clip, tolerance_of(picture), points, count);
    if (put_frames(picture, made, &reply->body)) {
        keypoints_end(&reply->body);
        return;
    }
    err_set(&err, ERR_RENDER_FAILED, "the renderer sent points that are none");
    reply_error(reply, &err, NULL, 0);
}
