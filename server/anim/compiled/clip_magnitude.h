/* clip_magnitude.h - bounds the numbers of a compiled clip. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

#define CLIP_MAGNITUDE_MAX 1e30

/* Bounds a matrix: |m (p, 1)| <= norm * |p| + offset. */
struct clip_magnitude {
    double norm, offset;
};

/* Fills binds[rig_node_count] with the largest magnitude of each rig node's outputs. */
void clip_magnitude_of_outputs(const struct model *model, struct clip_magnitude *binds);

/* True when no matrix of the compiled clip has an element above CLIP_MAGNITUDE_MAX at any time, so that none leaves the
 * range of float, and no spline of rotations passes by 0. It multiplies and adds lengths of translations and norms of
 * the 3x3 parts, from the roots to the outputs. Indices and ranges must have been checked. Linear in the clip's frames
 * and the rig's nodes. `magnitudes` is scratch memory of rig_node_count elements. */
bool clip_is_bounded(const struct model *model, const struct compiled_clip *clip, const struct clip_magnitude *binds,
                     struct clip_magnitude *magnitudes);
