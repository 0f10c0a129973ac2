#include "tests/unit/support/human.h"

#include "anim/model/mat.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

const char *const HUMAN_MIXAMO[ROLE_COUNT] = {
    [ROLE_HIPS] = "mixamorig:Hips",
    [ROLE_SPINE] = "mixamorig:Spine",
    [ROLE_NECK] = "mixamorig:Neck",
    [ROLE_HEAD] = "mixamorig:Head",
    [ROLE_LEFT_UPPER_LEG] = "mixamorig:LeftUpLeg",
    [ROLE_LEFT_LOWER_LEG] = "mixamorig:LeftLeg",
    [ROLE_LEFT_FOOT] = "mixamorig:LeftFoot",
    [ROLE_LEFT_TOES] = "mixamorig:LeftToeBase",
    [ROLE_RIGHT_UPPER_LEG] = "mixamorig:RightUpLeg",
    [ROLE_RIGHT_LOWER_LEG] = "mixamorig:RightLeg",
    [ROLE_RIGHT_FOOT] = "mixamorig:RightFoot",
    [ROLE_RIGHT_TOES] = "mixamorig:RightToeBase",
    [ROLE_LEFT_UPPER_ARM] = "mixamorig:LeftArm",
    [ROLE_LEFT_LOWER_ARM] = "mixamorig:LeftForeArm",
    [ROLE_LEFT_HAND] = "mixamorig:LeftHand",
    [ROLE_RIGHT_UPPER_ARM] = "mixamorig:RightArm",
    [ROLE_RIGHT_LOWER_ARM] = "mixamorig:RightForeArm",
    [ROLE_RIGHT_HAND] = "mixamorig:RightHand",
};
const char *const HUMAN_UNREAL[ROLE_COUNT] = {
    [ROLE_HIPS] = "pelvis",
    [ROLE_SPINE] = "spine_01",
    [ROLE_CHEST] = "spine_02",
    [ROLE_UPPER_CHEST] = "spine_03",
    [ROLE_NECK] = "neck_01",
    [ROLE_HEAD] = "head",
    [ROLE_LEFT_UPPER_LEG] = "thigh_l",
    [ROLE_LEFT_LOWER_LEG] = "calf_l",
    [ROLE_LEFT_FOOT] = "foot_l",
    [ROLE_LEFT_TOES] = "ball_l",
    [ROLE_RIGHT_UPPER_LEG] = "thigh_r",
    [ROLE_RIGHT_LOWER_LEG] = "calf_r",
    [ROLE_RIGHT_FOOT] = "foot_r",
    [ROLE_RIGHT_TOES] = "ball_r",
    [ROLE_LEFT_SHOULDER] = "clavicle_l",
    [ROLE_LEFT_UPPER_ARM] = "upperarm_l",
    [ROLE_LEFT_LOWER_ARM] = "lowerarm_l",
    [ROLE_LEFT_HAND] = "hand_l",
    [ROLE_RIGHT_SHOULDER] = "clavicle_r",
    [ROLE_RIGHT_UPPER_ARM] = "upperarm_r",
    [ROLE_RIGHT_LOWER_ARM] = "lowerarm_r",
    [ROLE_RIGHT_HAND] = "hand_r",
};

const struct human HUMAN_T = {.thigh = 0.45,
                              .shin = 0.45,
                              .upper_arm = 0.3,
                              .lower_arm = 0.28,
                              .names = HUMAN_MIXAMO,
                              .turn = {0, 0, 0, 1},
                              .scale = 1};
/* Off the origin; a quarter turn about x leads its y to the scene's z, half a turn about that its face to +y; in cm. */
const struct human HUMAN_A = {.thigh = 0.30,
                              .shin = 0.62,
                              .upper_arm = 0.4,
                              .lower_arm = 0.2,
                              .arm_deg = 50,
                              .leg_deg = 8,
                              .names = HUMAN_UNREAL,
                              .has_odd_axes = true,
                              .place = {300, -40, 12},
                              .turn = {0, 0.70710678F, 0.70710678F, 0},
                              .scale = 100};

