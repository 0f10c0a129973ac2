/* Blends by the kernels compared with double precision, on random rigs; and the blends that are left to double
 * precision. */
#include "anim/entity/entity.h"
#include "tests/unit/support/chance_layers.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static double size_of(const struct model *m)
{
    const struct model_info *info = m->infos;
    return fmax((double)(info->rest_max.x - info->rest_min.x),
                fmax((double)(info->rest_max.y - info->rest_min.y), (double)(info->rest_max.z - info->rest_min.z)));
}

/* The same entity evaluated in both ways, and the compiled one with each kernel. */
struct both {
    struct entity_work exact, fast;
    float exact_rows[12 * NODES_MAX], rows[12 * NODES_MAX];
};

static struct both *both_new(void)
{
    struct both *both = malloc(sizeof *both);
    entity_work_init(&both->exact);
    entity_work_init(&both->fast);
    return both;
}

static void both_free(struct both *both)
{
    entity_work_fini(&both->exact);
    entity_work_fini(&both->fast);
    free(both);
}

static double largest_difference(const float *a, const float *b, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double apart =
            fabs((double)a[i] - (double)b[i]); /* gcc 12 for AArch64 ends with an internal error at fmax() here */
        largest = !(apart <= largest) ? apart : largest;
    }
    return largest;
}

/* Returns the greatest difference of an element, relative to the model's size. Negative: the compiled evaluation does
 * not cover it. */
static double difference(struct both *both, const struct entity *entity)
{
    static float first[12 * NODES_MAX];
    const uint32_t floats = 12 * entity->model->skins[0].joint_count;
    entity_evaluate_exact(&both->exact, entity);
    assert_int_equal(entity_palette(&both->exact, 0, LAYOUT_MAT3X4, both->exact_rows, NULL), 0);
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        both->fast.compiled.kernel = kernel_at(k);
        entity_evaluate(&both->fast, entity);
        assert_int_equal(entity_palette(&both->fast, 0, LAYOUT_MAT3X4, both->rows, NULL), 0);
        if (k == 0)
            memcpy(first, both->rows, floats * sizeof *first);
        if (memcmp(first, both->rows, floats * sizeof *first) != 0)
            fail_msg("kernel %s has other bits than the scalar one", kernel_at(k)->name);
    }
    return both->fast.is_compiled ? largest_difference(both->rows, both->exact_rows, floats) / size_of(entity->model)
                                  : -1;
}

TEST(clip_blend_of_every_number_of_joints)
{
    struct both *both = both_new();
    unsigned covered = 0, all = 0;
    for (uint32_t count = 1; count <= 40; count++) {
        struct fixture f;
        struct layers layers;
        make_rig(&f, count, false);
        for (int i = 0; i < 60; i++) {
            random_layers(&layers, count, true);
            const struct entity entity = {.model = &f.model, .layers = layers.layers, .layer_count = layers.count};
            const double error = difference(both, &entity);
            CHECK_NEAR(fmax(error, 0), 0, 2e-6);
            covered += error >= 0;
            all++;
        }
        fixture_fini(&f);
    }
    if (getenv("VERBOSE") != NULL)
        print_message("%u of %u\n", covered, all);
    assert_true(covered > all / 2);
    both_free(both);
}

TEST(clip_blend_of_splines)
{
    struct both *both = both_new();
    unsigned covered = 0;
    for (uint32_t count = 5; count <= 35; count += 10) {
        struct fixture f;
        struct layers layers;
        make_rig(&f, count, true);
        assert_true((f.model.compiled_clips[0].flags & COMPILED_CUBIC) != 0);
        for (int i = 0; i < 60; i++) {
            random_layers(&layers, count, true);
            const struct entity entity = {.model = &f.model, .layers = layers.layers, .layer_count = layers.count};
            const double error = difference(both, &entity);
            CHECK_NEAR(fmax(error, 0), 0, 2e-6);
            covered += error >= 0;
        }
        fixture_fini(&f);
    }
    assert_true(covered > 100);
    both_free(both);
}

