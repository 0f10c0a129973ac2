#include "anim/retarget/rest_rig.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const double UP_NEAR = 0.86603, FORWARD_NEAR = 0.98481; /* cosines of 30 and 10 degrees */

double direction3(const double from[3], const double to[3], double unit[3])
{
    for (int i = 0; i < 3; i++)
        unit[i] = to[i] - from[i];
    const double length = unit3(unit);
    if (!(length > 0) || !isfinite(length)) {
        memset(unit, 0, 3 * sizeof *unit);
        return 0;
    }
    return length;
}

struct mat3 rest_rig_turn(const struct rest_rig *rig, const struct pose *pose, uint32_t node)
{
    struct mat3 turn;
    return mat3_nearest(&pose->scene_from_node[node], &turn) ? turn : rig->scene_from_node[node];
}

struct gaze_eye rest_rig_eye(const struct rest_rig *rig, uint32_t node, bool is_right)
{
    const int32_t parent = rig->model->nodes[node].parent;
    struct gaze_eye eye = {.axes = rig->axes,
                           .scene_from_parent = parent < 0 ? MAT3_IDENTITY : rig->scene_from_node[parent],
                           .is_right = is_right};
    memcpy(eye.rotation, rig->pose.local[node].rotation, sizeof eye.rotation);
    return eye;
}

static const double *place(const struct rest_rig *rig, enum humanoid_role role)
{
    return pose_place(&rig->pose, rig->humanoid.nodes[role]);
}

/* --- axes --- */

/* Removes the part along `normal` and normalizes the rest; returns its length before. */
static double flatten(double v[3], const double normal[3])
{
    const double along = dot3(v, normal);
    for (int i = 0; i < 3; i++)
        v[i] -= along * normal[i];
    return unit3(v);
}

/* Replaces `axis` by the stated axis, or by one of the scene's, when the cosine between them is at least `cosine`. */
static void snap(double axis[3], const float stated[3], bool is_stated, double cosine)
{
    double best[3] = {axis[0], axis[1], axis[2]};
    double nearest = cosine;
    const double said[3] = {(double)stated[0], (double)stated[1], (double)stated[2]};
    for (int i = 0; i < 6; i++) {
        const double of_scene[3] = {i / 2 == 0 ? 1 - 2 * (i % 2) : 0, i / 2 == 1 ? 1 - 2 * (i % 2) : 0,
                                    i / 2 == 2 ? 1 - 2 * (i % 2) : 0};
        if (dot3(axis, of_scene) > nearest) {
            nearest = dot3(axis, of_scene);
            memcpy(best, of_scene, sizeof best);
        }
    }
    memcpy(axis, is_stated && dot3(axis, said) > cosine ? said : best, sizeof best);
}

static void middle(const struct rest_rig *rig, enum humanoid_role a, enum humanoid_role b, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (place(rig, a)[i] + place(rig, b)[i]) / 2;
}

/* Finds the direction from the heels to the toes. Returns 0 when there are none. */
static double find_toes(const struct rest_rig *rig, const double up[3], double forward[3])
{
    double feet[3], toes[3];
    if (rig->humanoid.nodes[ROLE_LEFT_TOES] < 0 || rig->humanoid.nodes[ROLE_RIGHT_TOES] < 0)
        return 0;
    middle(rig, ROLE_LEFT_FOOT, ROLE_RIGHT_FOOT, feet);
    middle(rig, ROLE_LEFT_TOES, ROLE_RIGHT_TOES, toes);
    return direction3(feet, toes, forward) * flatten(forward, up);
}

static void find_axes(struct rest_rig *rig)
{
    const struct model_info *info = &rig->model->infos[0];
    double feet[3], up[3], left[3], forward[3], across[3];
    middle(rig, ROLE_LEFT_FOOT, ROLE_RIGHT_FOOT, feet);
    if (direction3(feet, place(rig, ROLE_HIPS), up) <= 0)
        memcpy(up, DOUBLE3(((struct vec3){info->up[0], info->up[1], info->up[2]})), sizeof up);
    snap(up, info->up, true, UP_NEAR);
    const double toes = find_toes(rig, up, forward), thin = 0.02 * rig->leg_length;
    const double width = direction3(place(rig, ROLE_RIGHT_UPPER_LEG), place(rig, ROLE_LEFT_UPPER_LEG), left);
    const bool has_left = width * flatten(left, up) > thin;
    if (has_left) {
        cross3(left, up, across);
        const double side = toes > thin && dot3(across, forward) < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++)
            forward[i] = side * across[i];
    } else if (toes <= thin) {
        for (int i = 0; i < 3; i++)
            forward[i] = (double)info->forward[i];
        if (!(flatten(forward, up) > 0.1)) {
            const double helper[3] = {fabs(up[0]) < 0.6, fabs(up[0]) >= 0.6, 0};
            cross3(up, helper, forward);
            unit3(forward);
        }
    }
    const bool is_t_pose = (info->flags & MODEL_T_POSE) != 0; /* stands along the axes, as VRM promises */
    snap(forward, info->forward, (info->flags & MODEL_HAS_FORWARD) != 0, is_t_pose ? UP_NEAR : FORWARD_NEAR);
    flatten(forward, up);
    cross3(up, forward, across);
    const double side = has_left && dot3(across, left) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        left[i] = side * across[i];
    rig->axes = mat3_from_columns(left, up, forward);
}

