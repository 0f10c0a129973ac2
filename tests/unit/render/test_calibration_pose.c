/* Recognizes poses with spread arms, wherever the actor stands and whichever way is up. */
#include "render/camera/calibration_pose.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <string.h>

enum { NODES = 12 };

struct stance {
    double arms_deg[2];  /* from hanging down, outwards */
    double ahead_deg[2]; /* of the arms, about the up axis */
    double elbow_deg, knee_deg, leg_deg;
};

static const struct calibration_joints JOINTS = {.is_known = true,
                                                 .upper_arms = {0, 1},
                                                 .lower_arms = {2, 3},
                                                 .hands = {4, 5},
                                                 .upper_legs = {6, 7},
                                                 .lower_legs = {8, 9},
                                                 .feet = {10, 11}};

/* Puts a node at x (to the actor's left), y (up) and z (ahead), turned, scaled and far from the origin; up is UP. */
static const float UP[3] = {0, 0.6f, 0.8f};
static void put(struct dmat4 *nodes, uint32_t node, const double at[3])
{
    static const double AXES[3][3] = {{0, 0.8, -0.6}, {0, 0.6, 0.8}, {1, 0, 0}};
    nodes[node] = DMAT4_IDENTITY;
    for (int i = 0; i < 3; i++)
        nodes[node].m[12 + i] = 70 - 30 * i + 3.5 * (at[0] * AXES[0][i] + at[1] * AXES[1][i] + at[2] * AXES[2][i]);
}

/* A limb of two bones; the second is bent by bend_rad towards the front. */
static void put_limb(struct dmat4 *nodes, const uint32_t joints[3], const double root[3], double out_rad,
                     double ahead_rad, double bend_rad, double side)
{
    double at[3] = {root[0], root[1], root[2]};
    put(nodes, joints[0], at);
    for (int bone = 0; bone < 2; bone++) {
        const double bend = bone == 0 ? 0 : bend_rad, outwards = sin(out_rad) * cos(ahead_rad) * cos(bend);
        at[0] += side * outwards;
        at[1] -= cos(out_rad) * cos(bend);
        at[2] += sin(out_rad) * sin(ahead_rad) * cos(bend) + sin(bend);
        put(nodes, joints[1 + bone], at);
    }
}

static enum calibration calibration_of(const struct stance *stance)
{
    struct dmat4 nodes[NODES];
    const double rad = acos(-1) / 180;
    for (uint32_t side = 0; side < 2; side++) {
        const double sign = side == 0 ? 1 : -1;
        put_limb(nodes, (const uint32_t[3]){side, 2 + side, 4 + side}, (const double[3]){sign * 0.4, 3, 0},
                 stance->arms_deg[side] * rad, stance->ahead_deg[side] * rad, stance->elbow_deg * rad, sign);
        put_limb(nodes, (const uint32_t[3]){6 + side, 8 + side, 10 + side}, (const double[3]){sign * 0.2, 2, 0},
                 stance->leg_deg * rad, 0, stance->knee_deg * rad, sign);
    }
    return calibration_of_pose(&JOINTS, &(struct pose){.scene_from_node = nodes}, UP);
}

TEST(calibration_is_spread_arms)
{
    static const struct {
        const char *what;
        struct stance stance;
        enum calibration calibration;
    } ROWS[] = {
        {"T", {{90, 90}, {0, 0}, 0, 0, 0}, CALIBRATION_FULL},
        {"T of a capture", {{86, 92}, {5, -2}, 12, 4, 3}, CALIBRATION_FULL},
        {"A", {{45, 45}, {0, 0}, 0, 0, 5}, CALIBRATION_FULL},
        {"arms that hang", {{12, 12}, {0, 0}, 0, 0, 0}, CALIBRATION_NONE},
        {"one arm", {{90, 15}, {0, 0}, 0, 0, 0}, CALIBRATION_NONE},
        {"unlike arms", {{90, 60}, {0, 0}, 0, 0, 0}, CALIBRATION_NEAR},
        {"arms up", {{130, 130}, {0, 0}, 0, 0, 0}, CALIBRATION_NONE},
        {"arms ahead", {{90, 90}, {60, 60}, 0, 0, 0}, CALIBRATION_NONE},
        {"elbows", {{90, 90}, {0, 0}, 30, 0, 0}, CALIBRATION_NEAR},
        {"knees", {{90, 90}, {0, 0}, 0, 60, 0}, CALIBRATION_NEAR},
        {"legs apart", {{90, 90}, {0, 0}, 0, 0, 40}, CALIBRATION_NEAR},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (calibration_of(&ROWS[i].stance) != ROWS[i].calibration)
            fail_msg("%s", ROWS[i].what);
}

TEST(calibration_needs_joints_and_lengths)
{
    struct dmat4 nodes[NODES];
    for (int n = 0; n < NODES; n++)
        nodes[n] = DMAT4_IDENTITY;
    const struct pose pose = {.scene_from_node = nodes};
    struct calibration_joints none = {0};
    assert_int_equal(calibration_of_pose(&JOINTS, &pose, UP), CALIBRATION_NONE); /* all at one place */
    assert_int_equal(calibration_of_pose(&none, &pose, UP), CALIBRATION_NONE);
}
