/* dualquat_palette.c - orders the joints of a skin from the top, so that each takes the sign of its ancestor. */
#include "anim/pose/dualquat_palette.h"

#include "anim/pose/pose.h"

#include <string.h>

#define NO_JOINT UINT32_MAX

size_t dualquat_signs_scratch(const struct model *model, uint32_t skin)
{
    return (size_t)model->skins[skin].joint_count + 2 * (size_t)model->node_count;
}

void dualquat_signs_find(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                         uint32_t *scratch)
{
    const uint32_t first = model->skins[skin].joint_first, count = model->skins[skin].joint_count;
    uint32_t *next = scratch;                  /* [count]: another joint with the same node */
    uint32_t *here = next + count;             /* [node_count]: a joint with this node */
    uint32_t *near = here + model->node_count; /* [node_count]: the nearest joint at this node or above */
    uint32_t placed = 0;
    memset(here, 0xff, model->node_count * sizeof *here);
    for (uint32_t j = count; j-- > 0;) {
        const uint32_t node = model->joints[first + j].node;
        next[j] = here[node];
        here[node] = j;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        near[node] = parent < 0 ? NO_JOINT : near[parent];
        for (uint32_t j = here[node]; j != NO_JOINT; j = next[j]) {
            signs->above[j] = near[node];
            near[node] = j;
            signs->order[placed++] = j;
        }
    }
}

int dualquat_palette(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                     const struct mat4 *palette, float *out, struct err *err)
{
    for (uint32_t i = 0; i < model->skins[skin].joint_count; i++) {
        const uint32_t j = signs->order[i], above = signs->above[j];
        const struct dmat4 matrix = dmat4_from_mat4(&palette[j]);
        struct dualquat q;
        if (dualquat_from_matrix(&matrix, &q, err) < 0)
            return pose_name_joint(model, skin, j, err);
        if (above != NO_JOINT) {
            double real[4];
            for (int k = 0; k < 4; k++)
                real[k] = (double)out[DUALQUAT_FLOATS * (size_t)above + (size_t)k];
            dualquat_align_sign(&q, real);
        }
        for (int k = 0; k < 4; k++) {
            out[DUALQUAT_FLOATS * (size_t)j + (size_t)k] = (float)q.real[k];
            out[DUALQUAT_FLOATS * (size_t)j + 4 + (size_t)k] = (float)q.dual[k];
        }
    }
    return 0;
}