static void set(double to[3], double x, double y, double z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static void place_side(struct human_rig *rig, double side, int leg, int arm)
{
    const struct human *human = &rig->human;
    const double out = human->leg_deg * PI / 180, down = human->arm_deg * PI / 180;
    const double ankle = 0.08, hip = ankle + (human->thigh + human->shin) * cos(out);
    const double knee_x = 0.1 + human->thigh * sin(out), foot_x = knee_x + human->shin * sin(out);
    set(rig->places[leg], side * 0.1, hip, 0);
    set(rig->places[leg + 1], side * knee_x, hip - human->thigh * cos(out), 0);
    set(rig->places[leg + 2], side * foot_x, ankle, 0);
    set(rig->places[leg + 3], side * foot_x, 0.02, 0.14);
    set(rig->places[arm - 1], side * 0.04, hip + 0.5, 0);
    set(rig->places[arm], side * 0.18, hip + 0.5, 0);
    const double elbow = 0.18 + human->upper_arm * cos(down), elbow_y = hip + 0.5 - human->upper_arm * sin(down);
    set(rig->places[arm + 1], side * elbow, elbow_y, 0);
    set(rig->places[arm + 2], side * (elbow + human->lower_arm * cos(down)), elbow_y - human->lower_arm * sin(down), 0);
}

static void place_all(struct human_rig *rig)
{
    place_side(rig, 1, ROLE_LEFT_UPPER_LEG, ROLE_LEFT_UPPER_ARM);
    place_side(rig, -1, ROLE_RIGHT_UPPER_LEG, ROLE_RIGHT_UPPER_ARM);
    const double hip = rig->places[ROLE_LEFT_UPPER_LEG][1];
    static const double UP[] = {0.05, 0.15, 0.28, 0.42, 0.55, 0.65};
    for (int role = ROLE_HIPS; role <= ROLE_HEAD; role++)
        set(rig->places[role], 0, hip + UP[role], 0);
    for (int role = 0; role < ROLE_COUNT; role++) {
        const double odd = rig->human.has_odd_axes ? 0.7 * (role + 1) : 0;
        const double axis[3] = {sin(odd), cos(2 * odd), 0.5};
        const double length = sqrt(dot3(axis, axis));
        for (int i = 0; i < 3; i++)
            rig->turns[role][i] = sin(odd / 2) * axis[i] / length;
        rig->turns[role][3] = cos(odd / 2);
    }
}

static void conjugate(const double q[4], double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -q[i] : q[i];
}

static void rotate(const double q[4], const double v[3], double out[3])
{
    const struct trs trs = {.rotation = {q[0], q[1], q[2], q[3]}, .scale = {1, 1, 1}};
    const struct dmat4 matrix = dmat4_from_trs(&trs);
    dmat4_direction(&matrix, v, out);
}

static int above_of(const struct human_rig *rig, int role)
{
    int above = ROLE_ABOVE[role];
    while (above >= 0 && rig->nodes[above] < 0)
        above = ROLE_ABOVE[above];
    return above;
}

static void add_joint(struct human_rig *rig, int role, uint32_t root)
{
    const int above = above_of(rig, role);
    double offset[3], back[4] = {0, 0, 0, 1}, turn[4];
    memcpy(offset, rig->places[role], sizeof offset);
    if (above >= 0) {
        conjugate(rig->turns[above], back);
        for (int i = 0; i < 3; i++)
            offset[i] -= rig->places[above][i];
        rotate(back, offset, offset);
    }
    quat_mul(back, rig->turns[role], turn);
    const float at[3] = {(float)offset[0], (float)offset[1], (float)offset[2]};
    const float turned[4] = {(float)turn[0], (float)turn[1], (float)turn[2], (float)turn[3]};
    const uint32_t node =
        fixture_node(rig->fixture, above < 0 ? (int32_t)root : rig->nodes[above], at, turned, FIXTURE_ONE);
    rig->fixture->builder.nodes[node].name = bake_textz(&rig->fixture->builder, rig->human.names[role]);
    rig->nodes[role] = (int32_t)node;
}

void human_begin(struct human_rig *rig, struct fixture *fixture, const struct human *human)
{
    uint32_t joints[ROLE_COUNT], count = 0;
    *rig = (struct human_rig){.human = *human, .fixture = fixture};
    place_all(rig);
    fixture_init(fixture);
    const float scale[3] = {human->scale, human->scale, human->scale};
    const uint32_t root = fixture_node(fixture, -1, human->place, human->turn, scale);
    fixture->builder.nodes[root].name = bake_textz(&fixture->builder, "root");
    fixture_root(fixture, root);
    for (int role = 0; role < ROLE_COUNT; role++)
        rig->nodes[role] = -1;
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (human->names[role] == NULL)
            continue;
        add_joint(rig, role, root);
        joints[count++] = (uint32_t)rig->nodes[role];
    }
    fixture_skin(fixture, joints, count);
}

/* --- walking --- */

struct walk {
    double times[HUMAN_WALK_KEYS];
    float hips[HUMAN_WALK_KEYS][3];
    float turns[ROLE_COUNT][HUMAN_WALK_KEYS][4]; /* local */
};

/* The joint is turned by `turn` since its rest, in canonical space, and its parent by `above`: its local rotation. */
static void put_turn(const struct human_rig *rig, struct walk *walk, int role, int key, const double turn[4],
                     const double above[4])
{
    const int parent = above_of(rig, role);
    double back[4], local[4];
    quat_mul(turn, rig->turns[role], local);
    if (parent >= 0)
        quat_mul(above, rig->turns[parent], back);
    else
        memcpy(back, above, sizeof back);
    conjugate(back, back);
    quat_mul(back, local, local);
    for (int i = 0; i < 4; i++)
        walk->turns[role][key][i] = (float)local[i];
}

