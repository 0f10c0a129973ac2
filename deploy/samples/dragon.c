/* The dragon: a long spine, four legs and two membrane wings; it walks, flies and breathes. */
#include "sample.h"

#include "anim/model/trig.h"

#include <math.h>

enum {
    ROOT = 0,
    HIPS,
    TAIL_1,
    TAIL_2,
    TAIL_3,
    TAIL_4,
    CHEST,
    NECK_1,
    NECK_2,
    HEAD,
    JAW,
    EYE_L,
    EYE_R,
    WING_L,
    WING_L_2,
    WING_L_3,
    WING_R,
    WING_R_2,
    WING_R_3,
    FRONT_L,
    FRONT_L_2,
    FRONT_L_3,
    FRONT_R,
    FRONT_R_2,
    FRONT_R_3,
    HIND_L,
    HIND_L_2,
    HIND_L_3,
    HIND_R,
    HIND_R_2,
    HIND_R_3,
    JOINT_COUNT
};
static const double PI = 3.14159265358979323846;
static const struct rect BODY_RECT = {0, 0, 512, 192}, LEG_RECT = {0, 192, 192, 128}, HORN_RECT = {192, 192, 128, 128},
                         EYE_RECT = {320, 192, 96, 96}, WING_RECT = {0, 320, 384, 192}, JAW_RECT = {416, 192, 96, 128};

static struct color paint_skin(double u, double v)
{
    const double top = fabs(u - 0.5) * 2; /* 0 on the back, 1 on the belly */
    const double scale = cells(u, v * 1.6, 26, 4);
    struct color color = color_mix(color_of(0x1d5c4f), color_of(0x3fae7a), smooth(0.05, 0.55, top));
    color = color_mix(color, color_of(0x123f3c), 0.55 * (1 - smooth(0.15, 0.5, cells(u, v * 1.6, 7, 8))) * (1 - top));
    color = color_scale(color, 1.12 - 0.55 * scale);
    const double plate = smooth(0.1, 0.3, fabs(v * 34 - floor(v * 34) - 0.5) * 2);
    const struct color belly = color_scale(color_of(0xf0d79a), 0.80 + 0.24 * plate);
    return color_mix(color, belly, smooth(0.66, 0.76, top));
}

static struct color paint_leg(double u, double v)
{
    struct color color = color_mix(color_of(0x2c8a66), color_of(0x1d5c4f), smooth(0, 1, v));
    color = color_scale(color, 1.12 - 0.5 * cells(u, v, 14, 6));
    return color_mix(color, color_of(0x2a2320), smooth(0.90, 0.94, v));
}

static struct color paint_horn(double u, double v)
{
    (void)u;
    const struct color color = color_mix(color_of(0x8a6a45), color_of(0xfff1cf), smooth(0, 0.9, v));
    return color_scale(color, 0.86 + 0.14 * smooth(0.1, 0.5, fabs(v * 9 - floor(v * 9) - 0.5) * 2));
}

static struct color paint_eye(double u, double v)
{
    (void)u;
    const struct color color = color_mix(color_of(0x3a1605), color_of(0xffc233), smooth(0.62, 0.66, v));
    return color_mix(color, color_of(0x140803), smooth(0.80, 0.84, v));
}

static struct color paint_wing(double u, double v)
{
    /* fingers run from the wrist to the trailing edge; the membrane between them glows */
    const double finger = fabs(v * 4 - floor(v * 4 + 0.5));
    struct color color = color_mix(color_of(0xd8572a), color_of(0xf2a541), smooth(0.0, 1.0, u));
    color = color_mix(color, color_of(0x7c2430), 0.7 * (1 - smooth(0.0, 0.35, finger)));
    color = color_mix(color, color_of(0x1d5c4f), 1 - smooth(0.02, 0.10, u));
    return color_scale(color, 0.85 + 0.25 * noise(u, v, 20, 13));
}

static struct color paint_jaw(double u, double v)
{
    const double top = fabs(u - 0.5) * 2;
    return color_mix(color_of(0xb2434a), color_scale(color_of(0xe4cb8f), 0.9 + 0.1 * noise(u, v, 8, 2)),
                     smooth(0.25, 0.4, top));
}

