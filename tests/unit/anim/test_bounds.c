#include "anim/pose/bounds.h"
#include "anim/pose/bounds.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

TEST(bounds_box_grows)
{
    struct box box = BOX_EMPTY, other = BOX_EMPTY;
    assert_true(box_is_empty(&box));
    box_join(&box, &other);
    assert_true(box_is_empty(&box));
    box_add(&box, (const double[]){1, 2, 3});
    assert_false(box_is_empty(&box));
    box_add(&box, (const double[]){-1, 5, 3});
    box_add(&other, (const double[]){0, 0, 9});
    box_join(&box, &other);
    const struct box expected = {{-1, 0, 3}, {1, 5, 9}};
    assert_memory_equal(&box, &expected, sizeof box);
}

static uint32_t walk(struct bounds_times w, double *out)
{
    while (bounds_times_next(&w, &out[w.count]))
        assert_true(w.count < 100);
    return w.count;
}

static void check_walk(const struct bounds_times *w, const double *expected, uint32_t count)
{
    double times[101];
    assert_int_equal(walk(*w, times), count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_NEAR(times[i], expected[i], 1e-15);
}

TEST(bounds_walk_visits_every_key_and_the_steps_between)
{
    static const double A[] = {0.25, 1, 1.1}, B[] = {0.5000000001, 1, 3};
    static const float VALUES[12] = {0};
    struct fixture f;
    fixture_init(&f);
    const uint32_t node = fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, node);
    fixture_clip(&f);
    fixture_channel(&f, node, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, A, 3, VALUES);
    fixture_channel(&f, node, PATH_SCALE, INTERPOLATION_STEP, 3, B, 3, VALUES);
    fixture_finish(&f);
    struct bounds_times w = {.model = &f.model, .to_s = 3};
    check_walk(&w, (const double[]){0, 0.25, 0.5000000001, 1, 1.1, 3}, 6);
    w.rate = 2; /* the step at 0.5 is left out for the key beside it */
    check_walk(&w, (const double[]){0, 0.25, 0.5000000001, 1, 1.1, 1.5, 2, 2.5, 3}, 9);
    w.from_s = 0.9;
    w.to_s = 1.6; /* steps from 0.9 on */
    check_walk(&w, (const double[]){0.9, 1, 1.1, 1.4, 1.6}, 5);
    w.from_s = w.to_s = 1.05;
    check_walk(&w, (const double[]){1.05}, 1);
    w.clip = POSE_REST;
    w.from_s = w.to_s = 0;
    check_walk(&w, (const double[]){0}, 1);
    w = (struct bounds_times){
        .model = &f.model, .from_s = 1e300, .to_s = 2e300, .rate = 1000}; /* steps below its ulp */
    check_walk(&w, (const double[]){1e300, 2e300}, 2);
    fixture_fini(&f);
}

TEST(bounds_main_joint_is_the_first_of_the_heaviest)
{
    static const struct influence INFLUENCES[] = {{2, 0.25f}, {1, 0.375f}, {0, 0.375f}, {1, 1}};
    static const uint32_t FIRSTS[] = {0, 3, 4, 4};
    const struct model model = {.influences = INFLUENCES, .influence_firsts = FIRSTS};
    assert_int_equal(bounds_main_joint(&model, 0), 0);
    assert_int_equal(bounds_main_joint(&model, 1), 1);
    assert_int_equal(bounds_main_joint(&model, 2), 0);
}

/* A node turned by 90 degrees about z, scaled by 2, 3, 4, at 10, 20, 30. */
static uint32_t turned_node(struct fixture *f)
{
    static const float PLACE[] = {10, 20, 30}, TURN[] = {0, 0, 0.70710678f, 0.70710678f}, SCALE[] = {2, 3, 4};
    return fixture_node(f, -1, PLACE, TURN, SCALE);
}

TEST(bounds_of_a_turned_mesh_and_its_joint)
{
    static const struct vec3 POSITIONS[] = {{1, 0, 0}, {-1, 2, 0.5f}};
    struct fixture f;
    struct pose pose;
    struct err err = {0};
    fixture_init(&f);
    const uint32_t node = turned_node(&f);
    f.builder.nodes[node].mesh = (int32_t)fixture_mesh(&f, POSITIONS, 2);
    fixture_root(&f, node);
    fixture_finish(&f);
    const uint32_t draw = 0;
    struct box entry;
    struct joint_box joints[1];
    struct mat4 palette[1];
    struct vec3 vertices[2];
    struct bounds_sum sum = {.model = &f.model,
                             .draws = &draw,
                             .draw_count = 1,
                             .entries = &entry,
                             .joints = joints,
                             .palette.matrices = palette,
                             .vertices = vertices};
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    bounds_sum_start(&sum);
    assert_int_equal(bounds_sum_add(&sum, &pose, &err), 0);
    /* x, y, z becomes 10 - 3 y, 20 + 2 x, 30 + 4 z */
    const double low[] = {4, 18, 30}, high[] = {10, 22, 32}, own_low[] = {-1, 0, 0}, own_high[] = {1, 2, 0.5};
    assert_int_equal(joints[0].vertex_count, 2);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(sum.all.min[i], low[i], 1e-5);
        CHECK_NEAR(sum.all.max[i], high[i], 1e-5);
        CHECK_NEAR(joints[0].scene.min[i], low[i], 1e-5);
        CHECK_NEAR(joints[0].joint.min[i], own_low[i], 1e-5);
        CHECK_NEAR(joints[0].joint.max[i], own_high[i], 1e-5);
    }
    pose_fini(&pose);
    fixture_fini(&f);
}
