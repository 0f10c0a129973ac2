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

void pose_turn(struct joint_pose *pose, struct v3 axis, double angle_deg)
{
    const struct v3 n = v3_unit(axis);
    const double s = trig_sin(angle_deg * PI / 360), c = trig_cos(angle_deg * PI / 360);
    const double a[4] = {n.x * s, n.y * s, n.z * s, c};
    const double *b = pose->rotation;
    const double q[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    for (int i = 0; i < 4; i++)
        pose->rotation[i] = q[i];
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
