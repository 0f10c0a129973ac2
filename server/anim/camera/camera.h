/* camera.h - a camera that frames points. Pure; any thread. Angles are in degrees, spaces as in model.h.
 *
 * Yaw 0 looks at the model's front. Positive yaw moves the camera anticlockwise around the model, seen from above.
 * Positive pitch lifts it. `view` is the usual GL eye space: x right, y up, looking along -z. */
#pragma once

#include "anim/model/mat.h"

struct camera {
    struct dmat4 view_from_scene;
    struct dmat4 clip_from_view; /* GL clip space, depth -1..1 */
    double eye[3];               /* scene space */
    bool is_ortho;               /* orthographic */
    double half[2]; /* half of the picture's width and height: orthographic in scene units, perspective at a distance of
                       1 from the eye */
    double shift[2];  /* where the camera's axis meets the picture: -1 to 1 from left to right and from below upwards */
    double near, far; /* distances from the eye along the view direction; > 0 */
};

struct camera_query {
    double up[3], forward[3]; /* of the model, in scene space; forward is made perpendicular to up */
    double yaw_deg, pitch_deg;
    double fov_deg; /* vertical, or horizontal when aspect < 1 */
    bool is_ortho;  /* orthographic; fov_deg does not count */
    double aspect;  /* width / height */
    double margin;  /* share of the picture left free on each side, 0..0.45 */
    /* The distance of the eye from the centre (the target, else the middle of the points): at 1 everything just fits, 2
     * is twice as far. An orthographic picture shows proportionally more instead. 0 counts as 1. */
    double distance;
    bool has_target;
    double target[3]; /* scene space: the middle of the picture; without it, the middle of the points */
};

/* Returns the tightest camera for all points: the centre of the view's bounding rectangle is the centre of the picture,
 * and near and far enclose the points. Without points, or with a single point, the camera is at some finite distance.
 * Points must be finite. */
struct camera camera_frame(const struct camera_query *query, const struct vec3 *points, uint64_t point_count);

/* True when no point is outside the picture's sides by more than a thousandth of it, and none is behind the eye. */
bool camera_sees_all(const struct camera *camera, const struct vec3 *points, uint64_t point_count);

/* Widens near and far so that they enclose the points too. Points behind the eye or next to it cannot be enclosed. */
void camera_hold(struct camera *camera, const struct vec3 *points, uint64_t point_count);

/* Sets clip_from_view from half, shift, near, far and is_ortho. */
void camera_project(struct camera *camera);

/* Makes the camera of a model's camera at its node, for a picture of this aspect. The scale of scene_from_node does not
 * count (glTF 2.0, 3.10.2). The picture shows everything that the model's camera shows, and more beside it where the
 * aspects differ. Near and far are the camera's, or enclose the points where that is tighter. False when the node has
 * no direction to look in. */
bool camera_of_model(const struct model_camera *from, const struct dmat4 *scene_from_node, double aspect,
                     const struct vec3 *points, uint64_t point_count, struct camera *out);