/* Scales stand out, in pixels of the picture; the belly has plates. */
static double height_of_skin(double u, double v)
{
    const double belly = smooth(0.66, 0.76, fabs(u - 0.5) * 2);
    const double plate = smooth(0.1, 0.3, fabs(v * 34 - floor(v * 34) - 0.5) * 2);
    return (1 - belly) * -4.5 * cells(u, v * 1.6, 26, 4) - belly * 1.5 * plate;
}

static double height_of_leg(double u, double v) { return -3 * cells(u, v, 14, 6); }

static double height_of_wing(double u, double v)
{
    return 3 * (1 - smooth(0.0, 0.25, fabs(v * 4 - floor(v * 4 + 0.5)))) * smooth(0.0, 0.1, u);
}

static double height_of_horn(double u, double v)
{
    (void)u;
    return 1.5 * smooth(0.1, 0.5, fabs(v * 9 - floor(v * 9) - 0.5) * 2);
}

static void add_limb(struct rig *rig, int parent, double side, const char *name, const struct v3 points[3])
{
    static const char *const PART[3] = {"upper", "lower", "foot"};
    for (int k = 0; k < 3; k++) {
        const struct v3 p = points[k];
        parent =
            rig_add(rig, parent, v3_of(p.x * side, p.y, p.z), "%s_%s_%s", name, side > 0 ? "left" : "right", PART[k]);
    }
}

static const struct v3 WING_POINTS[3] = {{0.14, 0.86, 0.20}, {0.52, 1.16, 0.10}, {0.98, 1.10, 0.02}};
static const struct v3 FRONT_POINTS[3] = {{0.17, 0.62, 0.30}, {0.22, 0.36, 0.22}, {0.22, 0.08, 0.28}};
static const struct v3 HIND_POINTS[3] = {{0.17, 0.62, -0.38}, {0.23, 0.38, -0.26}, {0.22, 0.08, -0.40}};

static void make_rig(struct rig *rig)
{
    rig_add(rig, -1, v3_of(0, 0, 0), "root");
    rig_add(rig, ROOT, v3_of(0, 0.68, -0.30), "hips");
    rig_add(rig, HIPS, v3_of(0, 0.68, -0.62), "tail_1");
    rig_add(rig, TAIL_1, v3_of(0, 0.60, -0.95), "tail_2");
    rig_add(rig, TAIL_2, v3_of(0, 0.50, -1.28), "tail_3");
    rig_add(rig, TAIL_3, v3_of(0, 0.42, -1.60), "tail_4");
    rig_add(rig, HIPS, v3_of(0, 0.70, 0.10), "chest");
    rig_add(rig, CHEST, v3_of(0, 0.82, 0.46), "neck_1");
    rig_add(rig, NECK_1, v3_of(0, 1.06, 0.62), "neck_2");
    rig_add(rig, NECK_2, v3_of(0, 1.26, 0.76), "head");
    rig_add(rig, HEAD, v3_of(0, 1.19, 0.86), "jaw");
    rig_add(rig, HEAD, v3_of(0.12, 1.33, 0.93), "eye_left");
    rig_add(rig, HEAD, v3_of(-0.12, 1.33, 0.93), "eye_right");
    rig->joints[EYE_L].is_stepped = rig->joints[EYE_R].is_stepped = true;
    for (int side = 1; side >= -1; side -= 2)
        add_limb(rig, CHEST, side, "wing", WING_POINTS);
    for (int side = 1; side >= -1; side -= 2)
        add_limb(rig, CHEST, side, "front", FRONT_POINTS);
    for (int side = 1; side >= -1; side -= 2)
        add_limb(rig, HIPS, side, "hind", HIND_POINTS);
}

