/* shared_camera.h - one camera for several times seen from several directions, so that the pictures can stand side by
 * side or follow each other without a jump: all have one scale and turn about one axis. Pure; any thread.
 *
 * A camera that circles a model sees what a fixed camera sees of the model turning. So each cell's points are turned
 * about a pivot until its direction is the first cell's, the usual camera frames them all, and each cell's camera is
 * that camera turned back. Only points that are outermost in one of a few dozen directions are kept, among them the
 * normals of the picture's edges; the others do not change what fits. What clips reach over their whole length
 * (clip_bounds.h) is framed as in a single picture, so that a strip of a clip has the frame of its pictures. */
#pragma once

#include "anim/camera/camera.h"
#include "base/buf.h"
#include "base/err.h"

/* Points turned to the first direction. `kept` are the points that matter, `turned` is scratch memory for them. */
struct shared_points {
    struct buf kept, turned; /* of struct shared_point and struct vec3 */
};

struct shared_camera {
    struct camera level; /* its axes are the model's, for the pivot */
    struct camera first;
    double slopes[2];             /* of the picture's sides */
    struct box box;               /* of all points, along the axes of `level` */
    bool has_target;              /* the request gives the pivot */
    bool is_told;                 /* `reached` is a box of the request, which the cells neither widen nor move */
    double target[3];             /* scene space */
    struct shared_points reached; /* reached by whole clips */
    struct shared_points posed;   /* reached by the cells' poses */
};

/* The cameras come from posed_model_camera() without points; only their direction and angle of view count. level: from
 * yaw and pitch 0; first: from the direction to which all others are turned. */
void shared_camera_init(struct shared_camera *shared, const struct camera *level, const struct camera *first);
void shared_camera_fini(struct shared_camera *shared);

/* Adds what is seen from the direction of `seen` to one of the sets. Returns 0 or ERR_NO_MEMORY. */
int shared_camera_add(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                      const struct vec3 *points, uint64_t point_count, struct err *err);
/* The same for few points: those seen from the first direction are all kept. */
int shared_camera_add_few(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                          const struct vec3 *points, uint64_t point_count, struct err *err);

/* Returns the point about which all cells turn, in scene space. It is the target. Without one, the axis is upright
 * through the scene's origin where that lies inside the model as seen from above, else through the model's middle, and
 * the point is at the height of the lowest point. */
void shared_camera_pivot(const struct shared_camera *shared, double pivot[3]);

/* Finds the camera for `query`, whose direction is the first. It frames what clips reach, extended by poses that would
 * be cut off; without clips it frames the poses. Returns 0 or ERR_NO_MEMORY. */
int shared_camera_find(struct shared_camera *shared, const struct camera_query *query, struct camera *out,
                       struct err *err);

/* Returns the camera for a cell that was added with `seen`, from the camera that frames all points. */
struct camera shared_camera_of_cell(const struct shared_camera *shared, const struct camera *all,
                                    const struct camera *seen);
