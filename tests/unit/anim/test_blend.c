/* server/anim/pose/blend.h, on a chain whose factors do not commute, checked at a vertex. */
#include "anim/pose/blend.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

/* 90 degrees: around z (x,y,z) -> (-y,x,z); around x -> (x,-z,y); around y -> (z,y,-x) */
#define HALF    0.70710678118654752f
#define SINE_60 0.86602540378443865f
static const float TURN_X[4] = {HALF, 0, 0, HALF}, TURN_Z[4] = {0, 0, HALF, HALF};

enum { ARM, HIP, MESH, CLIP_A = 0, CLIP_B, CLIP_ADD, CLIP_HIP, CLIP_FLAT };

static void add_clip(struct fixture *f, const float *hip, const float *arm_turn, const float *arm_scale,
                     const float *weights)
{
    const double time = 1;
    fixture_clip(f);
    if (hip != NULL)
        fixture_channel(f, HIP, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, &time, 1, hip);
    if (arm_turn != NULL)
        fixture_channel(f, ARM, PATH_ROTATION, INTERPOLATION_LINEAR, 4, &time, 1, arm_turn);
    if (arm_scale != NULL)
        fixture_channel(f, ARM, PATH_SCALE, INTERPOLATION_LINEAR, 3, &time, 1, arm_scale);
    if (weights != NULL)
        fixture_channel(f, MESH, PATH_WEIGHTS, INTERPOLATION_LINEAR, 2, &time, 1, weights);
}

/* The arm hangs from the hip; the skin's only joint is the arm. */
static void chain(struct fixture *f)
{
    const float arm[3] = {2, 0, 0}, arm_scale[3] = {2, 1, 1}, hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    const struct vec3 position = {1, 2, 3};
    const uint32_t joint = ARM;
    fixture_init(f);
    fixture_node(f, HIP, arm, TURN_X, arm_scale);
    fixture_node(f, -1, hip, TURN_Z, hip_scale);
    fixture_node(f, -1, hip, TURN_X, arm_scale);
    f->builder.nodes[MESH].mesh = (int32_t)fixture_mesh(f, &position, 1);
    f->builder.nodes[MESH].skin = (int32_t)fixture_skin(f, &joint, 1);
    f->builder.nodes[MESH].weight_count = 2;
    float *weights = bake_add_weight(&f->builder, 2);
    weights[0] = 0.5f;
    weights[1] = 0;
    /* around y, then (0,0,5) */
    f->builder.joints[0].joint_from_bind = (struct mat4){{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 5, 1}};
    fixture_root(f, HIP);
    fixture_root(f, MESH);
    add_clip(f, (const float[]){3, 0, 1}, FIXTURE_NO_TURN, arm_scale, (const float[]){0, 2});
    /* around x by 120 degrees */
    add_clip(f, (const float[]){5, 6, 7}, (const float[]){SINE_60, 0, 0, 0.5f}, (const float[]){4, 3, 1},
             (const float[]){1, -2});
    /* around z by 120 degrees, then around x */
    add_clip(f, (const float[]){5, 6, 7}, (const float[]){HALF * 0.5f, -HALF * SINE_60, HALF * SINE_60, HALF * 0.5f},
             (const float[]){4, 3, 1}, NULL);
    add_clip(f, (const float[]){0, 0, 7}, NULL, NULL, NULL);
    add_clip(f, NULL, NULL, (const float[]){0, 1, 1}, NULL);
    fixture_finish(f);
}

static struct blend_layer layer(int32_t clip, double weight)
{
    return (struct blend_layer){.clip = clip, .clip_time_s = 1, .weight = weight, .reference_clip = POSE_REST};
}

static struct blend_layer additive(int32_t clip, int32_t reference, double weight)
{
    struct blend_layer out = layer(clip, weight);
    out.is_additive = true;
    out.reference_clip = reference;
    out.reference_time_s = 1;
    return out;
}

/* A pose of the chain by `layers`. */
struct blended {
    struct fixture f;
    struct blend blend;
    struct pose pose;
};

static void begin(struct blended *b)
{
    chain(&b->f);
    blend_init(&b->blend);
    pose_init(&b->pose);
}

static void end(struct blended *b)
{
    pose_fini(&b->pose);
    blend_fini(&b->blend);
    fixture_fini(&b->f);
}

static void evaluate(struct blended *b, const struct blend_layer *layers, uint32_t count)
{
    blend_evaluate(&b->blend, &b->pose, &b->f.model, layers, count);
}

