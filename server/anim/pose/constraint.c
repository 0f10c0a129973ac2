/* constraint.c - roll, aim and rotation constraints. */
#include "anim/pose/constraint.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node whose scene matrix an aim needs before pose_compose() makes all of them. */
struct aim_node {
    double scene_rotation[4];
    uint32_t path; /* scratch: a list of nodes */
    bool is_done;  /* scene_rotation and scene_from_node are those of the pose */
    bool is_given; /* of constraints_note_given() */
};

/* How far a given rotation may be from the constraint's and stays: what the rounding of a whole pose to floats makes.
 */
static const double KEPT_RADIANS = 1e-5;

bool constraints_reserve(struct pose *pose, const struct model *model)
{
    if (model->constraint_count == 0 || model->node_count <= pose->aim_capacity)
        return true;
    if (!mem_try_resize(&pose->aims, model->node_count, sizeof *pose->aims))
        return false;
    pose->aim_capacity = model->node_count;
    return true;
}

void constraints_forget_given(struct pose *pose, const struct model *model)
{
    if (!constraints_reserve(pose, model))
        mem_exhausted();
    for (uint32_t n = 0; n < model->node_count && model->constraint_count > 0; n++)
        pose->aims[n].is_given = false;
}

void constraints_note_given(struct pose *pose, const struct model *model, uint32_t node)
{
    if (model->constraint_count > 0)
        pose->aims[node].is_given = true;
}

/* --- rotations --- */

static void conjugate(const double q[4], double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -q[i] : q[i];
}

static void rest_rotation(const struct model *model, uint32_t node, double out[4])
{
    const struct trs rest = pose_rest_transform(&model->nodes[node]);
    memcpy(out, rest.rotation, sizeof rest.rotation);
    quat_normalize(out);
}

/* rest^-1 * current rotation of the source, in its own space. */
static void source_turn(const struct pose *pose, const struct model *model, uint32_t source, double out[4])
{
    double rest[4], turn[4];
    rest_rotation(model, source, rest);
    memcpy(turn, pose->local[source].rotation, sizeof turn);
    quat_normalize(turn);
    conjugate(rest, rest);
    quat_mul(rest, turn, out);
}

/* b * a * b^-1: the turn `a` of a space as its parent sees it, which `b` leads to. */
static void turn_outside(const double a[4], const double b[4], double out[4])
{
    double back[4];
    conjugate(b, back);
    quat_mul(b, a, out);
    quat_mul(out, back, out);
}

static void turn_vector(const double q[4], const double v[3], double out[3])
{
    const double pure[4] = {v[0], v[1], v[2], 0};
    double turned[4];
    turn_outside(pure, q, turned);
    memcpy(out, turned, 3 * sizeof *out);
}

/* Computes the smallest turn from one unit vector to another. Opposite ones have many: it turns about an axis that is
 * perpendicular to the first and to the coordinate axis that is farthest from it. */
static void turn_between(const double from[3], const double to[3], double out[4])
{
    cross3(from, to, out);
    out[3] = 1 + dot3(from, to);
    if (!(dot4(out, out) > 1e-24)) {
        int far = fabs(from[0]) <= fabs(from[1]) ? 0 : 1;
        far = fabs(from[2]) < fabs(from[far]) ? 2 : far;
        const double axis[3] = {far == 0, far == 1, far == 2};
        cross3(from, axis, out);
        out[3] = 0;
    }
    quat_normalize(out);
}

/* --- scene space, for aims --- */

static void compose_node(struct pose *pose, const struct model *model, uint32_t node)
{
    const int32_t parent = model->nodes[node].parent;
    const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, node);
    double rotation[4];
    memcpy(rotation, pose->local[node].rotation, sizeof rotation);
    quat_normalize(rotation);
    if (parent < 0) {
        pose->scene_from_node[node] = parent_from_node;
        memcpy(pose->aims[node].scene_rotation, rotation, sizeof rotation);
    } else {
        pose->scene_from_node[node] = dmat4_mul(&pose->scene_from_node[parent], &parent_from_node);
        quat_mul(pose->aims[parent].scene_rotation, rotation, pose->aims[node].scene_rotation);
        quat_normalize(pose->aims[node].scene_rotation);
    }
    pose->aims[node].is_done = true;
}

