#include "anim/shape/triangle.h"
#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/check.h"

enum { CASES = 20000, FANS = 4000 };

static void random_triangle(struct plain_random *random, double corners[3][3])
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            corners[c][i] = plain_uniform(random, -1, 1);
}

static void random_ray(struct plain_random *random, struct triangle_ray *ray)
{
    double origin[3], direction[3];
    plain_direction(random, origin);
    for (int i = 0; i < 3; i++) {
        origin[i] *= 4;
        direction[i] = plain_uniform(random, -1, 1) - origin[i];
    }
    unit3(direction);
    triangle_ray_init(ray, origin, direction);
}

TEST(triangle_points_are_the_shares_of_its_corners)
{
    struct plain_random random = {21};
    uint32_t hits = 0;
    for (int n = 0; n < CASES; n++) {
        double corners[3][3];
        struct triangle_ray ray;
        struct triangle_entry entry;
        random_triangle(&random, corners);
        random_ray(&random, &ray);
        if (!triangle_hit(&ray, (const double(*)[3])corners, &entry))
            continue;
        hits++;
        CHECK_NEAR(entry.barycentric[0] + entry.barycentric[1] + entry.barycentric[2], 1, 1e-12);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(entry.touched[i], ray.origin[i] + entry.t * ray.direction[i], 1e-9);
        assert_true(dot3(entry.normal, ray.direction) < 0);
    }
    assert_true(hits > CASES / 20);
}

/* Rays through the common edges and the middle of a closed fan. */
TEST(triangle_rays_do_not_pass_between_neighbours)
{
    struct plain_random random = {22};
    for (int n = 0; n < FANS; n++) {
        enum { BLADES = 5 };
        double rim[BLADES][3], origin[3] = {0, 0, 3}, direction[3], target[3];
        for (int b = 0; b < BLADES; b++) {
            const double angle = b * 2 * acos(-1) / BLADES;
            rim[b][0] = cos(angle) * plain_uniform(&random, 0.8, 1.2);
            rim[b][1] = sin(angle) * plain_uniform(&random, 0.8, 1.2);
            rim[b][2] = plain_uniform(&random, -0.2, 0.2);
        }
        const double share = n % 7 == 0 ? 0 : plain_uniform(&random, 0, 0.9);
        struct triangle_ray ray;
        bool is_hit = false;
        for (int i = 0; i < 3; i++) {
            origin[i] += plain_uniform(&random, -0.5, 0.5);
            target[i] = share * rim[n % BLADES][i];
            direction[i] = target[i] - origin[i];
        }
        unit3(direction);
        triangle_ray_init(&ray, origin, direction);
        for (int b = 0; b < BLADES; b++) {
            double corners[3][3] = {{0, 0, 0}};
            struct triangle_entry entry;
            for (int i = 0; i < 3; i++) {
                corners[1][i] = rim[b][i];
                corners[2][i] = rim[(b + 1) % BLADES][i];
            }
            is_hit = is_hit || triangle_hit(&ray, (const double(*)[3])corners, &entry);
        }
        assert_true(is_hit);
    }
}

/* The distance along the way is convex: what touches, and is nearer a little later, touches for the first time. */
TEST(triangle_balls_touch_for_the_first_time)
{
    struct plain_random random = {23};
    uint32_t hits = 0, misses = 0;
    for (int n = 0; n < CASES; n++) {
        double corners[3][3], shares[3], nearest[3], at[3];
        struct triangle_ray ray;
        struct triangle_entry entry;
        random_triangle(&random, corners);
        random_ray(&random, &ray);
        const double radius = plain_uniform(&random, 0.01, 0.8);
        if (triangle_sweep(&ray, radius, (const double(*)[3])corners, &entry)) {
            hits++;
            for (int i = 0; i < 3; i++)
                at[i] = ray.origin[i] + entry.t * ray.direction[i];
            const double distance = triangle_nearest((const double(*)[3])corners, at, shares, nearest);
            CHECK_NEAR(distance, radius, 1e-9);
            CHECK_NEAR(entry.touched[0], at[0] - radius * entry.normal[0], 1e-7);
            assert_true(dot3(entry.normal, ray.direction) <= 1e-9);
            continue;
        }
        misses++;
        for (int step = 0; step < 100; step++) {
            for (int i = 0; i < 3; i++)
                at[i] = ray.origin[i] + 0.08 * step * ray.direction[i];
            assert_true(triangle_nearest((const double(*)[3])corners, at, shares, nearest) > radius - 1e-9);
        }
    }
    assert_true(hits > CASES / 10 && misses > CASES / 10);
}

TEST(triangle_nearest_is_nearer_than_all_others)
{
    struct plain_random random = {24};
    for (int n = 0; n < CASES / 20; n++) {
        double corners[3][3], point[3], shares[3], nearest[3];
        random_triangle(&random, corners);
        for (int i = 0; i < 3; i++)
            point[i] = plain_uniform(&random, -2, 2);
        const double distance = triangle_nearest((const double(*)[3])corners, point, shares, nearest);
        for (int a = 0; a <= 30; a++)
            for (int b = 0; a + b <= 30; b++) {
                double length2 = 0;
                for (int i = 0; i < 3; i++) {
                    const double off =
                        (a * corners[0][i] + b * corners[1][i] + (30 - a - b) * corners[2][i]) / 30 - point[i];
                    length2 += off * off;
                }
                assert_true(distance <= sqrt(length2) + 1e-12);
            }
    }
}
