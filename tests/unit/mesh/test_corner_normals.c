/* server/import/mesh/corner_normals.h: a roof of two faces at a right angle, rotated and far from the origin. */
#include "import/mesh/corner_normals.h"
#include "tests/unit/support/check.h"

/* A ridge from points 0 to 1; one face falls towards 2 and 3, the other towards 4 and 5. Turned by 30 degrees about the
 * ridge, which lies along x, and moved. */
#define COS30 0.86602540378443865
static const double POINTS[6][3] = {
    {10, 20, 30},
    {14, 20, 30},
    {14, 20 + 2 * COS30, 30 + 1},
    {10, 20 + 2 * COS30, 30 + 1},
    {10, 20 + 0.5 * 3, 30 - COS30 * 3},
    {14, 20 + 0.5 * 3, 30 - COS30 * 3},
};
static const uint32_t CORNERS[8] = {0, 1, 2, 3, 1, 0, 4, 5};
static const uint32_t STARTS[3] = {0, 4, 8};
static const struct polygons ROOF = {POINTS, CORNERS, STARTS, 6, 2};
/* (1,0,0) x (0, cos 30, sin 30), and (-1,0,0) x (0, sin 30, -cos 30) */
static const double FIRST[3] = {0, -0.5, COS30}, SECOND[3] = {0, -COS30, -0.5};

static void check_is(struct vec3 normal, const double expected[3])
{
    CHECK_NEAR(normal.x, expected[0], 1e-6);
    CHECK_NEAR(normal.y, expected[1], 1e-6);
    CHECK_NEAR(normal.z, expected[2], 1e-6);
}

static void check_edge(const struct smoothing *smoothing, bool is_edge)
{
    struct vec3 normals[8];
    corner_normals(&ROOF, smoothing, normals);
    /* Both faces have a right angle at the ridge, so they weigh the same. */
    double mean[3];
    for (int k = 0; k < 3; k++)
        mean[k] = (FIRST[k] + SECOND[k]) / sqrt(2);
    check_is(normals[0], is_edge ? FIRST : mean);
    check_is(normals[1], is_edge ? FIRST : mean);
    check_is(normals[2], FIRST);
    check_is(normals[4], is_edge ? SECOND : mean);
    check_is(normals[6], SECOND);
}

TEST(corner_normals_right_angle_is_an_edge) { check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_ANGLE}, true); }

TEST(corner_normals_common_group_is_smooth)
{
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_GROUPS, .groups = (const uint32_t[]){5, 4}}, false);
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_GROUPS, .groups = (const uint32_t[]){5, 2}}, true);
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_GROUPS, .groups = (const uint32_t[]){0, 0}}, true);
}

TEST(corner_normals_hard_edge_by_either_side)
{
    const uint8_t none[8] = {0}, first[8] = {1}, second[8] = {0, 0, 0, 0, 1}, elsewhere[8] = {0, 1, 1, 1};
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_EDGES, .is_hard = none}, false);
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_EDGES, .is_hard = first}, true);
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_EDGES, .is_hard = second}, true);
    check_edge(&(const struct smoothing){.kind = SMOOTHING_BY_EDGES, .is_hard = elsewhere}, false);
}

TEST(corner_normals_tip_of_many_faces_is_smooth)
{
    enum { SIDES = 300 };
    static double points[SIDES + 1][3];
    static uint32_t corners[3 * SIDES], starts[SIDES + 1];
    static struct vec3 normals[3 * SIDES];
    for (uint32_t i = 0; i < SIDES; i++) {
        const double angle = 6.283185307179586 * i / SIDES;
        points[i + 1][0] = cos(angle);
        points[i + 1][1] = sin(angle);
        points[i + 1][2] = -0.1;
        const uint32_t triangle[3] = {0, i + 1, (i + 1) % SIDES + 1};
        for (uint32_t k = 0; k < 3; k++)
            corners[3 * i + k] = triangle[k];
        starts[i + 1] = 3 * (i + 1);
    }
    const struct polygons cone = {(const double(*)[3])points, corners, starts, SIDES + 1, SIDES};
    corner_normals(&cone, &(const struct smoothing){.kind = SMOOTHING_BY_ANGLE}, normals);
    check_is(normals[0], (const double[]){0, 0, 1});
}

TEST(corner_normals_without_area_are_upright)
{
    const double points[3][3] = {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}};
    const uint32_t corners[] = {0, 1, 2, 0, 1}, starts[] = {0, 3, 5};
    struct vec3 normals[5];
    const struct polygons nothing = {points, corners, starts, 3, 2};
    corner_normals(&nothing, &(const struct smoothing){.kind = SMOOTHING_BY_ANGLE}, normals);
    for (int c = 0; c < 5; c++)
        check_is(normals[c], (const double[]){0, 0, 1});
}
