#include "anim/hits/hit_set.h"
#include "anim/shape/volume_fit.h"
#include "tests/unit/hits/hit_rig.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 400 };

static double outside_share(const struct hit_volume *volume, const double (*points)[3], uint32_t count)
{
    uint32_t outside = 0;
    for (uint32_t p = 0; p < count; p++)
        outside += plain_depth(volume, points[p]) > 0;
    return (double)outside / count;
}

/* Points on the surface of a capsule that lies anywhere: the fit finds it again. */
TEST(volume_fit_finds_a_capsule_again)
{
    struct plain_random random = {31};
    for (int n = 0; n < 20; n++) {
        double points[POINTS][3], begin[3], axis[3];
        plain_direction(&random, axis);
        for (int i = 0; i < 3; i++)
            begin[i] = plain_uniform(&random, -3, 3);
        for (int p = 0; p < POINTS; p++) {
            double off[3];
            const double along = plain_uniform(&random, 0, 2);
            plain_direction(&random, off);
            for (int i = 0; i < 3; i++)
                points[p][i] = begin[i] + along * axis[i] + 0.4 * off[i];
        }
        struct hit_volume fit = {0};
        volume_fit(VOLUME_CAPSULE, (const double(*)[3])points, POINTS, &fit);
        assert_true(outside_share(&fit, (const double(*)[3])points, POINTS) <= 0.05);
        CHECK_NEAR(fit.radius, 0.4, 0.08);
        double length2 = 0;
        for (int i = 0; i < 3; i++)
            length2 += pow((double)fit.end[i] - (double)fit.center[i], 2);
        CHECK_NEAR(sqrt(length2), 2, 0.5);
    }
}

TEST(volume_fit_finds_a_box_again)
{
    struct plain_random random = {32};
    for (int n = 0; n < 20; n++) {
        static const double HALF[3] = {0.2, 0.5, 1.5};
        double points[POINTS][3], q[3] = {0, 0, 0}, volume = 1, axes[9];
        struct hit_volume box = {.kind = VOLUME_BOX}, fit = {0};
        for (int i = 0; i < 4; i++)
            box.rotation[i] = (float)plain_uniform(&random, -1, 1);
        volume_axes(&box, axes);
        for (int p = 0; p < POINTS; p++)
            for (int i = 0; i < 3; i++) {
                points[p][i] = 7;
                for (int a = 0; a < 3; a++) {
                    q[a] = i == 0 ? plain_uniform(&random, -HALF[a], HALF[a]) : q[a];
                    points[p][i] += q[a] * axes[3 * a + i];
                }
            }
        volume_fit(VOLUME_BOX, (const double(*)[3])points, POINTS, &fit);
        assert_true(outside_share(&fit, (const double(*)[3])points, POINTS) <= 0.05);
        for (int i = 0; i < 3; i++)
            volume *= 2 * (double)fit.half[i];
        assert_true(volume < 1.3 * 8 * HALF[0] * HALF[1] * HALF[2]);
    }
}

TEST(volume_fit_leaves_out_what_sticks_out)
{
    struct plain_random random = {33};
    double points[POINTS][3];
    for (int p = 0; p < POINTS; p++) {
        plain_direction(&random, points[p]);
        for (int i = 0; i < 3; i++)
            points[p][i] *= p < 5 ? 20 : 0.5;
    }
    for (int kind = 0; kind < VOLUME_KIND_COUNT; kind++) {
        struct hit_volume fit = {0};
        double middle[3], radius;
        volume_fit((enum volume_kind)kind, (const double(*)[3])points, POINTS, &fit);
        assert_int_equal(fit.kind, kind);
        volume_ball(&fit, middle, &radius);
        assert_true(outside_share(&fit, (const double(*)[3])points, POINTS) <= 0.05);
        if (kind != VOLUME_SPHERE) /* whose middle goes to the farthest points first */
            assert_true(radius < 3);
    }
}

