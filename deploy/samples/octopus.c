/* The octopus: eight arms of six joints, CUBICSPLINE drifting and STEP blinking. */
#include "sample.h"

#include "anim/model/trig.h"

#include <math.h>

enum { ARM_COUNT = 8, ARM_JOINTS = 6, ROOT = 0, MANTLE, CROWN, EYE_LEFT, EYE_RIGHT, FIRST_ARM };
static const double PI = 3.14159265358979323846;
static const struct rect MANTLE_RECT = {0, 0, 512, 256}, ARM_RECT = {0, 256, 384, 256}, EYE_RECT = {384, 256, 128, 128};

static int arm_joint(int arm, int k) { return FIRST_ARM + arm * ARM_JOINTS + k; }

static struct v3 arm_direction(int arm)
{
    const double angle = (arm + 0.5) * 2 * PI / ARM_COUNT;
    return v3_of(trig_sin(angle), 0, trig_cos(angle));
}

/* Turning about this axis lowers the arm. */
static struct v3 arm_axis(int arm) { return v3_cross(v3_of(0, 1, 0), arm_direction(arm)); }

static struct v3 arm_point(int arm, int k)
{
    static const double OUT[ARM_JOINTS + 1] = {0.15, 0.36, 0.58, 0.78, 0.95, 1.08, 1.20};
    static const double HEIGHT[ARM_JOINTS + 1] = {0.56, 0.42, 0.26, 0.15, 0.10, 0.13, 0.22};
    return v3_add(v3_scale(arm_direction(arm), OUT[k]), v3_of(0, HEIGHT[k], 0));
}

static struct color paint_mantle(double u, double v)
{
    const struct color base = color_mix(color_of(0xd9482b), color_of(0x7a1f5c), smooth(0.15, 1, v));
    const double spot = 1 - smooth(0.16, 0.30, cells(u, v * 0.8, 9, 11));
    const struct color spotted = color_mix(base, color_of(0xffb347), 0.75 * spot * smooth(0.2, 0.5, v));
    return color_scale(spotted, 0.86 + 0.22 * noise(u, v, 16, 3));
}

static struct color paint_arm(double u, double v)
{
    const double under = 1 - smooth(0.10, 0.24, fmin(u, 1 - u));
    const struct color back = color_mix(color_of(0xd9482b), color_of(0x8c2a63), smooth(0, 1, v));
    const struct color belly = color_of(0xf6c9a4);
    /* two rows of suckers beside the seam below */
    const double row = fabs(fmin(u, 1 - u) - 0.07) * 14, along = fabs(v * 22 - floor(v * 22) - 0.5) * 2;
    const double sucker = 1 - smooth(0.35, 0.55, sqrt(row * row + along * along));
    const double spot = (1 - smooth(0.15, 0.28, cells(u, v * 2, 6, 5))) * (1 - under);
    struct color color = color_mix(back, belly, under);
    color = color_mix(color, color_of(0xb6566b), 0.8 * sucker * under);
    color = color_mix(color, color_of(0xffb347), 0.6 * spot);
    return color_scale(color, 0.88 + 0.18 * noise(u, v * 3, 12, 9));
}

static struct color paint_eye(double u, double v)
{
    (void)u;
    struct color color = color_of(0xfff6e0);
    color = color_mix(color, color_of(0x2c9c8f), smooth(0.66, 0.69, v));
    color = color_mix(color, color_of(0x0d3b44), smooth(0.72, 0.80, v));
    return color_mix(color, color_of(0x0a0a12), smooth(0.80, 0.83, v));
}

static void make_rig(struct rig *rig)
{
    rig_add(rig, -1, v3_of(0, 0.55, 0), "root");
    rig_add(rig, ROOT, v3_of(0, 0.80, 0), "mantle");
    rig_add(rig, MANTLE, v3_of(0, 1.20, -0.05), "crown");
    rig_add(rig, MANTLE, v3_of(0.19, 0.86, 0.20), "eye_left");
    rig_add(rig, MANTLE, v3_of(-0.19, 0.86, 0.20), "eye_right");
    rig->joints[EYE_LEFT].is_stepped = rig->joints[EYE_RIGHT].is_stepped = true;
    for (int arm = 0; arm < ARM_COUNT; arm++)
        for (int k = 0; k < ARM_JOINTS; k++)
            rig_add(rig, k == 0 ? ROOT : arm_joint(arm, k - 1), arm_point(arm, k), "arm%d_%d", arm, k);
}

