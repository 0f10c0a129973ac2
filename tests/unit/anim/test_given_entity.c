/* Entities with given poses: the compiled way with each kernel, alone and in crowds, compared with double precision. */
#include "anim/entity/crowd.h"
#include "anim/pose/give_rows.h"
#include "tests/unit/support/chance_layers.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { POSES = 4, FRAMES = 3, LAYERS_MOST = 4, ROWS = 12 * NODES_MAX };

/* Given poses of a rig: of some nodes, of parts of them, some of all. */
struct given_poses {
    struct given_node nodes[POSES][NODES_MAX];
    double values[POSES][FRAMES * NODES_MAX * 10], times_s[FRAMES];
    struct given_pose poses[POSES];
};

static double size_of(const struct model *m)
{
    const struct model_info *info = m->infos;
    return fmax((double)(info->rest_max.x - info->rest_min.x),
                fmax((double)(info->rest_max.y - info->rest_min.y), (double)(info->rest_max.z - info->rest_min.z)));
}

static double *put_node(const struct model *model, const struct given_node *node, double *at)
{
    const struct node *rest = &model->nodes[node->node];
    const double length = chance() < 0.5 ? 1 : 0.5 + chance();
    float turn[4];
    random_turn_near(rest->rotation, 0.4, turn);
    for (int i = 0; i < 3 && (node->parts & GIVEN_TRANSLATION) != 0; i++)
        *at++ = (double)rest->translation[i] + 0.4 * chance() - 0.2;
    for (int i = 0; i < 4 && (node->parts & GIVEN_ROTATION) != 0; i++)
        *at++ = (double)turn[i] * length;
    for (int i = 0; i < 3 && (node->parts & GIVEN_SCALE) != 0; i++)
        *at++ = (double)rest->scale[i] * (0.8 + 0.4 * chance());
    return at;
}

/* Pose 0 gives all of all nodes. The others give parts of some; where `is_turned`, of each a rotation alone. */
static void make_poses(struct given_poses *out, const struct model *model, uint32_t node_count)
{
    struct err err;
    for (int f = 0; f < FRAMES; f++)
        out->times_s[f] = 0.5 * f;
    for (int p = 0; p < POSES; p++) {
        struct given_pose *pose = &out->poses[p];
        *pose = (struct given_pose){.nodes = out->nodes[p],
                                    .times_s = out->times_s,
                                    .values = out->values[p],
                                    .frame_count = p % 2 == 0 ? FRAMES : 1};
        for (uint32_t n = 0; n < node_count; n++) {
            const uint32_t parts = p == 0 ? GIVEN_WHOLE : p == 1 ? GIVEN_ROTATION : 1 + (uint32_t)(chance() * 7);
            if (p > 0 && chance() < 0.6)
                continue;
            pose->nodes[pose->node_count++] =
                (struct given_node){.node = n, .parts = parts, .first = pose->frame_values};
            pose->frame_values += given_part_values(parts);
        }
        double *at = pose->values;
        for (uint32_t f = 0; f < pose->frame_count; f++)
            for (uint32_t n = 0; n < pose->node_count; n++)
                at = put_node(model, &pose->nodes[n], at);
        assert_int_equal(given_pose_finish(pose, model, &err), 0);
        assert_int_equal((pose->flags & GIVEN_COVERS) != 0, p == 0);
    }
}

static uint32_t make_layers(const struct given_poses *poses, struct blend_layer *out, struct blend_mask *mask)
{
    const uint32_t count = 1 + (uint32_t)(chance() * LAYERS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_given = chance() < 0.6;
        out[i] = (struct blend_layer){.clip = is_given ? POSE_REST : (int32_t)(chance() * CLIPS),
                                      .clip_time_s = 1.1 * chance(),
                                      .weight = chance() < 0.5 ? 1 : chance(),
                                      .is_additive = chance() < 0.2 && (is_given || i > 0),
                                      .given = is_given ? &poses->poses[(int)(chance() * POSES)] : NULL};
        if (out[i].given != NULL && chance() < 0.3)
            out[i].clip_time_s = 0.5 * (int)(chance() * FRAMES); /* at a frame */
        if (!is_given)
            out[i].reference_clip = out[i].clip;
        if (chance() < 0.05) {
            out[i].masks = mask;
            out[i].mask_count = 1;
        }
    }
    return count;
}

