/* The robot: rounded boxes on a biped skeleton; walks, waves and dances, and its eyes blink in steps. */
#include "sample.h"

#include <math.h>

enum {
    ROOT = 0,
    HIPS,
    CHEST,
    NECK,
    HEAD,
    ANTENNA,
    EYES,
    ARM_L,
    FOREARM_L,
    HAND_L,
    ARM_R,
    FOREARM_R,
    HAND_R,
    LEG_L,
    SHIN_L,
    FOOT_L,
    LEG_R,
    SHIN_R,
    FOOT_R,
    JOINT_COUNT
};
static const struct rect HEAD_RECT = {0, 0, 256, 256}, CHEST_RECT = {256, 0, 256, 256}, LIMB_RECT = {0, 256, 256, 256},
                         EYE_RECT = {256, 256, 96, 96}, LAMP_RECT = {352, 256, 96, 96},
                         STEEL_RECT = {256, 352, 256, 160};

/* 1 on thin lines that divide the unit square into panels. */
static double seam(double u, double v, double across, double along)
{
    const double du = fabs(u * across - floor(u * across + 0.5)) / across,
                 dv = fabs(v * along - floor(v * along + 0.5)) / along;
    return 1 - smooth(0.004, 0.012, fmin(du, dv));
}

static struct color metal(struct color base, double u, double v, unsigned seed)
{
    const double scratch = noise(u, v * 0.2, 64, seed) * noise(u, v, 12, seed + 1);
    return color_scale(base, 0.90 + 0.16 * scratch);
}

/* How much of a place is screen, and the emblem on the chest. */
static double face_at(double u, double v)
{
    return smooth(0.30, 0.32, u) * (1 - smooth(0.68, 0.70, u)) * smooth(0.36, 0.39, v) * (1 - smooth(0.70, 0.73, v));
}

static double front_of(double u, double v)
{
    const double x = (u - 0.5) * 3.2, y = v - 0.62;
    return sqrt(x * x + y * y);
}

static struct color paint_head(double u, double v)
{
    struct color color = metal(color_of(0xf2f4f5), u, v, 21);
    const double face = face_at(u, v);
    color = color_mix(color, color_of(0x16242e), face);
    color = color_mix(color, color_of(0x9aa7ad), 0.7 * seam(u, v, 4, 3) * (1 - face));
    return color_mix(color, color_of(0x1fa3a8), smooth(0.80, 0.81, v) * (1 - smooth(0.88, 0.89, v)));
}

static struct color paint_chest(double u, double v)
{
    struct color color = metal(color_of(0x1fa3a8), u, v, 5);
    const double front = front_of(u, v);
    color = color_mix(color, color_of(0x0f5d66), seam(u, v, 8, 4));
    color = color_mix(color, color_of(0xf2f4f5), (1 - smooth(0.20, 0.21, front)));
    color = color_mix(color, color_of(0xffb321), (1 - smooth(0.13, 0.14, front)));
    const double stripe = smooth(0.22, 0.23, v) * (1 - smooth(0.30, 0.31, v));
    const double hazard = smooth(-0.05, 0.05, wave(u * 14 + v * 6));
    return color_mix(color, color_mix(color_of(0x20272b), color_of(0xffb321), hazard), stripe);
}

static struct color paint_limb(double u, double v)
{
    const double band = smooth(0.44, 0.45, v) * (1 - smooth(0.55, 0.56, v));
    const struct color color = metal(color_of(0xf2f4f5), u, v, 33);
    return color_mix(color_mix(color, color_of(0x9aa7ad), 0.8 * seam(u, v, 3, 3)), color_of(0x1fa3a8), band);
}

static struct color paint_eye(double u, double v)
{
    (void)u;
    return color_mix(color_of(0x2ad4e6), color_of(0xe9ffff), smooth(0.55, 0.95, v));
}

static struct color paint_lamp(double u, double v)
{
    return color_scale(color_of(0xff5a36), 0.85 + 0.2 * noise(u, v, 8, 1));
}
static struct color paint_steel(double u, double v) { return metal(color_of(0xa3adb3), u, v, 77); }

/* --- what it is made of: roughness in green, metallic in blue (glTF 2.0, 3.9.2) --- */

static struct color matter(double roughness, double metallic) { return (struct color){0, roughness, metallic}; }

