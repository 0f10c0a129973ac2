/* camera.h - a camera that frames points. Pure; any thread. Angles in degrees, spaces as in model.h.
 *
 * Yaw 0 looks at the model's front; positive yaw moves the camera anticlockwise around the model seen from
 * above; positive pitch lifts it. `view` is the usual GL eye space: x right, y up, looking down -z. */
#pragma once

#include "anim/model/mat.h"

struct camera {
    struct dmat4 view_from_scene;
    struct dmat4 clip_from_view; /* GL clip space, depth -1..1 */
    double eye[3];               /* scene space */
    bool is_ortho;               /* parallel lines of sight */
    double half[2];   /* half of the picture's width and height: in scene units, of a perspective camera where
                         the distance from the eye is 1 */
    double near, far; /* distances from the eye along the line of sight; > 0 */
};

struct camera_query {
    double up[3], forward[3]; /* of the model, scene space; forward is made perpendicular to up */
    double yaw_deg, pitch_deg;
    double fov_deg; /* vertical, of the smaller side when aspect < 1 */
    bool is_ortho;  /* instead: parallel lines of sight */
    double aspect;  /* width / height */
    double margin;  /* share of the picture left free on each side, 0..0.45 */
    /* How far away the eye is from what it looks at (the target, else the middle of the points): 1 is where everything
     * is just inside, 2 twice as far. Without perspective the picture shows so much more. 0 counts as 1. */
    double distance;
    bool has_target;
    double target[3]; /* scene space: this is the middle of the picture; else the points' */
};

/* The tightest camera for all points: the centre of the view's bounding rectangle is the centre of the picture, near
 * and far hug the points. point_count 0 or a single point gives a camera at a finite distance. Points must be finite.
 */
struct camera camera_frame(const struct camera_query *query, const struct vec3 *points, uint64_t point_count);

/* True when no point is outside of the picture's sides by more than a thousandth of it, nor behind the eye. */
bool camera_sees_all(const struct camera *camera, const struct vec3 *points, uint64_t point_count);

/* Widens near and far so that they hold the points too; what is behind the eye or next to it cannot be held. */
void camera_hold(struct camera *camera, const struct vec3 *points, uint64_t point_count);

/* Sets clip_from_view by half, near, far and is_ortho. */
void camera_project(struct camera *camera);

/* A camera of the model at its node (scene_from_node, whose scale does not count: glTF 2.0, 3.10.2), for a picture of
 * this aspect: all that the camera's own picture shows is in it, and what lies beside. Near and far are the camera's,
 * but hug the points where those are nearer together. False when the node has no direction to look in. */
bool camera_of_model(const struct model_camera *from, const struct dmat4 *scene_from_node, double aspect,
                     const struct vec3 *points, uint64_t point_count, struct camera *out);
