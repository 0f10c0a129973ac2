/* local.h - transforms of nodes within their parents, as answers have them. Pure; any thread. */
#pragma once

#include "anim/pose/root_motion.h"

struct err;

/* A node whose matrix has shear, and which the clip leaves alone, has no T R S: its transform within the parent is
 * pose_parent_from_node(). Which nodes those are is the same at every time of a clip. */
static inline bool local_is_sheared(const struct pose *pose, const struct model *model, uint32_t node)
{
    return (model->nodes[node].flags & NODE_SHEAR) != 0 && !pose->is_animated[node];
}

/* Translation, rotation (repaired, as the scene matrices take it) and scale of a node that is not sheared, in that
 * order. */
enum { LOCAL_FLOATS = 10 };
void local_store(const struct trs *local, float out[LOCAL_FLOATS]);

/* The transform of an evaluated node within its parent. Of a node that does not inherit scales as a product of matrices
 * does, the one that is such a factor, if there is one. motion, step: what was taken out of the pose, or both NULL.
 * Returns 0 or ERR_NOT_RIGID: without its movement the root may hang in its parent by a matrix that is no T R S, and
 * what does not inherit a scale may shear. */
int local_transform(const struct pose *pose, const struct model *model, uint32_t node, const struct root_motion *motion,
                    const struct root_step *step, struct trs *local, struct err *err);
