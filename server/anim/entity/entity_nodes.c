/* entity_nodes.c - single nodes of an entity, from either evaluation. */
#include "anim/entity/entity_chain.h"

#include "anim/pose/dualquat.h"

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

bool entity_is_in_rig(const struct model *model, uint32_t node)
{
    return model->rig_place_count > 0 && model->rig_places[node] != UINT32_MAX;
}

/* Returns scene_from_node of a rig node, without the motion. */
static struct dmat4 compiled_node(struct entity_work *work, uint32_t node)
{
    const struct entity *entity = &work->entity;
    const float *rows = work->compiled.matrices + KERNEL_MATRIX * (size_t)entity->model->rig_places[node];
    struct dmat4 matrix = DMAT4_IDENTITY;
    if (!work->is_composed)
        clip_palette_compose_nodes(&work->compiled, entity->model);
    work->is_composed = true;
    for (int e = 0; e < 12; e++)
        matrix.m[e % 4 * 4 + e / 4] = (double)rows[e];
    if (entity->motion != NULL && entity->motion->is_moved[node])
        return dmat4_mul(&work->still_from_scene, &matrix);
    return matrix;
}

static struct dmat4 in_world(const struct entity *entity, const struct dmat4 *scene_from_node)
{
    return entity->world_from_scene != NULL ? dmat4_mul(entity->world_from_scene, scene_from_node) : *scene_from_node;
}

struct dmat4 entity_node(struct entity_work *work, uint32_t node)
{
    if (work->is_compiled && entity_is_in_rig(work->entity.model, node)) {
        const struct dmat4 scene_from_node = compiled_node(work, node);
        const struct dmat4 world_from_node = in_world(&work->entity, &scene_from_node);
        const struct mat4 rounded = mat4_from_dmat4(&world_from_node);
        if (floats_are_finite(rounded.m, 16))
            return world_from_node;
        entity_give_up(work); /* its result decides */
    }
    entity_complete(work);
    return in_world(&work->entity, &work->pose.scene_from_node[node]);
}

int entity_nodes(struct entity_work *work, const uint32_t *nodes, uint32_t count, enum layout layout, float *out,
                 struct err *err)
{
    for (uint32_t i = 0; i < count; i++, out += layout_floats(layout)) {
        /* whether a matrix is rigid is decided in double precision */
        const struct dmat4 world_from_node =
            layout != LAYOUT_DUALQUAT ? entity_node(work, nodes[i])
                                      : in_world(&work->entity, &entity_pose(work)->scene_from_node[nodes[i]]);
        if (store_node(&world_from_node, layout, out, err) < 0)
            return name_node(work->entity.model, nodes[i], err);
    }
    return 0;
}
