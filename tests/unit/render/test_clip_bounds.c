/* The extent of a clip, and its most telling moment. */
#include "render/camera/clip_bounds.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

static const struct picture_spec LOOK = {.width = 64, .height = 64};

struct stand {
    struct fixture fixture;
    struct posed_model posed;
    struct clip_bounds_cache bounds_cache;
    struct hull_vertices hull;
    struct pose_view view;
    struct clip_bounds_key key;
};

/* Three points on a node, off the origin and scaled unevenly, which a clip moves along x from key to key. */
static void stand_init(struct stand *s, const double *times_s, const float *values, uint32_t key_count)
{
    const struct vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const float place[3] = {5, -2, 3}, turn[4] = {0, 0, 0.70710678f, 0.70710678f}, scale[3] = {2, 1, 0.5f};
    const uint8_t is_used[3] = {1, 1, 1};
    struct err err;
    *s = (struct stand){0};
    fixture_init(&s->fixture);
    const uint32_t node = fixture_node(&s->fixture, -1, place, turn, scale);
    fixture_root(&s->fixture, node);
    s->fixture.builder.nodes[node].mesh = (int32_t)fixture_mesh(&s->fixture, corners, 3);
    for (int i = 0; i < 3; i++)
        s->fixture.builder.influence_firsts[i + 1] = 0;
    fixture_clip(&s->fixture);
    fixture_channel(&s->fixture, node, PATH_SCALE, INTERPOLATION_LINEAR, 3, times_s, key_count, values);
    fixture_finish(&s->fixture);
    assert_int_equal(hull_vertices_init(&s->hull, &s->fixture.model, is_used, &err), 0);
    s->view = (struct pose_view){.picture = &LOOK};
    s->key = (struct clip_bounds_key){.model = 1, .end_s = times_s[key_count - 1]};
}

static struct clip_bounds *stand_reach(struct stand *s)
{
    struct clip_bounds *bounds;
    struct err err;
    const struct clip_bounds_input work = {
        .posed = &s->posed, .model = &s->fixture.model, .hull = &s->hull, .view = &s->view};
    assert_int_equal(clip_bounds_get(&s->bounds_cache, &s->key, &work, &bounds, &err), 0);
    return bounds;
}

static void stand_fini(struct stand *s)
{
    clip_bounds_cache_fini(&s->bounds_cache);
    hull_vertices_fini(&s->hull);
    posed_model_fini(&s->posed);
    fixture_fini(&s->fixture);
}

static void check_box(const struct clip_bounds *bounds, const double low[3], const double high[3])
{
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < bounds->point_count; i++) {
        const float at[3] = {bounds->points[i].x, bounds->points[i].y, bounds->points[i].z};
        for (int a = 0; a < 3; a++) {
            least[a] = fmin(least[a], (double)at[a]);
            most[a] = fmax(most[a], (double)at[a]);
        }
    }
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(least[a], low[a], 1e-3);
        CHECK_NEAR(most[a], high[a], 1e-3);
    }
}

/* Turned by 90 degrees about z: x of the node is y of the scene, its y is -x. */
TEST(reach_is_of_all_poses_and_the_moment_the_furthest)
{
    struct stand s;
    const double times_s[4] = {0, 1, 1.01, 4};
    const float scales[12] = {2, 1, 0.5f, 2, 1, 0.5f, 2, 9, 1, 2, 1, 0.5f}; /* one frame of a flash */
    stand_init(&s, times_s, scales, 4);
    struct clip_bounds *bounds = stand_reach(&s);
    check_box(bounds, (const double[3]){5 - 9, -2, 3}, (const double[3]){5, 0, 3});
    CHECK_NEAR(bounds->key_pose_s, 1.01, 1e-12);
    CHECK_NEAR(bounds->node_middles[0].x, 5, 1e-6);
    assert_ptr_equal(stand_reach(&s), bounds); /* it is kept */
    s.key.begin_s = 2.5;
    bounds = stand_reach(&s);
    check_box(bounds, (const double[3]){5 - 9 + 8 * (2.5 - 1.01) / 2.99, -2, 3}, (const double[3]){5, 0, 3});
    CHECK_NEAR(bounds->key_pose_s, 2.5, 1e-12);
    stand_fini(&s);
}

TEST(reach_of_a_long_clip_looks_at_evenly_spread_poses)
{
    enum { KEYS = 3000 };
    static double times_s[KEYS];
    static float scales[3 * KEYS];
    struct stand s;
    for (int k = 0; k < KEYS; k++) {
        times_s[k] = k * 0.05;
        scales[3 * k] = scales[3 * k + 2] = 1;
        scales[3 * k + 1] = 1 + (float)k / KEYS;
    }
    stand_init(&s, times_s, scales, KEYS);
    struct clip_bounds *bounds = stand_reach(&s);
    check_box(bounds, (const double[3]){5 - 2, -2, 3}, (const double[3]){5, -1, 3});
    assert_true(bounds->key_pose_s > times_s[KEYS - 1] * 0.98 && bounds->key_pose_s < times_s[KEYS - 1]);
    stand_fini(&s);
}

TEST(reach_leaves_out_poses_that_have_no_place)
{
    struct stand s;
    const double times_s[3] = {0, 1, 2};
    const float scales[9] = {1, 1, 1, 3e38f, 3e38f, 3e38f, 1, 1, 1};
    stand_init(&s, times_s, scales, 3);
    s.fixture.builder.nodes[0].mesh = 0;
    struct clip_bounds *bounds = stand_reach(&s);
    assert_true(bounds->point_count > 0);
    for (uint32_t i = 0; i < bounds->point_count; i++)
        assert_true(isfinite(bounds->points[i].x) && isfinite(bounds->points[i].y));
    stand_fini(&s);
}

TEST(reach_keeps_the_last_ones_and_their_cameras)
{
    struct stand s;
    const double times_s[2] = {0, 1};
    const float scales[6] = {1, 1, 1, 2, 2, 2};
    stand_init(&s, times_s, scales, 2);
    for (uint64_t model = 1; model <= 3 * CLIP_BOUNDS_KEPT_MAX; model++) {
        s.key.model = model;
        struct clip_bounds *bounds = stand_reach(&s);
        assert_true(bounds->key.model == model && bounds->point_count >= 3);
        struct camera_query query = {.up = {0, 1, 0}, .forward = {0, 0, 1}, .fov_deg = 30, .aspect = 1};
        const struct camera first = *clip_bounds_camera(bounds, &query);
        query.yaw_deg = 90;
        const struct camera turned = *clip_bounds_camera(bounds, &query);
        query.yaw_deg = 0;
        const struct camera again = *clip_bounds_camera(bounds, &query);
        assert_memory_equal(first.view_from_scene.m, again.view_from_scene.m, sizeof first.view_from_scene.m);
        assert_true(turned.eye[0] > first.eye[0] + 1);
    }
    stand_fini(&s);
}