static void check_vertex(const struct blended *b, double x, double y, double z)
{
    struct mat4 m;
    const double to[3] = {x, y, z};
    assert_int_equal(pose_palette(&b->pose, &b->f.model, 0, &DMAT4_IDENTITY, &m, NULL), 0);
    for (int r = 0; r < 3; r++)
        CHECK_NEAR((double)m.m[r] + (double)m.m[4 + r] * 2 + (double)m.m[8 + r] * 3 + (double)m.m[12 + r], to[r], 1e-5);
}

static void check_same(const struct blended *b, int32_t clip, double tolerance)
{
    struct pose alone;
    const struct model *model = &b->f.model;
    pose_init(&alone);
    pose_evaluate(&alone, model, clip, 1);
    for (uint32_t n = 0; n < model->node_count; n++)
        for (int i = 0; i < 16; i++)
            CHECK_NEAR(b->pose.scene_from_node[n].m[i], alone.scene_from_node[n].m[i], tolerance);
    for (uint32_t w = 0; w < model->weight_count; w++)
        CHECK_NEAR(b->pose.weights[w], alone.weights[w], tolerance);
    pose_fini(&alone);
}

TEST(blend_mixes_in_proportion)
{
    struct blended b;
    begin(&b);
    /* 1:3 of clips A and B. Hip at (3,0,1) + 3/4 (2,6,6) = (4.5,4.5,5.5); arm around x by 3/4 of 120 degrees, scaled
     * (2,1,1) + 3/4 (2,2,0) = (3.5,2.5,1). Bind (1,2,3): around y (3,2,-1), moved (3,2,4); scaled (10.5,5,4), around x
     * (10.5,-4,5), moved (12.5,-4,5); hip: scaled (12.5,-8,15), around z (8,12.5,15), moved (12.5,17,20.5) */
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_A, 2), layer(CLIP_B, 6)}, 2);
    check_vertex(&b, 12.5, 17, 20.5);
    CHECK_NEAR(b.pose.weights[0], 0.75, 1e-12);
    CHECK_NEAR(b.pose.weights[1], 2 - 0.75 * 4, 1e-12);
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_B, 3), layer(CLIP_A, 1)}, 2);
    check_vertex(&b, 12.5, 17, 20.5);
    /* the same three times in other shares: 1:3 again, by the path for more than two */
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_B, 2), layer(CLIP_A, 1), layer(CLIP_B, 1)}, 3);
    check_vertex(&b, 12.5, 17, 20.5);
    end(&b);
}

TEST(blend_of_a_pose_with_itself_is_the_pose)
{
    static const double SHARES[][3] = {{0.5, 0.5, 0}, {1, 0, 0}, {0.1, 0.7, 0}, {0.3, 0.3, 0.1}, {7, 1e-9, 2}};
    struct blended b;
    begin(&b);
    for (int clip = POSE_REST; clip <= CLIP_FLAT; clip++)
        for (size_t s = 0; s < sizeof SHARES / sizeof *SHARES; s++) {
            const struct blend_layer layers[] = {layer(clip, SHARES[s][0]), layer(clip, SHARES[s][1]),
                                                 layer(clip, SHARES[s][2])};
            evaluate(&b, layers, 3);
            check_same(&b, clip, 0);
        }
    end(&b);
}

TEST(blend_ends_of_a_fade_are_the_poses)
{
    struct blended b;
    begin(&b);
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_A, 1), layer(CLIP_B, 0)}, 2);
    check_same(&b, CLIP_A, 0);
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_A, 0), layer(CLIP_B, 0.01)}, 2);
    check_same(&b, CLIP_B, 0);
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_A, 0), layer(CLIP_B, 0)}, 2);
    check_same(&b, POSE_REST, 0);
    evaluate(&b, NULL, 0);
    check_same(&b, POSE_REST, 0);
    end(&b);
}

TEST(blend_a_layer_that_does_not_move_a_node_holds_it_at_rest)
{
    struct blended b;
    begin(&b);
    /* clip HIP alone: arm (3,2,4) scaled (6,2,4), around x (6,-4,2), moved (8,-4,2); hip: scaled (8,-8,6), around z
     * (8,8,6), moved (8,8,13). Half of it and half of rest: hip at (0.5,1,5) */
    evaluate(&b, (const struct blend_layer[]){layer(CLIP_HIP, 1), layer(POSE_REST, 1)}, 2);
    check_vertex(&b, 8.5, 9, 11);
    end(&b);
}

