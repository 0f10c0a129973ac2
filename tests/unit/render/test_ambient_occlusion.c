/* server/render/image/ambient_occlusion.h: scenes as depths, computed here for each sample. */
#include "tests/unit/support/check.h"

#include "render/image/ambient_occlusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, SCALE = 2, ROW = SIDE * SCALE, COUNT = ROW * ROW };

static uint32_t depths[COUNT];
static uint8_t samples[COUNT * 4];
static struct ambient_occlusion occlusion;

/* The distance along the line of sight at x, y from -1 to 1 over the picture; INFINITY: nothing is there. */
typedef double scene(double x, double y, bool is_flat);

/* How many times more pixels a length has upwards than across. */
static double stretch = 1;

/* Near and far planes at 4 and 12; at distance 8 both cameras see from -2 to 2. */
static struct dmat4 camera_of(bool is_flat)
{
    struct dmat4 m = {{0}};
    const double near = 4, far = 12;
    m.m[0] = is_flat ? 0.5 : 4;
    m.m[5] = m.m[0] * stretch;
    m.m[10] = is_flat ? -2 / (far - near) : -(far + near) / (far - near);
    m.m[11] = is_flat ? 0 : -1;
    m.m[14] = is_flat ? -(far + near) / (far - near) : -2 * far * near / (far - near);
    m.m[15] = is_flat;
    return m;
}

/* Where the line of sight through x, y meets the plane on which distance = 8 + x' * dx + y' * dy. */
static double plane(double x, double y, bool is_flat, double dx, double dy)
{
    return is_flat ? 8 + 2 * x * dx + 2 * y * dy : 8 / (1 - x / 4 * dx - y / 4 * dy);
}

static void draw(scene *distance, bool is_flat)
{
    const struct dmat4 m = camera_of(is_flat);
    struct err err;
    for (int i = 0; i < COUNT; i++) {
        const double y = ((i / ROW + 0.5) / ROW * 2 - 1) / stretch;
        const double z = -distance((i % ROW + 0.5) / ROW * 2 - 1, y, is_flat);
        const double depth = 0.5 + 0.5 * (m.m[10] * z + m.m[14]) / (m.m[11] * z + m.m[15]);
        depths[i] = isinf(z) ? 0xffffff00 : (uint32_t)lround(depth * 16777215) << 8;
        memcpy(samples + 4 * (size_t)i, (const uint8_t[4]){200, 100, 50, 255}, 4);
    }
    assert_int_equal(ambient_occlusion_darken(&occlusion, depths, SIDE, SIDE, SCALE, &m, samples, &err), 0);
}

static uint8_t red_at(double x, double y)
{
    return samples[4 * ((size_t)((y + 1) / 2 * ROW) * ROW + (size_t)((x + 1) / 2 * ROW))];
}

static void check_untouched(void)
{
    for (size_t i = 0; i < COUNT; i++)
        if (memcmp(samples + 4 * i, (const uint8_t[4]){200, 100, 50, 255}, 4) != 0)
            fail_msg("sample %zu: %u", i, samples[4 * i]);
}

static double even(double x, double y, bool is_flat) { return plane(x, y, is_flat, 0, 0); }
static double tilted(double x, double y, bool is_flat) { return plane(x, y, is_flat, 0.9, -0.5); }
static double ball(double x, double y, bool is_flat)
{
    return is_flat || x * x + y * y > 0.8 ? (double)INFINITY : 8 - 1.5 * sqrt(1 - x * x - y * y);
}
/* A board far before another, and nothing beside both. */
static double boards(double x, double y, bool is_flat)
{
    if (fabs(x) > 0.9)
        return (double)INFINITY;
    return fabs(x) < 0.3 ? 5 : plane(x, y, is_flat, 0, 0.2);
}
/* Two walls that meet at a right angle in the middle, each at 45 degrees to the eye. */
static double crease(double x, double y, bool is_flat) { return plane(fabs(x), y, is_flat, -1, 0); }
static double ridge(double x, double y, bool is_flat) { return plane(fabs(x), y, is_flat, 1, 0); }
static double nothing(double x, double y, bool is_flat) { return (void)x, (void)y, (void)is_flat, (double)INFINITY; }

