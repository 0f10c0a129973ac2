/* Light from all around: harmonics and the map of roughnesses, compared with sums over all directions. */
#include "anim/light/environment.h"
#include "anim/light/octahedron.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdlib.h>

/* IEEE half to number. */
static double number_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    return exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
}

/* Red from above, green from the right as its square, blue from before the model in a narrow cone. */
static void three_lights(const void *context, const double d[3], double rgb[3])
{
    (void)context;
    rgb[0] = fmax(0, d[1]);
    rgb[1] = d[0] * d[0];
    rgb[2] = d[2] > 0.95 ? 10 : 0;
}

/* The mean of radiance times cosine over the half of directions around n, by brute force. */
static void sum_diffuse(const double n[3], double rgb[3])
{
    enum { STEPS = 400 };
    double sum[3] = {0};
    for (int b = 0; b < STEPS; b++)
        for (int s = 0; s < 2 * STEPS; s++) {
            const double z = (2 * b + 1.0) / STEPS - 1, across = sqrt(1 - z * z), angle = M_PI * (s + 0.5) / STEPS;
            const double d[3] = {across * cos(angle), across * sin(angle), z};
            const double cosine = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
            double seen[3];
            three_lights(NULL, d, seen);
            for (int c = 0; c < 3 && cosine > 0; c++)
                sum[c] += seen[c] * cosine;
        }
    for (int c = 0; c < 3; c++)
        rgb[c] = sum[c] * 4 * M_PI / (2.0 * STEPS * STEPS) / M_PI;
}

TEST(environment_harmonics_are_what_a_lambert_surface_sends)
{
    struct environment_harmonics h;
    environment_project(three_lights, NULL, 256, &h);
    static const double NORMALS[][3] = {{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0.36, 0.48, 0.8}, {-0.6, 0.64, -0.48}};
    for (size_t i = 0; i < sizeof NORMALS / sizeof *NORMALS; i++) {
        const double x = NORMALS[i][0], y = NORMALS[i][1], z = NORMALS[i][2];
        const double p[9] = {1, y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y};
        double expected[3];
        sum_diffuse(NORMALS[i], expected);
        for (int c = 0; c < 3; c++) {
            double found = 0;
            for (int k = 0; k < 9; k++)
                found += (double)h.c[k][c] * p[k];
            /* nine numbers hold a light up to a twentieth of its mean (Ramamoorthi and Hanrahan: 1 % for natural ones)
             */
            CHECK_NEAR(found, expected[c], c == 2 ? 0.06 : 0.04);
        }
    }
}

TEST(environment_white_all_around_is_white_at_every_roughness)
{
    struct environment *light = malloc(sizeof *light);
    assert_int_equal(environment_make(environment_flat, NULL, 64, NULL, NULL, light), 0);
    for (int t = 0; t < ENVIRONMENT_TEXELS; t++)
        for (int c = 0; c < 4; c++)
            assert_int_equal(light->map[t][c], 0x3c00);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(light->harmonics.c[i][c], i == 0, 1e-3);
    free(light);
}

TEST(octahedron_places_and_directions_agree)
{
    for (int i = 0; i < 4000; i++) {
        const double d[3] = {sin(i * 0.7) * (i % 5 == 0 ? 0 : 1), cos(i * 1.3) * (i % 7 == 0 ? 0 : 1),
                             sin(i * 0.37 + 1)};
        const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double at[2], back[3];
        octahedron_place(d, at);
        assert_true(at[0] >= ENVIRONMENT_MARGIN - 1e-9 && at[0] <= 1 - ENVIRONMENT_MARGIN + 1e-9);
        octahedron_direction(at, back);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(back[c], d[c] / length, 1e-6);
    }
    /* beyond an edge is the value one step further on the sphere */
    const double inside[2] = {1 - ENVIRONMENT_MARGIN - 1e-4, 0.3}, outside[2] = {1 - ENVIRONMENT_MARGIN + 1e-4, 0.3};
    double a[3], b[3];
    octahedron_direction(inside, a);
    octahedron_direction(outside, b);
    assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 1 - 1e-5);
}

