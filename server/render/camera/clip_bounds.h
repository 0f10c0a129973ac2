/* clip_bounds.h - the space that a clip takes over its whole length, for a camera that stands still while the clip
 * plays, and the clip's key pose. Pure; one thread.
 *
 * The clip is evaluated at its keys and often enough between them. Of each pose only the hull vertices count
 * (anim/camera/hull_vertices.h), of all poses together only their hull (anim/camera/hull.h). A pose extends little
 * beyond that; where one leaves the camera's view, camera_setup.h frames it together with the hull. The last few
 * results are kept. key_pose.h chooses the key pose. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/pose/posed_model.h"

#include <stdint.h>

enum { CLIP_BOUNDS_KEPT_MAX = 64 };

/* Which poses: those of a clip from begin_s to end_s. Compared byte by byte: no padding. */
struct clip_bounds_key {
    uint64_t model, source; /* keys of the model and of what has the clip */
    uint64_t rules;         /* hash of how clips of other files are played here */
    int32_t clip;
    uint32_t root, has_turn, reserved;
    double begin_s, end_s; /* clip times; begin_s <= end_s */
};

struct clip_bounds {
    struct clip_bounds_key key;
    struct vec3 *points; /* scene space; what all poses reach */
    uint32_t point_count;
    struct vec3 *node_middles; /* [node_count]: of the box around all places of a node, scene space */
    double key_pose_s;         /* clip time */
    bool has_camera;           /* the last that framed the points, */
    struct camera_query query; /* and for what */
    struct camera camera;
    uint64_t used;
};

struct clip_bounds_cache {
    struct clip_bounds kept[CLIP_BOUNDS_KEPT_MAX];
    uint64_t uses;
};

/* What is evaluated. `posed` lends its memory and holds no pose afterwards. */
struct clip_bounds_input {
    struct posed_model *posed;
    const struct model *model; /* that is posed: it has the clip */
    const struct hull_vertices *hull;
    const struct pose_view *view; /* all but its clip time */
};

/* The bounds of `key`, which must say what the view does. Poses that cannot be evaluated, or that lie beyond 1e30, are
 * left out; when all are, there are no points. The pointer is valid until the next call. Returns 0 or ERR_NO_MEMORY. */
int clip_bounds_get(struct clip_bounds_cache *bounds_cache, const struct clip_bounds_key *key,
                    const struct clip_bounds_input *work, struct clip_bounds **out, struct err *err);
/* The camera that frames their points. */
const struct camera *clip_bounds_camera(struct clip_bounds *bounds, const struct camera_query *query);
void clip_bounds_cache_fini(struct clip_bounds_cache *bounds_cache);