/* Nodes 2 to 7 are given by matrices with shear; clip 0 moves 3 and 6, clip 1 moves 4. */
TEST(clip_blend_of_nodes_given_by_a_matrix)
{
    struct both *both = both_new();
    struct fixture f;
    struct layers layers;
    unsigned covered = 0;
    fixture_init(&f);
    chance_state = 9;
    add_rig(&f, 12);
    add_skin(&f, 0, 12, 1);
    for (uint32_t n = 2; n < 8; n++) {
        struct mat4 *matrix = bake_add_node_matrix(&f.builder, 1);
        for (int e = 0; e < 16; e++)
            matrix->m[e] = e == 15 ? 1 : e % 4 == 3 ? 0 : between(-1, 1);
        f.builder.nodes[n].matrix = (int32_t)f.builder.node_matrix_count - 1;
    }
    for (uint32_t c = 0; c < CLIPS; c++) {
        fixture_clip(&f);
        chance_state = 77;
        for (uint32_t n = 0; n < 12; n += c == 0 ? 3 : 4)
            add_channel(&f, n, n == 6 ? PATH_SCALE : PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    }
    fixture_finish(&f);
    assert_int_equal(f.model.rig_matrix_count, 6);
    for (int i = 0; i < 200; i++) {
        random_layers(&layers, 12, i % 2 == 0);
        const struct entity entity = {.model = &f.model, .layers = layers.layers, .layer_count = layers.count};
        const double error = difference(both, &entity);
        CHECK_NEAR(fmax(error, 0), 0, 2e-6);
        covered += error >= 0;
    }
    assert_true(covered > 50);
    fixture_fini(&f);
    both_free(both);
}

/* With a place in the world, and without root motion: the compiled evaluation multiplies by matrices in double
 * precision. */
TEST(clip_blend_in_a_world_and_without_root_motion)
{
    const struct trs place = {.translation = {3, -1, 2}, .rotation = {0.5, -0.5, 0.5, 0.5}, .scale = {1, 2, 0.5}};
    const struct dmat4 world = dmat4_from_trs(&place);
    struct both *both = both_new();
    unsigned covered = 0;
    for (uint32_t root = 0; root < 6; root++) {
        struct fixture f;
        struct layers layers;
        uint8_t is_moved[NODES_MAX + 8];
        struct root_motion motion;
        make_rig(&f, 30, root % 2 == 1);
        pose_evaluate(&both->exact.pose, &f.model, 0, 0);
        root_motion_mark(&f.model, root, is_moved);
        root_motion_start(&motion, &both->exact.pose, &f.model, root, root % 3 != 0, is_moved);
        for (int i = 0; i < 60; i++) {
            random_layers(&layers, 30, true);
            const struct entity entity = {.model = &f.model,
                                          .layers = layers.layers,
                                          .layer_count = layers.count,
                                          .motion = i % 3 != 1 ? &motion : NULL,
                                          .world_from_scene = i % 3 != 0 ? &world : NULL};
            const double error = difference(both, &entity);
            CHECK_NEAR(fmax(error, 0), 0, 2 * 2e-6); /* the world's largest scale is 2 */
            covered += error >= 0;
            if (entity.motion == NULL)
                continue;
            assert_memory_equal(&both->fast.step.translation, &both->exact.step.translation, 3 * sizeof(double));
            CHECK_NEAR(both->fast.step.angle_deg, both->exact.step.angle_deg, 0);
            assert_int_equal(both->fast.step.is_local_exact, both->exact.step.is_local_exact);
        }
        fixture_fini(&f);
    }
    assert_true(covered > 180);
    both_free(both);
}

TEST(clip_blend_of_single_nodes)
{
    const struct trs place = {.translation = {3, -1, 2}, .rotation = {0.5, -0.5, 0.5, 0.5}, .scale = {1, 2, 0.5}};
    const struct dmat4 world = dmat4_from_trs(&place);
    const uint32_t nodes[4] = {7, 0, 19, 30}; /* the last is that of the mesh, beside the rig */
    struct both *both = both_new();
    struct fixture f;
    struct layers layers;
    unsigned covered = 0;
    make_rig(&f, 30, false);
    assert_false(entity_is_in_rig(&f.model, nodes[3]));
    assert_true(entity_is_in_rig(&f.model, nodes[2]));
    for (int i = 0; i < 100; i++) {
        float fast[48], exact[48], alone[12];
        random_layers(&layers, 30, true);
        const struct entity entity = {.model = &f.model,
                                      .layers = layers.layers,
                                      .layer_count = layers.count,
                                      .world_from_scene = i % 2 == 0 ? &world : NULL};
        entity_evaluate_exact(&both->exact, &entity);
        entity_evaluate(&both->fast, &entity);
        if (i % 4 == 0) /* after a palette, too */
            assert_int_equal(entity_palette(&both->fast, 0, LAYOUT_MAT3X4, both->rows, NULL), 0);
        covered += both->fast.is_compiled;
        assert_int_equal(entity_nodes(&both->exact, nodes, 4, LAYOUT_MAT3X4, exact, NULL), 0);
        assert_int_equal(entity_nodes(&both->fast, nodes, 4, LAYOUT_MAT3X4, fast, NULL), 0);
        CHECK_NEAR(largest_difference(fast, exact, 48) / size_of(&f.model), 0, 2 * 2e-6);
        assert_memory_equal(fast + 36, exact + 36, 12 * sizeof(float));
        assert_int_equal(entity_nodes(&both->fast, nodes + 2, 1, LAYOUT_MAT3X4, alone, NULL), 0);
        assert_memory_equal(fast + 24, alone, sizeof alone);
        const struct dmat4 in_double = entity_scene_from_node(&both->fast, 19);
        assert_memory_equal(&in_double, &both->exact.pose.scene_from_node[19], sizeof in_double);
    }
    assert_true(covered > 50);
    fixture_fini(&f);
    both_free(both);
}

/* --- worked by hand --- */

/* A root scaled (1,2,1), a quarter turn around x, at (1,0,0); its joint goes to (0,2,0) and turns by `from_deg` around
 * z in clip 0, to (0,4,0) and by `to_deg` in clip 1, to (0,3,0) and by 90 in clip 2. */
static void make_arm(struct fixture *f, double from_deg, double to_deg)
{
    const double half = 0.70710678118654752, degrees[CLIPS] = {from_deg, to_deg, 90}, time = 0;
    const float quarter[4] = {(float)half, 0, 0, (float)half}, place[3] = {1, 0, 0}, wide[3] = {1, 2, 1};
    const float ways[CLIPS][3] = {{0, 2, 0}, {0, 4, 0}, {0, 3, 0}};
    const uint32_t joint = 1;
    fixture_init(f);
    fixture_node(f, -1, place, quarter, wide);
    fixture_node(f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, &joint, 1));
    f->builder.joints[0].joint_from_bind.m[13] = -2;
    for (int c = 0; c < CLIPS; c++) {
        const double angle = degrees[c] * 3.14159265358979323846 / 360;
        const float turn[4] = {0, 0, (float)sin(angle), (float)cos(angle)};
        fixture_clip(f);
        fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, &time, 1, ways[c]);
        fixture_channel(f, 1, PATH_ROTATION, INTERPOLATION_LINEAR, 4, &time, 1, turn);
    }
    fixture_finish(f);
}

