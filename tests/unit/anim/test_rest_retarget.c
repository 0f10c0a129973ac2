/* Clips of a human on another with other bones, another rest pose, other axes and units: limbs point in the same
 * directions, the hips travel as far in leg lengths, and planted feet stay or are reported as sliding. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/human.h"

#include "anim/pose/pose.h"
#include "anim/retarget/retarget.h"

#include <stdio.h>
#include <string.h>

struct pair {
    struct fixture model, source;
    struct human_rig model_rig, source_rig;
    struct retarget retarget;
    struct rest_options options;
    int rc;
    struct err err;
};

static void begin(struct pair *pair, const struct human *model, const struct human *source)
{
    memset(pair, 0, sizeof *pair);
    human_begin(&pair->model_rig, &pair->model, model);
    human_begin(&pair->source_rig, &pair->source, source);
    human_walk(&pair->source_rig);
    fixture_finish(&pair->model);
    fixture_finish(&pair->source);
    retarget_init(&pair->retarget, &pair->model.model, &pair->source.model, NULL);
}

static void play(struct pair *pair, bool is_locked)
{
    const struct humanoid_choice any = {0};
    pair->options.clip.has_locked_feet = is_locked;
    assert_int_equal(humanoid_find(&pair->model.model, &any, &pair->options.model, &pair->err), 0);
    assert_int_equal(humanoid_find(&pair->source.model, &any, &pair->options.source, &pair->err), 0);
    assert_int_equal(retarget_set_rest(&pair->retarget, &pair->options, &pair->err), 0);
    pair->rc = retarget_clip(&pair->retarget, 0, &pair->err);
    assert_int_equal(pair->rc, 0);
}

static void end(struct pair *pair)
{
    retarget_fini(&pair->retarget);
    fixture_fini(&pair->model);
    fixture_fini(&pair->source);
}

/* A direction in the scene of a rig, in its canonical space. */
static void canonical(const struct human *human, double v[3])
{
    struct trs trs = {.scale = {1, 1, 1}};
    for (int i = 0; i < 4; i++)
        trs.rotation[i] = (double)human->turn[i] * (i < 3 ? -1 : 1);
    const struct dmat4 canonical_from_scene = dmat4_from_trs(&trs);
    dmat4_direction(&canonical_from_scene, v, v);
    for (int i = 0; i < 3; i++)
        v[i] /= (double)human->scale;
}

static void bone(const struct human_rig *rig, const struct pose *pose, int from, int to, double out[3])
{
    const double *a = &pose->scene_from_node[rig->nodes[from]].m[12], *b = &pose->scene_from_node[rig->nodes[to]].m[12];
    for (int i = 0; i < 3; i++)
        out[i] = b[i] - a[i];
    canonical(&rig->human, out);
    unit3(out);
}

static double angle_deg(const double a[3], const double b[3])
{
    double across[3];
    cross3(a, b, across);
    return atan2(sqrt(dot3(across, across)), dot3(a, b)) * 57.29577951308232;
}

/* The worst difference of directions of arms and legs, over the clip. */
static double worst_limb_deg(struct pair *pair)
{
    static const int8_t LIMBS[] = {ROLE_LEFT_UPPER_ARM, ROLE_LEFT_LOWER_ARM, ROLE_RIGHT_UPPER_ARM, ROLE_RIGHT_LOWER_ARM,
                                   ROLE_LEFT_UPPER_LEG, ROLE_LEFT_LOWER_LEG, ROLE_RIGHT_UPPER_LEG, ROLE_RIGHT_LOWER_LEG,
                                   ROLE_LEFT_FOOT,      ROLE_RIGHT_FOOT};
    struct pose own, other;
    double worst = 0;
    pose_init(&own);
    pose_init(&other);
    for (int frame = 0; frame < 97; frame++) {
        const double time_s = frame / 48.0;
        pose_evaluate(&own, &pair->retarget.model, 0, time_s);
        pose_evaluate(&other, &pair->source.model, 0, time_s);
        for (size_t i = 0; i < sizeof LIMBS; i++) {
            double a[3], b[3];
            bone(&pair->model_rig, &own, LIMBS[i], LIMBS[i] + 1, a);
            bone(&pair->source_rig, &other, LIMBS[i], LIMBS[i] + 1, b);
            worst = fmax(worst, angle_deg(a, b));
        }
    }
    pose_fini(&own);
    pose_fini(&other);
    return worst;
}

