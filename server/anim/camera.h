/* camera.h - a camera that frames points. Pure; any thread. Angles in degrees, spaces as in model.h.
 *
 * Yaw 0 looks at the model's front; positive yaw moves the camera anticlockwise around the model seen from
 * above; positive pitch lifts it. `view` is the usual GL eye space: x right, y up, looking down -z. */
#pragma once

#include "mat.h"

struct camera {
    struct dmat4 view_from_scene;
    struct dmat4 clip_from_view; /* GL clip space, depth -1..1 */
    double eye[3];               /* scene space */
};

struct camera_query {
    double up[3], forward[3]; /* of the model, scene space; forward is made perpendicular to up */
    double yaw_deg, pitch_deg;
    double fov_deg; /* vertical, of the smaller side when aspect < 1 */
    double aspect;  /* width / height */
    double margin;  /* share of the picture left free on each side, 0..0.4 */
};

/* The tightest perspective camera for all points: the centre of the view's bounding rectangle is the
 * centre of the picture, near and far hug the points. point_count 0 or a single point gives a camera at a
 * finite distance. Points must be finite. */
struct camera camera_frame(const struct camera_query *query, const struct vec3 *points, uint64_t point_count);
