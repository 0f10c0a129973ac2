#include "render/image/picture.h"
#include "tests/unit/support/check.h"

#include <string.h>

static const struct picture_spec NOTHING = {.flags = 0};

/* A look with one colour behind. */
static struct picture_spec over(const uint8_t color[4])
{
    struct picture_spec picture = {.flags = 0};
    memcpy(picture.background, color, 4);
    memcpy(picture.background_end, color, 4);
    return picture;
}

static void check_pixel(const uint8_t *pixel, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    const uint8_t expected[4] = {r, g, b, a};
    assert_memory_equal(pixel, expected, 4);
}

TEST(picture_turns_rows_top_first)
{
    const uint8_t samples[2 * 2 * 4] = {1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 4, 4, 4, 255};
    uint8_t out[2 * 2 * 4];
    const struct picture_stats stats = picture_resolve(samples, 2, 2, 1, &NOTHING, NULL, out);
    check_pixel(out, 3, 3, 3, 255);
    check_pixel(out + 4, 4, 4, 4, 255);
    check_pixel(out + 8, 1, 1, 1, 255);
    assert_true(stats.is_opaque);
    assert_int_equal(stats.covered_count, 4);
}

/* One red sample of four: a quarter of the alpha, and all of the colour. */
TEST(picture_undoes_premultiplication_at_edges)
{
    uint8_t samples[2 * 2 * 4] = {0}, out[4];
    memcpy(samples + 12, (const uint8_t[]){200, 100, 0, 255}, 4);
    const struct picture_stats stats = picture_resolve(samples, 1, 1, 2, &NOTHING, NULL, out);
    check_pixel(out, 200, 100, 0, 64);
    assert_false(stats.is_opaque);
    assert_int_equal(stats.covered_count, 1);
}

/* Each of the four samples counts, in both rows. */
TEST(picture_averages_each_square)
{
    uint8_t samples[2 * 4 * 4], out[2 * 4];
    memset(samples, 255, sizeof samples);
    const uint8_t reds[2][4] = {{10, 20, 100, 104}, {30, 40, 108, 112}};
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            samples[4 * (4 * y + x)] = reds[y][x];
    picture_resolve(samples, 2, 1, 2, &NOTHING, NULL, out);
    check_pixel(out, 25, 255, 255, 255);
    check_pixel(out + 4, 106, 255, 255, 255);
}

TEST(picture_lies_over_its_background)
{
    const uint8_t samples[4] = {100, 0, 0, 128}; /* straight: 199, 0, 0 at half */
    const uint8_t white[4] = {255, 255, 255, 255}, half_blue[4] = {0, 0, 255, 128};
    const struct picture_spec on_white = over(white), on_blue = over(half_blue);
    uint8_t out[4];
    assert_true(picture_resolve(samples, 1, 1, 1, &on_white, NULL, out).is_opaque);
    check_pixel(out, 227, 127, 127, 255);
    assert_false(picture_resolve(samples, 1, 1, 1, &on_blue, NULL, out).is_opaque);
    /* alpha 128/255 + 128/255 * 127/255 = 0.752; blue 0.25 of 0.752; red 100/255 of it */
    check_pixel(out, 133, 0, 85, 192);
}

TEST(picture_of_nothing_is_its_background)
{
    const uint8_t samples[16] = {0}, color[4] = {9, 8, 7, 254};
    const struct picture_spec plain = over(color);
    uint8_t out[4];
    const struct picture_stats stats = picture_resolve(samples, 1, 1, 2, &plain, NULL, out);
    check_pixel(out, 9, 8, 7, 254);
    assert_int_equal(stats.covered_count, 0);
    assert_false(stats.is_opaque);
    picture_resolve(samples, 1, 1, 2, &NOTHING, NULL, out);
    check_pixel(out, 0, 0, 0, 0);
}

