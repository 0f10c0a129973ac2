/* blend.h - one pose from several: cross-fades, partial bodies, additive layers. protocol/blending.md has the maths.
 *
 * Pure; any thread, one struct blend per thread. Everything happens to local transforms, in doubles.
 *
 * Override layers come first, together: at each node the layers that may move it and have a weight above 0 share it
 * in proportion to their weights. Translations, scales and morph weights mix linearly, rotations on the sphere (see
 * blend_rotations). A node that no override layer may move is at rest. Additive layers follow, in their order: each
 * adds what its clip differs from its reference by, times its weight, to what is there:
 *
 *   translation + w * (Tp - Tr)      rotation * slerp(1, Rr^-1 * Rp, w)      scale * (1 + w * (Sp / Sr - 1))
 *
 * with p the layer's pose and r its reference; where Sr is 0, scale + w * (Sp - Sr). */
#pragma once

#include "anim/pose/pose.h"

#include <stdbool.h>
#include <stdint.h>

enum { BLEND_LAYERS_MAX = 16, BLEND_MASKS_MAX = 1024 };

/* Which nodes a layer may move: those that NODE and SUBTREE entries name (all when there are none) without those that
 * EXCEPT entries name. SUBTREE and EXCEPT mean the node and all below it. */
enum mask_scope { BLEND_NODE = 0, BLEND_SUBTREE = 1, BLEND_EXCEPT = 2 };
struct blend_mask {
    uint32_t node; /* < node_count */
    enum mask_scope scope;
};

struct blend_layer {
    /* What has the clip: the same nodes as the model with other clips, as struct retarget has them; NULL: the model. */
    const struct model *source;
    int32_t clip;       /* or POSE_REST */
    double clip_time_s; /* wrapped */
    double weight;      /* >= 0; of an additive layer at most 1 */
    bool is_additive;
    const struct model *reference_source; /* of additive layers, likewise */
    int32_t reference_clip;               /* or POSE_REST */
    double reference_time_s;              /* wrapped */
    const struct blend_mask *masks;
    uint32_t mask_count;
};

/* Working memory; reused from frame to frame. */
struct blend {
    struct pose poses[BLEND_LAYERS_MAX]; /* of the layers */
    struct pose reference;
    uint8_t *marks; /* [BLEND_LAYERS_MAX * node_capacity]: which nodes each layer may move */
    uint32_t node_capacity;
};

void blend_init(struct blend *blend);
void blend_fini(struct blend *blend);

/* Like pose_evaluate(), for at most BLEND_LAYERS_MAX layers. A node given by a matrix keeps it unless the clip of a
 * layer that may move it does; then its translation, rotation and scale at rest are what the others add. */
void blend_evaluate(struct blend *blend, struct pose *pose, const struct model *model, const struct blend_layer *layers,
                    uint32_t layer_count);

/* The same of some nodes alone. */
void blend_evaluate_nodes(struct blend *blend, struct pose *pose, const struct model *model,
                          const struct node_list *list, const struct blend_layer *layers, uint32_t layer_count);

/* The weighted mean of `count` >= 1 unit quaternions (q and -q are the same rotation), weights > 0: of equal ones the
 * first, of two the slerp, of more the one from which the weighted sum of the arcs to all is 0 (S. R. Buss and
 * J. P. Fillmore, "Spherical averages and applications to spherical splines and interpolation", 2001, algorithm A1),
 * which for two is the slerp again: a weight that fades to 0 makes no jump. */
void blend_rotations(const double (*rotations)[4], const double *weights, uint32_t count, double out[4]);