/* How far the ankles of the model move while the source's ankles are planted, in leg lengths. */
static double worst_slide(struct pair *pair)
{
    const struct human *human = &pair->model_rig.human;
    const double leg = (human->thigh + human->shin) * (double)human->scale;
    struct pose pose;
    double worst = 0;
    pose_init(&pose);
    for (int step = 0; step < 4; step++) {
        const int32_t foot = pair->model_rig.nodes[step % 2 == 0 ? ROLE_LEFT_FOOT : ROLE_RIGHT_FOOT];
        double first[3] = {0, 0, 0};
        for (int i = 0; i <= 2 * HUMAN_STEP_KEYS; i++) {
            const double time_s = (step * HUMAN_STEP_KEYS + i / 2.0) / HUMAN_RATE;
            pose_evaluate(&pose, &pair->retarget.model, 0, time_s);
            const double *at = &pose.scene_from_node[foot].m[12];
            double moved[3];
            if (i == 0)
                memcpy(first, at, sizeof first);
            for (int c = 0; c < 3; c++)
                moved[c] = at[c] - first[c];
            worst = fmax(worst, sqrt(dot3(moved, moved)) / leg);
        }
    }
    pose_fini(&pose);
    return worst;
}

TEST(rest_retarget_limbs_point_the_same_way)
{
    struct pair pair;
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, false);
    const double worst = worst_limb_deg(&pair);
    CHECK_NEAR(worst, 0, 0.05);
    end(&pair);
    begin(&pair, &HUMAN_T, &HUMAN_A);
    play(&pair, false);
    CHECK_NEAR(worst_limb_deg(&pair), 0, 0.05);
    end(&pair);
}

TEST(rest_retarget_of_an_arm_that_hangs_down)
{
    struct pair pair;
    struct pose pose;
    double arm[3];
    const double down[3] = {0, -1, 0};
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, false);
    pose_init(&pose);
    pose_evaluate(&pose, &pair.source.model, 0, 0.25); /* arms are level with the body: 7 * along is 0 */
    bone(&pair.source_rig, &pose, ROLE_LEFT_UPPER_ARM, ROLE_LEFT_LOWER_ARM, arm);
    CHECK_NEAR(angle_deg(arm, down), 0, 1);
    pose_evaluate(&pose, &pair.retarget.model, 0, 0.25);
    bone(&pair.model_rig, &pose, ROLE_LEFT_UPPER_ARM, ROLE_LEFT_LOWER_ARM, arm);
    CHECK_NEAR(angle_deg(arm, down), 0, 1);
    bone(&pair.model_rig, &pose, ROLE_RIGHT_UPPER_ARM, ROLE_RIGHT_LOWER_ARM, arm);
    CHECK_NEAR(angle_deg(arm, down), 0, 1);
    pose_fini(&pose);
    end(&pair);
}

TEST(rest_retarget_moves_the_hips_by_leg_lengths)
{
    struct pair pair;
    struct pose pose;
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, false);
    pose_init(&pose);
    double from[3], to[3];
    pose_evaluate(&pose, &pair.retarget.model, 0, 0);
    memcpy(from, &pose.scene_from_node[pair.model_rig.nodes[ROLE_HIPS]].m[12], sizeof from);
    pose_evaluate(&pose, &pair.retarget.model, 0, 2);
    for (int i = 0; i < 3; i++)
        to[i] = pose.scene_from_node[pair.model_rig.nodes[ROLE_HIPS]].m[12 + i] - from[i];
    canonical(&HUMAN_A, to);
    const double k = (HUMAN_A.thigh + HUMAN_A.shin) / (HUMAN_T.thigh + HUMAN_T.shin);
    CHECK_NEAR(to[0], 0, 1e-4);
    CHECK_NEAR(to[1], 0, 1e-4);
    CHECK_NEAR(to[2], 1.8 * k, 1e-4);
    pose_fini(&pose);
    end(&pair);
}

TEST(rest_retarget_locks_planted_feet_or_tells_their_slide)
{
    struct pair pair;
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, false);
    const double slide = worst_slide(&pair);
    assert_true(slide > 0.03);
    CHECK_NEAR(pair.retarget.slide, slide, 0.01);
    end(&pair);
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, true);
    assert_true(worst_slide(&pair) < 0.02);
    assert_true(pair.retarget.slide < 0.01);
    end(&pair);
}

