#include "anim/given/given_look.h"

#include <math.h>

void given_look_angles(const struct given_look *look, const struct dmat4 *scene_from_head, double *yaw_deg,
                       double *pitch_deg)
{
    const double offset[3] = {(double)look->gaze.offset[0], (double)look->gaze.offset[1], (double)look->gaze.offset[2]};
    double from[3], direction[3], along[3];
    struct mat3 head;
    *yaw_deg = look->target[0];
    *pitch_deg = look->target[1];
    if (look->kind != LOOK_POINT)
        return;
    if (!mat3_nearest(scene_from_head, &head))
        head = look->scene_from_head;
    dmat4_point(scene_from_head, offset, from);
    for (int i = 0; i < 3; i++)
        direction[i] = look->target[i] - from[i];
    /* the axes of the T-pose, as the head has turned since: left, up, forward */
    const struct mat3 turned = mat3_mul_transpose(&head, &look->scene_from_head);
    const struct mat3 axes = mat3_mul(&turned, &look->eye[0].axes);
    for (int k = 0; k < 3; k++)
        along[k] = axes.m[3 * k] * direction[0] + axes.m[3 * k + 1] * direction[1] + axes.m[3 * k + 2] * direction[2];
    const double level = sqrt(along[0] * along[0] + along[2] * along[2]);
    const bool is_somewhere = level > 0 || along[1] != 0;
    *yaw_deg = is_somewhere && isfinite(level) ? gaze_atan_deg(along[0], along[2]) : 0;
    *pitch_deg = is_somewhere && isfinite(along[1]) && isfinite(level) ? gaze_atan_deg(-along[1], level) : 0;
}

void given_look_weights(const struct given_look *look, double yaw_deg, double pitch_deg, double share,
                        double out[GAZE_LOOKS])
{
    gaze_weigh_looks(&look->gaze, yaw_deg, pitch_deg, out);
    for (int i = 0; i < GAZE_LOOKS; i++) {
        const bool is_binary = (look->binary_looks >> i & 1) != 0;
        out[i] = is_binary ? (out[i] > 0.5 && share >= 1 ? 1 : 0) : out[i] * share;
    }
}
