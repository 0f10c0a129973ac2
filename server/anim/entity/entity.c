/* entity.c - poses an entity by the compiled way where that is the same within its bound, else in double precision. */
#include "anim/entity/entity.h"

#include "anim/pose/dualquat_palette.h"
#include "base/mem.h"

#include <stdlib.h>

void entity_work_init(struct entity_work *work)
{
    *work = (struct entity_work){0};
    clip_palette_init(&work->compiled, kernel_best());
    pose_init(&work->pose);
    blend_init(&work->blend);
}

void entity_work_fini(struct entity_work *work)
{
    clip_palette_fini(&work->compiled);
    pose_fini(&work->pose);
    blend_fini(&work->blend);
    free(work->matrices);
    free(work->signs);
}

/* --- memory --- */

static bool reserve_matrices(struct entity_work *work, uint32_t count)
{
    if (count <= work->matrix_capacity && work->matrices != NULL)
        return true;
    struct mat4 *matrices = realloc(work->matrices, ((size_t)count + 1) * sizeof *matrices);
    if (matrices == NULL)
        return false;
    work->matrices = matrices;
    work->matrix_capacity = count;
    return true;
}

static size_t signs_of(const struct model *model, uint32_t skin)
{
    return 2 * (size_t)model->skins[skin].joint_count + dualquat_signs_scratch(model, skin);
}

static bool reserve_signs(struct entity_work *work, size_t count)
{
    if (count <= work->sign_capacity)
        return true;
    uint32_t *signs = realloc(work->signs, count * sizeof *signs);
    if (signs == NULL)
        return false;
    work->signs = signs;
    work->sign_capacity = count;
    return true;
}

int entity_work_reserve(struct entity_work *work, const struct model *model, uint32_t layer_most, struct err *err)
{
    bool has_room = pose_reserve(&work->pose, model) && blend_reserve(&work->blend, model, layer_most);
    clip_palette_reserve(&work->compiled, model);
    for (uint32_t s = 0; s < model->skin_count && has_room; s++)
        has_room = reserve_matrices(work, model->skins[s].joint_count) && reserve_signs(work, signs_of(model, s));
    return has_room ? 0 : err_set(err, ERR_NO_MEMORY, "no memory to evaluate a model of %u nodes", model->node_count);
}

/* --- evaluation --- */

/* A layer that by itself is the whole pose. */
static bool is_whole(const struct blend_layer *layer)
{
    return !layer->is_additive && layer->mask_count == 0 && layer->weight > 0;
}

static bool is_compiled(const struct entity *entity)
{
    const struct blend_layer *layer = entity->layers;
    return entity->layer_count == 1 && is_whole(layer) && layer->source == NULL && entity->motion == NULL &&
           entity->world_from_scene == NULL && clip_palette_is_compiled(entity->model, layer->clip);
}

static void make_pose(struct entity_work *work, const struct entity *entity)
{
    const struct blend_layer *layer = entity->layers;
    const struct model *source = entity->layer_count > 0 && layer->source != NULL ? layer->source : entity->model;
    if (entity->layer_count == 0)
        pose_evaluate(&work->pose, entity->model, POSE_REST, 0);
    else if (entity->layer_count == 1 && is_whole(layer))
        pose_evaluate(&work->pose, source, layer->clip, layer->clip_time_s);
    else
        blend_evaluate(&work->blend, &work->pose, entity->model, entity->layers, entity->layer_count);
    if (entity->motion != NULL)
        root_motion_remove(entity->motion, &work->pose, entity->model, &work->step);
    work->has_exact = true;
}

void entity_evaluate_exact(struct entity_work *work, const struct entity *entity)
{
    work->entity = *entity;
    work->is_compiled = false;
    work->has_pose = false;
    make_pose(work, entity);
}

void entity_evaluate(struct entity_work *work, const struct entity *entity)
{
    if (!is_compiled(entity)) {
        entity_evaluate_exact(work, entity);
        work->exact_count++;
        return;
    }
    work->entity = *entity;
    work->is_compiled = true;
    work->has_pose = false;
    work->has_exact = false;
    work->compiled_count++;
}

const struct pose *entity_pose(struct entity_work *work)
{
    if (!work->has_exact)
        make_pose(work, &work->entity);
    return &work->pose;
}