TEST(blend_masks_choose_nodes)
{
    static const struct blend_mask ARM_ONLY = {ARM, BLEND_NODE}, BELOW_HIP = {HIP, BLEND_SUBTREE};
    static const struct blend_mask NOT_ARM = {ARM, BLEND_EXCEPT}, HIP_ONLY = {HIP, BLEND_NODE};
    static const struct blend_mask BOTH[] = {{HIP, BLEND_SUBTREE}, {ARM, BLEND_EXCEPT}};
    struct blended b;
    begin(&b);
    struct blend_layer layers[] = {layer(CLIP_HIP, 1), layer(CLIP_B, 3)};
    layers[1].mask_count = 1;
    layers[1].masks = &HIP_ONLY;
    /* arm at rest, as HIP has it: (8,8,6) in the hip, which is at 1/4 (0,0,7) + 3/4 (5,6,7) */
    evaluate(&b, layers, 2);
    check_vertex(&b, 8 + 3.75, 8 + 4.5, 6 + 7);
    layers[1].masks = BOTH;
    layers[1].mask_count = 2;
    evaluate(&b, layers, 2);
    check_vertex(&b, 8 + 3.75, 8 + 4.5, 6 + 7);
    layers[1].masks = &NOT_ARM;
    layers[1].mask_count = 1;
    evaluate(&b, layers, 2);
    check_vertex(&b, 8 + 3.75, 8 + 4.5, 6 + 7);
    CHECK_NEAR(b.pose.weights[0], 0.25 * 0.5 + 0.75 * 1, 1e-12); /* the mesh node is not the arm */
    /* one for the body, one for the arm: each alone in its part */
    layers[0] = layer(CLIP_A, 1);
    layers[0].masks = &NOT_ARM;
    layers[0].mask_count = 1;
    layers[1] = layer(CLIP_ADD, 0.2);
    layers[1].masks = &ARM_ONLY;
    layers[1].mask_count = 1;
    evaluate(&b, layers, 2);
    struct pose body, arm;
    pose_init(&body);
    pose_init(&arm);
    pose_evaluate(&body, &b.f.model, CLIP_A, 1);
    pose_evaluate(&arm, &b.f.model, CLIP_ADD, 1);
    assert_memory_equal(&b.pose.local[HIP], &body.local[HIP], sizeof body.local[HIP]);
    assert_memory_equal(&b.pose.local[ARM], &arm.local[ARM], sizeof arm.local[ARM]);
    /* the layer does not apply to the mesh node, which is at rest */
    layers[1] = layer(CLIP_B, 1);
    layers[1].masks = &BELOW_HIP;
    layers[1].mask_count = 1;
    evaluate(&b, &layers[1], 1);
    CHECK_NEAR(b.pose.weights[0], 0.5, 0);
    pose_evaluate(&arm, &b.f.model, CLIP_B, 1);
    assert_memory_equal(&b.pose.local[ARM], &arm.local[ARM], sizeof arm.local[ARM]);
    pose_fini(&body);
    pose_fini(&arm);
    end(&b);
}

TEST(blend_adds_a_part_of_a_difference)
{
    struct blended b;
    begin(&b);
    /* 3/4 of what clip ADD differs from rest by. Hip at (1,2,3) + 3/4 (4,4,4) = (4,5,6); arm around z by 90 degrees and
     * then around x; scaled (2,1,1) * (1 + 3/4 (1,2,0)) = (3.5,2.5,1). Bind (1,2,3) at (3,2,4), scaled (10.5,5,4),
     * around z
     * (-5,10.5,4), around x (-5,-4,10.5), moved (-3,-4,10.5); hip: (-3,-8,31.5), (8,-3,31.5), (12,2,37.5) */
    evaluate(&b, (const struct blend_layer[]){additive(CLIP_ADD, POSE_REST, 0.75)}, 1);
    check_vertex(&b, 12, 2, 37.5);
    evaluate(&b, (const struct blend_layer[]){layer(POSE_REST, 5), additive(CLIP_ADD, POSE_REST, 0.75)}, 2);
    check_vertex(&b, 12, 2, 37.5);
    end(&b);
}

TEST(blend_additive_on_its_own_reference_is_the_clip)
{
    struct blended b;
    begin(&b);
    for (int reference = POSE_REST; reference <= CLIP_FLAT; reference++)
        for (int clip = POSE_REST; clip <= CLIP_FLAT; clip++) {
            /* additive layers are applied last, wherever they are in the list */
            evaluate(&b, (const struct blend_layer[]){additive(clip, reference, 1), layer(reference, 0.3)}, 2);
            check_same(&b, clip, 1e-12);
            evaluate(&b, (const struct blend_layer[]){layer(reference, 1), additive(clip, reference, 0)}, 2);
            check_same(&b, reference, 0);
        }
    end(&b);
}

