/* clip_bounds.h - all that a clip shows over its whole length: what a camera has to frame that stands still while the
 * clip plays, and the clip's most telling moment. Pure; one thread.
 *
 * The clip is evaluated at its keys and often enough between them; of each pose only the vertices of the model's
 * outline count (anim/camera/hull_vertices.h), of all poses together only their hull (anim/camera/hull.h). So what a
 * pose shows beyond that is little, and a picture whose pose leaves its camera's view is framed anew by who draws it.
 * The last few are kept. Which of the poses is the moment, key_pose.h says. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/pose/posed_model.h"

#include <stdint.h>

enum { CLIP_BOUNDS_KEPT_MAX = 64 };

/* Which poses: those of a clip from begin_s to end_s. Compared byte by byte: no padding. */
struct clip_bounds_key {
    uint64_t model, source; /* keys of the model and of what has the clip */
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

/* What is evaluated. The frame lends its memory and holds no pose afterwards. */
struct clip_bounds_input {
    struct posed_model *posed;
    const struct model *model; /* that is posed: it has the clip */
    const struct hull_vertices *hull;
    const struct pose_view *view; /* all but its clip time */
};

/* The reach of `key`, which must say what the view does. Poses that cannot be evaluated, or that lie beyond 1e30, are
 * left out; when all are, there are no points. The pointer is valid until the next call. Returns 0 or ERR_NO_MEMORY. */
int clip_bounds_get(struct clip_bounds_cache *bounds_cache, const struct clip_bounds_key *key,
                    const struct clip_bounds_input *work, struct clip_bounds **out, struct err *err);
/* The camera that frames the reach's points. */
const struct camera *clip_bounds_camera(struct clip_bounds *bounds, const struct camera_query *query);
void clip_bounds_cache_fini(struct clip_bounds_cache *bounds_cache);
