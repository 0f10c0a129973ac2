#include "tests/unit/support/check.h"

#include "import/texture/texture_mix.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 4 };

/* A picture whose brightness is right * column + down * row, in steps of 1/255. */
static void make_slope(int right, int down, uint8_t out[4 * WIDTH * HEIGHT])
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            memset(out + 4 * (WIDTH * y + x), 100 + right * x + down * y, 4);
}

static void check_normal(const uint8_t *texel, double right, double up)
{
    const double length = sqrt(right * right + up * up + 1);
    CHECK_NEAR(texel[0], 127.5 * (1 + right / length), 0.51);
    CHECK_NEAR(texel[1], 127.5 * (1 + up / length), 0.51);
    CHECK_NEAR(texel[2], 127.5 * (1 + 1 / length), 0.51);
    assert_int_equal(texel[3], 255);
}

TEST(heights_that_rise_to_the_right_and_downwards)
{
    const struct texture texture = {
        .width = WIDTH, .height = HEIGHT, .wrap_s = TEXTURE_WRAP_CLAMP, .wrap_t = TEXTURE_WRAP_CLAMP};
    uint8_t from[4 * WIDTH * HEIGHT], out[sizeof from];
    make_slope(6, 10, from);
    normal_map_from_heights(&texture, from, 2, out);
    /* 16 texels high: a texel further right it is 6/255 * 16 higher; the normal leans to the left, and up */
    check_normal(out + 4 * (WIDTH + 3), -6 / 255.0 * 16, 10 / 255.0 * 8);
    check_normal(out + 4 * WIDTH, -3 / 255.0 * 16, 10 / 255.0 * 8); /* at the border half of it is level */
    normal_map_from_heights(&texture, from, -2, out);
    check_normal(out + 4 * (WIDTH + 3), 6 / 255.0 * 16, -10 / 255.0 * 8);
}

TEST(heights_of_a_picture_that_was_resampled)
{
    /* 8 x 16 pixels of the file are 8 x 4 texels here: four times as far apart from row to row */
    const struct texture texture = {.width = WIDTH, .height = HEIGHT, .source_width = 8, .source_height = 16};
    uint8_t from[4 * WIDTH * HEIGHT], out[sizeof from];
    make_slope(0, 12, from);
    normal_map_from_heights(&texture, from, 1, out);
    check_normal(out + 4 * (WIDTH + 3), 0, 12 / 255.0 * 8 / 4);
}

TEST(heights_go_on_behind_the_border_as_the_texture_wraps)
{
    struct texture texture = {.width = WIDTH, .height = HEIGHT, .wrap_s = TEXTURE_WRAP_REPEAT};
    uint8_t from[4 * WIDTH * HEIGHT], out[sizeof from];
    make_slope(6, 0, from);
    normal_map_from_heights(&texture, from, 1, out);
    check_normal(out, (7 - 1) * 6 / 2.0 / 255 * 8, 0); /* from the last column down to the second */
    texture.wrap_s = TEXTURE_WRAP_MIRROR;
    normal_map_from_heights(&texture, from, 1, out);
    check_normal(out, -6 / 2.0 / 255 * 8, 0);
    const struct texture one = {.width = 1, .height = 1};
    normal_map_from_heights(&one, from, 1, out);
    check_normal(out, 0, 0);
}
