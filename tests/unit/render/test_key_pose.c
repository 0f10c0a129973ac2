/* Selects the telling pose of a clip. */
#include "render/camera/key_pose.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <string.h>

/* A hip, and an eye above it whose scale moves or stands still. */
struct scene {
    struct fixture fixture;
    struct key_pose_search moments;
    struct pose pose;
};

static void setup(struct scene *s, bool has_weights, const float *scales)
{
    const double times_s[2] = {0, 1};
    struct err err;
    memset(s, 0, sizeof *s);
    fixture_init(&s->fixture);
    const uint32_t hip = fixture_node(&s->fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    const uint32_t eye = fixture_node(&s->fixture, (int32_t)hip, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&s->fixture, hip);
    fixture_clip(&s->fixture);
    if (has_weights) {
        *bake_add_weight(&s->fixture.builder, 1) = 0;
        s->fixture.builder.nodes[hip].weight_count = 1;
        fixture_channel(&s->fixture, hip, PATH_WEIGHTS, INTERPOLATION_LINEAR, 1, times_s, 2, (const float[2]){0, 1});
    } else {
        fixture_channel(&s->fixture, eye, PATH_SCALE, INTERPOLATION_STEP, 3, times_s, 2, scales);
    }
    fixture_finish(&s->fixture);
    pose_init(&s->pose);
    pose_evaluate(&s->pose, &s->fixture.model, 0, 0);
    assert_int_equal(key_pose_init(&s->moments, &s->fixture.model, 0, &err), 0);
}

static void teardown(struct scene *s)
{
    key_pose_fini(&s->moments);
    pose_fini(&s->pose);
    fixture_fini(&s->fixture);
}

/* Poses at 0, 1, 2, ... of these distances, in which the eye is so high. */
static void add(struct scene *s, const double *distances, const double *heights, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        s->pose.local[1].scale[1] = heights[p];
        key_pose_add(&s->moments, &s->pose, p, &(struct pose_score){.distance = distances[p], .width = 1});
    }
}

static const float BLINKS[6] = {1, 1, 1, 1, 0.1f, 1}, STANDS[6] = {2, 2, 2, 2, 2, 2};

TEST(moment_is_the_furthest_pose_and_the_first_of_equals)
{
    struct scene s;
    setup(&s, false, STANDS);
    assert_int_equal(s.moments.watched_count, 0);
    CHECK_NEAR(key_pose_find(&s.moments, 9, 7), 7, 0); /* no pose at all */
    add(&s, (const double[5]){0, 3, 5, 5, 8}, (const double[5]){1, 1, 0, 1, 1}, 5);
    CHECK_NEAR(key_pose_find(&s.moments, 3.5, 7), 2, 0); /* what stands still is not looked at */
    CHECK_NEAR(key_pose_find(&s.moments, 4, 7), 4, 0);
    teardown(&s);
}

TEST(moment_is_not_that_of_a_blink_where_another_is_nearly_as_good)
{
    const double OPEN = 1, SHUT = 0.4;
    struct scene s;
    setup(&s, false, BLINKS);
    assert_int_equal(s.moments.watched_count, 1);
    add(&s, (const double[5]){0, 9.5, 9.7, 10, 9.6}, (const double[5]){OPEN, OPEN, SHUT, SHUT, OPEN}, 5);
    CHECK_NEAR(key_pose_find(&s.moments, 9, 7), 4, 0);
    CHECK_NEAR(key_pose_find(&s.moments, 3.5, 7), 1, 0);
    teardown(&s);
    /* too far from the best */
    setup(&s, false, BLINKS);
    add(&s, (const double[4]){0, 5, 10, 6}, (const double[4]){OPEN, OPEN, SHUT, OPEN}, 4);
    CHECK_NEAR(key_pose_find(&s.moments, 9, 7), 2, 0);
    teardown(&s);
    /* shut eyes are usual to who sleeps */
    setup(&s, false, BLINKS);
    add(&s, (const double[4]){0, 9.9, 10, 9.8}, (const double[4]){SHUT, SHUT, SHUT, OPEN}, 4);
    CHECK_NEAR(key_pose_find(&s.moments, 9, 7), 2, 0);
    teardown(&s);
}

