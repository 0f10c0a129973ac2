#include "anim/humanoid/gaze.h"

#include "anim/model/trig.h"

#include <math.h>

static const double DEGREE = 0.017453292519943295;

const char *const GAZE_LOOK_WORDS[GAZE_LOOKS] = {"lookLeft", "lookRight", "lookDown", "lookUp"};

double gaze_atan_deg(double y, double x)
{
    const double half = 3.14159265358979323846;
    return (x >= 0 ? trig_atan(y, x) : (y < 0 ? -half : half) - trig_atan(y, -x)) / DEGREE;
}

static double map_range(const struct gaze *gaze, enum gaze_range range, double angle_deg)
{
    const double most = (double)gaze->ranges[range].most_deg;
    return fmin(fabs(angle_deg), most) / most * (double)gaze->ranges[range].output;
}

void gaze_turn_eye(const struct gaze *gaze, const struct gaze_eye *eye, double yaw_deg, double pitch_deg, double out[4])
{
    const bool is_outward = eye->is_right == 0 ? yaw_deg > 0 : yaw_deg <= 0;
    const double across = map_range(gaze, is_outward ? GAZE_OUTER : GAZE_INNER, yaw_deg) * (yaw_deg > 0 ? 1 : -1);
    const double down = map_range(gaze, pitch_deg > 0 ? GAZE_DOWN : GAZE_UP, pitch_deg) * (pitch_deg > 0 ? 1 : -1);
    const double yaw = fmod(across, 360) * DEGREE, pitch = fmod(down, 360) * DEGREE;
    const double sy = trig_sin(yaw), cy = trig_cos(yaw), sx = trig_sin(pitch), cx = trig_cos(pitch);
    const struct mat3 look = {{cy, 0, -sy, sy * sx, cx, cy * sx, sy * cx, -sx, cy * cx}}; /* Ry * Rx */
    const struct mat3 turned = mat3_mul(&eye->axes, &look);
    const struct mat3 in_scene = mat3_mul_transpose(&turned, &eye->axes);
    const struct mat3 seen = mat3_mul(&in_scene, &eye->scene_from_parent);
    const struct mat3 in_parent = mat3_transpose_mul(&eye->scene_from_parent, &seen);
    const struct mat3 local_rest = mat3_from_quat(eye->rotation);
    const struct mat3 local = mat3_mul(&in_parent, &local_rest);
    mat3_to_quat(&local, out);
}

void gaze_weigh_looks(const struct gaze *gaze, double yaw_deg, double pitch_deg, double out[GAZE_LOOKS])
{
    static const enum gaze_range RANGES[GAZE_LOOKS] = {GAZE_OUTER, GAZE_OUTER, GAZE_DOWN, GAZE_UP};
    const double sides[GAZE_LOOKS] = {yaw_deg > 0 ? yaw_deg : 0, yaw_deg > 0 ? 0 : -yaw_deg,
                                      pitch_deg > 0 ? pitch_deg : 0, pitch_deg > 0 ? 0 : -pitch_deg};
    for (int i = 0; i < GAZE_LOOKS; i++)
        out[i] = fmin(1, fmax(0, map_range(gaze, RANGES[i], sides[i])));
}