/* Composes a node and those of its ancestors that are not yet composed. */
static void compose_chain(struct pose *pose, const struct model *model, int32_t node)
{
    uint32_t count = 0;
    for (; node >= 0 && pose->aims[node].is_done == 0; node = model->nodes[node].parent)
        pose->aims[count++].path = (uint32_t)node;
    while (count > 0)
        compose_node(pose, model, pose->aims[--count].path);
}

/* Returns where the node is in the scene. Its ancestors are composed. */
static void scene_place(const struct pose *pose, const struct model *model, uint32_t node, double out[3])
{
    const int32_t parent = model->nodes[node].parent;
    const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, node);
    if (parent < 0)
        memcpy(out, parent_from_node.m + 12, 3 * sizeof *out);
    else
        dmat4_point(&pose->scene_from_node[parent], parent_from_node.m + 12, out);
}

/* --- kinds --- */

/* The part of the source's turn that is about the node's axis. A turn is one about an axis, then the smallest one that
 * moves the axis where it goes; the specification takes the second away. The first has the turn's component along the
 * axis. If the axis ends up opposite to where it was, there is none. */
static void roll(const struct pose *pose, const struct model *model, const struct node_constraint *at,
                 const double rest[4], double out[4])
{
    const uint32_t axis = at->axis;
    double source_rest[4], back[4], turn[4], twist[4] = {0, 0, 0, 0};
    rest_rotation(model, at->source, source_rest);
    source_turn(pose, model, at->source, turn);
    turn_outside(turn, source_rest, turn);
    conjugate(rest, back);
    turn_outside(turn, back, turn);
    twist[axis] = turn[axis];
    twist[3] = turn[3];
    quat_normalize(twist);
    quat_mul(rest, twist, out);
}

static void aim(struct pose *pose, const struct model *model, const struct node_constraint *at, const double rest[4],
                double out[4])
{
    static const double NO_TURN[4] = {0, 0, 0, 1};
    const int32_t parent = model->nodes[at->node].parent;
    double axis[3] = {0, 0, 0}, from[3], to[3], place[3], turn[4], back[4];
    compose_chain(pose, model, parent);
    compose_chain(pose, model, model->nodes[at->source].parent);
    const double *scene_from_parent = parent < 0 ? NO_TURN : pose->aims[parent].scene_rotation;
    axis[at->axis % AXIS_ROLL_COUNT] = at->axis < AXIS_ROLL_COUNT ? 1 : -1;
    turn_vector(rest, axis, from);
    turn_vector(scene_from_parent, from, from);
    scene_place(pose, model, at->node, place);
    scene_place(pose, model, at->source, to);
    for (int i = 0; i < 3; i++)
        to[i] -= place[i];
    const double length = unit3(to);
    memcpy(out, rest, 4 * sizeof *out);
    if (!(length > 0) || !isfinite(length))
        return;
    turn_between(from, to, turn);
    conjugate(scene_from_parent, back);
    turn_outside(turn, back, turn);
    quat_mul(turn, rest, out);
}

static void rotate(const struct pose *pose, const struct model *model, const struct node_constraint *at,
                   const double rest[4], double out[4])
{
    double turn[4];
    source_turn(pose, model, at->source, turn);
    quat_mul(rest, turn, out);
}

/* Sets the rotation of a node, unless the same is given. */
static void set_rotation(struct pose *pose, uint32_t node, const double rotation[4])
{
    double *now = pose->local[node].rotation;
    const bool is_kept =
        pose->aims[node].is_given && quat_angle(now, rotation, dot4(now, rotation) < 0 ? -1 : 1) <= KEPT_RADIANS / 2;
    if (!is_kept)
        memcpy(now, rotation, 4 * sizeof *now);
    pose->is_animated[node] = true;
}

void constraints_apply(struct pose *pose, const struct model *model)
{
    if (!constraints_reserve(pose, model))
        mem_exhausted();
    for (uint32_t n = 0; n < model->node_count; n++)
        pose->aims[n].is_done = false;
    for (uint32_t i = 0; i < model->constraint_count; i++) {
        const struct node_constraint *at = &model->constraints[i];
        double rest[4], whole[4], rotation[4];
        rest_rotation(model, at->node, rest);
        if (at->kind == CONSTRAINT_ROLL)
            roll(pose, model, at, rest, whole);
        else if (at->kind == CONSTRAINT_AIM)
            aim(pose, model, at, rest, whole);
        else
            rotate(pose, model, at, rest, whole);
        quat_normalize(whole);
        quat_slerp(rest, whole, (double)at->weight, rotation);
        quat_repair(rotation);
        set_rotation(pose, at->node, rotation);
    }
}