static double largest_difference(const float *a, const float *b, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        largest = !(apart <= largest) ? apart : largest;
    }
    return largest;
}

/* Compares the compiled way of each kernel with the exact one. True: there was a compiled way. */
static bool compare(struct entity_work *fast, struct entity_work *exact, const struct entity *entity)
{
    static float rows[ROWS], first[ROWS], exact_rows[ROWS];
    const uint32_t floats = 12 * entity->model->skins[0].joint_count;
    entity_evaluate_exact(exact, entity);
    assert_int_equal(entity_palette(exact, 0, LAYOUT_MAT3X4, exact_rows, NULL), 0);
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        fast->compiled.kernel = kernel_at(k);
        entity_evaluate(fast, entity);
        assert_int_equal(entity_palette(fast, 0, LAYOUT_MAT3X4, rows, NULL), 0);
        if (k == 0)
            memcpy(first, rows, sizeof rows);
        if (memcmp(first, rows, floats * sizeof *first) != 0)
            fail_msg("kernel %s has other bits than the scalar one", kernel_at(k)->name);
    }
    CHECK_NEAR(largest_difference(rows, exact_rows, floats) / size_of(entity->model), 0, 2e-6);
    return fast->is_compiled;
}

static void check_rig(struct fixture *f, uint32_t node_count, unsigned compiled_least)
{
    struct given_poses *poses = calloc(1, sizeof *poses);
    struct entity_work fast, exact;
    struct blend_layer layers[LAYERS_MOST];
    struct blend_mask mask = {.node = 2, .scope = BLEND_SUBTREE};
    unsigned compiled = 0, has_given = 0;
    entity_work_init(&fast);
    entity_work_init(&exact);
    for (int round = 0; round < RANDOM_CASES(400); round++) {
        chance_state = 100000 + (uint64_t)round;
        if (round % 20 == 0) {
            *poses = (struct given_poses){0};
            make_poses(poses, &f->model, node_count);
        }
        const struct entity entity = {
            .model = &f->model, .layers = layers, .layer_count = make_layers(poses, layers, &mask)};
        const bool is_compiled = compare(&fast, &exact, &entity);
        has_given += entity_has_given(&entity);
        compiled += is_compiled && entity_has_given(&entity);
    }
    assert_true(has_given > RANDOM_CASES(200) && compiled >= RANDOM_CASES(compiled_least));
    entity_work_fini(&fast);
    entity_work_fini(&exact);
    free(poses);
}

TEST(given_entity_is_near_the_exact_one)
{
    struct fixture f;
    make_rig(&f, 30, false);
    check_rig(&f, 30, 60);
    fixture_fini(&f);
    make_rig(&f, 37, true);
    check_rig(&f, 37, 60);
    fixture_fini(&f);
}

