/* scale_frame.h - scene matrices of nodes that do not inherit scales as a product of matrices has them. Pure.
 *
 * A plain node is scaled by all above it, along their axes: scene_from_node = scene_from_parent * T * R * S. Animation
 * programs know two other ways, in which a scale never shears what hangs below it. With p the parent, `scale` what
 * scales a node's own space, and `inherited` the part of that which came from above:
 *
 *   plain              inherited = 1                   scene_from_unscaled = scene_from_p * T * R
 *   NODE_SCALE_BY_AXIS inherited = p's scale           scene_from_unscaled = p's scene_from_unscaled * T' * R
 *   NODE_SCALE_OWN     inherited = what p inherited    likewise: what p itself scales by does not count
 *
 *   T' = T times p's scale, axis by axis     scale = S * inherited, likewise     scene_from_node = unscaled * scale
 *
 * They are the inheritance types RrSs and Rrs of the FBX SDK (FbxTransform::EInheritType), a plain one is RSrs; Rrs is
 * Maya's segment scale compensation. */
#pragma once

#include "anim/model/mat.h"

struct scale_frame {
    struct dmat4 scene_from_unscaled; /* of a node with a matrix: that, which is not taken apart */
    double scale[3], inherited[3];
};

/* The frame of a node with these NODE_ flags below `parent`, NULL: it is a root. */
struct scale_frame scale_frame_below(const struct scale_frame *parent, const struct trs *local, uint32_t flags);
/* Likewise of a plain node that is given by a matrix. */
struct scale_frame scale_frame_of_matrix(const struct scale_frame *parent, const struct dmat4 *parent_from_node);
struct dmat4 scale_frame_matrix(const struct scale_frame *frame); /* scene_from_node */
