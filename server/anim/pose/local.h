/* local.h - the transforms of nodes relative to their parents, as answers have them. Pure; any thread. */
#pragma once

#include "anim/pose/root_motion.h"

struct err;

/* True for a node that has a matrix with shear and is not moved by the clip. It has no T R S; its local transform is
 * pose_parent_from_node(). The answer is the same at every time of a clip. */
static inline bool local_is_sheared(const struct pose *pose, const struct model *model, uint32_t node)
{
    return (model->nodes[node].flags & NODE_SHEAR) != 0 && !pose->is_animated[node];
}

/* Stores translation, rotation (repaired, as in the scene matrices) and scale of a node without shear, in that order.
 */
enum { LOCAL_FLOATS = 10 };
void local_store(const struct trs *local, float out[LOCAL_FLOATS]);

/* Computes the local transform of an evaluated node. Where a node does not inherit scales by matrix multiplication, it
 * is the equivalent factor, if there is one. motion, step: what was taken out of the pose, or both NULL. Returns 0 or
 * ERR_NOT_RIGID: a root without its motion, or a node that does not inherit a scale, may have a local matrix that is no
 * T R S. */
int local_transform(const struct pose *pose, const struct model *model, uint32_t node, const struct root_motion *motion,
                    const struct root_step *step, struct trs *local, struct err *err);