static void add_body(struct surface *surface)
{
    const struct tube body = {v3_of(0, 1, 0), 2, 28, 5, BODY_RECT};
    const struct ring rings[] = {
        {v3_of(0, 0.38, -1.98), 0, 0, TAIL_4},         {v3_of(0, 0.39, -1.86), 0.022, 0.024, TAIL_4},
        {v3_of(0, 0.42, -1.60), 0.045, 0.05, TAIL_4},  {v3_of(0, 0.50, -1.28), 0.075, 0.08, TAIL_3},
        {v3_of(0, 0.60, -0.95), 0.105, 0.115, TAIL_2}, {v3_of(0, 0.67, -0.62), 0.15, 0.16, TAIL_1},
        {v3_of(0, 0.69, -0.32), 0.20, 0.21, HIPS},     {v3_of(0, 0.66, -0.05), 0.22, 0.23, HIPS},
        {v3_of(0, 0.68, 0.20), 0.22, 0.24, CHEST},     {v3_of(0, 0.78, 0.42), 0.165, 0.19, CHEST},
        {v3_of(0, 0.92, 0.54), 0.12, 0.135, NECK_1},   {v3_of(0, 1.10, 0.63), 0.10, 0.11, NECK_2},
        {v3_of(0, 1.24, 0.72), 0.115, 0.115, HEAD},    {v3_of(0, 1.29, 0.85), 0.145, 0.12, HEAD},
        {v3_of(0, 1.265, 1.00), 0.115, 0.085, HEAD},   {v3_of(0, 1.225, 1.16), 0.085, 0.06, HEAD},
        {v3_of(0, 1.205, 1.28), 0.065, 0.048, HEAD},   {v3_of(0, 1.20, 1.33), 0, 0, HEAD}};
    surface_tube(surface, rings, sizeof rings / sizeof *rings, &body);
    const struct tube jaw = {v3_of(0, 1, 0), 2.4, 20, 4, JAW_RECT};
    const struct ring jaw_rings[] = {{v3_of(0, 1.19, 0.82), 0, 0, JAW},
                                     {v3_of(0, 1.185, 0.87), 0.085, 0.035, JAW},
                                     {v3_of(0, 1.165, 1.03), 0.085, 0.036, JAW},
                                     {v3_of(0, 1.150, 1.17), 0.062, 0.028, JAW},
                                     {v3_of(0, 1.145, 1.24), 0, 0, JAW}};
    surface_tube(surface, jaw_rings, sizeof jaw_rings / sizeof *jaw_rings, &jaw);
}

static void add_spike(struct surface *surface, struct v3 base, struct v3 tip, double radius, int joint)
{
    const struct tube horn = {v3_of(1, 0, 0), 2, 10, 2, HORN_RECT};
    const struct v3 middle =
        v3_add(v3_mix(base, tip, 0.5), v3_of(0, 0, 0.06 * v3_dot(v3_sub(tip, base), v3_of(0, 1, 0))));
    const struct ring rings[] = {
        {base, radius, radius, joint}, {middle, radius * 0.6, radius * 0.6, joint}, {tip, 0, 0, joint}};
    surface_tube(surface, rings, 3, &horn);
}

static void add_spikes(struct surface *surface)
{
    static const struct {
        double y, z, height;
        int joint;
    } ROW[] = {{0.44, -1.60, 0.07, TAIL_4}, {0.53, -1.40, 0.09, TAIL_3}, {0.60, -1.20, 0.10, TAIL_3},
               {0.67, -1.00, 0.12, TAIL_2}, {0.75, -0.80, 0.13, TAIL_1}, {0.82, -0.60, 0.14, TAIL_1},
               {0.87, -0.38, 0.15, HIPS},   {0.87, -0.15, 0.15, HIPS},   {0.89, 0.08, 0.15, CHEST},
               {0.93, 0.28, 0.13, CHEST},   {1.02, 0.45, 0.12, NECK_1},  {1.17, 0.54, 0.11, NECK_2}};
    for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++)
        add_spike(surface, v3_of(0, ROW[i].y - 0.03, ROW[i].z), v3_of(0, ROW[i].y + ROW[i].height, ROW[i].z - 0.10),
                  0.034, ROW[i].joint);
    for (int side = -1; side <= 1; side += 2) {
        add_spike(surface, v3_of(0.07 * side, 1.36, 0.80), v3_of(0.13 * side, 1.60, 0.52), 0.034, HEAD);
        add_spike(surface, v3_of(0.12 * side, 1.29, 0.76), v3_of(0.21 * side, 1.36, 0.56), 0.024, HEAD);
        add_spike(surface, v3_of(0.045 * side, 1.255, 1.26), v3_of(0.055 * side, 1.31, 1.22), 0.016, HEAD);
    }
}