/* Vertex (1,2,0): bind (1,0,0), joint a quarter turn around z (0,1,0) and moved (0,4,0), scaled (0,8,0), turned around
 * x (0,0,8), moved (1,0,8). */
static void check_vertex(struct both *both, const struct entity *entity)
{
    assert_true(difference(both, entity) >= 0);
    const float *m = both->rows;
    CHECK_NEAR(m[0] * 1 + m[1] * 2 + m[3], 1, 1e-5);
    CHECK_NEAR(m[4] * 1 + m[5] * 2 + m[7], 0, 1e-5);
    CHECK_NEAR(m[8] * 1 + m[9] * 2 + m[11], 8, 1e-5);
}

static struct blend_layer layer_of(int32_t clip, double weight)
{
    return (struct blend_layer){.clip = clip, .weight = weight, .reference_clip = POSE_REST};
}

TEST(clip_blend_moves_a_vertex)
{
    struct both *both = both_new();
    struct fixture f;
    make_arm(&f, 30, 150);
    const struct blend_layer two[2] = {layer_of(0, 3), layer_of(1, 3)};
    check_vertex(both, &(struct entity){.model = &f.model, .layers = two, .layer_count = 2});
    const struct blend_layer three[3] = {layer_of(0, 0.2), layer_of(2, 0.9), layer_of(1, 0.2)};
    check_vertex(both, &(struct entity){.model = &f.model, .layers = three, .layer_count = 3});
    struct blend_layer added[2] = {layer_of(0, 1), layer_of(1, 0.5)}; /* half the way from 0 to 1, on 0 */
    added[1].is_additive = true;
    added[1].reference_clip = 0;
    check_vertex(both, &(struct entity){.model = &f.model, .layers = added, .layer_count = 2});
    const struct blend_mask root = {0, BLEND_NODE};
    struct blend_layer masked[2] = {layer_of(2, 1), layer_of(1, 1000)}; /* the mask excludes the joint */
    masked[1].masks = &root;
    masked[1].mask_count = 1;
    check_vertex(both, &(struct entity){.model = &f.model, .layers = masked, .layer_count = 2});
    fixture_fini(&f);
    both_free(both);
}

