#include "anim/pose/bounds_sum.h"

#include "base/err.h"

#include <math.h>

static const struct primitive *primitive_of(const struct bounds_sum *sum, uint32_t entry)
{
    return &sum->model->primitives[sum->model->draws[sum->draws[entry]].primitive];
}

/* The joint box that vertex `v` of an entry belongs to. */
static struct joint_box *joint_of(const struct bounds_sum *sum, uint32_t entry, uint32_t v)
{
    const struct model *model = sum->model;
    const struct skin *skin = &model->skins[model->draws[sum->draws[entry]].skin];
    const uint32_t place = bounds_main_joint(model, primitive_of(sum, entry)->vertex_first + v);
    return &sum->joints[model->joints[skin->joint_first + place].node];
}

void bounds_sum_clear(struct bounds_sum *sum)
{
    sum->all = BOX_EMPTY;
    for (uint32_t e = 0; e < sum->draw_count; e++)
        sum->entries[e] = BOX_EMPTY;
    for (uint32_t n = 0; sum->joints != NULL && n < sum->model->node_count; n++)
        sum->joints[n].scene = sum->joints[n].joint = BOX_EMPTY;
}

void bounds_sum_start(struct bounds_sum *sum)
{
    const struct model *model = sum->model;
    sum->is_in_scene = false;
    bounds_sum_clear(sum);
    for (uint32_t n = 0; sum->joints != NULL && n < model->node_count; n++)
        sum->joints[n].vertex_count = 0;
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        sum->is_in_scene = sum->is_in_scene || (model->draws[sum->draws[e]].flags & DRAW_IN_SCENE) != 0;
        for (uint32_t v = 0; sum->joints != NULL && v < primitive_of(sum, e)->vertex_count; v++)
            joint_of(sum, e, v)->vertex_count++;
    }
    for (uint32_t n = 0; sum->is_nodes && n < model->node_count; n++)
        sum->is_in_scene = sum->is_in_scene || (model->nodes[n].flags & NODE_IN_SCENE) != 0;
}

static void invert_joints(struct bounds_sum *sum, const struct pose *pose)
{
    for (uint32_t n = 0; n < sum->model->node_count; n++) {
        struct joint_box *joint = &sum->joints[n];
        if (joint->vertex_count > 0)
            joint->has_inverse = dmat4_invert(&pose->scene_from_node[n], &joint->joint_from_scene);
    }
}

static void add_entry(struct bounds_sum *sum, uint32_t entry)
{
    const uint32_t count = primitive_of(sum, entry)->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        const struct vec3 *vertex = &sum->vertices[v];
        const double point[3] = {(double)vertex->x, (double)vertex->y, (double)vertex->z};
        box_add(&sum->entries[entry], point);
        if (sum->joints == NULL)
            continue;
        struct joint_box *joint = joint_of(sum, entry, v);
        box_add(&joint->scene, point);
        if (joint->has_inverse) {
            double inside[3];
            dmat4_point(&joint->joint_from_scene, point, inside);
            box_add(&joint->joint, inside);
        }
    }
}

static int add_nodes(struct bounds_sum *sum, const struct pose *pose, struct err *err)
{
    for (uint32_t n = 0; n < sum->model->node_count; n++) {
        const double *origin = pose->scene_from_node[n].m + 12;
        if (sum->is_in_scene && (sum->model->nodes[n].flags & NODE_IN_SCENE) == 0)
            continue;
        for (int i = 0; i < 3; i++)
            if (!isfinite((float)origin[i]))
                return err_set(err, ERR_NOT_FINITE, "the place of node %u is not finite", n);
        box_add(&sum->all, origin);
    }
    return 0;
}

int bounds_sum_add(struct bounds_sum *sum, const struct pose *pose, struct err *err)
{
    const struct model *model = sum->model;
    if (sum->is_nodes)
        return add_nodes(sum, pose, err);
    if (sum->joints != NULL)
        invert_joints(sum, pose);
    uint32_t skin = UINT32_MAX;
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        const struct draw *draw = &model->draws[sum->draws[e]];
        const int rc = bounds_deform(pose, model, sum->draws[e], sum->palette, draw->skin == skin, sum->vertices, err);
        if (rc < 0)
            return rc;
        skin = draw->skin;
        add_entry(sum, e);
        if (!sum->is_in_scene || (draw->flags & DRAW_IN_SCENE) != 0)
            box_join(&sum->all, &sum->entries[e]);
    }
    return 0;
}