TEST(moment_has_usual_morph_weights)
{
    struct scene s;
    setup(&s, true, BLINKS);
    assert_int_equal(s.moments.watched_count, 1);
    static const double DISTANCES[5] = {0, 9, 10, 9.5, 4}, WEIGHTS[5] = {0, 0, 1, 0.3, 0};
    for (uint32_t p = 0; p < 5; p++) {
        s.pose.weights[0] = WEIGHTS[p];
        key_pose_add(&s.moments, &s.pose, p, &(struct pose_score){.distance = DISTANCES[p], .width = 1});
    }
    CHECK_NEAR(key_pose_find(&s.moments, 9, 7), 3, 0);
    teardown(&s);
}

/* Of poses at 0, 1, 2, ... with these distances and areas, returns the time of the chosen one up to end_s. */
static double find_seen(const double *distances, const double *areas, uint32_t count, double end_s)
{
    struct scene s;
    setup(&s, false, STANDS);
    for (uint32_t p = 0; p < count; p++)
        key_pose_add(&s.moments, &s.pose, p, &(struct pose_score){distances[p], 1, areas[p], 1, 0, CALIBRATION_NONE});
    const double time_s = key_pose_find(&s.moments, end_s, 7);
    teardown(&s);
    return time_s;
}

TEST(moment_shows_the_model)
{
    const double vanishing[5] = {0, 2, 4, 6, 10};
    CHECK_NEAR(find_seen(vanishing, (const double[5]){8, 8, 8, 8, 2}, 5, 9), 4, 0); /* a quarter is enough */
    CHECK_NEAR(find_seen(vanishing, (const double[5]){8, 8, 8, 3.9, 1.9}, 5, 9), 2, 0);
    CHECK_NEAR(find_seen(vanishing, (const double[5]){8, 4, 0, 0, 0}, 5, 9), 1, 0);
    CHECK_NEAR(find_seen(vanishing, (const double[5]){0, 0, 0, 0, 0}, 5, 9), 4, 0);  /* lines */
    CHECK_NEAR(find_seen(vanishing, (const double[5]){1, 1, 1, 1, 50}, 5, 3), 3, 0); /* the end does not count */
    CHECK_NEAR(find_seen(vanishing, (const double[5]){0, 0, 0, 0, 9}, 5, 3), 4, 0);  /* but where it is all there is */
}

TEST(moment_area_is_that_of_points_from_all_sides)
{
    const struct vec3 square[4] = {{9, -1, -1}, {9, -1, 1}, {9, 1, -1}, {9, 1, 1}};
    const struct vec3 line[3] = {{1, 1, 1}, {2, 2, 2}, {4, 4, 4}}, place[2] = {{5, 6, 7}, {5, 6, 7}};
    CHECK_NEAR(points_area(square, 4), 1, 1e-12);
    CHECK_NEAR(points_area(line, 3), 0, 1e-6);
    CHECK_NEAR(points_area(place, 2), 0, 0);
    CHECK_NEAR(points_area(NULL, 0), 0, 0);
}

TEST(moment_of_a_timeline_stands_and_is_large)
{
    static const struct pose_score POSES[5] = {
        {.distance = 1, .width = 3, .upright = 1},     {.distance = 9, .width = 5, .upright = 0.2},
        {.distance = 10, .width = 4, .upright = -0.9}, {.distance = 3, .width = 4, .upright = 0.95},
        {.distance = 8, .width = 1, .upright = 1},
    };
    for (int is_timeline = 0; is_timeline < 2; is_timeline++) {
        struct scene s;
        setup(&s, false, STANDS);
        assert_false(s.moments.is_timeline); /* its clip takes a second */
        s.moments.is_timeline = is_timeline;
        for (uint32_t p = 0; p < 5; p++)
            key_pose_add(&s.moments, &s.pose, p, &POSES[p]);
        CHECK_NEAR(key_pose_find(&s.moments, 9, 7), is_timeline ? 3 : 2, 0);
        teardown(&s);
    }
}

/* Of poses at 0, 1, 2, ... returns the time of the chosen one up to end_s. */
static double find_among(const struct pose_score *poses, uint32_t count, bool is_timeline, double end_s)
{
    struct scene s;
    setup(&s, false, STANDS);
    s.moments.is_timeline = is_timeline;
    for (uint32_t p = 0; p < count; p++)
        key_pose_add(&s.moments, &s.pose, p, &poses[p]);
    const double time_s = key_pose_find(&s.moments, end_s, 77);
    teardown(&s);
    return time_s;
}

/* Poses in which the model shows and moves a little. */
static struct pose_score score_of(double distance, enum calibration calibration)
{
    return (struct pose_score){distance, 1, 1, 1, 0.01, calibration};
}

