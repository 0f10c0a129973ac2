#include "anim/shape/volume_image.h"
#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/check.h"

#include <string.h>

enum { CASES = 10000, BALL_CASES = 10000, MISS_CASES = RANDOM_CASES(200) };

struct cast_case {
    struct hit_volume volume;
    struct dmat4 world_from_joint;
    double origin[3], direction[3];
};

/* A ray from up to 20 units away, at a place within 1.5 units of the volume's middle. */
static void make_case(struct plain_random *random, struct cast_case *c)
{
    double middle[3], ball, target[3];
    plain_volume(random, &c->volume);
    plain_matrix(random, &c->world_from_joint);
    volume_ball(&c->volume, middle, &ball);
    dmat4_point(&c->world_from_joint, middle, target);
    const double away = plain_uniform(random, 0, 20);
    double side[3];
    plain_direction(random, side);
    for (int i = 0; i < 3; i++) {
        c->origin[i] = target[i] + away * side[i];
        c->direction[i] = target[i] + plain_uniform(random, -1.5, 1.5) - c->origin[i];
    }
    unit3(c->direction);
}

/* volume_ray() in joint space, as casts use it. */
static bool cast(const struct cast_case *c, struct volume_entry *entry)
{
    struct dmat4 joint_from_world;
    double origin[3], direction[3];
    assert_true(dmat4_invert(&c->world_from_joint, &joint_from_world));
    dmat4_point(&joint_from_world, c->origin, origin);
    dmat4_direction(&joint_from_world, c->direction, direction);
    return volume_ray(&c->volume, origin, direction, entry);
}

TEST(volume_rays_are_those_of_a_plain_search)
{
    struct plain_random random = {1};
    uint32_t hits[VOLUME_KIND_COUNT] = {0}, misses = 0, insides = 0;
    for (int n = 0; n < CASES; n++) {
        struct cast_case c;
        struct volume_entry entry;
        double distance = 0;
        make_case(&random, &c);
        const bool is_hit = cast(&c, &entry);
        const bool is_plain = plain_ray(&c.volume, &c.world_from_joint, c.origin, c.direction, 60, &distance);
        assert_int_equal(is_hit, is_plain);
        misses += !is_hit;
        if (!is_hit)
            continue;
        CHECK_NEAR(entry.t, distance, 1e-9);
        assert_int_equal(entry.is_inside, distance <= 0);
        insides += entry.is_inside;
        hits[c.volume.kind]++;
    }
    for (int k = 0; k < VOLUME_KIND_COUNT; k++)
        assert_true(hits[k] > 500);
    assert_true(misses > 1000 && insides > 50);
}

TEST(volume_normals_are_those_of_the_surface)
{
    struct plain_random random = {2};
    for (int n = 0; n < CASES; n++) {
        struct cast_case c;
        struct volume_entry entry;
        make_case(&random, &c);
        if (!cast(&c, &entry) || entry.is_inside)
            continue;
        struct dmat4 joint_from_world;
        double point[3], normal[3], world[3];
        dmat4_invert(&c.world_from_joint, &joint_from_world);
        for (int i = 0; i < 3; i++) {
            world[i] = c.origin[i] + entry.t * c.direction[i];
            normal[i] = dot3(joint_from_world.m + 4 * i, entry.normal);
        }
        unit3(normal);
        dmat4_point(&joint_from_world, world, point);
        CHECK_NEAR(plain_depth(&c.volume, point), 0, 1e-9);
        /* the plane through the point with this normal has the whole image on one side */
        CHECK_NEAR(plain_support(&c.volume, &c.world_from_joint, normal), dot3(world, normal), 1e-6);
        assert_true(dot3(normal, c.direction) <= 0);
    }
}

/* The point is of the image, the ball touches it there, and a plane lies between them: so the distance is the radius.
 * Distances along a line are convex: where it falls for the first time to the radius, it falls. */
static void check_touch(const struct cast_case *c, double radius, const struct volume_entry *entry,
                        const double touched[3])
{
    struct dmat4 joint_from_world;
    double inside[3], middle[3];
    dmat4_invert(&c->world_from_joint, &joint_from_world);
    dmat4_point(&joint_from_world, touched, inside);
    for (int i = 0; i < 3; i++)
        middle[i] = c->origin[i] + entry->t * c->direction[i] - touched[i];
    assert_true(plain_depth(&c->volume, inside) <= 1e-9);
    CHECK_NEAR(sqrt(dot3(middle, middle)), radius, 1e-9);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(middle[i] / radius, entry->normal[i], 1e-7);
    CHECK_NEAR(plain_support(&c->volume, &c->world_from_joint, entry->normal), dot3(touched, entry->normal), 1e-7);
    assert_true(dot3(entry->normal, c->direction) <= 0);
}

