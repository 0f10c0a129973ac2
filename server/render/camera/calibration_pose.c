#include "render/camera/calibration_pose.h"

#include "anim/model/mat.h"
#include "anim/humanoid/humanoid.h"

#include <math.h>
#include <string.h>

static const double STRAIGHT = 0.97;  /* distance of a limb's ends over the length of its bones: bent by 28 degrees */
static const double OUTWARDS = 0.42;  /* of an arm's direction: 25 degrees from hanging down */
static const double RAISED = 0.35;    /* of an arm's direction: 20 degrees above the shoulder */
static const double FORWARDS = 0.35;  /* of an arm's direction */
static const double UNLIKE = 0.15;    /* between the directions of both arms, one mirrored */
static const double DOWNWARDS = 0.94; /* of a leg's direction: 20 degrees from hanging down */

void calibration_joints_find(struct calibration_joints *joints, const struct model *model)
{
    const struct {
        int role;
        uint32_t *out;
    } WANTED[] = {
        {ROLE_LEFT_UPPER_ARM, &joints->upper_arms[0]},
        {ROLE_RIGHT_UPPER_ARM, &joints->upper_arms[1]},
        {ROLE_LEFT_LOWER_ARM, &joints->lower_arms[0]},
        {ROLE_RIGHT_LOWER_ARM, &joints->lower_arms[1]},
        {ROLE_LEFT_HAND, &joints->hands[0]},
        {ROLE_RIGHT_HAND, &joints->hands[1]},
        {ROLE_LEFT_UPPER_LEG, &joints->upper_legs[0]},
        {ROLE_RIGHT_UPPER_LEG, &joints->upper_legs[1]},
        {ROLE_LEFT_LOWER_LEG, &joints->lower_legs[0]},
        {ROLE_RIGHT_LOWER_LEG, &joints->lower_legs[1]},
        {ROLE_LEFT_FOOT, &joints->feet[0]},
        {ROLE_RIGHT_FOOT, &joints->feet[1]},
    };
    struct humanoid humanoid;
    struct err ignored;
    *joints = (struct calibration_joints){0};
    if (humanoid_find(model, &(struct humanoid_choice){.map = HUMANOID_AUTO}, &humanoid, &ignored) < 0)
        return;
    joints->is_known = true;
    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        const int32_t node = humanoid.nodes[WANTED[i].role];
        joints->is_known = joints->is_known && node >= 0;
        *WANTED[i].out = node < 0 ? 0 : (uint32_t)node;
    }
}

static const double *place_of(const struct pose *pose, uint32_t node) { return &pose->scene_from_node[node].m[12]; }

/* Returns the length. *out is a unit vector, or zero where both joints are at one place. */
static double direction(const struct pose *pose, uint32_t from, uint32_t to, double out[3])
{
    const double *a = place_of(pose, from), *b = place_of(pose, to);
    for (int i = 0; i < 3; i++)
        out[i] = b[i] - a[i];
    const double length = sqrt(dot3(out, out));
    for (int i = 0; i < 3; i++)
        out[i] = length > 0 ? out[i] / length : 0;
    return length;
}

/* Finds the direction of a limb, zero where it has no length. Returns whether it is straight. */
static bool is_stretched(const struct pose *pose, uint32_t root, uint32_t middle, uint32_t end, double out[3])
{
    double ignored[3];
    const double bones = direction(pose, root, middle, ignored) + direction(pose, middle, end, ignored);
    const double length = direction(pose, root, end, out);
    return length > 0 && length >= STRAIGHT * bones;
}

/* How far an arm, a unit vector, is outwards, above the shoulder, and ahead. */
struct spread {
    double outwards, above, ahead;
};

static struct spread spread_of(const double arm[3], double side, const double left[3], const double up[3])
{
    const double forward[3] = {left[1] * up[2] - left[2] * up[1], left[2] * up[0] - left[0] * up[2],
                               left[0] * up[1] - left[1] * up[0]};
    return (struct spread){side * dot3(arm, left), dot3(arm, up), dot3(arm, forward)};
}

static bool is_spread(const struct spread *arm)
{
    return arm->outwards >= OUTWARDS && arm->above <= RAISED && fabs(arm->ahead) <= FORWARDS;
}

static bool are_alike(const struct spread *a, const struct spread *b)
{
    return fabs(a->outwards - b->outwards) <= UNLIKE && fabs(a->above - b->above) <= UNLIKE &&
           fabs(a->ahead - b->ahead) <= UNLIKE;
}

enum calibration calibration_of_pose(const struct calibration_joints *joints, const struct pose *pose,
                                     const float up[3])
{
    const double upwards[3] = {(double)up[0], (double)up[1], (double)up[2]};
    double limb[3], left[3];
    struct spread arms[2];
    bool is_straight = true;
    if (!joints->is_known || direction(pose, joints->upper_arms[1], joints->upper_arms[0], left) <= 0)
        return CALIBRATION_NONE;
    for (int s = 0; s < 2; s++) {
        is_straight =
            is_stretched(pose, joints->upper_arms[s], joints->lower_arms[s], joints->hands[s], limb) && is_straight;
        arms[s] = spread_of(limb, s == 0 ? 1 : -1, left, upwards);
        is_straight = is_stretched(pose, joints->upper_legs[s], joints->lower_legs[s], joints->feet[s], limb) &&
                      dot3(limb, upwards) <= -DOWNWARDS && is_straight;
    }
    if (!is_spread(&arms[0]) || !is_spread(&arms[1]))
        return CALIBRATION_NONE;
    return is_straight && are_alike(&arms[0], &arms[1]) ? CALIBRATION_FULL : CALIBRATION_NEAR;
}