TEST(blend_additive_weights_and_masks)
{
    static const struct blend_mask HIP_ONLY = {HIP, BLEND_NODE};
    struct blended b;
    begin(&b);
    struct blend_layer layers[] = {layer(CLIP_A, 1), additive(CLIP_B, CLIP_A, 0.5), additive(CLIP_B, CLIP_A, 0.25)};
    evaluate(&b, layers, 3); /* as 1:3 of A and B, but for the scale, which multiplies */
    CHECK_NEAR(b.pose.weights[1], 2 - 0.75 * 4, 1e-12);
    CHECK_NEAR(b.pose.local[HIP].translation[1], 4.5, 1e-12);
    CHECK_NEAR(b.pose.local[ARM].rotation[0], (double)HALF, 1e-6);
    CHECK_NEAR(b.pose.local[ARM].scale[0], 2 * 1.5 * 1.25, 1e-6);
    layers[1].masks = &HIP_ONLY;
    layers[1].mask_count = 1;
    evaluate(&b, layers, 2);
    CHECK_NEAR(b.pose.weights[1], 2, 0);
    CHECK_NEAR(b.pose.local[HIP].translation[1], 3, 1e-12);
    CHECK_NEAR(b.pose.local[ARM].scale[0], 2, 0);
    end(&b);
}

static void around_x(double degrees, double sign, double out[4])
{
    const double half = degrees * 3.14159265358979323846 / 360;
    out[0] = sign * sin(half);
    out[1] = out[2] = 0;
    out[3] = sign * cos(half);
}

TEST(blend_rotations_is_the_mean_on_the_sphere)
{
    double q[3][4], mean[4], expected[4];
    const double weights[3] = {1, 1, 2};
    for (int flips = 0; flips < 8; flips++) {
        around_x(0, flips & 1 ? -1 : 1, q[0]);
        around_x(30, flips & 2 ? -1 : 1, q[1]);
        around_x(90, flips & 4 ? -1 : 1, q[2]);
        blend_rotations((const double(*)[4])q, weights, 3, mean);
        around_x((0 + 30 + 2 * 90) / 4.0, mean[3] < 0 ? -1 : 1, expected);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(mean[k], expected[k], 1e-12);
    }
    /* a layer that fades out makes no jump, and the order does not matter */
    const double faded[3] = {1, 3, 1e-13}, turned[3] = {3, 1e-13, 1};
    const double any[3][4] = {{0.5, 0.5, 0.5, 0.5}, {0, 0.6, 0, 0.8}, {0.8, 0, 0.6, 0}};
    const double again[3][4] = {{0, 0.6, 0, 0.8}, {0.8, 0, 0.6, 0}, {0.5, 0.5, 0.5, 0.5}};
    blend_rotations(any, faded, 3, mean);
    blend_rotations(any, faded, 2, expected);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(mean[k], expected[k], 1e-12);
    blend_rotations(again, turned, 3, expected);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(mean[k], expected[k], 1e-12);
}

TEST(blend_matrix_node_keeps_its_matrix_until_moved)
{
    static const struct mat4 SHEARED = {{1, 0, 0, 0, 0.5f, 2, 0, 0, 0, 0.25f, 1, 0, 3, -1, 0.5f, 1}};
    struct fixture f;
    struct blend blend;
    struct pose pose;
    const double time = 1;
    const float moved[3] = {1, 2, 3};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[0].matrix = 0;
    f.builder.nodes[0].flags = NODE_SHEAR;
    *bake_add_node_matrix(&f.builder, 1) = SHEARED;
    fixture_root(&f, 0);
    fixture_clip(&f);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, &time, 1, moved);
    fixture_finish(&f);
    blend_init(&blend);
    pose_init(&pose);
    blend_evaluate(&blend, &pose, &f.model,
                   (const struct blend_layer[]){layer(0, 1), layer(POSE_REST, 1), additive(0, POSE_REST, 1)}, 3);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(pose.scene_from_node[0].m[i], SHEARED.m[i], 0);
    blend_evaluate(&blend, &pose, &f.model, (const struct blend_layer[]){layer(0, 1), layer(1, 0)}, 2);
    CHECK_NEAR(pose.scene_from_node[0].m[4], 0.5, 0);
    blend_evaluate(&blend, &pose, &f.model, (const struct blend_layer[]){layer(0, 1), layer(1, 1)}, 2);
    assert_true(pose.is_animated[0]);
    CHECK_NEAR(pose.scene_from_node[0].m[4], 0, 0.3);
    CHECK_NEAR(pose.scene_from_node[0].m[13], 0.5 * (2 + (double)f.model.nodes[0].translation[1]), 1e-12);
    pose_fini(&pose);
    blend_fini(&blend);
    fixture_fini(&f);
}