/* The same rig with other names: only translations may differ. */
TEST(rest_retarget_of_a_rig_on_itself_is_the_clip)
{
    struct human twin = HUMAN_T;
    twin.has_odd_axes = true;
    for (int locked = 0; locked < 2; locked++) {
        struct pair pair;
        struct pose own, other;
        begin(&pair, &twin, &twin);
        play(&pair, locked == 1);
        pose_init(&own);
        pose_init(&other);
        for (int frame = 0; frame < 50; frame++) {
            pose_evaluate(&own, &pair.retarget.model, 0, frame / 25.0);
            pose_evaluate(&other, &pair.source.model, 0, frame / 25.0);
            for (uint32_t n = 0; n < pair.model.model.node_count; n++)
                for (int i = 0; i < 16; i++)
                    CHECK_NEAR(own.scene_from_node[n].m[i], other.scene_from_node[n].m[i], locked == 1 ? 0.02 : 2e-6);
        }
        CHECK_NEAR(pair.retarget.slide, 0, 1e-6);
        pose_fini(&own);
        pose_fini(&other);
        end(&pair);
    }
}

TEST(rest_retarget_names_the_roles_that_are_missing)
{
    const char *names[ROLE_COUNT];
    struct human human = HUMAN_A;
    struct human_rig rig;
    struct fixture f;
    struct humanoid humanoid;
    struct err err;
    const struct humanoid_choice any = {0};
    memcpy(names, HUMAN_UNREAL, sizeof names);
    names[ROLE_LEFT_FOOT] = "stump";
    names[ROLE_RIGHT_LOWER_LEG] = "peg";
    human.names = names;
    human_begin(&rig, &f, &human);
    fixture_finish(&f);
    assert_int_equal(humanoid_find(&f.model, &any, &humanoid, &err), ERR_NO_HUMANOID);
    assert_non_null(strstr(err.message, "leftFoot, rightLowerLeg"));
    const struct humanoid_rule rules[] = {{ROLE_LEFT_FOOT, "Stump"}, {ROLE_RIGHT_LOWER_LEG, "peg"}};
    const struct humanoid_choice own = {.rules = rules, .rule_count = 2};
    assert_int_equal(humanoid_find(&f.model, &own, &humanoid, &err), 0);
    assert_int_equal(humanoid.nodes[ROLE_LEFT_FOOT], rig.nodes[ROLE_LEFT_FOOT]);
    assert_int_equal(humanoid.nodes[ROLE_RIGHT_LOWER_LEG], rig.nodes[ROLE_RIGHT_LOWER_LEG]);
    assert_int_equal(humanoid_check_order(&f.model, &humanoid, &err), 0);
    const struct humanoid_rule crossed[] = {
        {ROLE_LEFT_FOOT, "Stump"}, {ROLE_RIGHT_LOWER_LEG, "peg"}, {ROLE_LEFT_LOWER_LEG, "ball_r"}};
    const struct humanoid_choice wrong = {.rules = crossed, .rule_count = 3};
    assert_int_equal(humanoid_find(&f.model, &wrong, &humanoid, &err), 0);
    assert_int_equal(humanoid_check_order(&f.model, &humanoid, &err), ERR_NO_HUMANOID);
    assert_non_null(strstr(err.message, "'ball_r' (leftLowerLeg)"));
    const struct humanoid_rule unknown[] = {{ROLE_LEFT_FOOT, "hoof"}};
    const struct humanoid_choice none = {.rules = unknown, .rule_count = 1};
    assert_int_equal(humanoid_find(&f.model, &none, &humanoid, &err), ERR_JOINT_NOT_FOUND);
    assert_non_null(strstr(err.message, "'hoof', which is to be the leftFoot"));
    fixture_fini(&f);
}

/* A negative scale mirrors the scene: its human walks mirrored, and does not turn inside out. */
TEST(rest_retarget_on_a_mirrored_rig)
{
    struct pair pair;
    struct human mirrored = HUMAN_T;
    mirrored.thigh = 0.6;
    mirrored.arm_deg = 40;
    mirrored.scale = -1; /* a half turn and a mirror: x, y and z change sides */
    mirrored.turn[0] = 1;
    mirrored.turn[3] = 0; /* half a turn about x: only x has changed */
    begin(&pair, &mirrored, &HUMAN_T);
    play(&pair, false);
    CHECK_NEAR(worst_limb_deg(&pair), 0, 0.05);
    end(&pair);
    begin(&pair, &mirrored, &HUMAN_T);
    play(&pair, true);
    assert_true(worst_slide(&pair) < 0.02);
    end(&pair);
}