static void add_leg(struct surface *surface, const struct v3 points[3], double side, int joint, double thickness)
{
    const struct tube tube = {v3_of(0, 0, 1), 2, 16, 4, LEG_RECT};
    const struct v3 p0 = v3_of(points[0].x * side * 0.7, points[0].y + 0.10, points[0].z);
    const struct v3 p1 = v3_of(points[0].x * side, points[0].y - 0.04, points[0].z);
    const struct v3 p2 = v3_of(points[1].x * side, points[1].y, points[1].z);
    const struct v3 p3 = v3_of(points[2].x * side, points[2].y + 0.03, points[2].z);
    const struct v3 p4 = v3_of(points[2].x * side, points[2].y - 0.06, points[2].z + 0.05);
    const double t = thickness;
    const struct ring rings[] = {{p0, 0, 0, joint},
                                 {v3_mix(p0, p1, 0.3), 0.09 * t, 0.12 * t, joint},
                                 {p1, 0.10 * t, 0.14 * t, joint},
                                 {p2, 0.058 * t, 0.07 * t, joint + 1},
                                 {p3, 0.042 * t, 0.048 * t, joint + 2},
                                 {p4, 0.06, 0.07, joint + 2},
                                 {v3_add(p4, v3_of(0, -0.015, 0.02)), 0, 0, joint + 2}};
    surface_tube(surface, rings, sizeof rings / sizeof *rings, &tube);
    for (int toe = -1; toe <= 1; toe++)
        add_spike(surface, v3_add(p4, v3_of(0.04 * toe, 0.01, 0.03)), v3_add(p4, v3_of(0.06 * toe, -0.02, 0.16)), 0.028,
                  joint + 2);
}

/* Span s 0..1 from shoulder to tip, chord c 0..1 from the leading to the scalloped trailing edge. */
static void add_wing(struct surface *surface, double side, int joint)
{
    enum { SPAN = 24, CHORD = 10 };
    struct vertex grid[(SPAN + 1) * (CHORD + 1)] = {0};
    for (int i = 0; i <= SPAN; i++)
        for (int k = 0; k <= CHORD; k++) {
            const double s = (double)i / SPAN, c = (double)k / CHORD;
            const int part = s < 0.33 ? 0 : 1;
            const double f = part == 0 ? s / 0.33 : (s - 0.33) / 0.67;
            const struct v3 tip = v3_of(1.62, 0.86, -0.30);
            const struct v3 lead = part == 0 ? v3_mix(WING_POINTS[0], WING_POINTS[1], f)
                                             : v3_add(v3_mix(WING_POINTS[1], tip, f),
                                                      v3_of(0, 0.16 * trig_sin(PI * f), 0.08 * trig_sin(PI * f)));
            const double scallop = 0.10 * fabs(trig_sin(4 * PI * s)) * c;
            const double reach = (0.86 - 0.62 * s * s) * c - scallop * (1 - s * 0.4);
            const struct v3 p = v3_add(lead, v3_of(-0.10 * c * s, -0.16 * c + 0.07 * trig_sin(PI * c), -reach));
            struct vertex *vertex = &grid[i * (CHORD + 1) + k];
            vertex->position = v3_of(p.x * side, p.y, p.z);
            const double along = s * 3;
            const int first = along < 1 ? 0 : 1;
            const double share = smooth(0.5, 1.5, along - first + (first ? 0.5 : 0.0));
            vertex->joints[0] = (uint8_t)(joint + first);
            vertex->joints[1] = (uint8_t)(joint + first + 1);
            vertex->weights[0] = 1 - share;
            vertex->weights[1] = share;
        }
    surface_grid(surface, grid, SPAN + 1, CHORD + 1, false, WING_RECT);
    const struct tube bone = {v3_of(0, 1, 0), 2, 12, 4, LEG_RECT};
    struct ring rings[5];
    const int at[5] = {0, 4, 8, 16, SPAN};
    const double radius[5] = {0.05, 0.045, 0.038, 0.022, 0.0};
    for (int i = 0; i < 5; i++)
        rings[i] = (struct ring){grid[at[i] * (CHORD + 1)].position, radius[i], radius[i],
                                 joint + (i < 2   ? 0
                                          : i < 3 ? 1
                                                  : 2)};
    surface_tube(surface, rings, 5, &bone);
}

