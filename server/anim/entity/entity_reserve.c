/* entity_reserve.c - makes room for entities in advance. Evaluation grows its memory with the same functions. */
#include "anim/entity/entity_chain.h"

#include "anim/pose/dualquat_palette.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool entity_reserve_rows(struct entity_work *work, uint32_t joint_count)
{
    if (joint_count <= work->row_capacity && work->rows != NULL)
        return true;
    if (!mem_try_resize(&work->matrices, (size_t)joint_count + 1, sizeof *work->matrices) ||
        !mem_try_resize(&work->rows, ((size_t)joint_count + 1) * 12, sizeof *work->rows) ||
        !mem_try_resize(&work->is_moved, (size_t)joint_count + 1, 1))
        return false;
    work->row_capacity = joint_count;
    return true;
}

bool entity_reserve_signs(struct entity_work *work, const struct model *model, uint32_t skin)
{
    struct entity_signs *signs = &work->signs;
    const size_t needed = 2 * (size_t)model->skins[skin].joint_count + dualquat_signs_scratch(model, skin);
    if (needed <= signs->capacity)
        return true;
    if (!mem_try_resize(&signs->items, needed, sizeof *signs->items))
        return false;
    signs->capacity = needed;
    signs->is_known = false;
    return true;
}

bool entity_reserve_chain(struct entity_work *work, uint32_t node_count)
{
    if (node_count <= work->chain_capacity)
        return true;
    if (!mem_try_resize(&work->chain, node_count, sizeof *work->chain) ||
        !mem_try_resize(&work->is_in_chain, node_count, 1))
        return false;
    memset(work->is_in_chain, 0, node_count);
    work->chain_capacity = node_count;
    return true;
}

int entity_work_reserve(struct entity_work *work, const struct model *model, uint32_t layer_most, struct err *err)
{
    bool has_capacity = pose_reserve(&work->pose, model) && blend_reserve(&work->blend, model, layer_most) &&
                        clip_palette_reserve(&work->compiled, model) &&
                        clip_blend_reserve(&work->mixed, model, layer_most) &&
                        entity_reserve_chain(work, model->node_count);
    for (uint32_t s = 0; s < model->skin_count && has_capacity; s++)
        has_capacity = entity_reserve_rows(work, model->skins[s].joint_count) && entity_reserve_signs(work, model, s);
    return has_capacity ? 0
                        : err_set(err, ERR_NO_MEMORY, "no memory to evaluate a model of %u nodes", model->node_count);
}