TEST(volume_sweeps_touch_where_a_plane_parts_ball_and_volume)
{
    struct plain_random random = {3};
    uint32_t hits[VOLUME_KIND_COUNT] = {0}, insides = 0;
    for (int n = 0; n < BALL_CASES; n++) {
        struct cast_case c;
        struct volume_image image;
        struct volume_entry entry;
        double touched[3];
        make_case(&random, &c);
        const double radius = plain_uniform(&random, 0.01, 1);
        volume_image_init(&image, &c.volume, &c.world_from_joint);
        if (!volume_image_sweep(&image, c.origin, c.direction, radius, 60, &entry, touched))
            continue;
        hits[c.volume.kind]++;
        insides += entry.is_inside;
        if (!entry.is_inside)
            check_touch(&c, radius, &entry, touched);
        else
            assert_true(plain_distance(&c.volume, &c.world_from_joint, c.origin) <= radius + 1e-7);
    }
    for (int k = 0; k < VOLUME_KIND_COUNT; k++)
        assert_true(hits[k] > 500);
    assert_true(insides > 50);
}

TEST(volume_sweeps_that_miss_stay_away)
{
    struct plain_random random = {4};
    for (int n = 0, misses = 0; misses < MISS_CASES; n++) {
        struct cast_case c;
        struct volume_image image;
        struct volume_entry entry;
        double touched[3];
        make_case(&random, &c);
        const double radius = plain_uniform(&random, 0.01, 0.5);
        volume_image_init(&image, &c.volume, &c.world_from_joint);
        if (volume_image_sweep(&image, c.origin, c.direction, radius, 60, &entry, touched))
            continue;
        misses++;
        for (int step = 0; step <= 60; step++) {
            double at[3];
            for (int i = 0; i < 3; i++)
                at[i] = c.origin[i] + 0.5 * step * c.direction[i];
            const double distance = plain_distance(&c.volume, &c.world_from_joint, at);
            assert_true(distance > radius - 1e-7);
            CHECK_NEAR(volume_image_distance(&image, at, touched), distance, 1e-6);
        }
        assert_true(n < 100 * MISS_CASES);
    }
}

TEST(volume_points_are_in_it_or_not)
{
    struct plain_random random = {5};
    for (int n = 0; n < CASES; n++) {
        struct hit_volume volume;
        double point[3], middle[3], radius;
        plain_volume(&random, &volume);
        for (int i = 0; i < 3; i++)
            point[i] = plain_uniform(&random, -1.5, 1.5);
        assert_int_equal(volume_contains(&volume, point), plain_depth(&volume, point) <= 0);
        volume_ball(&volume, middle, &radius);
        double off[3] = {point[0] - middle[0], point[1] - middle[1], point[2] - middle[2]};
        assert_true(!volume_contains(&volume, point) || sqrt(dot3(off, off)) <= radius * (1 + 1e-12));
    }
}

TEST(volume_without_size_is_met_in_its_place)
{
    const struct hit_volume flat = {.kind = VOLUME_BOX, .rotation = {0, 0, 0, 1}, .half = {1, 0, 1}};
    struct volume_entry entry;
    assert_true(volume_ray(&flat, (const double[]){0.5, 2, 0.5}, (const double[]){0, -1, 0}, &entry));
    CHECK_NEAR(entry.t, 2, 0);
    CHECK_NEAR(entry.normal[1], 1, 0);
    assert_false(volume_ray(&flat, (const double[]){1.5, 2, 0.5}, (const double[]){0, -1, 0}, &entry));
    assert_false(volume_ray(&flat, (const double[]){0.5, 2, 0.5}, (const double[]){0, 1, 0}, &entry));
    const struct hit_volume point = {.kind = VOLUME_SPHERE, .rotation = {0, 0, 0, 1}};
    assert_true(volume_ray(&point, (const double[]){0, 3, 0}, (const double[]){0, -1, 0}, &entry));
    CHECK_NEAR(entry.t, 3, 0);
    CHECK_NEAR(entry.normal[1], 1, 0); /* against the ray, where the surface has no side */
    struct volume_image image;
    double touched[3];
    volume_image_init(&image, &point, &DMAT4_IDENTITY);
    assert_true(
        volume_image_sweep(&image, (const double[]){0, 3, 0.3}, (const double[]){0, -1, 0}, 0.5, 10, &entry, touched));
    CHECK_NEAR(entry.t, 3 - 0.4, 1e-12);
    CHECK_NEAR(entry.normal[2], 0.6, 1e-12);
}
