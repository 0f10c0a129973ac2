#include "anim/given/trs_mix.h"

#include "anim/given/given_pose.h"

#include <string.h>

void trs_replace(const struct trs *of, uint32_t parts, double weight, struct trs *out)
{
    const bool is_all = weight >= 1;
    for (int k = 0; k < 3; k++) {
        if ((parts & GIVEN_TRANSLATION) != 0)
            out->translation[k] =
                is_all ? of->translation[k] : out->translation[k] + weight * (of->translation[k] - out->translation[k]);
        if ((parts & GIVEN_SCALE) != 0)
            out->scale[k] = is_all ? of->scale[k] : out->scale[k] + weight * (of->scale[k] - out->scale[k]);
    }
    if ((parts & GIVEN_ROTATION) != 0 && is_all)
        memcpy(out->rotation, of->rotation, sizeof out->rotation);
    else if ((parts & GIVEN_ROTATION) != 0)
        quat_slerp(out->rotation, of->rotation, weight, out->rotation);
}

/* reference^-1 * pose */
static void quat_relative(const double reference[4], const double pose[4], double out[4])
{
    const double square = dot4(reference, reference);
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -reference[i] : reference[i];
    quat_mul(out, pose, out);
    for (int i = 0; i < 4; i++)
        out[i] /= square;
}

void trs_add(const struct trs *pose, const struct trs *reference, uint32_t parts, double weight, struct trs *out)
{
    static const double NO_ROTATION[4] = {0, 0, 0, 1};
    double whole[4], part[4];
    for (int k = 0; k < 3; k++) {
        if ((parts & GIVEN_TRANSLATION) != 0)
            out->translation[k] += weight * (pose->translation[k] - reference->translation[k]);
        if ((parts & GIVEN_SCALE) == 0)
            continue;
        if (reference->scale[k] != 0)
            out->scale[k] *= 1 + weight * (pose->scale[k] / reference->scale[k] - 1);
        else
            out->scale[k] += weight * pose->scale[k];
    }
    if ((parts & GIVEN_ROTATION) == 0)
        return;
    quat_relative(reference->rotation, pose->rotation, whole);
    quat_slerp(NO_ROTATION, whole, weight, part);
    quat_mul(out->rotation, part, out->rotation);
    quat_repair(out->rotation);
}
