/* server/wire/encode/png.h: files read by libpng, which does not write them. */
#include "base/err.h"
#include "wire/encode/png.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/png_pixels.h"

#include <stdlib.h>

/* Noise above, a gradient below: one compresses badly, the other well. */
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
    for (size_t i = 3; i < (size_t)width * height * 4; i += 4)
        pixels[i] = has_alpha && i == 3 ? 254 : 255;
    return pixels;
}

TEST(png_is_read_back_by_libpng)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 8}, {8, 1}, {4, 2}, {256, 256}, {1024, 512}};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const uint32_t width = sizes[i / 2][0], height = sizes[i / 2][1];
        struct buf file;
        struct err err = {0};
        struct png_pixels read = {0};
        uint8_t *pixels = make_pixels(width, height, i % 2 == 1);
        buf_init(&file, 0);
        assert_int_equal(png_put(&file, pixels, width, height, &err), 0);
        png_pixels_init(&read, &file);
        assert_int_equal(read.width, width);
        assert_int_equal(read.height, height);
        assert_int_equal(read.has_alpha, i % 2 == 1);
        assert_memory_equal(read.pixels, pixels, (size_t)width * height * 4);
        png_pixels_fini(&read);
        buf_fini(&file);
        free(pixels);
    }
}

/* One white pixel, by hand: ISO/IEC 15948, clause 11; the deflate block is Huffman with fixed codes. */
TEST(png_worked_bytes)
{
    static const uint8_t WHITE[] = {255, 255, 255, 255};
    static const uint8_t EXPECTED[] = {
        0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n',                /* signature */
        0,    0,    0,    13,   'I',  'H',  'D',  'R',                 /* header: */
        0,    0,    0,    1,    0,    0,    0,    1,    8, 2, 0, 0, 0, /* 1 x 1, 8 bits, RGB */
        0x90, 0x77, 0x53, 0xde,                                        /* its CRC */
    };
    struct buf file;
    struct err err = {0};
    buf_init(&file, 0);
    buf_put_text(&file, "before"); /* it is appended, at any place */
    assert_int_equal(png_put(&file, WHITE, 1, 1, &err), 0);
    assert_memory_equal(file.data, "before", 6);
    assert_memory_equal(file.data + 6, EXPECTED, sizeof EXPECTED);
    static const uint8_t END[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    assert_memory_equal(file.data + file.size_bytes - sizeof END, END, sizeof END);
    buf_fini(&file);
}

TEST(png_stops_at_the_limit)
{
    enum { SIDE = 16 };
    uint8_t *pixels = make_pixels(SIDE, SIDE, true);
    struct err err = {0};
    bool was_whole = false;
    for (size_t limit = 1; limit < 70000; limit += limit < 2000 ? 1 : 997) {
        struct buf file;
        buf_init(&file, limit);
        assert_int_equal(png_put(&file, pixels, SIDE, SIDE, &err), 0);
        assert_true(buf_failed(&file) != was_whole || !was_whole);
        was_whole = !buf_failed(&file);
        buf_fini(&file);
    }
    assert_true(was_whole);
    free(pixels);
}