/* Enamel over panels whose seams are dull. */
static struct color enamel(double u, double v, double across, double along)
{
    const double worn = 0.10 * noise(u, v, 24, 61);
    return color_mix(matter(0.30 + worn, 0), matter(0.75, 0), seam(u, v, across, along));
}

static struct color matter_of_head(double u, double v)
{
    return color_mix(enamel(u, v, 4, 3), matter(0.10, 0), face_at(u, v));
}

static struct color matter_of_chest(double u, double v)
{
    return color_mix(enamel(u, v, 8, 4), matter(0.28, 1), 1 - smooth(0.13, 0.14, front_of(u, v)));
}

static struct color matter_of_limb(double u, double v) { return enamel(u, v, 3, 3); }

static struct color matter_of_steel(double u, double v) { return matter(0.24 + 0.22 * noise(u, v * 0.3, 40, 78), 1); }

static struct color matter_of_glass(double u, double v)
{
    (void)u;
    (void)v;
    return matter(0.15, 0);
}

static void make_side(struct rig *rig, int side, const char *name)
{
    const double x = side;
    const int arm = rig_add(rig, CHEST, v3_of(0.36 * x, 1.24, 0), "arm_%s", name);
    const int forearm = rig_add(rig, arm, v3_of(0.44 * x, 0.98, 0), "forearm_%s", name);
    rig_add(rig, forearm, v3_of(0.46 * x, 0.72, 0.02), "hand_%s", name);
}

static void make_leg(struct rig *rig, int side, const char *name)
{
    const double x = side;
    const int leg = rig_add(rig, HIPS, v3_of(0.16 * x, 0.70, 0), "leg_%s", name);
    const int shin = rig_add(rig, leg, v3_of(0.17 * x, 0.40, 0.02), "shin_%s", name);
    rig_add(rig, shin, v3_of(0.17 * x, 0.10, 0), "foot_%s", name);
}

static void make_rig(struct rig *rig)
{
    rig_add(rig, -1, v3_of(0, 0, 0), "root");
    rig_add(rig, ROOT, v3_of(0, 0.74, 0), "hips");
    rig_add(rig, HIPS, v3_of(0, 0.92, 0), "chest");
    rig_add(rig, CHEST, v3_of(0, 1.34, 0), "neck");
    rig_add(rig, NECK, v3_of(0, 1.42, 0), "head");
    rig_add(rig, HEAD, v3_of(0, 1.84, 0), "antenna");
    rig_add(rig, HEAD, v3_of(0, 1.64, 0.24), "eyes");
    rig->joints[EYES].is_stepped = true;
    make_side(rig, 1, "left");
    make_side(rig, -1, "right");
    make_leg(rig, 1, "left");
    make_leg(rig, -1, "right");
}

/* A box with rounded edges around the line from a to b. */
static void add_box(struct surface *surface, struct v3 a, struct v3 b, double side, double up, int joint,
                    struct rect rect)
{
    const struct tube tube = {v3_of(0, 0, 1), 4.5, 32, 1, rect};
    const struct v3 center = v3_mix(a, b, 0.5), axis = v3_unit(v3_sub(b, a));
    const double half = sqrt(v3_dot(v3_sub(b, a), v3_sub(b, a))) / 2;
    surface_ball(surface, center, axis, v3_of(side, up, half), joint, &tube);
}

static void add_joint(struct surface *surface, struct v3 center, double radius, int joint)
{
    const struct tube tube = {v3_of(0, 0, 1), 2, 24, 1, STEEL_RECT};
    surface_ball(surface, center, v3_of(0, 1, 0), v3_of(radius, radius, radius), joint, &tube);
}

static void add_limbs(struct surface *surface, const struct rig *rig, double x, int arm, int leg)
{
    const struct rig_joint *j = rig->joints;
    add_joint(surface, j[arm].head, 0.095, arm);
    add_box(surface, v3_of(0.37 * x, 1.22, 0), v3_of(0.44 * x, 1.00, 0), 0.075, 0.08, arm, LIMB_RECT);
    add_joint(surface, j[arm + 1].head, 0.07, arm + 1);
    add_box(surface, v3_of(0.44 * x, 0.97, 0), v3_of(0.46 * x, 0.74, 0.02), 0.085, 0.09, arm + 1, LIMB_RECT);
    add_joint(surface, v3_of(0.46 * x, 0.66, 0.02), 0.085, arm + 2);
    add_joint(surface, j[leg].head, 0.10, leg);
    add_box(surface, v3_of(0.16 * x, 0.70, 0), v3_of(0.17 * x, 0.42, 0.02), 0.10, 0.11, leg, LIMB_RECT);
    add_joint(surface, j[leg + 1].head, 0.085, leg + 1);
    add_box(surface, v3_of(0.17 * x, 0.40, 0.02), v3_of(0.17 * x, 0.12, 0), 0.115, 0.12, leg + 1, LIMB_RECT);
    add_box(surface, v3_of(0.17 * x, 0.0, 0.05), v3_of(0.17 * x, 0.13, 0.05), 0.13, 0.20, leg + 2, STEEL_RECT);
}