static void turn_about_x(double radians, double out[4])
{
    const double q[4] = {sin(radians / 2), 0, 0, cos(radians / 2)};
    memcpy(out, q, sizeof q);
}

/* The position of a foot, forward from its first stand, and its height, `key` keys into its cycle. */
static void step(double key, double stride, double *forward, double *height)
{
    const double cycle = 2 * HUMAN_STEP_KEYS, round = floor(key / cycle), at = key - round * cycle;
    const double u = fmax(0, (at - HUMAN_STEP_KEYS) / HUMAN_STEP_KEYS);
    *forward = stride * (round + u * u * (3 - 2 * u));
    *height = 0.12 * sin(PI * u) * sin(PI * u);
}

/* Thigh and shin of a leg, in the plane of y and z; positive angles lead forward what points down. */
static void put_leg(const struct human_rig *rig, struct walk *walk, int upper, int key, double ahead, double below)
{
    const double a = rig->human.thigh, b = rig->human.shin, d = sqrt(ahead * ahead + below * below);
    const double line = atan2(ahead, below);
    const double at_hip = acos(fmin((a * a + d * d - b * b) / (2 * a * d), 1));
    const double knee_z = a * sin(line + at_hip), knee_y = a * cos(line + at_hip);
    double thigh[4], shin[4];
    const double straight[4] = {0, 0, 0, 1};
    turn_about_x(-(line + at_hip), thigh);
    turn_about_x(-atan2(ahead - knee_z, below - knee_y), shin);
    put_turn(rig, walk, upper, key, thigh, straight);
    put_turn(rig, walk, upper + 1, key, shin, thigh);
    put_turn(rig, walk, upper + 2, key, straight, shin);
}

/* Down along the body, swinging. */
static void put_arm(const struct human_rig *rig, struct walk *walk, int upper, int key, double side, double swing)
{
    const double half = PI / 4, straight[4] = {0, 0, 0, 1}, down[4] = {0, 0, -side * sin(half), cos(half)};
    double forward[4], upper_turn[4], lower_turn[4];
    turn_about_x(-swing, forward);
    quat_mul(forward, down, upper_turn);
    turn_about_x(-swing - 0.4, forward);
    quat_mul(forward, down, lower_turn);
    put_turn(rig, walk, upper, key, upper_turn, straight);
    put_turn(rig, walk, upper + 1, key, lower_turn, upper_turn);
}

static void put_key(const struct human_rig *rig, struct walk *walk, int key)
{
    const double stride = 0.9, *hips = rig->places[ROLE_HIPS];
    const double along = stride * key / (2.0 * HUMAN_STEP_KEYS) - stride / 4;
    walk->times[key] = (double)key / HUMAN_RATE;
    walk->hips[key][0] = (float)hips[0];
    walk->hips[key][1] = (float)(hips[1] - 0.07);
    walk->hips[key][2] = (float)along;
    for (int side = 0; side < 2; side++) {
        const int upper = side == 0 ? ROLE_LEFT_UPPER_LEG : ROLE_RIGHT_UPPER_LEG;
        double forward, height;
        step(key + side * HUMAN_STEP_KEYS, stride, &forward, &height);
        const double foot = forward - side * stride / 2;
        const double hip = rig->places[upper][1] - 0.07;
        put_leg(rig, walk, upper, key, foot - along, hip - rig->places[upper + 2][1] - height);
    }
    put_arm(rig, walk, ROLE_LEFT_UPPER_ARM, key, 1, 0.5 * sin(along * 7));
    put_arm(rig, walk, ROLE_RIGHT_UPPER_ARM, key, -1, -0.5 * sin(along * 7));
}

void human_walk(struct human_rig *rig)
{
    static const int8_t TURNED[] = {
        ROLE_LEFT_UPPER_LEG, ROLE_LEFT_LOWER_LEG, ROLE_LEFT_FOOT,      ROLE_RIGHT_UPPER_LEG, ROLE_RIGHT_LOWER_LEG,
        ROLE_RIGHT_FOOT,     ROLE_LEFT_UPPER_ARM, ROLE_LEFT_LOWER_ARM, ROLE_RIGHT_UPPER_ARM, ROLE_RIGHT_LOWER_ARM};
    static struct walk walk;
    struct fixture *f = rig->fixture;
    for (int key = 0; key < HUMAN_WALK_KEYS; key++)
        put_key(rig, &walk, key);
    fixture_clip(f);
    f->builder.clips[0].name = bake_textz(&f->builder, "walk");
    fixture_channel(f, (uint32_t)rig->nodes[ROLE_HIPS], PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, walk.times,
                    HUMAN_WALK_KEYS, &walk.hips[0][0]);
    for (size_t i = 0; i < sizeof TURNED; i++)
        fixture_channel(f, (uint32_t)rig->nodes[TURNED[i]], PATH_ROTATION, INTERPOLATION_LINEAR, 4, walk.times,
                        HUMAN_WALK_KEYS, &walk.turns[TURNED[i]][0][0]);
}
