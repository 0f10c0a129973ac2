#include "rig.h"

#include "anim/model/trig.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

struct v3 v3_add(struct v3 a, struct v3 b) { return (struct v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
struct v3 v3_sub(struct v3 a, struct v3 b) { return (struct v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
struct v3 v3_scale(struct v3 a, double s) { return v3_of(a.x * s, a.y * s, a.z * s); }

struct v3 v3_cross(struct v3 a, struct v3 b)
{
    return (struct v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double v3_dot(struct v3 a, struct v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct v3 v3_unit(struct v3 a)
{
    const double length = sqrt(v3_dot(a, a));
    return length > 0 ? v3_scale(a, 1 / length) : a;
}

struct v3 v3_mix(struct v3 a, struct v3 b, double share_of_b)
{
    return v3_add(v3_scale(a, 1 - share_of_b), v3_scale(b, share_of_b));
}

int rig_add(struct rig *rig, int parent, struct v3 head, const char *format, ...)
{
    assert(rig->joint_count < RIG_JOINTS_MAX && parent < rig->joint_count);
    struct rig_joint *joint = &rig->joints[rig->joint_count];
    va_list args;
    va_start(args, format);
    vsnprintf(joint->name, sizeof joint->name, format, args);
    va_end(args);
    joint->parent = parent;
    joint->head = head;
    return rig->joint_count++;
}

void rig_rest(const struct rig *rig, struct joint_pose *poses)
{
    for (int j = 0; j < rig->joint_count; j++) {
        const struct rig_joint *joint = &rig->joints[j];
        const struct v3 from = joint->parent < 0 ? v3_of(0, 0, 0) : rig->joints[joint->parent].head;
        poses[j] = (struct joint_pose){v3_sub(joint->head, from), {0, 0, 0, 1}, {1, 1, 1}};
    }
}

struct quaternion {
    double x, y, z, w;
};

static struct quaternion product(struct quaternion a, struct quaternion b)
{
    return (struct quaternion){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static struct quaternion inverse(struct quaternion a) { return (struct quaternion){-a.x, -a.y, -a.z, a.w}; }

static struct v3 turned(struct quaternion q, struct v3 a)
{
    const struct quaternion to = product(product(q, (struct quaternion){a.x, a.y, a.z, 0}), inverse(q));
    return v3_of(to.x, to.y, to.z);
}

/* The shortest turn that brings direction a to direction b. They must not be opposite. */
static struct quaternion turn_between(struct v3 a, struct v3 b)
{
    const struct v3 from = v3_unit(a), axis = v3_cross(from, v3_unit(b));
    const double w = 1 + v3_dot(from, v3_unit(b)), length = sqrt(v3_dot(axis, axis) + w * w);
    return (struct quaternion){axis.x / length, axis.y / length, axis.z / length, w / length};
}

static struct quaternion rotation_of(const struct joint_pose *pose)
{
    const double *q = pose->rotation;
    return (struct quaternion){q[0], q[1], q[2], q[3]};
}

static void set_rotation(struct joint_pose *pose, struct quaternion q)
{
    pose->rotation[0] = q.x;
    pose->rotation[1] = q.y;
    pose->rotation[2] = q.z;
    pose->rotation[3] = q.w;
}

void pose_turn(struct joint_pose *pose, struct v3 axis, double angle_deg)
{
    const struct v3 n = v3_unit(axis);
    const double s = trig_sin(angle_deg * PI / 360), c = trig_cos(angle_deg * PI / 360);
    set_rotation(pose, product((struct quaternion){n.x * s, n.y * s, n.z * s, c}, rotation_of(pose)));
}

void pose_plant(const struct joint_pose *hips, struct joint_pose leg[3], struct v3 ankle)
{
    const struct quaternion hips_turn = rotation_of(hips);
    const struct v3 thigh = leg[1].translation, shin = leg[2].translation;
    const struct v3 reach = v3_sub(turned(inverse(hips_turn), v3_sub(ankle, hips->translation)), leg[0].translation);
    /* |thigh + Rx(k) shin| = |reach|: an equation a cos(k) + b sin(k) = c, by the law of cosines. */
    const double a = thigh.y * shin.y + thigh.z * shin.z, b = thigh.z * shin.y - thigh.y * shin.z;
    const double c = (v3_dot(reach, reach) - v3_dot(thigh, thigh) - v3_dot(shin, shin)) / 2 - thigh.x * shin.x;
    const double rest = a * a + b * b - c * c;
    assert(rest >= 0);
    const double cos_k = (a * c - b * sqrt(rest)) / (a * a + b * b), cos_half = sqrt((1 + cos_k) / 2);
    const struct quaternion knee = {sqrt(1 - cos_half * cos_half), 0, 0, cos_half};
    const struct quaternion hip = turn_between(v3_add(thigh, turned(knee, shin)), reach);
    set_rotation(&leg[0], hip);
    set_rotation(&leg[1], knee);
    set_rotation(&leg[2], inverse(product(hips_turn, product(hip, knee))));
}

void pose_move(struct joint_pose *pose, double x, double y, double z)
{
    pose->translation = v3_add(pose->translation, v3_of(x, y, z));
}

double wave(double phase) { return trig_sin(2 * PI * phase); }

double pulse(double phase, double center, double width)
{
    const double distance = fabs(remainder(phase - center, 1.0));
    return distance <= width ? 1 : 0;
}