static bool is_compiled(struct both *both, const struct blend_layer *layers, uint32_t count, const struct model *model)
{
    const struct entity entity = {.model = model, .layers = layers, .layer_count = count};
    const uint64_t exact_before = both->fast.exact_count;
    const bool is_covered = difference(both, &entity) >= 0;
    assert_int_equal(both->fast.exact_count > exact_before, !is_covered);
    if (!is_covered)
        assert_memory_equal(both->rows, both->exact_rows, 12 * sizeof(float));
    return is_covered;
}

TEST(clip_blend_leaves_what_hangs_on_the_last_bit_to_double_precision)
{
    struct both *both = both_new();
    struct fixture f;
    make_arm(&f, 0, 180); /* neither way is shorter */
    const struct blend_layer opposite[2] = {layer_of(0, 1), layer_of(1, 1)};
    assert_false(is_compiled(both, opposite, 2, &f.model));
    const struct blend_layer near[2] = {layer_of(0, 1), layer_of(2, 1)};
    assert_true(is_compiled(both, near, 2, &f.model));
    const struct blend_layer weights[2] = {layer_of(0, 1e-30), layer_of(2, 1)};
    assert_false(is_compiled(both, weights, 2, &f.model));
    struct blend_layer added[2] = {layer_of(2, 1), layer_of(1, 0.5)};
    added[1].is_additive = true;
    added[1].reference_clip = 0;
    assert_false(is_compiled(both, added, 2, &f.model));
    fixture_fini(&f);
    make_arm(&f, -30, 210); /* 120 degrees from the third, both ways */
    const struct blend_layer wide[3] = {layer_of(0, 1), layer_of(2, 1), layer_of(1, 1)};
    assert_false(is_compiled(both, wide, 3, &f.model));
    assert_true(is_compiled(both, wide, 2, &f.model));
    fixture_fini(&f);
    both_free(both);
}