static void make_surface(struct surface *surface, const struct rig *rig)
{
    add_box(surface, v3_of(0, 0.62, 0), v3_of(0, 0.88, 0), 0.23, 0.17, HIPS, STEEL_RECT);
    add_box(surface, v3_of(0, 0.84, 0), v3_of(0, 1.34, 0), 0.33, 0.23, CHEST, CHEST_RECT);
    add_joint(surface, v3_of(0, 1.37, 0), 0.10, NECK);
    add_box(surface, v3_of(0, 1.40, 0), v3_of(0, 1.86, 0), 0.33, 0.27, HEAD, HEAD_RECT);
    add_box(surface, v3_of(0, 1.82, 0), v3_of(0, 2.02, 0), 0.018, 0.018, ANTENNA, STEEL_RECT);
    const struct tube lamp = {v3_of(0, 0, 1), 2, 20, 1, LAMP_RECT}, eye = {v3_of(0, 1, 0), 2.6, 24, 1, EYE_RECT};
    surface_ball(surface, v3_of(0, 2.05, 0), v3_of(0, 1, 0), v3_of(0.055, 0.055, 0.055), ANTENNA, &lamp);
    for (int side = -1; side <= 1; side += 2) {
        surface_ball(surface, v3_of(0.12 * side, 1.64, 0.255), v3_of(0, 0, 1), v3_of(0.06, 0.075, 0.03), EYES, &eye);
        surface_ball(surface, v3_of(0.335 * side, 1.63, 0), v3_of(side, 0, 0), v3_of(0.09, 0.09, 0.05), HEAD, &lamp);
        add_limbs(surface, rig, side, side > 0 ? ARM_L : ARM_R, side > 0 ? LEG_L : LEG_R);
    }
}

static void blink(double phase, double when, struct joint_pose *poses)
{
    poses[EYES].scale.y = pulse(phase, when, 0.04) > 0 ? 0.15 : 1;
}

static void stride(double phase, struct joint_pose *poses, int leg, int arm)
{
    const struct v3 x = v3_of(1, 0, 0);
    pose_turn(&poses[leg], x, -30 * wave(phase));
    pose_turn(&poses[leg + 1], x, 26 + 26 * wave(phase - 0.25 + 0.5));
    pose_turn(&poses[leg + 2], x, -12 + 14 * wave(phase + 0.1));
    pose_turn(&poses[arm], x, 26 * wave(phase));
    pose_turn(&poses[arm + 1], x, -24 + 14 * wave(phase));
}

static void walk(double phase, struct joint_pose *poses)
{
    pose_move(&poses[HIPS], 0, 0.03 * wave(2 * phase + 0.2) - 0.01, 0);
    pose_turn(&poses[HIPS], v3_of(0, 1, 0), 7 * wave(phase));
    pose_turn(&poses[CHEST], v3_of(0, 1, 0), -12 * wave(phase));
    pose_turn(&poses[CHEST], v3_of(0, 0, 1), 3 * wave(phase + 0.25));
    pose_turn(&poses[HEAD], v3_of(0, 1, 0), 5 * wave(phase));
    pose_turn(&poses[ANTENNA], v3_of(1, 0, 0), 14 * wave(2 * phase + 0.1));
    stride(phase, poses, LEG_L, ARM_L);
    stride(phase + 0.5, poses, LEG_R, ARM_R);
    blink(phase, 0.3, poses);
}