/* A rest pose with the root at the origin, as in motion files, is taken to stand on the ground. */
TEST(rest_retarget_of_a_rest_under_the_ground)
{
    struct pair pair;
    struct human motion = HUMAN_T;
    struct pose own, other;
    pose_init(&own);
    pose_init(&other);
    begin(&pair, &HUMAN_T, &HUMAN_T);
    play(&pair, false);
    pose_evaluate(&own, &pair.retarget.model, 0, 0.5);
    const double height = own.scene_from_node[pair.model_rig.nodes[ROLE_HIPS]].m[13];
    end(&pair);
    motion.place[1] = -1.03F; /* the hips of its rest are at 0 */
    begin(&pair, &HUMAN_T, &motion);
    for (uint32_t k = 0; k < HUMAN_WALK_KEYS; k++) /* and its walk is over the ground */
        ((float *)(uintptr_t)pair.source.model.key_values)[3 * k + 1] += 1.03F;
    play(&pair, false);
    pose_evaluate(&other, &pair.retarget.model, 0, 0.5);
    CHECK_NEAR(other.scene_from_node[pair.model_rig.nodes[ROLE_HIPS]].m[13], height, 0.03);
    end(&pair);
    pose_fini(&own);
    pose_fini(&other);
}

/* The search for a pose that stands is work, which is limited before it is done, and charged after. */
TEST(rest_reference_counts_its_work)
{
    struct pair pair;
    struct rest_rig rig;
    struct rest_reference reference;
    struct human bent = HUMAN_T;
    bent.leg_deg = 120;
    begin(&pair, &HUMAN_A, &bent);
    play(&pair, false);
    const struct model *source = &pair.source.model;
    const uint64_t steps = 16 * ((uint64_t)source->node_count + source->clips[0].channel_count);
    struct rest_choice choice = {.kind = REST_AUTO};
    assert_int_equal(rest_rig_init(&rig, source, &pair.options.source, &pair.err), 0);
    assert_int_equal(rest_reference_find(&reference, &rig, &choice, steps - 1, &pair.err), ERR_TOO_MANY_FRAMES);
    assert_int_equal(rest_reference_find(&reference, &rig, &choice, steps, &pair.err), 0);
    assert_true(reference.is_posed && reference.is_warned && reference.clip == 0);
    assert_int_equal(reference.steps, steps);
    choice.kind = REST_ZERO; /* the rest can always be taken */
    assert_int_equal(rest_reference_find(&reference, &rig, &choice, 1, &pair.err), 0);
    assert_true(!reference.is_posed && reference.is_warned && reference.steps == 0);
    assert_true(retarget_reference(&pair.retarget, &(double){0})->steps == steps);
    assert_true(pair.retarget.steps > steps);
    rest_rig_fini(&rig);
    end(&pair);
    begin(&pair, &HUMAN_A, &HUMAN_T);
    play(&pair, false);
    assert_int_equal(retarget_reference(&pair.retarget, &(double){0})->steps, 0); /* a rest that stands costs nothing */
    end(&pair);
}

/* A rig as large as allowed is searched by names and by words; a larger one is refused. */
TEST(humanoid_of_the_largest_rig)
{
    static char names[HUMANOID_NODES_MAX + 1][16];
    const struct humanoid_choice any = {0};
    for (uint32_t count = HUMANOID_NODES_MAX; count <= HUMANOID_NODES_MAX + 1; count++) {
        struct human_rig rig;
        struct fixture f;
        struct humanoid humanoid;
        struct err err;
        human_begin(&rig, &f, &HUMAN_A);
        for (uint32_t n = f.builder.node_count; n < count; n++) {
            snprintf(names[n], sizeof names[n], "Hair.L.%u", n);
            const uint32_t node = fixture_node(&f, rig.nodes[ROLE_HEAD], FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
            f.builder.nodes[node].name = bake_textz(&f.builder, names[n]);
        }
        fixture_finish(&f);
        assert_int_equal(humanoid_find(&f.model, &any, &humanoid, &err),
                         count > HUMANOID_NODES_MAX ? ERR_NO_HUMANOID : 0);
        assert_true(count > HUMANOID_NODES_MAX || humanoid.nodes[ROLE_LEFT_FOOT] == rig.nodes[ROLE_LEFT_FOOT]);
        fixture_fini(&f);
    }
}
