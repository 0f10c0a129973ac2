#include "anim/pose/give.h"

#include "anim/given/trs_mix.h"

void give_local(const struct give *give, const struct given_node *node, const struct given_moment *moment,
                const struct trs *rest, struct trs *local)
{
    struct trs given = *rest;
    given_pose_local(give->given, node, moment, &given);
    if (give->is_additive)
        trs_add(&given, rest, node->parts, give->weight, local);
    else
        trs_replace(&given, node->parts, give->weight, local);
}

static void give_node(struct pose *pose, const struct model *model, const struct give *give,
                      const struct given_node *node, const struct given_moment *moment)
{
    const struct trs rest = pose_rest_transform(&model->nodes[node->node]);
    const bool is_whole = node->parts == GIVEN_WHOLE && !give->is_additive && give->weight >= 1;
    give_local(give, node, moment, &rest, &pose->local[node->node]);
    pose->is_animated[node->node] = true;
    pose_set_multiplied(pose, model, node->node, is_whole);
}

static void give_weight(struct pose *pose, const struct model *model, const struct give *give,
                        const struct given_weight *of, const struct given_moment *moment)
{
    const double given = given_pose_weight(give->given, of, moment);
    double *weight = &pose->weights[of->weight];
    if (give->is_additive)
        *weight += give->weight * (given - (double)model->weights[of->weight]);
    else
        *weight = give->weight >= 1 ? given : *weight + give->weight * (given - *weight);
}

void pose_give(struct pose *pose, const struct model *model, const struct node_list *list, const struct give *give)
{
    const struct given_pose *given = give->given;
    const struct given_moment moment = given_pose_moment(given, give->time_s);
    for (uint32_t i = 0; i < given->node_count; i++) {
        const uint32_t node = given->nodes[i].node;
        if ((list->is_in == NULL || list->is_in[node] != 0) && (give->is_moved == NULL || give->is_moved[node] != 0))
            give_node(pose, model, give, &given->nodes[i], &moment);
    }
    for (uint32_t i = 0; i < given->weight_count && list->is_in == NULL; i++)
        if (give->is_moved == NULL || give->is_moved[given->weights[i].node] != 0)
            give_weight(pose, model, give, &given->weights[i], &moment);
}

void give_add_rest(const struct given_node *node, const struct model *model, double *values)
{
    const struct trs rest = pose_rest_transform(&model->nodes[node->node]);
    double *at = values + node->first;
    for (int k = 0; k < 3 && (node->parts & GIVEN_TRANSLATION) != 0; k++)
        at[k] += rest.translation[k];
    at += (node->parts & GIVEN_TRANSLATION) != 0 ? 3 : 0;
    if ((node->parts & GIVEN_ROTATION) != 0) {
        quat_mul(rest.rotation, at, at);
        at += 4;
    }
    for (int k = 0; k < 3 && (node->parts & GIVEN_SCALE) != 0; k++)
        at[k] *= rest.scale[k];
}
