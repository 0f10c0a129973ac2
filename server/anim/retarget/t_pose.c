#include "anim/retarget/t_pose.h"

bool t_pose_is_of_both(const struct model *model, const struct model *source)
{
    return (model->infos[0].flags & source->infos[0].flags & MODEL_T_POSE) != 0;
}

static double hips_height(const struct rest_rig *rig)
{
    return dot3(pose_place(&rig->pose, rig->humanoid.nodes[ROLE_HIPS]), &rig->axes.m[3]);
}

double t_pose_scale(const struct rest_rig *model, const struct rest_rig *source)
{
    const double own = hips_height(model), other = hips_height(source);
    const bool is_standing = own > 0.01 * model->leg_length && other > 0.01 * source->leg_length;
    return is_standing ? own / other : model->leg_length / source->leg_length;
}

void t_pose_place(const struct mat3 *model_from_source, double scale, const double source[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = scale * source[i];
    mat3_direction(model_from_source, out, out);
}
