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
 * range of float. It multiplies and adds lengths of translations and norms of the 3x3 parts, from the roots to the
 * outputs. Indices and ranges must have been checked. Linear in the clip's frames, the rig's nodes and
 * clip_sampled_floats(). `magnitudes` is scratch memory of rig_node_count elements. */
bool clip_is_bounded(const struct model *model, const struct compiled_clip *clip, const struct clip_magnitude *binds,
                     struct clip_magnitude *magnitudes);

/* Counts the values in the channels of the clip's sampled nodes. Channels may share values. All compiled clips of a
 * model together may have at most CLIP_SAMPLED_SHARE times the model's values, which keeps the time to check them
 * linear in the model's size. */
enum { CLIP_SAMPLED_SHARE = 4 };
uint64_t clip_sampled_floats(const struct model *model, const struct compiled_clip *clip);