static void greet(double phase, struct joint_pose *poses)
{
    pose_turn(&poses[ARM_R], v3_of(0, 0, 1), -112 - 8 * wave(phase));
    pose_turn(&poses[FOREARM_R], v3_of(0, 0, 1), -34 - 26 * wave(2 * phase));
    pose_turn(&poses[ARM_L], v3_of(0, 0, 1), 6 + 3 * wave(phase));
    pose_turn(&poses[CHEST], v3_of(0, 0, 1), 4 + 3 * wave(phase));
    pose_turn(&poses[HEAD], v3_of(0, 0, 1), -7 - 6 * wave(phase + 0.1));
    pose_turn(&poses[ANTENNA], v3_of(0, 0, 1), 18 * wave(2 * phase));
    blink(phase, 0.5, poses);
}

/* Where an ankle is at rest, in the scene. */
static struct v3 ankle_of(const struct joint_pose *poses, int leg)
{
    const struct v3 hip = v3_add(poses[HIPS].translation, poses[leg].translation);
    return v3_add(hip, v3_add(poses[leg + 1].translation, poses[leg + 2].translation));
}

/* The feet stay where they are, and the knees give way to the hips: always by a little, so that none is ever straight,
 * where a small sink would turn it far. */
static void dance(double phase, struct joint_pose *poses)
{
    const struct v3 ankle_l = ankle_of(poses, LEG_L), ankle_r = ankle_of(poses, LEG_R);
    pose_move(&poses[HIPS], 0.09 * wave(phase), -0.02 - 0.08 * wave(phase) * wave(phase), 0);
    pose_turn(&poses[HIPS], v3_of(0, 1, 0), 16 * wave(phase));
    pose_turn(&poses[CHEST], v3_of(0, 0, 1), -12 * wave(phase));
    pose_turn(&poses[HEAD], v3_of(0, 0, 1), 14 * wave(phase + 0.1));
    for (int side = -1; side <= 1; side += 2) {
        const int arm = side > 0 ? ARM_L : ARM_R, leg = side > 0 ? LEG_L : LEG_R;
        pose_turn(&poses[arm], v3_of(0, 0, 1), side * (58 + 30 * wave(2 * phase + side * 0.12)));
        pose_turn(&poses[arm + 1], v3_of(0, 0, 1), side * (52 + 20 * wave(2 * phase)));
        pose_plant(&poses[HIPS], &poses[leg], side > 0 ? ankle_l : ankle_r);
    }
    blink(phase, 0.8, poses);
}

/* Steel joints, enamel over the rest, and eyes and a lamp that glow. */
static void paint_matter(struct sample *sample)
{
    struct canvas *matter = &sample->maps[MAP_METALLIC_ROUGHNESS], *glow = &sample->maps[MAP_EMISSIVE];
    canvas_paint(matter, HEAD_RECT, matter_of_head);
    canvas_paint(matter, CHEST_RECT, matter_of_chest);
    canvas_paint(matter, LIMB_RECT, matter_of_limb);
    canvas_paint(matter, EYE_RECT, matter_of_glass);
    canvas_paint(matter, LAMP_RECT, matter_of_glass);
    canvas_paint(matter, STEEL_RECT, matter_of_steel);
    canvas_paint(glow, EYE_RECT, paint_eye);
    canvas_paint(glow, LAMP_RECT, paint_lamp);
    sample->has_map[MAP_METALLIC_ROUGHNESS] = sample->has_map[MAP_EMISSIVE] = true;
    sample->emissive_strength = 1.5;
}

void make_robot(struct sample *sample)
{
    static const struct clip_def CLIPS[] = {{"walk", 1.2, 24, 24, "LINEAR", walk},
                                            {"wave", 2.0, 16, 32, "CUBICSPLINE", greet},
                                            {"dance", 1.6, 32, 16, "LINEAR", dance}};
    sample->name = "robot";
    sample->clips = CLIPS;
    sample->clip_count = sizeof CLIPS / sizeof *CLIPS;
    make_rig(&sample->rig);
    make_surface(&sample->surface, &sample->rig);
    canvas_paint(&sample->maps[MAP_COLOR], HEAD_RECT, paint_head);
    canvas_paint(&sample->maps[MAP_COLOR], CHEST_RECT, paint_chest);
    canvas_paint(&sample->maps[MAP_COLOR], LIMB_RECT, paint_limb);
    canvas_paint(&sample->maps[MAP_COLOR], EYE_RECT, paint_eye);
    canvas_paint(&sample->maps[MAP_COLOR], LAMP_RECT, paint_lamp);
    canvas_paint(&sample->maps[MAP_COLOR], STEEL_RECT, paint_steel);
    paint_matter(sample);
}
