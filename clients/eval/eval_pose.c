/* eval_pose.c - checks poses of callers, and copies them to where there is room. */
#include "anim/pose/give.h"
#include "base/mem.h"
#include "base/sort.h"
#include "clients/eval/eval_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PE_TRANSLATION == (int)GIVEN_TRANSLATION && (int)PE_ROTATION == (int)GIVEN_ROTATION &&
                   (int)PE_SCALE == (int)GIVEN_SCALE && (int)PE_WHOLE == (int)GIVEN_WHOLE,
               "parts have one number");

enum { NODE_VALUES = 10 };

/* --- room --- */

bool eval_reserve_room(struct given_room *room, size_t node_count, size_t weight_count, size_t layer_count)
{
    node_count = node_count > room->node_capacity ? node_count : room->node_capacity;
    weight_count = weight_count > room->weight_capacity ? weight_count : room->weight_capacity;
    const size_t least = NODE_VALUES * node_count + weight_count + EVAL_POSE_VALUES * layer_count;
    const size_t values = least > room->value_capacity ? least : room->value_capacity;
    if (!mem_try_resize(&room->nodes, node_count + 1, sizeof *room->nodes) ||
        !mem_try_resize(&room->weights, weight_count + 1, sizeof *room->weights) ||
        !mem_try_resize(&room->values, values + 1, sizeof *room->values))
        return false;
    room->node_capacity = node_count;
    room->weight_capacity = weight_count;
    room->value_capacity = values;
    return true;
}

void eval_free_room(struct given_room *room)
{
    free(room->nodes);
    free(room->weights);
    free(room->values);
}

/* --- order --- */

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t one = ((const struct given_node *)a)->node, other = ((const struct given_node *)b)->node;
    return (one > other) - (one < other);
}

static int compare_weights(const void *a, const void *b)
{
    const uint32_t one = ((const struct given_weight *)a)->weight, other = ((const struct given_weight *)b)->weight;
    return (one > other) - (one < other);
}

static int put_in_order(struct given_pose *given, const struct model *model, struct pe_error *error)
{
    bool are_rising = true;
    for (uint32_t i = 1; i < given->node_count; i++)
        are_rising = are_rising && given->nodes[i].node > given->nodes[i - 1].node;
    if (!are_rising)
        sort_in_place(given->nodes, given->node_count, sizeof *given->nodes, compare_nodes);
    for (uint32_t i = 1; i < given->node_count && !are_rising; i++) {
        const uint32_t node = given->nodes[i].node;
        char name[SHORT_NAME_SIZE];
        if (node == given->nodes[i - 1].node)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: node %u '%s' is given twice", node,
                             short_name(model, model->nodes[node].name, name));
    }
    sort_in_place(given->weights, given->weight_count, sizeof *given->weights, compare_weights);
    for (uint32_t i = 1; i < given->weight_count; i++) {
        const struct given_weight *weight = &given->weights[i];
        if (weight->weight == given->weights[i - 1].weight)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: morph weight %u of node %u is given twice",
                             weight->weight - model->nodes[weight->node].weight_first, weight->node);
    }
    return 0;
}

/* --- numbers --- */

/* Looks at numbers that are about to be combined with those at rest, where they would no longer be told apart. */
static int check_finite(const struct given_pose *given, const struct model *model, uint32_t frame,
                        struct pe_error *error)
{
    static const char *const NAMES[] = {"translation", "rotation", "scale"};
    for (uint32_t n = 0; n < given->node_count; n++) {
        const struct given_node *of = &given->nodes[n];
        const double *at = given->values + (size_t)frame * given->frame_values + of->first;
        char name[SHORT_NAME_SIZE];
        for (int p = 0; p < 3; p++)
            for (int i = 0; i < (p == 1 ? 4 : 3) && (of->parts >> p & 1) != 0; i++)
                if (!isfinite(*at++))
                    return eval_fail(error, PE_E_ARGUMENT,
                                     "frame %u: the %s of node %u '%s': number %d is not finite as a float", frame,
                                     NAMES[p], of->node, short_name(model, model->nodes[of->node].name, name), i);
    }
    return 0;
}

int eval_finish_given(struct given_pose *given, const struct model *model, bool is_from_rest, struct pe_error *error)
{
    struct err err;
    int rc = put_in_order(given, model, error);
    for (uint32_t f = 0; f < given->frame_count && is_from_rest && rc == 0; f++) {
        rc = check_finite(given, model, f, error);
        for (uint32_t n = 0; n < given->node_count && rc == 0; n++)
            give_add_rest(&given->nodes[n], model, given->values + (size_t)f * given->frame_values);
    }
    if (rc < 0)
        return rc;
    return given_pose_finish_values(given, model, &err) < 0 ? eval_fail_by(error, &err) : 0;
}