static const uint16_t *texel_at(const struct environment *light, int level, const double d[3])
{
    double at[2];
    const uint16_t(*texels)[4] = light->map;
    for (int l = 0; l < level; l++)
        texels += (ENVIRONMENT_SIDE >> l) * (ENVIRONMENT_SIDE >> l);
    const int side = ENVIRONMENT_SIDE >> level;
    octahedron_place(d, at);
    return texels[(int)(at[1] * side) * side + (int)(at[0] * side)];
}

/* Level 0 is the light; the last is its mean under the lobe of alpha 1: where n and eye are one, directions weigh as
 * cos theta, times the density 1 / (4 pi) of half-way vectors that are as dense as 1 / pi around the normal. */
TEST(environment_map_has_light_and_its_blur)
{
    struct environment *light = malloc(sizeof *light);
    assert_int_equal(environment_make(three_lights, NULL, 64, NULL, NULL, light), 0);
    static const double FRONT[3] = {0.02, 0.01, 0.999}, UP[3] = {0.03, 0.998, 0.03};
    assert_int_equal(texel_at(light, 0, FRONT)[2], 0x4900); /* 10 */
    assert_int_equal(texel_at(light, 0, UP)[2], 0);
    CHECK_NEAR(number_of(texel_at(light, 0, UP)[0]), 0.998, 0.01);
    /* of a cone in the middle of the lobe: 10 (1 - 0.95^2) */
    CHECK_NEAR(number_of(texel_at(light, 3, FRONT)[2]), 0.975, 0.1);
    /* the mean of cos theta under cos theta: 2/3 */
    CHECK_NEAR(number_of(texel_at(light, 3, UP)[0]), 0.667, 0.04);
    CHECK_NEAR(number_of(texel_at(light, 3, UP)[1]), 0.25, 0.04);
    free(light);
}

/* A picture whose pixels are their own directions: rows are heights, the middle column is before the viewer (-z). */
TEST(environment_pictures_have_their_middle_before_the_viewer)
{
    enum { WIDTH = 8, HEIGHT = 4 };
    float rgb[HEIGHT][WIDTH][3];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            rgb[y][x][0] = (float)x;
            rgb[y][x][1] = (float)y;
            rgb[y][x][2] = 1;
        }
    const struct environment_picture picture = {rgb[0][0], WIDTH, HEIGHT};
    static const struct {
        double d[3];
        double column, row;
    } ROWS[] = {{{0, 0, -1}, 3.5, 1.5}, {{1, 0, 0}, 5.5, 1.5}, {{-1, 0, 0}, 1.5, 1.5},
                {{0, 1, 0}, 3.5, 0},    {{0, -1, 0}, 3.5, 3},  {{0, 0, 1}, 3.5, 1.5}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        double found[3];
        environment_equirectangular(&picture, ROWS[i].d, found);
        if (i != 3 && i != 4)
            CHECK_NEAR(found[0], ROWS[i].column, 1e-6);
        CHECK_NEAR(found[1], ROWS[i].row, 1e-6);
        CHECK_NEAR(found[2], 1, 1e-6);
    }
}

/* Impossible light counts as the nearest possible one. A small sun is not lost between steps. */
static void wild(const void *context, const double d[3], double rgb[3])
{
    (void)context;
    rgb[0] = d[0] > 0 ? (double)NAN : -1;
    rgb[1] = (double)INFINITY;
    rgb[2] = d[1] > 0.9995 ? 1000 : 0;
}

TEST(environment_takes_wild_light)
{
    struct environment *light = malloc(sizeof *light);
    assert_int_equal(environment_make(wild, NULL, 512, NULL, NULL, light), 0);
    CHECK_NEAR(light->harmonics.c[0][0], 0, 0);
    CHECK_NEAR(light->harmonics.c[0][1], 65504, 1);
    CHECK_NEAR(light->harmonics.c[0][2], 1000 * 0.0005 / 2, 0.06);
    for (int t = 0; t < ENVIRONMENT_TEXELS; t++) {
        assert_int_equal(light->map[t][0], 0);
        assert_int_equal(light->map[t][1], 0x7bff);
    }
    free(light);
}

static int count_calls(const void *calls) { return ++*(int *)(uintptr_t)calls > 3; }

TEST(environment_stops_when_told)
{
    int calls = 0;
    struct environment *light = malloc(sizeof *light);
    assert_int_equal(environment_make(environment_studio, NULL, 64, count_calls, &calls, light), -1);
    assert_int_equal(calls, 4);
    free(light);
}
