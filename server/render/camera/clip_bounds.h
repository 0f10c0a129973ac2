/* clip_bounds.h - the space that a clip takes over its whole length, for a camera that stands still while the clip
 * plays, and the clip's key pose. Pure; one thread.
 *
 * The clip is evaluated at its keys and often enough between them. Only the hull vertices of each pose count
 * (anim/camera/hull_vertices.h), and only the hull of all poses together (anim/camera/hull.h). A pose extends little
 * beyond that; where one leaves the camera's view, camera_setup.h frames it together with the hull. The last few
 * results are kept. key_pose.h chooses the key pose. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/pose/posed_model.h"

#include <stdint.h>

enum { CLIP_BOUNDS_KEPT_MAX = 64 };

/* Selects the poses of a clip from begin_s to end_s. Keys are compared byte by byte, so there is no padding. */
struct clip_bounds_key {
    uint64_t model, source; /* keys of the model and of the model with the clip */
    uint64_t rules;         /* hash of how clips of other files are retargeted */
    int32_t clip;
    uint32_t root, has_turn, reserved;
    double begin_s, end_s; /* clip times; begin_s <= end_s */
};

struct clip_bounds {
    struct clip_bounds_key key;
    struct vec3 *points; /* scene space; hull of all poses */
    uint32_t point_count;
    struct vec3 *node_middles; /* [node_count]: centre of the box around all places of a node, scene space */
    double key_pose_s;         /* clip time */
    bool has_camera;           /* there is a last camera that framed the points, */
    struct camera_query query; /* which was for this query */
    struct camera camera;
    uint64_t used;
};

struct clip_bounds_cache {
    struct clip_bounds kept[CLIP_BOUNDS_KEPT_MAX];
    uint64_t uses;
};

/* The inputs of the evaluation. `posed` lends its memory; its pose is lost. */
struct clip_bounds_input {
    struct posed_model *posed;
    const struct model *model; /* the model to pose, which has the clip */
    const struct hull_vertices *hull;
    const struct pose_view *view; /* everything except its clip time */
};

/* Returns the bounds of `key`, which must agree with the view. Poses that cannot be evaluated, or that lie beyond 1e30,
 * are left out. If all are left out, there are no points. *out is valid until the next call. Returns 0 or
 * ERR_NO_MEMORY. */
int clip_bounds_get(struct clip_bounds_cache *bounds_cache, const struct clip_bounds_key *key,
                    const struct clip_bounds_input *work, struct clip_bounds **out, struct err *err);
/* Returns the camera that frames the points. */
const struct camera *clip_bounds_camera(struct clip_bounds *bounds, const struct camera_query *query);
void clip_bounds_cache_fini(struct clip_bounds_cache *bounds_cache);
