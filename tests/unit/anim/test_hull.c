#include "anim/camera/hull.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>

enum { MANY = 4000 };

static double random_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24);
}

static double support(const struct vec3 *points, const uint32_t *picked, uint32_t count, const double direction[3])
{
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        const struct vec3 p = points[picked == NULL ? i : picked[i]];
        most = fmax(most, direction[0] * (double)p.x + direction[1] * (double)p.y + direction[2] * (double)p.z);
    }
    return most;
}

/* The chosen points reach as far as all points in 500 directions. Returns the number of chosen points. */
static uint32_t check_hull(const struct vec3 *points, uint32_t count, double tolerance)
{
    uint32_t *picked = malloc(count * sizeof *picked), state = 7;
    const uint32_t found = hull_pick(points, count, tolerance, picked);
    assert_true(found >= 1 && found <= count);
    for (uint32_t i = 1; i < found; i++)
        assert_true(picked[i - 1] < picked[i] && picked[i] < count);
    for (int d = 0; d < 500; d++) {
        double direction[3], length = 0;
        for (int i = 0; i < 3; i++) {
            direction[i] = random_unit(&state) * 2 - 1;
            length += direction[i] * direction[i];
        }
        for (int i = 0; i < 3; i++)
            direction[i] /= sqrt(length);
        const double all = support(points, NULL, count, direction);
        const double kept = support(points, picked, found, direction);
        assert_true(kept >= all - 2 * tolerance - 1e-9 * fabs(all));
    }
    free(picked);
    return found;
}

TEST(hull_of_a_cloud_keeps_its_extremes)
{
    struct vec3 points[MANY];
    uint32_t seed = 1;
    for (int i = 0; i < MANY; i++) {
        points[i].x = (float)(random_unit(&seed) * 3 + 1000);
        points[i].y = (float)(random_unit(&seed) * random_unit(&seed) * 2);
        points[i].z = (float)(random_unit(&seed) * random_unit(&seed) - 5);
    }
    assert_true(check_hull(points, MANY, 0) < MANY / 4);
}

TEST(hull_of_a_sphere_ends_at_its_tolerance)
{
    struct vec3 points[MANY];
    for (int i = 0; i < MANY; i++) {
        const double z = 1 - (2 * i + 1.0) / MANY, turn = i * 2.399963229728653, r = sqrt(1 - z * z);
        points[i] = (struct vec3){(float)(r * cos(turn)), (float)(r * sin(turn)), (float)z};
    }
    assert_int_equal(check_hull(points, MANY, 0), MANY);
    const uint32_t rough = check_hull(points, MANY, 0.01);
    assert_true(rough > 50 && rough < 1000);
}

TEST(hull_of_boxes_has_their_corners_only)
{
    struct vec3 points[1000];
    for (int i = 0; i < 1000; i++) /* a grid: most points lie on its faces and edges */
        points[i] = (struct vec3){(float)(i % 10), (float)(i / 10 % 10) * 0.1f, (float)(i / 100) * 1e3f};
    assert_int_equal(check_hull(points, 1000, 0), 8);
}

TEST(hull_of_flat_straight_and_single_sets)
{
    struct vec3 points[1000];
    for (int i = 0; i < 1000; i++) {
        const float u = (float)(i % 32), v = (float)(i / 32); /* i is 999 in the corner of 31.2 rows: five corners */
        points[i] = (struct vec3){u + 100, u - v, v * 0.5f};
    }
    const uint32_t flat = check_hull(points, 1000, 1e-5);
    assert_true(flat >= 4 && flat < 100);
    for (int i = 0; i < 1000; i++)
        points[i] = (struct vec3){3, (float)(i * 7 % 1000), (float)(i * 7 % 1000) * 2};
    const uint32_t straight = check_hull(points, 1000, 1e-3);
    assert_true(straight >= 2 && straight < 10);
    for (int i = 0; i < 1000; i++)
        points[i] = (struct vec3){3, 4, 5};
    assert_int_equal(check_hull(points, 1000, 0), 1);
    for (uint32_t count = 1; count < 9; count++)
        check_hull(points, count, 0);
}

TEST(hull_of_enormous_and_tiny_sets)
{
    const float sizes[] = {1e-38f, 1e-20f, 1e20f, 3e38f};
    for (int s = 0; s < 4; s++) {
        struct vec3 points[500];
        uint32_t seed = 3;
        for (int i = 0; i < 500; i++)
            points[i] = (struct vec3){(float)random_unit(&seed) * sizes[s], (float)random_unit(&seed) * sizes[s],
                                      (float)(random_unit(&seed) - 0.5) * sizes[s]};
        uint32_t picked[500];
        const uint32_t found = hull_pick(points, 500, 0, picked);
        assert_true(found > 4 && found < 300);
    }
}

TEST(hull_reduce_moves_the_points_to_the_front)
{
    struct vec3 points[9] = {{0, 0, 0},    {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                             {0, 0, 0.5f}, {-1, -1, 1},  {1, -1, 1},  {0, 1, 1}};
    assert_int_equal(hull_reduce(points, 9, 0), 7);
    CHECK_NEAR(points[0].x, -1, 0);
    CHECK_NEAR(points[6].z, 1, 0);
    CHECK_NEAR(points[6].y, 1, 0);
}
