/* eval_answers.c - palettes, nodes, vertices and root motion of the last entity evaluated. */
#include "clients/eval/eval_internal.h"

#include "anim/pose/local.h"

#include <math.h>
#include <string.h>

uint32_t pe_layout_floats(int layout)
{
    return layout < PE_MAT4 || layout > PE_DUALQUAT ? 0 : layout_floats((enum layout)layout);
}

/* Checks that something was evaluated, and that `out` has room for `count` items of `size` floats. */
static int check(const struct pe_evaluator *evaluator, const void *out, uint64_t count, uint32_t size, size_t capacity,
                 struct pe_error *error)
{
    if (evaluator->entity.model == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no entity is evaluated");
    if (size == 0)
        return eval_fail(error, PE_E_ARGUMENT, "the layout is unknown");
    if (out == NULL || capacity / size < count)
        return eval_fail(error, PE_E_ARGUMENT, "there is room for %zu floats, and %llu are needed", capacity,
                         (unsigned long long)count * size);
    return 0;
}

/* An earlier call may have switched to exact evaluation because its compiled result was not usable. This restores the
 * evaluation that pe_evaluate() chose, so that answers do not depend on earlier calls. */
static void take_way_again(struct pe_evaluator *evaluator)
{
    if (evaluator->is_compiled && !evaluator->work.is_compiled)
        entity_evaluate(&evaluator->work, &evaluator->entity);
}

static int check_nodes(const struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count,
                       struct pe_error *error)
{
    const uint32_t total = evaluator->entity.model->node_count;
    if (nodes == NULL && count > total)
        return eval_fail(error, PE_E_ARGUMENT, "%u nodes of %u", count, total);
    for (uint32_t i = 0; i < count && nodes != NULL; i++)
        if (nodes[i] >= total)
            return eval_fail(error, PE_E_ARGUMENT, "node %u of %u", nodes[i], total);
    return 0;
}

int pe_palette(struct pe_evaluator *evaluator, uint32_t skin, int layout, float *out, size_t capacity,
               struct pe_error *error)
{
    const struct model *model = evaluator->entity.model;
    if (model != NULL && skin >= model->skin_count)
        return eval_fail(error, PE_E_ARGUMENT, "skin %u of %u", skin, model->skin_count);
    const uint32_t joints = model != NULL ? model->skins[skin].joint_count : 0;
    struct err err;
    const int rc = check(evaluator, out, joints, pe_layout_floats(layout), capacity, error);
    if (rc < 0)
        return rc;
    take_way_again(evaluator);
    return entity_palette(&evaluator->work, skin, (enum layout)layout, out, &err) < 0 ? eval_fail_by(error, &err) : 0;
}

int pe_nodes(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, int layout, float *out,
             size_t capacity, struct pe_error *error)
{
    struct err err;
    int rc = check(evaluator, out, count, pe_layout_floats(layout), capacity, error);
    if (rc == 0)
        rc = check_nodes(evaluator, nodes, count, error);
    if (rc < 0)
        return rc;
    take_way_again(evaluator);
    if (entity_nodes(&evaluator->work, nodes != NULL ? nodes : evaluator->nodes, count, (enum layout)layout, out,
                     &err) < 0)
        return eval_fail_by(error, &err);
    return 0;
}

/* --- relative to the parent --- */

static int store_local(struct pe_evaluator *evaluator, const struct pose *pose, uint32_t node, float out[LOCAL_FLOATS],
                       struct pe_error *error)
{
    const struct model *model = evaluator->entity.model;
    struct trs local;
    struct err err;
    if (local_is_sheared(pose, model, node)) {
        memset(out, 0, LOCAL_FLOATS * sizeof *out);
        return 0;
    }
    if (local_transform(pose, model, node, evaluator->entity.motion, &evaluator->work.step, &local, &err) < 0)
        return eval_fail_by(error, &err);
    local_store(&local, out);
    if (!floats_are_finite(out, LOCAL_FLOATS))
        return eval_fail(error, PE_E_NOT_FINITE, "the transform of node %u is not finite", node);
    return 0;
}

int pe_locals(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, float *out, size_t capacity,
              struct pe_error *error)
{
    int rc = check(evaluator, out, count, LOCAL_FLOATS, capacity, error);
    if (rc == 0)
        rc = check_nodes(evaluator, nodes, count, error);
    if (rc < 0)
        return rc;
    const struct pose *pose = entity_pose(&evaluator->work);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        rc = store_local(evaluator, pose, nodes != NULL ? nodes[i] : i, out + LOCAL_FLOATS * (size_t)i, error);
    return rc;
}

int pe_local_matrix(struct pe_evaluator *evaluator, uint32_t node, float out[16], struct pe_error *error)
{
    int rc = check(evaluator, out, 1, 16, 16, error);
    if (rc == 0)
        rc = check_nodes(evaluator, &node, 1, error);
    if (rc < 0)
        return rc;
    const struct dmat4 parent_from_node =
        pose_parent_from_node(entity_pose(&evaluator->work), evaluator->entity.model, node);
    const struct mat4 rounded = mat4_from_dmat4(&parent_from_node);
    if (!floats_are_finite(rounded.m, 16))
        return eval_fail(error, PE_E_NOT_FINITE, "the transform of node %u is not finite", node);
    memcpy(out, rounded.m, sizeof rounded.m);
    return 0;
}

int pe_morph_weights(struct pe_evaluator *evaluator, uint32_t node, float *out, size_t capacity, struct pe_error *error)
{
    int rc = check(evaluator, out, 0, 1, capacity, error);
    if (rc == 0)
        rc = check_nodes(evaluator, &node, 1, error);
    if (rc < 0)
        return rc;
    const struct node *of = &evaluator->entity.model->nodes[node];
    const struct pose *pose = entity_pose(&evaluator->work);
    for (uint32_t w = 0; w < of->weight_count && w < capacity; w++)
        out[w] = (float)pose->weights[of->weight_first + w];
    return (int)of->weight_count;
}

/* --- vertices --- */

static int load_palette(struct pe_evaluator *evaluator, uint32_t skin, struct pe_error *error)
{
    struct err err;
    if (evaluator->palette_skin == skin)
        return 0;
    evaluator->palette_skin = UINT32_MAX;
    if (skin_palette_make(&evaluator->palette, entity_pose(&evaluator->work), evaluator->entity.model, skin,
                          &DMAT4_IDENTITY, &err) < 0)
        return eval_fail_by(error, &err);
    evaluator->palette_skin = skin;
    return 0;
}

static int store_vertices(struct pe_evaluator *evaluator, uint32_t draw, bool is_normal, float *out,
                          struct pe_error *error)
{
    struct vec3 *vertices = (struct vec3 *)(void *)out;
    struct err err;
    skin_draw(evaluator->entity.model, draw, entity_pose(&evaluator->work), &evaluator->palette, is_normal, vertices);
    return skin_check(evaluator->entity.model, draw, vertices, &err) < 0 ? eval_fail_by(error, &err) : 0;
}

int pe_vertices(struct pe_evaluator *evaluator, uint32_t draw, float *positions, float *normals, size_t capacity,
                struct pe_error *error)
{
    const struct model *model = evaluator->entity.model;
    if (model != NULL && draw >= model->draw_count)
        return eval_fail(error, PE_E_ARGUMENT, "draw %u of %u", draw, model->draw_count);
    const uint32_t count = model != NULL ? model->primitives[model->draws[draw].primitive].vertex_count : 0;
    int rc = check(evaluator, positions != NULL ? positions : normals, count, 3, capacity, error);
    if (rc == 0)
        rc = load_palette(evaluator, model->draws[draw].skin, error);
    if (rc == 0 && positions != NULL)
        rc = store_vertices(evaluator, draw, false, positions, error);
    if (rc == 0 && normals != NULL)
        rc = store_vertices(evaluator, draw, true, normals, error);
    return rc;
}

/* --- root motion --- */

int pe_root_step(struct pe_evaluator *evaluator, struct pe_step *out, struct pe_error *error)
{
    const struct entity *entity = &evaluator->entity;
    const struct root_step *step = &evaluator->work.step;
    if (entity->model == NULL || entity->motion == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no entity with root motion is evaluated");
    *out = (struct pe_step){.root = entity->motion->node, .yaw_deg = (float)step->angle_deg};
    bool is_finite = isfinite(out->yaw_deg);
    for (int i = 0; i < 3; i++) {
        out->translation[i] = (float)step->translation[i];
        /* checks the origin too: two places may be too far away for floats, yet close to each other */
        is_finite = is_finite && isfinite(out->translation[i]) && isfinite((float)entity->motion->origin[i]);
    }
    if (!is_finite)
        return eval_fail(error, PE_E_NOT_FINITE, "the movement of the root, node %u, is not finite", out->root);
    return 0;
}
