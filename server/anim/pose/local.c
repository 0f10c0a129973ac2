#include "anim/pose/local.h"

#include "base/err.h"

#include <string.h>

void local_store(const struct trs *local, float out[LOCAL_FLOATS])
{
    double rotation[4];
    memcpy(rotation, local->rotation, sizeof rotation);
    quat_repair(rotation);
    for (int i = 0; i < 3; i++) {
        out[i] = (float)local->translation[i];
        out[7 + i] = (float)local->scale[i];
    }
    for (int i = 0; i < 4; i++)
        out[3 + i] = (float)rotation[i];
}

int local_transform(const struct pose *pose, const struct model *model, uint32_t node, const struct root_motion *motion,
                    const struct root_step *step, struct trs *local, struct err *err)
{
    const struct node *of = &model->nodes[node];
    const bool is_still_root = motion != NULL && node == motion->node;
    if (is_still_root && !step->is_local_exact)
        return err_set(err, ERR_NOT_RIGID, "the root, node %u, shears within its parent when its movement is taken out",
                       node);
    *local = pose->local[node];
    if ((of->flags & NODE_SCALES) == 0 || of->parent < 0 || is_still_root || pose_is_multiplied(pose, model, node))
        return 0;
    struct dmat4 parent_from_scene;
    const bool has_inverse = dmat4_invert(&pose->scene_from_node[of->parent], &parent_from_scene);
    const struct dmat4 parent_from_node = dmat4_mul(&parent_from_scene, &pose->scene_from_node[node]);
    if (has_inverse && trs_from_dmat4(&parent_from_node, local))
        return 0;
    char name[SHORT_NAME_SIZE];
    return err_set(
        err, ERR_NOT_RIGID, "joint %u '%s' %s: take its matrix in the scene", node, short_name(model, of->name, name),
        has_inverse ? "shears within its parent, whose scale it does not inherit" : "has a parent scaled to nothing");
}
