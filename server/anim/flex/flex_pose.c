/* flex_pose.c - turns a joint of the rest pose, and deforms vertices. */
#include "anim/given/given_rotation.h"
#include "anim/flex/flex_internal.h"

#include <string.h>

/* Deforms the entries of a part. */
static int deform_part(struct flex *flex, const struct flex_part *part, const uint32_t *entries, uint32_t count,
                       struct vec3 *out)
{
    enum { AT_ONCE = 64 };
    const struct model *model = flex->model;
    const struct primitive *primitive = &model->primitives[part->primitive];
    const struct node *node = &model->nodes[model->draws[part->draw].node];
    const double *weights = flex->pose.weights + node->weight_first;
    uint32_t places[AT_ONCE], size;
    struct vec3 binds[AT_ONCE];
    if (primitive->morph_target_count > 0 &&
        !flex_spend(flex, 0, skin_morph_work(model, part->primitive, weights, node->weight_count, count)))
        return flex->err->code;
    for (uint32_t first = 0; first < count; first += size) {
        for (size = 0; size < AT_ONCE && first + size < count; size++)
            places[size] = entries[first + size] - part->entry_first;
        skin_morph_places(model, part->primitive, places, size, weights, node->weight_count, binds);
        for (uint32_t i = 0; i < size; i++) {
            struct vec3 *at = &out[entries[first + i]];
            skin_position(model, primitive->vertex_first + places[i], &flex->palette, DOUBLE3(binds[i]), at);
            if (!vec3_is_finite(at))
                return err_set(flex->err, ERR_NOT_FINITE, "vertex %u of primitive %u is not finite", places[i],
                               part->primitive);
        }
    }
    return 0;
}

int flex_deform(struct flex *flex, const uint32_t *entries, uint32_t count, struct vec3 *out)
{
    uint32_t skin = UINT32_MAX, at = 0;
    for (uint32_t p = 0; p < flex->surface.part_count && at < count; p++) {
        const struct flex_part *part = &flex->surface.parts[p];
        const uint32_t first = at;
        while (at < count && entries[at] - part->entry_first < part->entry_count)
            at++;
        if (at == first)
            continue;
        if (part->skin != skin &&
            (!flex_spend(flex, flex->model->skins[part->skin].joint_count, 0) ||
             skin_palette_make(&flex->palette, &flex->pose, flex->model, part->skin, &DMAT4_IDENTITY, flex->err) < 0))
            return flex->err->code;
        skin = part->skin;
        const int rc = deform_part(flex, part, entries + first, at - first, out);
        if (rc < 0)
            return rc;
    }
    return 0;
}

void flex_find_below(struct flex *flex, uint32_t node)
{
    const struct model *model = flex->model;
    memset(flex->is_below, 0, model->node_count);
    flex->below_count = 0;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        if (n == node || (parent >= 0 && flex->is_below[parent] != 0)) {
            flex->is_below[n] = 1;
            flex->below[flex->below_count++] = n;
        }
    }
    for (uint32_t p = 0; p < flex->surface.part_count; p++) {
        const struct flex_part *part = &flex->surface.parts[p];
        const struct joint *joints = model->joints + model->skins[part->skin].joint_first;
        const uint32_t *firsts = model->influence_firsts + model->primitives[part->primitive].vertex_first;
        float *shares = flex->shares + part->entry_first;
        for (uint32_t v = 0; v < part->entry_count; v++) {
            shares[v] = firsts[v] == firsts[v + 1] ? (float)flex->is_below[joints[0].node] : 0;
            for (uint32_t i = firsts[v]; i < firsts[v + 1]; i++)
                if (flex->is_below[joints[model->influences[i].joint].node] != 0)
                    shares[v] += model->influences[i].weight;
        }
    }
}

/* Evaluates the nodes below again. */
static void compose_below(struct flex *flex)
{
    const struct node_list list = {flex->below, flex->below_count, flex->is_below};
    pose_compose_nodes(&flex->pose, flex->model, &list);
}

int flex_turn_joint(struct flex *flex, uint32_t node, uint32_t axis, double angle_deg, struct dmat4 *scene_from_rest)
{
    struct dmat4 rest_from_scene;
    struct trs *local = &flex->pose.local[node];
    double degrees[3] = {0, 0, 0}, turn[4];
    const struct dmat4 scene_from_joint = flex->pose.scene_from_node[node];
    const bool is_all = flex->model->constraint_count > 0; /* pose_list() */
    if (!flex_spend(flex, is_all ? pose_step_count(flex->model) : flex->below_count, 0))
        return flex->err->code;
    degrees[axis] = angle_deg;
    rotation_from_degrees(degrees, ORDER_XYZ, turn);
    quat_mul(local->rotation, turn, local->rotation);
    flex->pose.is_animated[node] = true;
    compose_below(flex);
    flex->report->pose_count++;
    if (!dmat4_invert(&scene_from_joint, &rest_from_scene))
        *scene_from_rest = DMAT4_IDENTITY;
    else
        *scene_from_rest = dmat4_mul(&flex->pose.scene_from_node[node], &rest_from_scene);
    return 0;
}

void flex_turn_back(struct flex *flex, uint32_t node)
{
    flex->pose.local[node] = pose_rest_transform(&flex->model->nodes[node]);
    flex->pose.is_animated[node] = false;
    compose_below(flex);
}