/* --- poses of callers --- */

/* Copies what is given of a node. Returns the number behind it. */
static double *copy_node(const struct pe_given_node *node, double *at)
{
    _Static_assert(sizeof *node == offsetof(struct pe_given_node, translation) + NODE_VALUES * sizeof *at, "no gaps");
    if (node->parts == PE_WHOLE) {
        memcpy(at, (const char *)node + offsetof(struct pe_given_node, translation), NODE_VALUES * sizeof *at);
        return at + NODE_VALUES;
    }
    if ((node->parts & PE_TRANSLATION) != 0) {
        memcpy(at, node->translation, sizeof node->translation);
        at += 3;
    }
    if ((node->parts & PE_ROTATION) != 0) {
        memcpy(at, node->rotation, sizeof node->rotation);
        at += 4;
    }
    if ((node->parts & PE_SCALE) != 0) {
        memcpy(at, node->scale, sizeof node->scale);
        at += 3;
    }
    return at;
}

static int take_nodes(const struct pe_pose *pose, const struct model *model, struct given_pose *out,
                      struct pe_error *error)
{
    double *at = out->values;
    for (uint32_t i = 0; i < pose->node_count; i++) {
        const struct pe_given_node *node = &pose->nodes[i];
        if (node->node >= model->node_count || node->parts > PE_WHOLE)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: nodes[%u]: node %u of %u, parts %u", i, node->node,
                             model->node_count, node->parts);
        if (node->parts == 0)
            continue;
        out->nodes[out->node_count++] =
            (struct given_node){.node = node->node, .parts = node->parts, .first = (uint32_t)(at - out->values)};
        at = copy_node(node, at);
    }
    out->frame_values = (uint32_t)(at - out->values);
    return 0;
}

int eval_check_weight(const struct pe_given_weight *weight, const struct model *model, uint32_t index,
                      struct pe_error *error)
{
    const uint32_t targets = weight->node < model->node_count ? model->nodes[weight->node].weight_count : 0;
    return weight->target < targets
               ? 0
               : eval_fail(error, PE_E_ARGUMENT, "frame 0: weights[%u]: node %u of %u, morph target %u of %u", index,
                           weight->node, model->node_count, weight->target, targets);
}

static int take_weights(const struct pe_pose *pose, const struct model *model, struct given_pose *out,
                        struct pe_error *error)
{
    for (uint32_t i = 0; i < pose->weight_count; i++) {
        const struct pe_given_weight *weight = &pose->weights[i];
        const int rc = eval_check_weight(weight, model, i, error);
        if (rc < 0)
            return rc;
        out->weights[out->weight_count++] = (struct given_weight){
            model->nodes[weight->node].weight_first + weight->target, weight->node, out->frame_values, 0};
        out->values[out->frame_values++] = weight->weight;
    }
    return 0;
}

int eval_take_pose(struct given_room *room, const struct pe_model *of, const struct pe_pose *pose,
                   struct given_pose *out, struct pe_error *error)
{
    const struct model *model = &of->file.model;
    if ((pose->node_count > 0 && pose->nodes == NULL) || (pose->weight_count > 0 && pose->weights == NULL) ||
        pose->relative_to < PE_TO_PARENT || pose->relative_to > PE_TO_REST)
        return eval_fail(error, PE_E_ARGUMENT, "the pose has no nodes or weights, or relative_to is unknown");
    if (pose->node_count > room->node_capacity - room->node_count ||
        pose->weight_count > room->weight_capacity - room->weight_count ||
        room->value_capacity - room->value_count <
            NODE_VALUES * (size_t)pose->node_count + pose->weight_count + EVAL_POSE_VALUES)
        return eval_fail(error, PE_E_RESERVE, "there is no room for a pose of %u nodes and %u morph weights",
                         pose->node_count, pose->weight_count);
    *out = (struct given_pose){.nodes = room->nodes + room->node_count,
                               .weights = room->weights + room->weight_count,
                               .times_s = room->values + room->value_count,
                               .values = room->values + room->value_count + 1,
                               .frame_count = 1};
    out->times_s[0] = 0;
    int rc = take_nodes(pose, model, out, error);
    if (rc == 0)
        rc = take_weights(pose, model, out, error);
    if (rc < 0)
        return rc;
    if (out->frame_values == 0)
        out->values[out->frame_values++] = 0; /* nothing is given */
    room->node_count += out->node_count;
    room->weight_count += out->weight_count;
    room->value_count += 1 + (size_t)out->frame_values;
    return eval_finish_given(out, model, pose->relative_to == PE_TO_REST, error);
}
