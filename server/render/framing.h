/* framing.h - one camera for several moments seen from several directions, so that they can stand beside each other or
 * follow each other without a jump: all in one scale, and turned about one axis. Pure; any thread.
 *
 * A camera that goes round a model sees what a standing one sees of the model turning. So each moment's points are
 * turned about a pivot until its direction is that of the first, the usual camera frames them all, and a moment's own
 * camera is that one turned back. Of each moment only those points are kept that lie outermost in one of a few dozen
 * directions, among them those of the picture's edges: the others do not change what fits. */
#pragma once

#include "../anim/camera.h"
#include "../base/buf.h"
#include "../base/err.h"

struct framing {
    struct camera level; /* of the model: its axes are those of the pivot */
    struct camera first;
    double slopes[2];        /* of the picture's sides */
    double low[3], high[3];  /* of all points, along the level camera's axes */
    struct buf kept, turned; /* of struct framing_point and struct vec3 */
};

/* Cameras are those of frame_aim() without points: what counts is where they look, and how wide.
 * level: from yaw and pitch 0; first: from the direction that all others are turned to. */
void framing_init(struct framing *framing, const struct camera *level, const struct camera *first);
void framing_fini(struct framing *framing);

/* Adds a moment that is seen from the direction of `seen`. Returns 0 or ERR_NO_MEMORY. */
int framing_add(struct framing *framing, const struct camera *seen, const struct vec3 *points, uint64_t point_count,
                struct err *err);

/* What all moments turn about, scene space: upright through the scene's origin where that lies within the model, as
 * seen from above, else through its middle; at the height of the lowest point. */
void framing_pivot(const struct framing *framing, double pivot[3]);

/* All that is to be framed, turned to the direction of the first; the framing's own. Returns 0 or ERR_NO_MEMORY. */
int framing_points(struct framing *framing, const struct vec3 **points, uint64_t *point_count, struct err *err);

/* The camera for a moment that was added with `seen`, from the one that frames all points. */
struct camera framing_camera(const struct framing *framing, const struct camera *all, const struct camera *seen);
