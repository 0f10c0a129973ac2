#include "anim/retarget/leg_ik.h"

#include <math.h>
#include <string.h>

/* Share of both bones' length that a leg may reach. In straighter legs the knee jumps. */
static const double REACH = 0.9995;

double leg_reach(const struct leg *leg, const struct pose *pose)
{
    double unit[3];
    return REACH * (direction3(pose_place(pose, leg->upper), pose_place(pose, leg->lower), unit) +
                    direction3(pose_place(pose, leg->lower), pose_place(pose, leg->foot), unit));
}

/* Computes the unit part of `v` perpendicular to the unit vector `axis`. False: that part is too small. */
static bool across(const double v[3], const double axis[3], double least, double out[3])
{
    const double along = dot3(v, axis);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] - along * axis[i];
    return unit3(out) > least;
}

/* Returns the rotation from one frame of a bone and its plane to another. */
static struct mat3 turn_between(const double bone[3], const double normal[3], const double bone_after[3],
                                const double normal_after[3])
{
    double side[3], side_after[3];
    cross3(bone, normal, side);
    cross3(bone_after, normal_after, side_after);
    const struct mat3 before = mat3_from_columns(bone, normal, side);
    const struct mat3 after = mat3_from_columns(bone_after, normal_after, side_after);
    return mat3_mul_transpose(&after, &before);
}

/* local <- P^-1 * turn * P * local, with P the parent's rotation before any turn. */
static void turn_local(const struct model *model, const struct mat3 *turns, int32_t node, const struct mat3 *turn,
                       struct pose *pose)
{
    const int32_t parent = model->nodes[node].parent;
    const struct mat3 *above = parent < 0 ? &MAT3_IDENTITY : &turns[parent];
    const struct mat3 local = mat3_from_quat(pose->local[node].rotation);
    const struct mat3 seen = mat3_transpose_mul(above, turn), back = mat3_mul(&seen, above);
    const struct mat3 turned = mat3_mul(&back, &local);
    mat3_to_quat(&turned, pose->local[node].rotation);
    pose->is_animated[node] = true;
}

void leg_put(const struct leg *leg, const struct model *model, const struct mat3 *turns, const double ankle[3],
             const double forward[3], struct pose *pose)
{
    const double *hip = pose_place(pose, leg->upper), *knee = pose_place(pose, leg->lower);
    double thigh[3], shin[3], line[3], line_after[3], pole[3], normal[3], normal_after[3];
    const double a = direction3(hip, knee, thigh), b = direction3(knee, pose_place(pose, leg->foot), shin);
    const double length = direction3(hip, pose_place(pose, leg->foot), line);
    const double wanted = direction3(hip, ankle, line_after);
    if (!(a > 0) || !(b > 0) || !(length > 0) || !(wanted > 0))
        return;
    const double d = fmin(fmax(wanted, fabs(a - b) + (1 - REACH) * (a + b)), REACH * (a + b));
    if (!across(thigh, line, 1e-4, pole) && !across(forward, line, 1e-3, pole))
        return;
    cross3(line, pole, normal);
    const struct mat3 swing = mat3_between(line, line_after);
    mat3_direction(&swing, normal, normal_after);
    double pole_after[3], thigh_after[3], shin_after[3];
    mat3_direction(&swing, pole, pole_after);
    const double cosine = fmin(fmax((a * a + d * d - b * b) / (2 * a * d), -1), 1);
    const double sine = sqrt(1 - cosine * cosine);
    for (int i = 0; i < 3; i++) {
        thigh_after[i] = cosine * line_after[i] + sine * pole_after[i];
        shin_after[i] = d * line_after[i] - a * thigh_after[i];
    }
    unit3(shin_after);
    /* a straight leg's bones lie in every plane: their components along `normal` are only rounding */
    across(thigh, normal, 0, thigh);
    across(shin, normal, 0, shin);
    const struct mat3 upper = turn_between(thigh, normal, thigh_after, normal_after);
    const struct mat3 lower = turn_between(shin, normal, shin_after, normal_after);
    const struct mat3 since_upper = mat3_transpose_mul(&upper, &lower);
    const struct mat3 back = mat3_transpose_mul(&lower, &MAT3_IDENTITY);
    turn_local(model, turns, leg->upper, &upper, pose);
    turn_local(model, turns, leg->lower, &since_upper, pose);
    if (!leg->is_loose)
        turn_local(model, turns, leg->foot, &back, pose);
}
