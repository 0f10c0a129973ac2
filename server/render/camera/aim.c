#include "render/camera/aim.h"

#include <stdlib.h>
#include <string.h>

int aim_prepare(struct aim *aim, struct reaches *reaches, struct loaded *loaded, struct frame *frame,
                const struct model *posed, const struct reach_key *key, struct frame_view *view, struct err *err)
{
    const uint32_t flags = view->look->flags;
    const bool is_still = view->layer_count > 0 || view->clip == POSE_REST || key->begin_s >= key->end_s;
    const bool has_own_camera = view->look->camera > 0;
    *aim = (struct aim){0};
    if ((flags & PICTURE_AUTO_TIME) != 0 && view->layer_count == 0)
        view->clip_time_s = key->begin_s;
    if (is_still || ((flags & PICTURE_AUTO_TIME) == 0 && ((flags & PICTURE_FRAME_POSE) != 0 || has_own_camera)))
        return 0;
    if (loaded->outline.firsts == NULL &&
        outline_init(&loaded->outline, &loaded->mapped.model, loaded->is_used, err) < 0) {
        outline_fini(&loaded->outline);
        return err->code;
    }
    struct reach *reach = NULL;
    const struct reach_work work = {.frame = frame, .model = posed, .outline = &loaded->outline, .view = view};
    if (reach_get(reaches, key, &work, &reach, err) < 0)
        return err->code;
    if ((flags & PICTURE_AUTO_TIME) != 0)
        view->clip_time_s = reach->moment_s;
    if ((flags & PICTURE_FRAME_POSE) == 0 && reach->point_count > 0)
        aim->reach = reach;
    return 0;
}

/* What is to be in the middle of the picture: a node stands still, or is followed where the pose is framed. */
int aim_target(const struct aim *aim, const struct frame *frame, const struct model *model, struct frame_view *view,
               struct err *err)
{
    const struct picture_spec *look = view->look;
    view->has_target = look->target_kind != PICTURE_TARGET_NONE;
    memcpy(view->target, look->target, sizeof view->target);
    if (look->target_kind != PICTURE_TARGET_NODE)
        return 0;
    if (look->target_node >= model->node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", look->target_node);
    if (aim->reach != NULL) {
        const struct vec3 middle = aim->reach->node_middles[look->target_node];
        const double target[3] = {(double)middle.x, (double)middle.y, (double)middle.z};
        memcpy(view->target, target, sizeof target);
    } else {
        memcpy(view->target, &frame->pose.scene_from_node[look->target_node].m[12], sizeof view->target);
    }
    return 0;
}

/* The camera for what the clip reaches and the pose together. */
static int frame_both(const struct reach *reach, const struct vec3 *points, uint64_t point_count,
                      const struct camera_query *query, struct camera *out, struct err *err)
{
    struct vec3 *all = malloc((reach->point_count + point_count) * sizeof *all);
    if (all == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to frame %llu vertices", (unsigned long long)point_count);
    memcpy(all, reach->points, reach->point_count * sizeof *all);
    memcpy(all + reach->point_count, points, point_count * sizeof *all);
    *out = camera_frame(query, all, reach->point_count + point_count);
    free(all);
    return 0;
}

/* The camera of the file, where its node is in the pose. */
static int find_own(const struct frame *frame, const struct model *model, const struct frame_view *view,
                    const struct vec3 *points, uint64_t point_count, struct camera *out, struct err *err)
{
    const uint32_t index = view->look->camera - 1;
    if (index >= model->camera_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no camera %u", index);
    const struct model_camera *camera = &model->cameras[index];
    const double aspect = (double)view->look->width / view->look->height;
    if (!camera_of_model(camera, &frame->pose.scene_from_node[camera->node], aspect, points, point_count, out))
        return err_set(err, ERR_NOT_FINITE, "camera %u looks nowhere: the axes of its node %u have no direction", index,
                       camera->node);
    return 0;
}

int aim_find(const struct aim *aim, const struct frame *frame, const struct model *model, struct frame_view *view,
             struct camera *out, struct err *err)
{
    uint64_t count;
    const struct vec3 *points = frame_points(frame, &count);
    if (view->look->camera > 0)
        return find_own(frame, model, view, points, count, out, err);
    if (aim_target(aim, frame, model, view, err) < 0)
        return err->code;
    struct camera_query query = frame_query(model, view);
    if (aim->reach == NULL) {
        *out = camera_frame(&query, points, count);
        return 0;
    }
    /* who comes nearer wants to cut off what is around */
    const double distance = query.distance;
    query.distance = distance > 1 ? distance : 1;
    *out = *reach_camera(aim->reach, &query);
    if (!camera_sees_all(out, points, count)) {
        query.distance = distance;
        return frame_both(aim->reach, points, count, &query, out, err);
    }
    query.distance = distance;
    *out = *reach_camera(aim->reach, &query);
    camera_hold(out, points, count);
    return 0;
}
