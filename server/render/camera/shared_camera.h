/* shared_camera.h - one camera for several moments seen from several directions, so that they can stand beside each
 * other or follow each other without a jump: all in one scale, and turned about one axis. Pure; any thread.
 *
 * A camera that goes round a model sees what a standing one sees of the model turning. So each moment's points are
 * turned about a pivot until its direction is that of the first, the usual camera frames them all, and a moment's own
 * camera is that one turned back. Of each moment only those points are kept that lie outermost in one of a few dozen
 * directions, among them those of the picture's edges: the others do not change what fits. What clips reach over their
 * whole length (clip_bounds.h) is framed as in a picture alone, so that a strip of a clip has the frame of its
 * pictures. */
#pragma once

#include "anim/camera/camera.h"
#include "base/buf.h"
#include "base/err.h"

/* Points in the direction of the first: whatever they are, and those that have to be seen. */
struct shared_points {
    struct buf kept, turned; /* of struct shared_point and struct vec3 */
};

struct shared_camera {
    struct camera level; /* of the model: its axes are those of the pivot */
    struct camera first;
    double slopes[2];             /* of the picture's sides */
    struct box box;               /* of all points, along the level camera's axes */
    bool has_target;              /* the pivot is told */
    bool is_told;                 /* `reached` is a box that the request gives: the moments neither widen nor move it */
    double target[3];             /* scene space */
    struct shared_points reached; /* by whole clips */
    struct shared_points posed;   /* by the moments */
};

/* Cameras are those of posed_model_camera() without points: what counts is where they look, and how wide.
 * level: from yaw and pitch 0; first: from the direction that all others are turned to. */
void shared_camera_init(struct shared_camera *shared, const struct camera *level, const struct camera *first);
void shared_camera_fini(struct shared_camera *shared);

/* Adds what is seen from the direction of `seen`, to one of the sets. Returns 0 or ERR_NO_MEMORY. */
int shared_camera_add(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                      const struct vec3 *points, uint64_t point_count, struct err *err);
/* The same of points that are few: from the direction of the first all of them are kept. */
int shared_camera_add_few(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                          const struct vec3 *points, uint64_t point_count, struct err *err);

/* What all moments turn about, scene space: the target; without one upright through the scene's origin where that lies
 * within the model, as seen from above, else through its middle; at the height of the lowest point. */
void shared_camera_pivot(const struct shared_camera *shared, double pivot[3]);

/* The camera for `query`, whose direction is that of the first: it frames what clips reach, and moments that would be
 * cut off there together with that; without clips the moments. Returns 0 or ERR_NO_MEMORY. */
int shared_camera_find(struct shared_camera *shared, const struct camera_query *query, struct camera *out,
                       struct err *err);

/* The camera for a moment that was added with `seen`, from the one that frames all points. */
struct camera shared_camera_of_cell(const struct shared_camera *shared, const struct camera *all,
                                    const struct camera *seen);
