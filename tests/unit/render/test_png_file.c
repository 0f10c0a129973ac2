#include "render/image/png_file.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/png_pixels.h"

#include <stdlib.h>

static const struct png_form STRAIGHT = {.has_alpha = true};

/* Noise in the first rows, a gradient below: what does not compress and what does. */
static uint8_t *make_pixels(uint32_t width, uint32_t height, bool has_alpha)
{
    uint8_t *pixels = malloc((size_t)width * height * 4);
    uint32_t random = 12345;
    assert_non_null(pixels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width * 4; x++) {
            random = random * 1664525u + 1013904223u;
            pixels[(size_t)y * width * 4 + x] = y < height / 2 ? (uint8_t)(random >> 24) : (uint8_t)(x + 3 * y);
        }
    for (size_t i = 3; i < (size_t)width * height * 4 && !has_alpha; i += 4)
        pixels[i] = 255;
    return pixels;
}

static void check_round_trip(uint32_t width, uint32_t height, bool has_alpha, bool is_small)
{
    struct buf file;
    struct err err = {0};
    struct png_pixels read = {0};
    const struct png_form form = {.has_alpha = has_alpha, .is_small = is_small};
    uint8_t *pixels = make_pixels(width, height, has_alpha);
    buf_init(&file, 0);
    assert_int_equal(png_file_put(&file, pixels, width, height, &form, &err), 0);
    png_pixels_init(&read, &file);
    assert_int_equal(read.width, width);
    assert_int_equal(read.height, height);
    assert_int_equal(read.has_alpha, has_alpha);
    assert_memory_equal(read.pixels, pixels, (size_t)width * height * 4);
    png_pixels_fini(&read);
    buf_fini(&file);
    free(pixels);
}

TEST(png_file_is_read_back_by_libpng)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {31, 1}, {10, 1}, {3, 5}, {255, 257}, {640, 480}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_round_trip(sizes[i][0], sizes[i][1], true, false);
        check_round_trip(sizes[i][0], sizes[i][1], false, false);
        check_round_trip(sizes[i][0], sizes[i][1], true, true);
        check_round_trip(sizes[i][0], sizes[i][1], false, true);
    }
}

/* Noise that deflate can only store: the output is longer than the input. */
TEST(png_file_takes_what_does_not_compress)
{
    enum { SIDE = 1024 };
    struct buf file;
    struct err err = {0};
    struct png_pixels read = {0};
    uint8_t *pixels = malloc((size_t)SIDE * SIDE * 4);
    uint64_t random = 1;
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)SIDE * SIDE * 4; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        pixels[i] = (uint8_t)(random >> 56);
    }
    buf_init(&file, 0);
    assert_int_equal(png_file_put(&file, pixels, SIDE, SIDE, &STRAIGHT, &err), 0);
    assert_true(file.size_bytes > (size_t)SIDE * SIDE * 4);
    png_pixels_init(&read, &file);
    assert_memory_equal(read.pixels, pixels, (size_t)SIDE * SIDE * 4);
    png_pixels_fini(&read);
    buf_fini(&file);
    free(pixels);
}

/* The pictures before do not change a byte: answers carry a strong ETag. */
TEST(png_file_is_deterministic)
{
    enum { SIDE = 256, ROUNDS = 8 };
    struct buf files[ROUNDS];
    struct err err = {0};
    uint8_t *pixels = make_pixels(SIDE, SIDE, true), *others = make_pixels(SIDE, 2 * SIDE, true);
    for (int i = 0; i < ROUNDS; i++) {
        struct buf other;
        buf_init(&files[i], 0);
        buf_init(&other, 0);
        assert_int_equal(png_file_put(&files[i], pixels, SIDE, SIDE, &STRAIGHT, &err), 0);
        /* another part of a similar picture each time, so that what it leaves in memory differs */
        assert_int_equal(png_file_put(&other, others + (size_t)4 * SIDE * 29 * (size_t)i, SIDE, SIDE,
                                      &(struct png_form){.has_alpha = i % 2}, &err),
                         0);
        assert_int_equal(files[i].size_bytes, files[0].size_bytes);
        assert_memory_equal(files[i].data, files[0].data, files[0].size_bytes);
        buf_fini(&other);
    }
    for (int i = 0; i < ROUNDS; i++)
        buf_fini(&files[i]);
    free(pixels);
    free(others);
}

TEST(png_file_is_smaller_when_it_may_take_longer)
{
    struct buf fast, small;
    struct err err = {0};
    uint8_t *pixels = make_pixels(256, 256, true);
    buf_init(&fast, 0);
    buf_init(&small, 0);
    assert_int_equal(png_file_put(&fast, pixels, 256, 256, &STRAIGHT, &err), 0);
    assert_int_equal(
        png_file_put(&small, pixels, 256, 256, &(struct png_form){.has_alpha = true, .is_small = true}, &err), 0);
    assert_true(small.size_bytes < fast.size_bytes);
    buf_fini(&fast);
    buf_fini(&small);
    free(pixels);
}

/* The buffer keeps its contents, and a full one is an error, not a shorter file. */
TEST(png_file_appends_and_respects_the_limit)
{
    struct buf file;
    struct err err = {0};
    uint8_t *pixels = make_pixels(64, 64, true);
    buf_init(&file, 0);
    buf_put_text(&file, "before");
    assert_int_equal(png_file_put(&file, pixels, 64, 64, &STRAIGHT, &err), 0);
    assert_memory_equal(file.data, "before\x89PNG", 10);
    buf_fini(&file);
    buf_init(&file, 100);
    assert_int_equal(png_file_put(&file, pixels, 64, 64, &STRAIGHT, &err), ERR_NO_MEMORY);
    buf_fini(&file);
    free(pixels);
}
