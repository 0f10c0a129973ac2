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

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

bool eval_reserve_room(struct given_room *room, const struct room_size *size)
{
    const size_t nodes = larger(size->node_count, room->node_capacity);
    const size_t weights = larger(size->weight_count, room->weight_capacity);
    const size_t look_binds = larger(size->look_bind_count, room->look_bind_capacity);
    const size_t values =
        larger(NODE_VALUES * nodes + weights + EVAL_POSE_VALUES * size->layer_count, room->value_capacity);
    if (!mem_try_resize(&room->nodes, nodes + 1, sizeof *room->nodes) ||
        !mem_try_resize(&room->weights, weights + 1, sizeof *room->weights) ||
        !mem_try_resize(&room->look_binds, look_binds + 1, sizeof *room->look_binds) ||
        !mem_try_resize(&room->values, values + 1, sizeof *room->values))
        return false;
    room->node_capacity = nodes;
    room->weight_capacity = weights;
    room->look_bind_capacity = look_binds;
    room->value_capacity = values;
    return true;
}

void eval_free_room(struct given_room *room)
{
    free(room->nodes);
    free(room->weights);
    free(room->look_binds);
    free(room->values);
    eval_free_face(&room->face);
}

/* --- order --- */

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t one = ((const struct given_node *)a)->node, other = ((const struct given_node *)b)->node;
    return (one > other) - (one < other);
}

static int put_in_order(struct given_pose *given, const struct model *model, struct pe_error *error)
{
    uint32_t falls = 0;
    for (uint32_t i = 1; i < given->node_count; i++)
        falls += given->nodes[i].node <= given->nodes[i - 1].node;
    const bool are_rising = falls == 0;
    if (!are_rising)
        sort_in_place(given->nodes, given->node_count, sizeof *given->nodes, compare_nodes);
    for (uint32_t i = 1; i < given->node_count && !are_rising; i++) {
        const uint32_t node = given->nodes[i].node;
        char name[SHORT_NAME_SIZE];
        if (node == given->nodes[i - 1].node)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: node %u '%s' is given twice", node,
                             short_name(model, model->nodes[node].name, name));
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

/* Has the pose point to the caller's numbers. False: they are not in the order of given poses, or something is wrong.
 */
static bool borrow_nodes(const struct pe_pose *pose, const struct model *model, struct given_pose *out)
{
    enum { STEP = sizeof(struct pe_given_node) / sizeof(double), FIRST = STEP - NODE_VALUES };
    static const uint32_t FIRSTS[PE_WHOLE + 1] = {0, FIRST, FIRST + 3, FIRST, FIRST + 7, 0, FIRST + 3, FIRST};
    _Static_assert(FIRST * sizeof(double) == offsetof(struct pe_given_node, translation), "numbers come last");
    if (pose->relative_to != PE_TO_PARENT || pose->node_count == 0)
        return false;
    for (uint32_t i = 0; i < pose->node_count; i++) {
        const struct pe_given_node *node = &pose->nodes[i];
        if (node->node >= model->node_count || node->parts > PE_WHOLE || FIRSTS[node->parts] == 0)
            return false;
        out->nodes[i] =
            (struct given_node){.node = node->node, .parts = node->parts, .first = STEP * i + FIRSTS[node->parts]};
    }
    out->values = (double *)(uintptr_t)pose->nodes; /* nothing writes there */
    out->node_count = pose->node_count;
    out->frame_values = STEP * pose->node_count;
    return true;
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

static struct asked_face face_of(const struct pe_pose *pose)
{
    return (struct asked_face){.weights = pose->weights,
                               .expressions = pose->expressions,
                               .weight_count = pose->weight_count,
                               .expression_count = pose->expression_count,
                               .look = &pose->look};
}

static int take_face(struct given_room *room, const struct pe_model *of, const struct pe_pose *pose,
                     struct given_pose *out, struct pe_error *error)
{
    const struct asked_face asked = face_of(pose);
    const uint32_t own = out->frame_values;
    struct given_weights face;
    if (!eval_has_face(&asked))
        return 0;
    int rc = eval_take_face(&face, &room->face, of, &asked, error);
    if (rc < 0)
        return rc;
    const uint32_t look_binds = pose->look.kind == PE_LOOK_NONE ? 0 : given_looks_binds(&face);
    if (face.count > room->weight_capacity - room->weight_count ||
        look_binds > room->look_bind_capacity - room->look_bind_count ||
        room->value_capacity - room->value_count < (size_t)own + face.count + EVAL_POSE_VALUES)
        return eval_fail(error, PE_E_RESERVE, "there is no room for %u morph weights, with those of expressions",
                         face.count);
    out->look.binds = room->look_binds + room->look_bind_count;
    rc = eval_put_face(out, &face, of, &asked, error);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < face.number_count; i++)
        room->face.numbers[i] =
            i < pose->weight_count ? pose->weights[i].weight : pose->expressions[i - pose->weight_count].weight;
    return eval_put_face_frame(out, &face, &room->face, of, 0, own, error);
}

static int check_lists(const struct given_room *room, const struct pe_pose *pose, struct pe_error *error)
{
    if ((pose->node_count > 0 && pose->nodes == NULL) || (pose->weight_count > 0 && pose->weights == NULL) ||
        (pose->expression_count > 0 && pose->expressions == NULL) || pose->relative_to < PE_TO_PARENT ||
        pose->relative_to > PE_TO_REST)
        return eval_fail(error, PE_E_ARGUMENT,
                         "the pose has no nodes, weights or expressions, or relative_to is unknown");
    if (pose->node_count > room->node_capacity - room->node_count ||
        pose->weight_count > room->weight_capacity - room->weight_count ||
        room->value_capacity - room->value_count <
            NODE_VALUES * (size_t)pose->node_count + pose->weight_count + EVAL_POSE_VALUES)
        return eval_fail(error, PE_E_RESERVE, "there is no room for a pose of %u nodes and %u morph weights",
                         pose->node_count, pose->weight_count);
    return 0;
}

int eval_take_pose(struct given_room *room, const struct pe_model *of, const struct pe_pose *pose,
                   struct given_pose *out, struct pe_error *error)
{
    const struct model *model = &of->file.model;
    const struct asked_face asked = face_of(pose);
    int rc = check_lists(room, pose, error);
    if (rc < 0)
        return rc;
    *out = (struct given_pose){.nodes = room->nodes + room->node_count,
                               .weights = room->weights + room->weight_count,
                               .times_s = room->values + room->value_count,
                               .values = room->values + room->value_count + 1,
                               .frame_count = 1};
    out->times_s[0] = 0;
    if (room->is_borrowing && !eval_has_face(&asked) && borrow_nodes(pose, model, out)) {
        room->node_count += out->node_count;
        room->value_count++;
        return eval_finish_given(out, model, false, error);
    }
    rc = take_nodes(pose, model, out, error);
    if (rc == 0)
        rc = take_face(room, of, pose, out, error);
    if (rc < 0)
        return rc;
    if (out->frame_values == 0)
        out->values[out->frame_values++] = 0; /* nothing is given */
    room->node_count += out->node_count;
    room->weight_count += out->weight_count;
    room->look_bind_count += out->look.bind_count;
    room->value_count += 1 + (size_t)out->frame_values;
    return eval_finish_given(out, model, pose->relative_to == PE_TO_REST, error);
}
