/* entity_palette.c - palettes of an entity, from either evaluation. */
#include "anim/entity/entity_chain.h"

#include "anim/pose/dualquat_palette.h"
#include "base/mem.h"

#include <string.h>

/* Makes room for work->matrices, work->rows and work->is_moved, which a palette in the scene's space does not need. */
static void need_rows(struct entity_work *work, uint32_t skin)
{
    if (!entity_reserve_rows(work, work->entity.model->skins[skin].joint_count))
        mem_exhausted();
}

/* --- compiled --- */

static void compiled_scene_palette(struct entity_work *work, uint32_t skin, enum palette_form form, float *out)
{
    if (work->is_composed)
        clip_palette_next(&work->compiled, work->entity.model, skin, form, out);
    else
        clip_palette_compose(&work->compiled, work->entity.model, skin, form, out);
    work->is_composed = true;
}

/* Makes the palette in the space of world_from_scene (NULL: scene space), without the motion. */
static void moved_palette(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene,
                          enum palette_form form, float *out)
{
    const struct entity *entity = &work->entity;
    const struct skin *of = &entity->model->skins[skin];
    double world[12], still[12];
    need_rows(work, skin);
    const struct dmat4 *world_matrix = world_from_scene != NULL ? world_from_scene : &DMAT4_IDENTITY;
    dmat4_rows(world_matrix, world);
    if (entity->motion != NULL) {
        const struct dmat4 world_from_still = dmat4_mul(world_matrix, &work->still_from_scene);
        dmat4_rows(&world_from_still, still);
        for (uint32_t j = 0; j < of->joint_count; j++)
            work->is_moved[j] = entity->motion->is_moved[entity->model->joints[of->joint_first + j].node];
    }
    compiled_scene_palette(work, skin, PALETTE_MAT3X4, work->rows);
    const struct kernel_move move = {.world_from_scene = world,
                                     .world_from_still = entity->motion != NULL ? still : NULL,
                                     .is_moved = work->is_moved,
                                     .rows = work->rows,
                                     .count = of->joint_count,
                                     .is_mat4 = form == PALETTE_MAT4,
                                     .out = out};
    work->compiled.kernel->move(&move);
}

/* False: something is not finite. */
static bool compiled_palette(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene,
                             enum palette_form form, float *out)
{
    const size_t count = work->entity.model->skins[skin].joint_count;
    if (world_from_scene == NULL && work->entity.motion == NULL) {
        compiled_scene_palette(work, skin, form, out);
        return !work->is_mixed || floats_are_finite(out, count * (form == PALETTE_MAT4 ? 16 : 12));
    }
    moved_palette(work, skin, world_from_scene, form, out);
    return floats_are_finite(out, count * (form == PALETTE_MAT4 ? 16 : 12));
}

/* --- dual quaternions --- */

static struct dualquat_signs signs_of(struct entity_work *work, uint32_t skin)
{
    struct entity_signs *signs = &work->signs;
    const struct model *model = work->entity.model;
    const uint32_t count = model->skins[skin].joint_count;
    const uint8_t *hash = model->infos[0].content_hash;
    if (!entity_reserve_signs(work, model, skin))
        mem_exhausted();
    const struct dualquat_signs found = {.order = signs->items, .above = signs->items + count};
    if (signs->is_known && signs->skin == skin && signs->joint_count == count &&
        memcmp(signs->content_hash, hash, sizeof signs->content_hash) == 0)
        return found;
    dualquat_signs_find(&found, model, skin, signs->items + 2 * (size_t)count);
    memcpy(signs->content_hash, hash, sizeof signs->content_hash);
    signs->skin = skin;
    signs->joint_count = count;
    signs->is_known = true;
    return found;
}

/* --- both --- */

/* Fills work->matrices in double precision, rounded to float at the end. */
static int exact_palette(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene, struct err *err)
{
    const struct dmat4 *world = world_from_scene != NULL ? world_from_scene : &DMAT4_IDENTITY;
    need_rows(work, skin);
    return pose_palette(&work->pose, work->entity.model, skin, world, work->matrices, err);
}

static int exact_layout(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene,
                        enum layout layout, float *out, struct err *err)
{
    const int rc = exact_palette(work, skin, world_from_scene, err);
    const uint32_t count = work->entity.model->skins[skin].joint_count;
    if (rc < 0)
        return rc;
    if (layout == LAYOUT_DUALQUAT) {
        const struct dualquat_signs signs = signs_of(work, skin);
        return dualquat_palette(&signs, work->entity.model, skin, work->matrices, out, err);
    }
    for (uint32_t j = 0; j < count; j++)
        out += layout_store_matrix(&work->matrices[j], layout, out);
    return 0;
}

static bool compiled_layout(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene,
                            enum layout layout, float *out)
{
    struct err err;
    if (layout != LAYOUT_DUALQUAT)
        return compiled_palette(work, skin, world_from_scene, layout == LAYOUT_MAT4 ? PALETTE_MAT4 : PALETTE_MAT3X4,
                                out);
    need_rows(work, skin);
    if (!compiled_palette(work, skin, world_from_scene, PALETTE_MAT4, work->matrices[0].m))
        return false;
    const struct dualquat_signs signs = signs_of(work, skin);
    return dualquat_palette(&signs, work->entity.model, skin, work->matrices, out, &err) == 0;
}

int entity_palette_in(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene, enum layout layout,
                      float *out, struct err *err)
{
    if (work->is_compiled) {
        if (compiled_layout(work, skin, world_from_scene, layout, out))
            return 0;
        entity_give_up(work); /* its result and message decide */
    }
    return exact_layout(work, skin, world_from_scene, layout, out, err);
}

int entity_palette(struct entity_work *work, uint32_t skin, enum layout layout, float *out, struct err *err)
{
    return entity_palette_in(work, skin, work->entity.world_from_scene, layout, out, err);
}