/* --- palettes --- */

static void compiled_palette(struct entity_work *work, uint32_t skin, enum palette_form form, float *out)
{
    const struct entity *entity = &work->entity;
    if (work->has_pose)
        clip_palette_next(&work->compiled, entity->model, skin, form, out);
    else
        clip_palette_evaluate(&work->compiled, entity->model, (uint32_t)entity->layers[0].clip,
                              entity->layers[0].clip_time_s, skin, form, out);
    work->has_pose = true;
}

/* work->matrices: the palette of the skin. */
static int mat4_palette(struct entity_work *work, uint32_t skin, struct err *err)
{
    const struct entity *entity = &work->entity;
    if (!reserve_matrices(work, entity->model->skins[skin].joint_count))
        mem_exhausted();
    if (work->is_compiled) {
        compiled_palette(work, skin, PALETTE_MAT4, work->matrices[0].m);
        return 0;
    }
    const struct dmat4 *space = entity->world_from_scene != NULL ? entity->world_from_scene : &DMAT4_IDENTITY;
    return pose_palette(&work->pose, entity->model, skin, space, work->matrices, err);
}

static int dualquats(struct entity_work *work, uint32_t skin, float *out, struct err *err)
{
    const struct model *model = work->entity.model;
    const size_t count = model->skins[skin].joint_count;
    if (!reserve_signs(work, signs_of(model, skin)))
        mem_exhausted();
    const struct dualquat_signs signs = {.order = work->signs, .above = work->signs + count};
    dualquat_signs_find(&signs, model, skin, work->signs + 2 * count);
    return dualquat_palette(&signs, model, skin, work->matrices, out, err);
}

int entity_palette(struct entity_work *work, uint32_t skin, enum layout layout, float *out, struct err *err)
{
    const uint32_t count = work->entity.model->skins[skin].joint_count;
    if (work->is_compiled && layout != LAYOUT_DUALQUAT) {
        compiled_palette(work, skin, layout == LAYOUT_MAT4 ? PALETTE_MAT4 : PALETTE_MAT3X4, out);
        return 0;
    }
    const int rc = mat4_palette(work, skin, err);
    if (rc < 0 || layout == LAYOUT_DUALQUAT)
        return rc < 0 ? rc : dualquats(work, skin, out, err);
    for (uint32_t j = 0; j < count; j++)
        out += layout_store_matrix(&work->matrices[j], layout, out);
    return 0;
}

/* --- nodes --- */

static int name_node(const struct model *model, uint32_t node, struct err *err)
{
    char name[SHORT_NAME_SIZE];
    return err_prefix(err, "node %u '%s'", node, short_name(model, model->nodes[node].name, name));
}

static int store_node(const struct dmat4 *world_from_node, enum layout layout, float *out, struct err *err)
{
    const struct mat4 rounded = mat4_from_dmat4(world_from_node);
    if (!floats_are_finite(rounded.m, 16))
        return err_set(err, ERR_NOT_FINITE, "its matrix is not finite");
    if (layout != LAYOUT_DUALQUAT) {
        layout_store_matrix(&rounded, layout, out);
        return 0;
    }
    const struct dmat4 matrix = dmat4_from_mat4(&rounded);
    struct dualquat q;
    const int rc = dualquat_from_matrix(&matrix, &q, err);
    for (int i = 0; i < 4 && rc == 0; i++) {
        out[i] = (float)q.real[i];
        out[4 + i] = (float)q.dual[i];
    }
    return rc;
}

int entity_nodes(struct entity_work *work, const uint32_t *nodes, uint32_t count, enum layout layout, float *out,
                 struct err *err)
{
    const struct entity *entity = &work->entity;
    const struct pose *pose = entity_pose(work);
    for (uint32_t i = 0; i < count; i++, out += layout_floats(layout)) {
        struct dmat4 world_from_node = pose->scene_from_node[nodes[i]];
        if (entity->world_from_scene != NULL)
            world_from_node = dmat4_mul(entity->world_from_scene, &world_from_node);
        if (store_node(&world_from_node, layout, out, err) < 0)
            return name_node(entity->model, nodes[i], err);
    }
    return 0;
}