static void make_surface(struct surface *surface)
{
    const struct tube mantle = {v3_of(0, 0, 1), 2, 40, 5, MANTLE_RECT};
    const struct ring rings[] = {{v3_of(0, 0.47, 0), 0, 0, ROOT},
                                 {v3_of(0, 0.50, 0), 0.19, 0.19, ROOT},
                                 {v3_of(0, 0.60, 0), 0.24, 0.24, ROOT},
                                 {v3_of(0, 0.72, 0.01), 0.22, 0.23, MANTLE},
                                 {v3_of(0, 0.86, 0.02), 0.25, 0.25, MANTLE},
                                 {v3_of(0, 1.04, -0.03), 0.32, 0.31, MANTLE},
                                 {v3_of(0, 1.26, -0.10), 0.33, 0.33, CROWN},
                                 {v3_of(0, 1.47, -0.19), 0.24, 0.25, CROWN},
                                 {v3_of(0, 1.58, -0.26), 0.12, 0.13, CROWN},
                                 {v3_of(0, 1.61, -0.29), 0, 0, CROWN}};
    surface_tube(surface, rings, sizeof rings / sizeof *rings, &mantle);

    static const double RADIUS[ARM_JOINTS + 1] = {0.125, 0.105, 0.085, 0.064, 0.044, 0.026, 0};
    const struct tube tube = {v3_of(0, 1, 0), 2, 16, 4, ARM_RECT};
    for (int arm = 0; arm < ARM_COUNT; arm++) {
        struct ring arm_rings[ARM_JOINTS + 1];
        for (int k = 0; k <= ARM_JOINTS; k++)
            arm_rings[k] = (struct ring){arm_point(arm, k), RADIUS[k], RADIUS[k],
                                         arm_joint(arm, k < ARM_JOINTS ? k : ARM_JOINTS - 1)};
        surface_tube(surface, arm_rings, ARM_JOINTS + 1, &tube);
    }
    const struct tube eye = {v3_of(0, 1, 0), 2, 24, 1, EYE_RECT};
    for (int side = -1; side <= 1; side += 2)
        surface_ball(surface, v3_of(0.19 * side, 0.86, 0.20), v3_unit(v3_of(0.45 * side, 0.15, 0.88)),
                     v3_of(0.085, 0.085, 0.075), side > 0 ? EYE_LEFT : EYE_RIGHT, &eye);
}

static void blink(double phase, double when, struct joint_pose *poses)
{
    const double open = pulse(phase, when, 0.03) > 0 ? 0.12 : 1;
    poses[EYE_LEFT].scale.y = poses[EYE_RIGHT].scale.y = open;
}

static void drift(double phase, struct joint_pose *poses)
{
    pose_move(&poses[ROOT], 0, 0.05 + 0.05 * wave(phase), 0);
    pose_turn(&poses[MANTLE], v3_of(1, 0, 0), 4 * wave(phase + 0.1));
    pose_turn(&poses[CROWN], v3_of(0, 0, 1), 6 * wave(phase + 0.3));
    for (int arm = 0; arm < ARM_COUNT; arm++)
        for (int k = 0; k < ARM_JOINTS; k++) {
            struct joint_pose *joint = &poses[arm_joint(arm, k)];
            pose_turn(joint, arm_axis(arm), 13 * wave(phase + arm * 0.37 - k * 0.11) - 3);
            pose_turn(joint, v3_of(0, 1, 0), 9 * wave(phase + arm * 0.21 - k * 0.13));
        }
    blink(phase, 0.62, poses);
}

static void swim(double phase, struct joint_pose *poses)
{
    const double squeeze = wave(phase);
    pose_move(&poses[ROOT], 0, 0.30 + 0.16 * wave(phase - 0.2), 0);
    poses[CROWN].scale = v3_of(1 - 0.10 * squeeze, 1 + 0.12 * squeeze, 1 - 0.10 * squeeze);
    for (int arm = 0; arm < ARM_COUNT; arm++)
        for (int k = 0; k < ARM_JOINTS; k++)
            pose_turn(&poses[arm_joint(arm, k)], arm_axis(arm), 8 + (k == 0 ? 16 : 15) * wave(phase - k * 0.09));
    blink(phase, 0.9, poses);
}

static void greet(double phase, struct joint_pose *poses)
{
    drift(phase, poses);
    for (int arm = 0; arm < ARM_COUNT; arm += ARM_COUNT - 1)
        for (int k = 0; k < ARM_JOINTS; k++) {
            struct joint_pose *joint = &poses[arm_joint(arm, k)];
            pose_turn(joint, arm_axis(arm), k < 3 ? -42 : 26 + 18 * wave(2 * phase + arm * 0.07));
            pose_turn(joint, v3_of(0, 0, 1), (arm == 0 ? -1 : 1) * 10 * wave(2 * phase));
        }
    pose_turn(&poses[MANTLE], v3_of(0, 0, 1), 8 * wave(phase));
}

void make_octopus(struct sample *sample)
{
    static const struct clip_def CLIPS[] = {{"drift", 4.0, 8, 32, "CUBICSPLINE", drift},
                                            {"swim", 1.5, 24, 16, "LINEAR", swim},
                                            {"greet", 3.0, 12, 24, "CUBICSPLINE", greet}};
    sample->name = "octopus";
    sample->clips = CLIPS;
    sample->clip_count = sizeof CLIPS / sizeof *CLIPS;
    make_rig(&sample->rig);
    make_surface(&sample->surface);
    canvas_paint(&sample->maps[MAP_COLOR], MANTLE_RECT, paint_mantle);
    canvas_paint(&sample->maps[MAP_COLOR], ARM_RECT, paint_arm);
    canvas_paint(&sample->maps[MAP_COLOR], EYE_RECT, paint_eye);
    sample->roughness = 0.35; /* wet */
}
