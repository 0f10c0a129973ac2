/* blend.h - one pose from several: cross-fades, partial-body layers, additive layers. protocol/blending.md has the
 * maths.
 *
 * Pure; any thread, one struct blend per thread. It blends local transforms, in doubles.
 *
 * Override layers come first, all at once: at each node the layers that may move it and have a weight above 0 share it
 * in proportion to their weights. Translations, scales and morph weights mix linearly, rotations on the sphere (see
 * blend_rotations). A node that no override layer may move is at rest. Additive layers follow, in their order. Each
 * adds the difference of its clip from its reference, times its weight, to the result so far:
 *
 *   translation + w * (Tp - Tr)      rotation * slerp(1, Rr^-1 * Rp, w)      scale * (1 + w * (Sp / Sr - 1))
 *
 * with p the layer's pose and r its reference; where Sr is 0, scale + w * (Sp - Sr).
 *
 * Layers of given poses (anim/given/given_pose.h) stand in the same order as additive ones, and change only what is
 * given: they replace it by their weight, 0..1, or add its difference from rest. */
#pragma once

#include "anim/given/given_pose.h"
#include "anim/pose/pose.h"

#include <stdbool.h>
#include <stdint.h>

enum { BLEND_LAYERS_MAX = 16, BLEND_MASKS_MAX = 1024 };

/* Selects the nodes that a layer may move: those of NODE and SUBTREE entries (all nodes without such entries), except
 * those of EXCEPT entries. SUBTREE and EXCEPT mean the node and all its descendants. */
enum mask_scope { BLEND_NODE = 0, BLEND_SUBTREE = 1, BLEND_EXCEPT = 2 };
struct blend_mask {
    uint32_t node; /* < node_count */
    enum mask_scope scope;
};

struct blend_layer {
    /* The model with the clip: the same nodes as the model but other clips, as in struct retarget; NULL: the model
     * itself. */
    const struct model *source;
    int32_t clip;       /* an index, or POSE_REST */
    double clip_time_s; /* wrapped */
    double weight;      /* >= 0; of an additive layer, or of a given pose, <= 1 */
    bool is_additive;
    const struct given_pose *given;       /* NULL, or the pose in place of a clip: `clip` is POSE_REST, and there is no
                                             reference */
    const struct model *reference_source; /* for additive layers; NULL: the model */
    int32_t reference_clip;               /* an index, or POSE_REST */
    double reference_time_s;              /* wrapped */
    const struct blend_mask *masks;
    uint32_t mask_count;
};

/* True for a layer that shares nodes with others by weight. */
static inline bool blend_is_override(const struct blend_layer *layer)
{
    return !layer->is_additive && layer->given == NULL;
}

/* Working memory, reused from frame to frame. */
struct blend {
    struct pose poses[BLEND_LAYERS_MAX]; /* one for each layer */
    struct pose reference;
    uint8_t *marks; /* [BLEND_LAYERS_MAX * node_capacity]: which nodes each layer may move */
    uint32_t node_capacity;
};

void blend_init(struct blend *blend);
void blend_fini(struct blend *blend);

/* Makes room for `layer_count` layers of the model, so that blending does not allocate. False when memory runs out;
 * *blend stays usable. */
bool blend_reserve(struct blend *blend, const struct model *model, uint32_t layer_count);

/* Like pose_evaluate(), for at most BLEND_LAYERS_MAX layers. A node given by a matrix keeps it, unless a layer that may
 * move the node has a clip that does. Then the other layers contribute the node's translation, rotation and scale at
 * rest. */
void blend_evaluate(struct blend *blend, struct pose *pose, const struct model *model, const struct blend_layer *layers,
                    uint32_t layer_count);

/* The same for some nodes only. */
void blend_evaluate_nodes(struct blend *blend, struct pose *pose, const struct model *model,
                          const struct node_list *nodes, const struct blend_layer *layers, uint32_t layer_count);

/* Computes the weighted mean of `count` >= 1 unit quaternions with weights > 0; q and -q are the same rotation. The
 * mean of equal ones is the first, of two their slerp, of more the rotation from which the weighted sum of the arcs to
 * all is 0 (S. R. Buss and J. P. Fillmore, "Spherical averages and applications to spherical splines and
 * interpolation", 2001, algorithm A1). For two this is the slerp again, so a weight that fades to 0 causes no jump. */
void blend_rotations(const double (*rotations)[4], const double *weights, uint32_t count, double out[4]);