static void make_surface(struct surface *surface)
{
    add_body(surface);
    add_spikes(surface);
    const struct tube eye = {v3_of(0, 1, 0), 2, 20, 1, EYE_RECT};
    for (int side = 1; side >= -1; side -= 2) {
        surface_ball(surface, v3_of(0.115 * side, 1.325, 0.92), v3_unit(v3_of(0.8 * side, 0.25, 0.6)),
                     v3_of(0.045, 0.045, 0.036), side > 0 ? EYE_L : EYE_R, &eye);
        add_leg(surface, FRONT_POINTS, side, side > 0 ? FRONT_L : FRONT_R, 0.9);
        add_leg(surface, HIND_POINTS, side, side > 0 ? HIND_L : HIND_R, 1.1);
        add_wing(surface, side, side > 0 ? WING_L : WING_R);
    }
}

static void sway_tail(double phase, double degrees, struct joint_pose *poses)
{
    for (int k = 0; k < 4; k++) {
        pose_turn(&poses[TAIL_1 + k], v3_of(0, 1, 0), degrees * wave(phase - 0.13 * k));
        pose_turn(&poses[TAIL_1 + k], v3_of(1, 0, 0), 0.4 * degrees * wave(phase * 2 - 0.1 * k));
    }
}

static void blink(double phase, double when, struct joint_pose *poses)
{
    poses[EYE_L].scale.y = poses[EYE_R].scale.y = pulse(phase, when, 0.03) > 0 ? 0.1 : 1;
}

/* Positive lifts both wings; the second angle folds them back. */
static void set_wings(double lift_deg, double bend_deg, double fold_deg, struct joint_pose *poses)
{
    for (int side = 1; side >= -1; side -= 2) {
        const int wing = side > 0 ? WING_L : WING_R;
        pose_turn(&poses[wing], v3_of(0, 1, 0), side * fold_deg);
        pose_turn(&poses[wing], v3_of(0, 0, 1), side * lift_deg);
        pose_turn(&poses[wing + 1], v3_of(0, 0, 1), side * bend_deg);
        pose_turn(&poses[wing + 1], v3_of(0, 1, 0), side * fold_deg * 0.7);
        pose_turn(&poses[wing + 2], v3_of(0, 0, 1), side * bend_deg * 0.8);
    }
}

static void step_leg(double phase, int leg, double swing_deg, struct joint_pose *poses)
{
    const struct v3 x = v3_of(1, 0, 0);
    const double lift = fmax(0, wave(phase + 0.25));
    pose_turn(&poses[leg], x, -swing_deg * wave(phase));
    pose_turn(&poses[leg + 1], x, 34 * lift);
    pose_turn(&poses[leg + 2], x, swing_deg * wave(phase) - 40 * lift);
}

static void walk(double phase, struct joint_pose *poses)
{
    pose_move(&poses[HIPS], 0, 0.018 * wave(2 * phase), 0);
    pose_turn(&poses[HIPS], v3_of(0, 1, 0), 4 * wave(phase));
    pose_turn(&poses[CHEST], v3_of(0, 1, 0), -7 * wave(phase));
    pose_turn(&poses[NECK_1], v3_of(1, 0, 0), 4 * wave(2 * phase));
    pose_turn(&poses[HEAD], v3_of(1, 0, 0), -4 * wave(2 * phase + 0.1));
    pose_turn(&poses[HEAD], v3_of(0, 1, 0), 5 * wave(phase));
    set_wings(14 + 3 * wave(2 * phase), -12, 38, poses);
    sway_tail(phase, 11, poses);
    step_leg(phase, FRONT_L, 24, poses);
    step_leg(phase + 0.5, FRONT_R, 24, poses);
    step_leg(phase + 0.75, HIND_L, 26, poses);
    step_leg(phase + 0.25, HIND_R, 26, poses);
    blink(phase, 0.4, poses);
}