/* Laid over a colour by a viewer, the transparent picture is the picture with that background. */
TEST(picture_with_background_is_what_a_viewer_makes_of_the_transparent_one)
{
    const uint8_t background[4] = {40, 90, 200, 255};
    const struct picture_spec picture = over(background);
    for (int i = 0; i < 4096; i++) {
        uint8_t samples[16], straight[4], laid[4];
        uint32_t random = (uint32_t)i * 2654435761u;
        for (int s = 0; s < 4; s++) {
            const uint8_t alpha = (uint8_t)(random >> (4 + s));
            for (int c = 0; c < 3; c++)
                samples[4 * s + c] = (uint8_t)((random >> (9 * (c + 1) - s)) % (alpha + 1u));
            samples[4 * s + 3] = alpha;
        }
        picture_resolve(samples, 1, 1, 2, &NOTHING, NULL, straight);
        picture_resolve(samples, 1, 1, 2, &picture, NULL, laid);
        for (int c = 0; c < 3; c++) {
            const double alpha = straight[3] / 255.0;
            CHECK_NEAR(laid[c], straight[c] * alpha + background[c] * (1 - alpha), 1.6);
        }
    }
}

/* Four rows from red to half transparent green: their middles are at 1/8, 3/8, 5/8, 7/8 of the way. Premultiplied red
 * falls from 255 as green rises to 128, and alpha from 255 to 128. */
TEST(picture_has_a_gradient_behind)
{
    const uint8_t samples[4 * 4] = {0};
    struct picture_spec picture = {.background = {255, 0, 0, 255}, .background_end = {0, 255, 0, 128}};
    uint8_t out[4 * 4];
    assert_false(picture_resolve(samples, 1, 4, 1, &picture, NULL, out).is_opaque);
    for (int y = 0; y < 4; y++) {
        const double share = (2 * y + 1) / 8.0, alpha = 255 - 127 * share;
        CHECK_NEAR(out[4 * y + 3], alpha, 0.6);
        CHECK_NEAR(out[4 * y], 255 * 255 * (1 - share) / alpha, 1.1);
        CHECK_NEAR(out[4 * y + 1], 255 * 128 * share / alpha, 1.1);
        assert_int_equal(out[4 * y + 2], 0);
    }
    picture.flags = PICTURE_PREMULTIPLIED;
    picture_resolve(samples, 1, 4, 1, &picture, NULL, out);
    CHECK_NEAR(out[4 * 1], 255 * 5 / 8.0, 0.6);
    CHECK_NEAR(out[4 * 1 + 1], 128 * 3 / 8.0, 0.6);
}

/* One red sample of four, over nothing and over half blue: what picture_undoes_premultiplication_at_edges has, times
 * its alpha. */
TEST(picture_keeps_colours_multiplied_when_asked)
{
    uint8_t samples[2 * 2 * 4] = {0}, out[4];
    struct picture_spec picture = {.flags = PICTURE_PREMULTIPLIED};
    memcpy(samples + 12, (const uint8_t[]){200, 100, 0, 255}, 4);
    picture_resolve(samples, 1, 1, 2, &picture, NULL, out);
    check_pixel(out, 50, 25, 0, 64);
    picture = over((const uint8_t[]){0, 0, 255, 128});
    picture.flags = PICTURE_PREMULTIPLIED;
    picture_resolve(samples, 1, 1, 2, &picture, NULL, out);
    check_pixel(out, 50, 25, 96, 160);
}

/* Opaque samples take a shorter way, which must come to the same: the mean of each channel, rounded half up. */
TEST(picture_of_opaque_samples_is_their_mean)
{
    for (uint32_t i = 0; i < 4096; i++) {
        uint8_t samples[16], out[4];
        for (uint32_t s = 0; s < 16; s++)
            samples[s] = (uint8_t)(s % 4 == 3 ? 255u : (i * 2654435761u) >> (s + 3));
        const struct picture_stats stats = picture_resolve(samples, 1, 1, 2, &NOTHING, NULL, out);
        assert_int_equal(stats.covered_count, 1);
        assert_true(stats.is_opaque);
        for (int c = 0; c < 3; c++)
            assert_int_equal(out[c], (samples[c] + samples[4 + c] + samples[8 + c] + samples[12 + c] + 2) / 4);
        assert_int_equal(out[3], 255);
    }
}