TEST(occlusion_is_of_corners_alone)
{
    scene *const open[] = {even, tilted, ball, boards, ridge, nothing};
    for (size_t s = 0; s < sizeof open / sizeof *open; s++)
        for (int is_flat = 0; is_flat < 2; is_flat++) {
            draw(open[s], is_flat);
            check_untouched();
        }
}

/* In a right angle, half of the light remains in the slice across it, and all of it along: encoded colours are between
 * 0.73 and 1. */
TEST(occlusion_darkens_a_crease)
{
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        draw(crease, is_flat);
        const uint8_t middle = red_at(0, 0);
        assert_in_range(middle, 150, 180);
        assert_true(red_at(0.05, 0) > middle && red_at(0.1, 0) >= red_at(0.05, 0));
        assert_int_equal(red_at(0.5, 0), 200);
        for (double y = -0.6; y < 0.6; y += 0.1) { /* alike all along, and on both sides */
            assert_in_range(red_at(0, y), middle - 3, middle + 3);
            assert_in_range(red_at(-0.05, y), red_at(0.05, y) - 4, red_at(0.05, y) + 4);
        }
        const uint8_t *at = samples + 4 * ((size_t)ROW / 2 * ROW + ROW / 2);
        assert_int_equal(at[3], 255);
        assert_in_range(at[1], middle / 2 - 1, middle / 2 + 1); /* hues stay */
    }
}

/* The crease on its side. */
static double fold(double x, double y, bool is_flat) { return plane(x, fabs(y), is_flat, 0, -1); }

/* A camera with other focal lengths across and upwards sees the same angle. */
TEST(occlusion_of_stretched_pixels)
{
    for (int is_flat = 0; is_flat < 2; is_flat++)
        for (stretch = 0.4; stretch < 4; stretch *= 2.5) {
            draw(fold, is_flat);
            assert_in_range(red_at(0, 0), 155, 188); /* 133 and 195 if it took pixels for square ones */
            draw(tilted, is_flat);
            check_untouched();
        }
    stretch = 1;
}

TEST(occlusion_leaves_what_is_marked_and_what_is_not_there)
{
    struct err err;
    const struct dmat4 m = camera_of(true);
    draw(crease, true);
    for (size_t i = 0; i < COUNT; i++) {
        depths[i] |= i % ROW < ROW / 2;
        memcpy(samples + 4 * i, (const uint8_t[4]){200, 100, 50, 255}, 4);
    }
    assert_int_equal(ambient_occlusion_darken(&occlusion, depths, SIDE, SIDE, SCALE, &m, samples, &err), 0);
    assert_int_equal(red_at(-0.02, 0), 200);
    assert_true(red_at(0.02, 0) < 190);
}

TEST(occlusion_of_any_size)
{
    static const uint32_t SIZES[][2] = {{1, 1}, {1, 96}, {96, 1}, {7, 3}, {95, 31}, {33, 96}};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        for (uint32_t scale = 1; scale <= 2; scale++) {
            struct ambient_occlusion own = {0};
            struct err err;
            const struct dmat4 m = camera_of(i % 2 == 0);
            const size_t count = (size_t)SIZES[i][0] * SIZES[i][1] * scale * scale;
            uint32_t *words = malloc(count * 4); /* no more: a checker sees each byte beyond */
            uint8_t *colors = malloc(count * 4);
            for (size_t k = 0; k < count; k++)
                words[k] = (uint32_t)(k * 2654435761u) & 0xfffffffe;
            memset(colors, 9, count * 4);
            assert_int_equal(ambient_occlusion_darken(&own, words, SIZES[i][0], SIZES[i][1], scale, &m, colors, &err),
                             0);
            for (size_t k = 0; k < count * 4; k++)
                assert_true(colors[k] <= 9 && (k % 4 != 3 || colors[k] == 9));
            ambient_occlusion_fini(&own);
            free(words);
            free(colors);
        }
    ambient_occlusion_fini(&occlusion);
}