TEST(volume_fit_takes_few_points)
{
    static const double ONE[1][3] = {{1, 2, 3}}, FLAT[4][3] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int kind = 0; kind < VOLUME_KIND_COUNT; kind++) {
        struct hit_volume fit = {0};
        volume_fit((enum volume_kind)kind, ONE, 1, &fit);
        CHECK_NEAR(fit.center[0], 1, 1e-6);
        CHECK_NEAR(fit.radius + fit.half[0], 0, 1e-6);
        volume_fit((enum volume_kind)kind, FLAT, 4, &fit);
        CHECK_NEAR(outside_share(&fit, FLAT, 4), 0, 0);
        assert_true(kind != VOLUME_BOX || fit.half[0] < 1e-5f || fit.half[1] < 1e-5f || fit.half[2] < 1e-5f);
    }
}

/* --- the volumes of a model --- */

static const struct set_volume *volume_of(const struct hit_set *set, uint32_t node, uint32_t nth)
{
    for (uint32_t v = 0; v < set->count; v++)
        if (set->volumes[v].volume.node == node && nth-- == 0)
            return &set->volumes[v];
    return NULL;
}

TEST(hit_set_has_a_volume_for_each_joint_and_those_of_the_file)
{
    struct plain_random random = {34};
    struct fixture rig;
    struct hit_set *set;
    struct err err;
    hit_rig_init(&rig, &random);
    assert_int_equal(hit_set_new(&rig.model, VOLUME_CAPSULE, 1000000, &set, &err), 0);
    for (uint32_t v = 1; v < set->count; v++)
        assert_true(set->volumes[v - 1].volume.node <= set->volumes[v].volume.node);
    assert_null(volume_of(set, 5, 0));                                  /* none */
    assert_int_equal(volume_of(set, 1, 0)->volume.kind, VOLUME_SPHERE); /* fit */
    assert_false(volume_of(set, 1, 0)->is_given);
    assert_int_equal(volume_of(set, 2, 0)->volume.kind, VOLUME_SPHERE); /* given, two */
    assert_int_equal(volume_of(set, 2, 1)->volume.kind, VOLUME_CAPSULE);
    assert_null(volume_of(set, 2, 2));
    assert_true(volume_of(set, 2, 0)->is_given && volume_of(set, 2, 0)->vertex_count > 0);
    assert_int_equal(volume_of(set, RIG_SOCKET, 0)->vertex_count, 0);
    assert_int_equal(volume_of(set, RIG_SOCKET, 0)->skin, -1);
    assert_int_equal(volume_of(set, 9, 0)->vertex_count, RIG_VERTICES); /* the mesh without a skin */
    uint32_t led = 0;
    for (uint32_t n = 0; n < 10; n++)
        led += volume_of(set, n, 0) != NULL ? volume_of(set, n, 0)->vertex_count : 0;
    assert_true(led > 2 * RIG_VERTICES && led < 3 * RIG_VERTICES); /* except joint 5's */
    for (uint32_t v = 0; v < set->count; v++)
        assert_true(set->volumes[v].is_given ||
                    set->volumes[v].outside_count * FIT_OUTSIDE_PART <= set->volumes[v].vertex_count);
    hit_set_free(set);
    assert_int_equal(hit_set_new(&rig.model, VOLUME_CAPSULE, 3 * RIG_VERTICES - 1, &set, &err), ERR_TOO_MANY_FRAMES);
    assert_non_null(strstr(err.message, "--max-bounds"));
    fixture_fini(&rig);
}

TEST(hit_set_of_a_bad_file_is_its_error)
{
    struct fixture f;
    struct hit_set *set;
    struct err err;
    fixture_init(&f);
    fixture_root(&f, fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    bake_warn(&f.builder, HITBOXES_WARNING, "hero.hitboxes.json: %s", "it is no JSON");
    fixture_finish(&f);
    assert_int_equal(hit_set_new(&f.model, VOLUME_BOX, 1000, &set, &err), ERR_BAD_HITBOXES);
    assert_string_equal(err.message, "hero.hitboxes.json: it is no JSON");
    fixture_fini(&f);
}
