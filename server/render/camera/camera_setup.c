/* camera_setup.c - chooses between the camera of a clip, of a pose, of the file and by numbers. */
#include "render/camera/camera_setup.h"

#include "anim/camera/camera_numbers.h"

#include <stdlib.h>
#include <string.h>

bool camera_setup_is_own(const struct picture_spec *picture)
{
    return picture->camera > 0 || picture->given.kind != PICTURE_CAMERA_NONE;
}

int camera_setup_prepare(struct clip_bounds_cache *bounds_cache, struct loaded_model *loaded, struct posed_model *posed,
                         const struct model *clip_model, const struct clip_bounds_key *key, struct pose_view *view,
                         struct clip_bounds **out, struct err *err)
{
    const uint32_t flags = view->picture->flags;
    const bool is_still = view->layer_count > 0 || view->clip == POSE_REST || key->begin_s >= key->end_s;
    const bool has_own_camera = camera_setup_is_own(view->picture);
    *out = NULL;
    if ((flags & PICTURE_AUTO_TIME) != 0 && view->layer_count == 0)
        view->clip_time_s = key->begin_s;
    const bool is_framed_else = (flags & (PICTURE_FRAME_POSE | PICTURE_FRAME_BOX)) != 0;
    if (is_still || ((flags & PICTURE_AUTO_TIME) == 0 && (is_framed_else || has_own_camera)))
        return 0;
    if (loaded->hull.firsts == NULL &&
        hull_vertices_init(&loaded->hull, &loaded->mapped.model, loaded->is_used, err) < 0) {
        hull_vertices_fini(&loaded->hull);
        return err->code;
    }
    struct clip_bounds *bounds = NULL;
    const struct clip_bounds_input work = {.posed = posed, .model = clip_model, .hull = &loaded->hull, .view = view};
    if (clip_bounds_get(bounds_cache, key, &work, &bounds, err) < 0)
        return err->code;
    if ((flags & PICTURE_AUTO_TIME) != 0)
        view->clip_time_s = bounds->key_pose_s;
    if (!is_framed_else && bounds->point_count > 0)
        *out = bounds;
    return 0;
}

/* A target node is fixed at its middle over the clip, or followed where the pose is framed. */
int camera_setup_target(struct clip_bounds *bounds, const struct posed_model *posed, const struct model *model,
                        struct pose_view *view, struct err *err)
{
    const struct picture_spec *picture = view->picture;
    view->has_target = picture->target_kind != PICTURE_TARGET_NONE;
    memcpy(view->target, picture->target, sizeof view->target);
    if (picture->target_kind != PICTURE_TARGET_NODE)
        return 0;
    if (picture->target_node >= model->node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", picture->target_node);
    if (bounds != NULL) {
        const struct vec3 middle = bounds->node_middles[picture->target_node];
        const double target[3] = {(double)middle.x, (double)middle.y, (double)middle.z};
        memcpy(view->target, target, sizeof target);
    } else {
        memcpy(view->target, &posed->pose.scene_from_node[picture->target_node].m[12], sizeof view->target);
    }
    return 0;
}

/* Finds the camera for the extent of the clip and the pose together. */
static int frame_both(const struct clip_bounds *bounds, const struct vec3 *points, uint64_t point_count,
                      const struct camera_query *query, struct camera *out, struct err *err)
{
    struct vec3 *all = malloc((bounds->point_count + point_count) * sizeof *all);
    if (all == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to frame %llu vertices", (unsigned long long)point_count);
    memcpy(all, bounds->points, bounds->point_count * sizeof *all);
    memcpy(all + bounds->point_count, points, point_count * sizeof *all);
    *out = camera_frame(query, all, bounds->point_count + point_count);
    free(all);
    return 0;
}

/* Finds the camera of the file, at its node in the pose. */
static int find_own(const struct posed_model *posed, const struct model *model, const struct pose_view *view,
                    const struct vec3 *points, uint64_t point_count, struct camera *out, struct err *err)
{
    const uint32_t index = view->picture->camera - 1;
    if (index >= model->camera_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no camera %u", index);
    const struct model_camera *camera =
        posed->appearance.is_animated ? &posed->appearance.cameras[index] : &model->cameras[index];
    const double aspect = (double)view->picture->width / view->picture->height;
    if (!camera_of_model(camera, &posed->pose.scene_from_node[camera->node], aspect, points, point_count, out))
        return err_set(err, ERR_NOT_FINITE, "camera %u looks nowhere: the axes of its node %u have no direction", index,
                       camera->node);
    return 0;
}

/* Makes the camera of the request's numbers. Near and far that it lacks hold the pose. */
static void take_given(const struct picture_spec *picture, const struct vec3 *points, uint64_t point_count,
                       struct camera *out)
{
    struct picture_camera numbers = picture->given;
    camera_numbers_hold(&numbers, points, point_count);
    *out = camera_of_numbers(&numbers, picture->width, picture->height);
}

void camera_setup_box(const struct picture_spec *picture, struct vec3 corners[8])
{
    const double *box = picture->frame_box;
    for (int i = 0; i < 8; i++)
        corners[i] = (struct vec3){(float)box[i & 1 ? 3 : 0], (float)box[i & 2 ? 4 : 1], (float)box[i & 4 ? 5 : 2]};
}

int camera_setup_find(struct clip_bounds *bounds, const struct posed_model *posed, const struct model *model,
                      struct pose_view *view, struct camera *out, struct err *err)
{
    uint64_t count;
    const struct vec3 *points = posed_model_points(posed, &count);
    if (view->picture->camera > 0)
        return find_own(posed, model, view, points, count, out, err);
    if (view->picture->given.kind != PICTURE_CAMERA_NONE) {
        take_given(view->picture, points, count, out);
        return 0;
    }
    if (camera_setup_target(bounds, posed, model, view, err) < 0)
        return err->code;
    struct camera_query query = posed_model_camera_query(model, view);
    if ((view->picture->flags & PICTURE_FRAME_BOX) != 0) {
        struct vec3 corners[8];
        camera_setup_box(view->picture, corners);
        *out = camera_frame(&query, corners, 8);
        camera_hold(out, points, count);
        return 0;
    }
    if (bounds == NULL) {
        *out = camera_frame(&query, points, count);
        return 0;
    }
    /* a closer camera is meant to cut off the surroundings */
    const double distance = query.distance;
    query.distance = distance > 1 ? distance : 1;
    *out = *clip_bounds_camera(bounds, &query);
    if (!camera_sees_all(out, points, count)) {
        query.distance = distance;
        return frame_both(bounds, points, count, &query, out, err);
    }
    query.distance = distance;
    *out = *clip_bounds_camera(bounds, &query);
    camera_hold(out, points, count);
    return 0;
}