/* A pose blended with itself is the pose, and the ends of a fade are the poses, with the bits of one clip. */
TEST(clip_blend_of_one_clip_is_the_clip)
{
    struct both *both = both_new();
    struct fixture f;
    float palette[12 * NODES_MAX];
    make_rig(&f, 30, false);
    const uint32_t bytes = 12 * 30 * sizeof(float);
    struct blend_layer layers[4] = {layer_of(1, 0), layer_of(2, 0.25), layer_of(0, 0), layer_of(2, 7)};
    layers[1].clip_time_s = layers[3].clip_time_s = 0.7;
    const struct blend_layer single = layers[1];
    const struct entity blended = {.model = &f.model, .layers = layers, .layer_count = 4};
    const struct entity alone = {.model = &f.model, .layers = &single, .layer_count = 1};
    entity_evaluate(&both->fast, &alone);
    assert_int_equal(entity_palette(&both->fast, 0, LAYOUT_MAT3X4, palette, NULL), 0);
    assert_true(difference(both, &blended) >= 0);
    assert_memory_equal(palette, both->rows, bytes);
    assert_true(entity_is_certain(&blended, LAYOUT_MAT4));
    assert_false(entity_is_certain(&blended, LAYOUT_DUALQUAT));
    clip_palette_evaluate(&both->fast.compiled, &f.model, 2, 0.7, 0, PALETTE_MAT3X4, both->rows);
    assert_memory_equal(palette, both->rows, bytes);
    const struct blend_layer none[1] = {layer_of(0, 0)};
    assert_false(is_compiled(both, none, 1, &f.model)); /* the rest pose */
    fixture_fini(&f);
    both_free(both);
}

TEST(clip_blend_as_dual_quaternions)
{
    struct both *both = both_new();
    struct fixture f;
    struct err exact_err, err;
    float exact[8], fast[8];
    make_arm(&f, 30, 150); /* whose root is scaled */
    const struct blend_layer two[2] = {layer_of(0, 1), layer_of(1, 2)};
    const struct entity entity = {.model = &f.model, .layers = two, .layer_count = 2};
    entity_evaluate_exact(&both->exact, &entity);
    entity_evaluate(&both->fast, &entity);
    assert_int_equal(entity_palette(&both->exact, 0, LAYOUT_DUALQUAT, exact, &exact_err), ERR_NOT_RIGID);
    assert_int_equal(entity_palette(&both->fast, 0, LAYOUT_DUALQUAT, fast, &err), ERR_NOT_RIGID);
    assert_string_equal(err.message, exact_err.message);
    assert_int_equal(both->fast.compiled_count, 0);
    assert_int_equal(both->fast.exact_count, 1);
    /* T * diag(1, 1/2, 1) * R^-1 undoes the root */
    const struct trs squeezed = {.rotation = {0, 0, 0, 1}, .translation = {5, 6, 7}, .scale = {1, 0.5, 1}};
    const struct trs turned = {.rotation = {-0.70710678118654752, 0, 0, 0.70710678118654752}, .scale = {1, 1, 1}};
    const struct dmat4 scale = dmat4_from_trs(&squeezed), turn = dmat4_from_trs(&turned);
    const struct dmat4 world = dmat4_mul(&scale, &turn);
    const struct entity rigid = {.model = &f.model, .layers = two, .layer_count = 2, .world_from_scene = &world};
    entity_evaluate_exact(&both->exact, &rigid);
    entity_evaluate(&both->fast, &rigid);
    assert_int_equal(entity_palette(&both->exact, 0, LAYOUT_DUALQUAT, exact, &err), 0);
    assert_int_equal(entity_palette(&both->fast, 0, LAYOUT_DUALQUAT, fast, &err), 0);
    assert_true(both->fast.is_compiled);
    CHECK_NEAR(largest_difference(exact, fast, 8), 0, 1e-5);
    fixture_fini(&f);
    both_free(both);
}
