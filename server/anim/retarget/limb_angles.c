#include "anim/retarget/limb_angles.h"

const int8_t LIMB_ROLES[LIMB_COUNT] = {ROLE_LEFT_UPPER_LEG,  ROLE_LEFT_LOWER_LEG, ROLE_RIGHT_UPPER_LEG,
                                       ROLE_RIGHT_LOWER_LEG, ROLE_LEFT_UPPER_ARM, ROLE_LEFT_LOWER_ARM,
                                       ROLE_RIGHT_UPPER_ARM, ROLE_RIGHT_LOWER_ARM};

/* Finds the direction of a limb in a pose. False: the rig lacks it, or it has no length. */
static bool find_limb(const struct rest_rig *rig, const struct pose *pose, int role, double unit[3])
{
    const int32_t from = rig->humanoid.nodes[role], to = rig->humanoid.nodes[role + 1];
    return from >= 0 && to >= 0 &&
           direction3(pose_place(pose, from), pose_place(pose, to), unit) > 1e-6 * rig->leg_length;
}

void limb_angles_see(struct limb_angles *angles, const struct rest_motion *motion, const struct pose *pose)
{
    for (int limb = 0; limb < LIMB_COUNT; limb++) {
        double own[3], other[3], across[3];
        if (!find_limb(&motion->model, pose, LIMB_ROLES[limb], own) ||
            !find_limb(&motion->source, &motion->source_pose, LIMB_ROLES[limb], other))
            continue;
        mat3_direction(&motion->seen_from_source, other, other);
        cross3(own, other, across);
        const double angle_deg = atan2(sqrt(dot3(across, across)), dot3(own, other)) * 57.29577951308232;
        angles->most_deg[limb] = fmax(angles->most_deg[limb], angle_deg);
    }
}

void limb_angles_join(struct limb_angles *angles, const struct limb_angles *other)
{
    for (int limb = 0; limb < LIMB_COUNT; limb++)
        angles->most_deg[limb] = fmax(angles->most_deg[limb], other->most_deg[limb]);
}

uint32_t limb_angles_count(const struct limb_angles *angles, bool has_locked_feet)
{
    uint32_t count = 0;
    for (int limb = 0; limb < LIMB_COUNT; limb++)
        count += angles->most_deg[limb] > LIMB_WARNED_DEG && !(has_locked_feet && limb_is_leg(limb));
    return count;
}