TEST(moment_is_no_calibration_at_either_end)
{
    struct pose_score poses[8];
    static const double DISTANCES[8] = {9, 8, 3, 7, 5, 4, 9, 10};
    static const enum calibration CALIBRATIONS[8] = {CALIBRATION_FULL, CALIBRATION_NEAR, CALIBRATION_NONE,
                                                     CALIBRATION_FULL, CALIBRATION_NONE, CALIBRATION_NONE,
                                                     CALIBRATION_NEAR, CALIBRATION_FULL};
    for (int p = 0; p < 8; p++)
        poses[p] = score_of(DISTANCES[p], CALIBRATIONS[p]);
    CHECK_NEAR(find_among(poses, 8, false, 9), 3, 0); /* arms may well be spread in between */
    CHECK_NEAR(find_among(poses, 8, false, 1), 0, 0); /* nothing else within the part */
    poses[3].area = 0.1;
    CHECK_NEAR(find_among(poses, 8, false, 9), 4, 0); /* hidden poses stay out as well */
    for (int p = 0; p < 8; p++)
        poses[p].calibration = CALIBRATION_FULL;
    CHECK_NEAR(find_among(poses, 8, false, 9), 7, 0); /* a clip of nothing else */
    for (int p = 0; p < 8; p++)
        poses[p].calibration = CALIBRATION_NEAR;
    CHECK_NEAR(find_among(poses, 8, false, 9), 7, 0); /* only on the way to nowhere */
}

TEST(moment_is_behind_a_jump_near_the_beginning)
{
    struct pose_score poses[40];
    for (int p = 0; p < 40; p++)
        poses[p] = score_of(p < 3 ? 9 : 2 + 0.1 * p, CALIBRATION_NONE);
    CHECK_NEAR(find_among(poses, 40, false, 99), 0, 0);
    poses[3].step = 0.2;
    CHECK_NEAR(find_among(poses, 40, false, 99), 39, 0);
    poses[3].step = 0.07; /* seven times the usual */
    CHECK_NEAR(find_among(poses, 40, false, 99), 0, 0);
    for (int p = 0; p < 40; p++)
        poses[p].step = p == 3 ? 0.09 : 0.001; /* too small to count */
    CHECK_NEAR(find_among(poses, 40, false, 99), 0, 0);
    for (int p = 0; p < 40; p++)
        poses[p].step = p == 5 ? 0.5 : 0.01; /* later than a tenth */
    CHECK_NEAR(find_among(poses, 40, false, 99), 0, 0);
    for (int p = 0; p < 40; p++)
        poses[p].step = p % 8 == 3 ? 0.5 : 0; /* steps */
    CHECK_NEAR(find_among(poses, 40, false, 99), 0, 0);
}

TEST(moment_of_a_timeline_is_not_at_rest)
{
    struct pose_score poses[3] = {score_of(0.1, CALIBRATION_NONE), score_of(2, CALIBRATION_NONE),
                                  score_of(0.05, CALIBRATION_NONE)};
    poses[0].width = poses[2].width = 3;
    CHECK_NEAR(find_among(poses, 3, true, 9), 1, 0);
    poses[1].distance = 0.5; /* then it hardly moves */
    CHECK_NEAR(find_among(poses, 3, true, 9), 0, 0);
}

TEST(moment_of_points_that_lean)
{
    static const struct vec3 REST[4] = {{5, 6, 7}, {5, 6, 9}, {5, 6, 8}, {5, 6, 12}}; /* z is up */
    static const float UP[3] = {0, 0, 1};
    struct vec3 leaning[4], fallen[4];
    for (int i = 0; i < 4;
         i++) { /* by a turn about x whose cosine is 0.8, and on the back; elsewhere, twice as large */
        const float z = REST[i].z - 7;
        leaning[i] = (struct vec3){-3, 1 - 1.2f * z, 4 + 1.6f * z};
        fallen[i] = (struct vec3){1, 2 * z, 0};
    }
    CHECK_NEAR(points_upright(REST, REST, 4, UP), 1, 1e-12);
    CHECK_NEAR(points_upright(REST, leaning, 4, UP), 0.8, 1e-6);
    CHECK_NEAR(points_upright(REST, fallen, 4, UP), 0, 1e-12);
    CHECK_NEAR(points_upright(REST, (const struct vec3[4]){{0}}, 4, UP), 1, 0); /* one place */
}
