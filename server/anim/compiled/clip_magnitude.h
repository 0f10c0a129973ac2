/* clip_magnitude.h - how large the numbers of a compiled clip can become. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

#define CLIP_MAGNITUDE_MAX 1e30

/* What a matrix does at most: |m (p, 1)| <= norm * |p| + offset. */
struct clip_magnitude {
    double norm, offset;
};

/* The largest of the outputs of each rig node: binds[rig_node_count]. */
void clip_magnitude_of_outputs(const struct model *model, struct clip_magnitude *binds);

/* True when no matrix of the compiled clip, at any time, has an element above CLIP_MAGNITUDE_MAX, so that none leaves
 * float's range: lengths of translations and norms of the 3x3 parts, multiplied and added from the roots to the
 * outputs. Needs indices and ranges that were checked; linear in the clip's frames, the rig's nodes and
 * clip_sampled_floats(). `reaches` is scratch of rig_node_count elements. */
bool clip_is_bounded(const struct model *model, const struct compiled_clip *clip, const struct clip_magnitude *binds,
                     struct clip_magnitude *magnitudes);

/* What the channels of the clip's sampled nodes have for values. Channels may share them: all compiled clips of a model
 * together have no more than CLIP_SAMPLED_SHARE times those that there are, so that looking at them all takes no
 * longer than the model's size allows. */
enum { CLIP_SAMPLED_SHARE = 4 };
uint64_t clip_sampled_floats(const struct model *model, const struct compiled_clip *clip);
