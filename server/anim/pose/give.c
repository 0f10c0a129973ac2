#include "anim/pose/give.h"

#include "anim/given/trs_mix.h"
#include "anim/pose/constraint.h"

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
    const bool is_alone = !give->is_additive && give->weight >= 1;
    give_local(give, node, moment, &rest, &pose->local[node->node]);
    pose->is_animated[node->node] = true;
    pose_set_multiplied(pose, model, node->node, is_alone && node->parts == GIVEN_WHOLE);
    if (is_alone && (node->parts & GIVEN_ROTATION) != 0)
        constraints_note_given(pose, model, node->node);
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

static void look_by_weights(struct pose *pose, const struct give *give, double yaw_deg, double pitch_deg)
{
    const struct given_look *look = &give->given->look;
    const struct given_moment moment = given_pose_moment(give->given, give->time_s);
    double weights[GAZE_LOOKS];
    given_look_weights(look, yaw_deg, pitch_deg, given_pose_look_share(give->given, &moment), weights);
    for (uint32_t b = 0; b < look->bind_count && look->binds[b].material == LOOK_NO_MATERIAL; b++) {
        const struct look_bind *bind = &look->binds[b];
        if (give->is_moved == NULL || give->is_moved[bind->node] != 0)
            pose->weights[bind->weight] += give->weight * weights[bind->look] * (double)bind->values[0];
    }
}

void pose_give_look(struct pose *pose, const struct model *model, const struct give *give)
{
    const struct given_look *look = &give->given->look;
    double yaw_deg, pitch_deg;
    if (look->kind == LOOK_NONE)
        return;
    if (look->kind == LOOK_POINT)
        pose_compose(pose, model);
    given_look_angles(look, &pose->scene_from_node[look->head], &yaw_deg, &pitch_deg);
    for (int i = 0; i < 2; i++) {
        const int32_t eye = look->eyes[i];
        struct trs turned;
        if (eye < 0 || (give->is_moved != NULL && give->is_moved[eye] == 0))
            continue;
        gaze_turn_eye(&look->gaze, &look->eye[i], yaw_deg, pitch_deg, turned.rotation);
        trs_replace(&turned, GIVEN_ROTATION, give->weight, &pose->local[eye]);
        pose->is_animated[eye] = true;
    }
    look_by_weights(pose, give, yaw_deg, pitch_deg);
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
