/* server/import/mesh/triangulate.h: outlines of known area, in a rotated, stretched plane far from the origin. */
#include "base/mem.h"
#include "import/mesh/triangulate.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>

/* The plane's axes: neither unit vectors nor at right angles, with a normal along no axis. */
static const double U[3] = {0.5, 0.75, -0.25}, V[3] = {-1, 0.5, 2}, ORIGIN[3] = {110, -70, 40};

struct outline {
    double (*plane)[2];
    double (*points)[3];
    uint32_t count;
    uint32_t *triangles; /* [3 * (count - 2)] */
};

static void outline_init(struct outline *outline, uint32_t count)
{
    outline->plane = mem_zalloc(count, sizeof *outline->plane);
    outline->points = mem_zalloc(count, sizeof *outline->points);
    outline->triangles = mem_zalloc((size_t)count * 3, sizeof *outline->triangles);
    outline->count = count;
}

static void outline_fini(struct outline *outline)
{
    free(outline->plane);
    free(outline->points);
    free(outline->triangles);
}

static double area_of(const double a[2], const double b[2], const double c[2])
{
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

static double outline_area(const struct outline *outline)
{
    double area = 0;
    for (uint32_t i = 1; i + 1 < outline->count; i++)
        area += area_of(outline->plane[0], outline->plane[i], outline->plane[i + 1]);
    return area;
}

static void run(struct outline *outline)
{
    for (uint32_t i = 0; i < outline->count; i++)
        for (int k = 0; k < 3; k++)
            outline->points[i][k] = ORIGIN[k] + U[k] * outline->plane[i][0] + V[k] * outline->plane[i][1];
    struct triangulator triangulator = {0};
    triangulate(&triangulator, (const double(*)[3])outline->points, outline->count, outline->triangles);
    triangulator_fini(&triangulator);
}

/* Triangles of one orientation whose areas add up to the outline's cover it once. */
static void check_covers(struct outline *outline)
{
    run(outline);
    const double area = outline_area(outline);
    double sum = 0, sum_of_sizes = 0;
    for (uint32_t i = 0; i < outline->count - 2; i++) {
        const uint32_t *t = outline->triangles + (size_t)3 * i;
        assert_true(t[0] < outline->count && t[1] < outline->count && t[2] < outline->count);
        const double part = area_of(outline->plane[t[0]], outline->plane[t[1]], outline->plane[t[2]]);
        sum += part;
        sum_of_sizes += fabs(part);
    }
    CHECK_NEAR(sum, area, 1e-9 * fabs(area));
    CHECK_NEAR(sum_of_sizes, fabs(area), 1e-9 * fabs(area));
}

static void check_outline(const double (*plane)[2], uint32_t count)
{
    for (int is_turned_round = 0; is_turned_round < 2; is_turned_round++) {
        struct outline outline;
        outline_init(&outline, count);
        for (uint32_t i = 0; i < count; i++)
            for (int k = 0; k < 2; k++)
                outline.plane[i][k] = plane[is_turned_round ? count - 1 - i : i][k];
        check_covers(&outline);
        outline_fini(&outline);
    }
}

TEST(triangulate_small_outlines)
{
    check_outline((const double[][2]){{0, 0}, {3, 0}, {1, 2}}, 3);
    check_outline((const double[][2]){{0, 0}, {3, 0}, {3, 2}, {0, 2}}, 4);
    /* An arrow: one of its two diagonals lies outside. */
    check_outline((const double[][2]){{0, 0}, {4, 0}, {1, 1}, {0, 4}}, 4);
    check_outline((const double[][2]){{4, 0}, {1, 1}, {0, 4}, {0, 0}}, 4);
    /* A letter E. */
    check_outline(
        (const double[][2]){
            {0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {3, 2}, {3, 3}, {1, 3}, {1, 4}, {3, 4}, {3, 5}, {0, 5}},
        12);
}

TEST(triangulate_square_by_its_first_corner)
{
    struct outline outline;
    outline_init(&outline, 4);
    const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 8; i++)
        outline.plane[i / 2][i % 2] = square[i / 2][i % 2];
    run(&outline);
    assert_memory_equal(outline.triangles, ((const uint32_t[]){0, 1, 2, 2, 3, 0}), 6 * sizeof(uint32_t));
    outline_fini(&outline);
}

TEST(triangulate_corners_on_lines)
{
    check_outline((const double[][2]){{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {2, 2}, {1, 2}, {0, 2}, {0, 1}},
                  10);
    check_outline((const double[][2]){{0, 0}, {2, 0}, {1, 0}, {3, 0}, {3, 2}, {0, 2}}, 6);
}

TEST(triangulate_outline_with_a_hole_joined_by_an_edge)
{
    check_outline((const double[][2]){{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}},
                  10);
}

/* Spikes all round: every second corner is the tip of one. */
TEST(triangulate_star_of_25000_corners)
{
    struct outline outline;
    outline_init(&outline, 25000);
    for (uint32_t i = 0; i < outline.count; i++) {
        const double angle = 6.283185307179586 * i / outline.count, radius = i % 2 ? 1 : 3;
        outline.plane[i][0] = radius * cos(angle);
        outline.plane[i][1] = radius * sin(angle);
    }
    check_covers(&outline);
    outline_fini(&outline);
}

/* All corners but one in one cell of the grid, and none of them convex from the first on: the time must not grow with
 * the square of their number. Triangles may overlap then, but there are as many. */
TEST(triangulate_crowd_of_200000_corners)
{
    struct outline outline;
    outline_init(&outline, 200001);
    for (uint32_t i = 0; i < 200000; i++) {
        const double angle = 6.283185307179586 * i / 200000, radius = i % 2 == 0 ? 1e-6 : 0.5e-6;
        outline.plane[i][0] = radius * cos(angle);
        outline.plane[i][1] = radius * sin(angle);
    }
    outline.plane[200000][0] = 1000;
    run(&outline);
    for (uint32_t i = 0; i < 3 * (outline.count - 2); i++)
        assert_in_range(outline.triangles[i], 0, outline.count - 1);
    outline_fini(&outline);
}

TEST(triangulate_circle_and_spiral_of_25000_corners)
{
    struct outline circle, spiral;
    outline_init(&circle, 25000);
    outline_init(&spiral, 25000);
    for (uint32_t i = 0; i < 25000; i++) {
        const double angle = 6.283185307179586 * i / 25000;
        circle.plane[i][0] = cos(angle);
        circle.plane[i][1] = sin(angle);
        /* Twenty turns outwards along one wall, then back along the other. */
        const uint32_t step = i < 12500 ? i : 24999 - i;
        const double turn = 125.66370614359172 * step / 12500,
                     radius = 1 + turn / 6.283185307179586 + (i < 12500 ? 0.5 : 0);
        spiral.plane[i][0] = radius * cos(turn);
        spiral.plane[i][1] = radius * sin(turn);
    }
    check_covers(&circle);
    check_covers(&spiral);
    outline_fini(&circle);
    outline_fini(&spiral);
}

/* A comb with teeth of random lengths, upright and then each tooth bent: long thin ears across many cells. */
TEST(triangulate_combs)
{
    uint32_t seed = 7;
    struct outline outline;
    outline_init(&outline, 4002);
    for (uint32_t i = 0; i < 4000; i++) {
        seed = seed * 1664525u + 1013904223u;
        const bool is_tip = i % 2 == 1;
        outline.plane[4001 - i][0] = i + (is_tip ? 0.9 : 0);
        outline.plane[4001 - i][1] = is_tip ? 50 + (seed >> 16) % 1000 : 10;
    }
    outline.plane[1][0] = 4000;
    check_covers(&outline);
    outline_fini(&outline);
}

TEST(triangulate_what_has_no_area_or_crosses_itself)
{
    uint32_t seed = 1;
    for (uint32_t count = 3; count < 60; count++)
        for (int kind = 0; kind < 4; kind++) {
            struct outline outline;
            outline_init(&outline, count);
            for (uint32_t i = 0; i < count * 2; i++) {
                seed = seed * 1664525u + 1013904223u;
                const double value = (double)(seed >> 8) * (kind == 3 ? 1e300 : 1);
                outline.plane[i / 2][i % 2] = kind == 0 ? 5 : kind == 1 && i % 2 ? 0 : value;
            }
            run(&outline);
            for (uint32_t i = 0; i < 3 * (count - 2); i++)
                assert_true(outline.triangles[i] < count);
            outline_fini(&outline);
        }
}