static void fly(double phase, struct joint_pose *poses)
{
    const double beat = wave(phase);
    pose_move(&poses[HIPS], 0, 0.55 - 0.09 * wave(phase - 0.1), 0);
    pose_turn(&poses[HIPS], v3_of(1, 0, 0), -8 + 3 * beat);
    pose_turn(&poses[NECK_1], v3_of(1, 0, 0), 20 - 5 * beat);
    pose_turn(&poses[NECK_2], v3_of(1, 0, 0), 14);
    pose_turn(&poses[HEAD], v3_of(1, 0, 0), -26 + 4 * beat);
    pose_turn(&poses[JAW], v3_of(1, 0, 0), 10 + 8 * wave(phase * 1 + 0.3));
    set_wings(10 + 34 * beat, 20 * wave(phase - 0.2), 4, poses);
    sway_tail(phase, 7, poses);
    for (int leg = FRONT_L; leg <= HIND_R; leg += 3) {
        const double back = leg < HIND_L ? 48 : 62;
        pose_turn(&poses[leg], v3_of(1, 0, 0), back + 4 * wave(phase + 0.1 * leg));
        pose_turn(&poses[leg + 1], v3_of(1, 0, 0), leg < HIND_L ? -70 : 20);
        pose_turn(&poses[leg + 2], v3_of(1, 0, 0), 30);
    }
    blink(phase, 0.7, poses);
}

static void idle(double phase, struct joint_pose *poses)
{
    const double breath = wave(phase);
    poses[CHEST].scale = v3_of(1 + 0.02 * breath, 1 + 0.025 * breath, 1);
    pose_turn(&poses[NECK_1], v3_of(0, 1, 0), 12 * wave(phase + 0.1));
    pose_turn(&poses[NECK_2], v3_of(0, 1, 0), 14 * wave(phase + 0.05));
    pose_turn(&poses[HEAD], v3_of(0, 0, 1), 6 * wave(phase + 0.3));
    pose_turn(&poses[HEAD], v3_of(1, 0, 0), 4 * wave(2 * phase));
    pose_turn(&poses[JAW], v3_of(1, 0, 0), 6 + 6 * breath);
    set_wings(16 + 4 * breath, -10 - 3 * breath, 34 + 4 * breath, poses);
    sway_tail(phase, 14, poses);
    blink(phase, 0.35, poses);
}

void make_dragon(struct sample *sample)
{
    static const struct clip_def CLIPS[] = {{"idle", 4.0, 12, 40, "CUBICSPLINE", idle},
                                            {"walk", 1.4, 28, 20, "LINEAR", walk},
                                            {"fly", 1.0, 24, 20, "LINEAR", fly}};
    sample->name = "dragon";
    sample->clips = CLIPS;
    sample->clip_count = sizeof CLIPS / sizeof *CLIPS;
    make_rig(&sample->rig);
    make_surface(&sample->surface);
    canvas_paint(&sample->maps[MAP_COLOR], BODY_RECT, paint_skin);
    canvas_paint(&sample->maps[MAP_COLOR], LEG_RECT, paint_leg);
    canvas_paint(&sample->maps[MAP_COLOR], HORN_RECT, paint_horn);
    canvas_paint(&sample->maps[MAP_COLOR], EYE_RECT, paint_eye);
    canvas_paint(&sample->maps[MAP_COLOR], WING_RECT, paint_wing);
    canvas_paint(&sample->maps[MAP_COLOR], JAW_RECT, paint_jaw);
    struct canvas *normals = &sample->maps[MAP_NORMAL];
    canvas_fill(normals, color_of(0x8080ff));
    canvas_bump(normals, BODY_RECT, height_of_skin);
    canvas_bump(normals, LEG_RECT, height_of_leg);
    canvas_bump(normals, WING_RECT, height_of_wing);
    canvas_bump(normals, HORN_RECT, height_of_horn);
    sample->has_map[MAP_NORMAL] = true;
    sample->roughness = 0.5;
}