/* Scales of every sign that no clip moves, which a matrix does not tell apart. */
TEST(given_entity_keeps_the_signs_of_scales)
{
    static const float SCALES[4][3] = {{1, -1, 1}, {-1, -1, 1}, {2, 1, -0.5f}, {-1, -1, -1}};
    const double time_s = 0, turn[4] = {0, 0.6, 0, 0.8};
    struct fixture f;
    struct entity_work fast, exact;
    uint32_t joints[4];
    entity_work_init(&fast);
    entity_work_init(&exact);
    fixture_init(&f);
    for (uint32_t n = 0; n < 4; n++) {
        float place[3] = {1, 2, (float)n}, rotation[4] = {0.5f, -0.5f, 0.5f, 0.5f};
        fixture_node(&f, (int32_t)n - 1, place, rotation, SCALES[n]);
        joints[n] = n;
    }
    fixture_root(&f, 0);
    add_mesh(&f, fixture_skin(&f, joints, 4));
    fixture_clip(&f);
    chance_state = 5;
    add_channel(&f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_finish(&f);
    for (uint32_t n = 0; n < 4; n++)
        for (int is_soft = 0; is_soft < 2; is_soft++) {
            struct given_node node = {.node = n, .parts = GIVEN_ROTATION};
            double values[4], at_s = time_s;
            memcpy(values, turn, sizeof turn);
            struct given_pose pose = {.nodes = &node,
                                      .times_s = &at_s,
                                      .values = values,
                                      .node_count = 1,
                                      .frame_count = 1,
                                      .frame_values = 4};
            const struct blend_layer layers[2] = {
                {.clip = 0, .clip_time_s = 0.8, .weight = 1},
                {.clip = POSE_REST, .weight = is_soft != 0 ? 0.4 : 1, .given = &pose}};
            const struct entity entity = {.model = &f.model, .layers = layers, .layer_count = 2};
            assert_int_equal(given_pose_finish(&pose, &f.model, NULL), 0);
            compare(&fast, &exact, &entity);
            if (is_soft == 0)
                assert_true(fast.is_compiled);
        }
    entity_work_fini(&fast);
    entity_work_fini(&exact);
    fixture_fini(&f);
}

/* --- crowds --- */

enum { MEMBERS = 60 };

static void never(struct crowd_listener *listener, uint32_t member, const struct err *err)
{
    (void)listener;
    fail_msg("member %u: %s", member, err->message);
}

TEST(given_entities_of_crowds_have_the_bits_of_each_alone)
{
    static struct blend_layer layers[MEMBERS][LAYERS_MOST];
    static float out[MEMBERS][ROWS], alone[ROWS];
    struct given_poses *poses = calloc(1, sizeof *poses);
    struct crowd_member members[MEMBERS];
    const struct crowd_wanted wanted = {.what = CROWD_PALETTE};
    struct blend_mask mask = {.node = 2, .scope = BLEND_SUBTREE};
    struct crowd_listener listener = {never};
    struct crowd_work work;
    struct entity_work single;
    struct fixture f;
    unsigned compiled = 0;
    make_rig(&f, 30, false);
    chance_state = 77;
    make_poses(poses, &f.model, 30);
    crowd_work_init(&work);
    entity_work_init(&single);
    single.compiled.kernel = kernel_at(0);
    for (int round = 0; round < 24; round++) {
        struct blend_layer shape[LAYERS_MOST];
        uint32_t count = make_layers(poses, shape, &mask);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            if (i % 20 == 0) /* groups of alike ones */
                count = make_layers(poses, shape, &mask);
            memcpy(layers[i], shape, sizeof shape);
            for (uint32_t l = 0; l < count; l++)
                layers[i][l].clip_time_s = i % 3 == 0 ? 0.5 : 1.1 * chance();
            members[i] = (struct crowd_member){.entity = {.model = &f.model, .layers = layers[i], .layer_count = count},
                                               .wanted = &wanted,
                                               .layout = LAYOUT_MAT3X4,
                                               .out = out[i]};
        }
        for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
            struct entity_work evaluator;
            entity_work_init(&evaluator);
            evaluator.compiled.kernel = kernel_at(k);
            assert_int_equal(crowd_run(&work, &evaluator, members, MEMBERS, NULL, &listener), 0);
            compiled += (unsigned)evaluator.compiled_count;
            single.compiled_count = 0;
            for (uint32_t i = 0; i < MEMBERS; i++) {
                entity_evaluate(&single, &members[i].entity);
                assert_int_equal(entity_palette(&single, 0, LAYOUT_MAT3X4, alone, NULL), 0);
                if (memcmp(alone, out[i], 12 * 30 * sizeof *alone) != 0)
                    fail_msg("round %d, kernel %s, member %u: other bits", round, kernel_at(k)->name, i);
            }
            assert_int_equal(evaluator.compiled_count, single.compiled_count);
            entity_work_fini(&evaluator);
        }
    }
    assert_true(compiled > 300);
    crowd_work_fini(&work);
    entity_work_fini(&single);
    fixture_fini(&f);
    free(poses);
}
