#include "anim/retarget/rest_correction.h"

/* --- a pose that is a rest --- */

/* Returns the role where a bone ends whose direction at rest is part of the pose; ROLE_NONE where the direction is
 * anatomy, or unknown. */
static int end_of(int role)
{
    switch (role) {
    case ROLE_LEFT_UPPER_LEG:
    case ROLE_LEFT_LOWER_LEG:
    case ROLE_RIGHT_UPPER_LEG:
    case ROLE_RIGHT_LOWER_LEG:
    case ROLE_LEFT_UPPER_ARM:
    case ROLE_LEFT_LOWER_ARM:
    case ROLE_RIGHT_UPPER_ARM:
    case ROLE_RIGHT_LOWER_ARM:
        return role + 1;
    case ROLE_LEFT_HAND:
        return ROLE_LEFT_MIDDLE_PROXIMAL;
    case ROLE_RIGHT_HAND:
        return ROLE_RIGHT_MIDDLE_PROXIMAL;
    default: /* fingers follow the hands; each has three roles, and the third is its end */
        return role >= ROLE_LEFT_THUMB_METACARPAL && (role - ROLE_LEFT_THUMB_METACARPAL) % 3 < 2 ? role + 1 : ROLE_NONE;
    }
}

static bool is_trunk(int role)
{
    return (role >= ROLE_HIPS && role <= ROLE_JAW) || role == ROLE_LEFT_SHOULDER || role == ROLE_RIGHT_SHOULDER;
}

static bool is_foot(int role) { return role == ROLE_LEFT_FOOT || role == ROLE_RIGHT_FOOT; }

/* Finds the direction of a bone at rest, in its own scene. False: it has no length, or no end. */
static bool find_bone(const struct rest_rig *rig, int role, int end, double unit[3])
{
    const int32_t from = rig->humanoid.nodes[role], to = rig->humanoid.nodes[end];
    return from >= 0 && to >= 0 &&
           direction3(pose_place(&rig->pose, from), pose_place(&rig->pose, to), unit) > 1e-6 * rig->leg_length;
}

/* Returns the turn about the model's up axis from its foot to the source's. */
static struct mat3 turn_foot(const struct rest_motion *motion, int role)
{
    const double *up = &motion->model.axes.m[3];
    double own[3], other[3];
    if (!find_bone(&motion->model, role, role + 1, own) || !find_bone(&motion->source, role, role + 1, other))
        return MAT3_IDENTITY;
    mat3_direction(&motion->model_from_source, other, other);
    const double own_up = dot3(own, up), other_up = dot3(other, up);
    for (int i = 0; i < 3; i++) {
        own[i] -= own_up * up[i];
        other[i] -= other_up * up[i];
    }
    return unit3(own) > 0.1 && unit3(other) > 0.1 ? mat3_between(own, other) : MAT3_IDENTITY;
}

/* --- a pose that is no rest --- */

/* Finds the axes of the trunk from its line and that of a pair of joints, in the model's scene. Right-handed. */
static bool find_frame(const struct rest_motion *motion, const struct rest_rig *rig, enum humanoid_role left,
                       struct mat3 *out)
{
    double up[3], across[3], forward[3];
    const enum humanoid_role right = left == ROLE_LEFT_UPPER_LEG ? ROLE_RIGHT_UPPER_LEG : ROLE_RIGHT_UPPER_ARM;
    if (!rest_trunk(rig, &rig->pose, left, right, up, across))
        return false;
    if (rig == &motion->source) {
        mat3_direction(&motion->model_from_source, up, up);
        mat3_direction(&motion->model_from_source, across, across);
    }
    cross3(across, up, forward);
    *out = mat3_from_columns(across, up, forward);
    return true;
}

/* Returns C of the hips, or of the chest: by the line of the shoulders where both rigs have it. */
struct mat3 rest_correct_trunk(const struct rest_motion *motion, bool is_chest)
{
    struct mat3 own, other;
    if (is_chest && find_frame(motion, &motion->model, ROLE_LEFT_UPPER_ARM, &own) &&
        find_frame(motion, &motion->source, ROLE_LEFT_UPPER_ARM, &other))
        return mat3_mul_transpose(&other, &own);
    if (find_frame(motion, &motion->model, ROLE_LEFT_UPPER_LEG, &own) &&
        find_frame(motion, &motion->source, ROLE_LEFT_UPPER_LEG, &other))
        return mat3_mul_transpose(&other, &own);
    return MAT3_IDENTITY;
}

/* Returns the part of the hips' turn that is about the up axis. */
static struct mat3 turn_heading(const struct rest_motion *motion)
{
    const struct mat3 turn = rest_correct_trunk(motion, false);
    const double *axes = motion->model.axes.m, *up = axes + 3;
    double forward[3], left[3];
    mat3_direction(&turn, axes + 6, forward);
    const double along = dot3(forward, up);
    for (int i = 0; i < 3; i++)
        forward[i] -= along * up[i];
    if (!(unit3(forward) > 0.3))
        return turn;
    cross3(up, forward, left);
    const struct mat3 to = mat3_from_columns(left, up, forward);
    cross3(up, axes + 6, left);
    const struct mat3 from = mat3_from_columns(left, up, axes + 6);
    return mat3_mul_transpose(&to, &from);
}

/* Returns C of a foot: it heads where the source's does. Its pitch at rest is anatomy, unless it differs by more than
 * 20 degrees: then the source's foot does not stand on its sole, and the directions of both feet become the same. */
static struct mat3 turn_posed_foot(const struct rest_motion *motion, int role)
{
    static const double ANATOMY = 0.9397; /* cosine of 20 degrees */
    const struct mat3 heading = turn_heading(motion);
    const double *up = &motion->model.axes.m[3];
    double own[3], other[3], flat[3], other_flat[3];
    if (!find_bone(&motion->model, role, role + 1, own) || !find_bone(&motion->source, role, role + 1, other))
        return heading;
    mat3_direction(&motion->model_from_source, other, other);
    mat3_direction(&heading, own, own);
    const double own_up = dot3(own, up), other_up = dot3(other, up);
    for (int i = 0; i < 3; i++) {
        flat[i] = own[i] - own_up * up[i];
        other_flat[i] = other[i] - other_up * up[i];
    }
    const bool is_flat = unit3(flat) > 0.1 && unit3(other_flat) > 0.1;
    const struct mat3 turn = is_flat ? mat3_between(flat, other_flat) : MAT3_IDENTITY;
    const struct mat3 headed = mat3_mul(&turn, &heading);
    mat3_direction(&turn, own, own);
    if (dot3(own, other) > ANATOMY)
        return headed;
    const struct mat3 pitch = mat3_between(own, other);
    return mat3_mul(&pitch, &headed);
}

/* --- one joint --- */

struct mat3 rest_correct(const struct rest_motion *motion, int role, const struct mat3 *above)
{
    const int end = end_of(role);
    double own[3], other[3];
    const bool is_posed = motion->reference.is_posed;
    if (motion->is_by_t_pose)
        return MAT3_IDENTITY;
    if (is_trunk(role))
        return is_posed ? rest_correct_trunk(motion, role > ROLE_SPINE) : MAT3_IDENTITY;
    if (is_foot(role))
        return is_posed ? turn_posed_foot(motion, role) : turn_foot(motion, role);
    if (end < 0 || !find_bone(&motion->model, role, end, own) || !find_bone(&motion->source, role, end, other))
        return *above;
    mat3_direction(above, own, own);
    mat3_direction(&motion->model_from_source, other, other);
    const struct mat3 smallest = mat3_between(own, other);
    return mat3_mul(&smallest, above);
}
