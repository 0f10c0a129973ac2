/* scale_frame.h - scene matrices of nodes that do not inherit scales by matrix multiplication. Pure.
 *
 * All ancestors scale a plain node along their own axes: scene_from_node = scene_from_parent * T * R * S. Animation
 * programs know two other rules, in which a scale never shears what hangs below it. With p the parent, `scale` the
 * scale of a node's own space, and `inherited` the part of it that came from above:
 *
 *   plain              inherited = 1                   scene_from_unscaled = scene_from_p * T * R
 *   NODE_SCALE_BY_AXIS inherited = p's scale           scene_from_unscaled = p's scene_from_unscaled * T' * R
 *   NODE_SCALE_OWN     inherited = what p inherited    likewise: p's own scale does not count
 *
 *   T' = T times p's scale, axis by axis     scale = S * inherited, likewise     scene_from_node = unscaled * scale
 *
 * In the FBX SDK (FbxTransform::EInheritType) these are RSrs (plain), RrSs (BY_AXIS) and Rrs (OWN). Rrs is Maya's
 * segment scale compensation. */
#pragma once

#include "anim/model/mat.h"

struct scale_frame {
    struct dmat4 scene_from_unscaled; /* for a node with a matrix, the whole matrix */
    double scale[3], inherited[3];
};

/* Returns the frame of a node with these NODE_ flags below `parent`; NULL for a root. */
struct scale_frame scale_frame_below(const struct scale_frame *parent, const struct trs *local, uint32_t flags);
/* The same for a plain node with a matrix. */
struct scale_frame scale_frame_of_matrix(const struct scale_frame *parent, const struct dmat4 *parent_from_node);
struct dmat4 scale_frame_matrix(const struct scale_frame *frame); /* scene_from_node */