/* Returns whether the upper legs or the upper arms are on the other side of the body than their names say. The toes
 * tell where the body faces: their middle does not depend on which is left. Without toes nothing but VRM's promise
 * does. */
static bool has_swapped_sides(const struct rest_rig *rig)
{
    static const enum humanoid_role PAIRS[][2] = {{ROLE_LEFT_UPPER_LEG, ROLE_RIGHT_UPPER_LEG},
                                                  {ROLE_LEFT_UPPER_ARM, ROLE_RIGHT_UPPER_ARM}};
    const struct model_info *info = &rig->model->infos[0];
    const double *up = &rig->axes.m[3], thin = 0.02 * rig->leg_length;
    const double *hips = rig->pose.scene_from_node[rig->humanoid.nodes[ROLE_HIPS]].m;
    double forward[3], left[3], line[3];
    if (!(find_toes(rig, up, forward) > thin)) {
        for (int i = 0; i < 3; i++)
            forward[i] = (double)info->forward[i];
        if ((info->flags & MODEL_T_POSE) == 0 || !(flatten(forward, up) > 0.1))
            return false;
    }
    cross3(up, forward, left);
    const double side = determinant3(hips, hips + 4, hips + 8) < 0 ? -1 : 1; /* mirrored by a scale */
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        if (rig->humanoid.nodes[PAIRS[i][0]] < 0 || rig->humanoid.nodes[PAIRS[i][1]] < 0)
            continue;
        const double width = direction3(place(rig, PAIRS[i][1]), place(rig, PAIRS[i][0]), line);
        if (width > thin && side * dot3(line, left) < -0.5)
            return true;
    }
    return false;
}

/* --- legs --- */

static double leg(const struct rest_rig *rig, enum humanoid_role upper)
{
    double unit[3];
    return direction3(place(rig, upper), place(rig, upper + 1), unit) +
           direction3(place(rig, upper + 1), place(rig, upper + 2), unit);
}

/* Finds the orthogonal parts of the pose's scene matrices. */
static void find_turns(struct rest_rig *rig)
{
    const struct model *model = rig->model;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        if (mat3_nearest(&rig->pose.scene_from_node[node], &rig->scene_from_node[node]))
            continue;
        const struct mat3 local = mat3_from_quat(rig->pose.local[node].rotation);
        rig->scene_from_node[node] = parent < 0 ? local : mat3_mul(&rig->scene_from_node[parent], &local);
    }
}

void rest_rig_set_pose(struct rest_rig *rig, int32_t clip, double time_s, const struct mat3 *axes)
{
    pose_evaluate(&rig->pose, rig->model, clip, time_s);
    find_turns(rig);
    rig->axes = *axes;
}

int rest_rig_init(struct rest_rig *rig, const struct model *model, const struct humanoid *humanoid, struct err *err)
{
    *rig = (struct rest_rig){.model = model, .humanoid = *humanoid};
    pose_init(&rig->pose);
    pose_evaluate(&rig->pose, model, POSE_REST, 0);
    rig->scene_from_node = mem_alloc((size_t)model->node_count * sizeof *rig->scene_from_node + 1);
    find_turns(rig);
    rig->leg_length = (leg(rig, ROLE_LEFT_UPPER_LEG) + leg(rig, ROLE_RIGHT_UPPER_LEG)) / 2;
    if (!(rig->leg_length > 0) || !isfinite(rig->leg_length))
        return err_set(err, ERR_NO_HUMANOID,
                       "its legs (leftUpperLeg, leftLowerLeg, leftFoot and the right ones) have "
                       "no length at rest");
    find_axes(rig);
    rig->has_swapped_sides = has_swapped_sides(rig);
    return 0;
}

enum rest_swap rest_rig_swap(const struct rest_rig *model, const struct rest_rig *source)
{
    if (model->has_swapped_sides == source->has_swapped_sides)
        return REST_SWAP_NONE;
    return model->has_swapped_sides ? REST_SWAP_MODEL : REST_SWAP_SOURCE;
}

void rest_rig_fini(struct rest_rig *rig)
{
    pose_fini(&rig->pose);
    free(rig->scene_from_node);
    *rig = (struct rest_rig){0};
}
