/* server/render/image/quantizer.h: the colours of a GIF. */
#include "render/image/quantizer.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static void check_init(struct quantizer *quantizer, const uint8_t *pixels, size_t count)
{
    struct err err = {0};
    assert_int_equal(quantizer_init(quantizer, pixels, count, &err), 0);
}

TEST(palette_keeps_few_colors_as_they_are)
{
    uint8_t pixels[300][4];
    struct quantizer quantizer;
    for (int i = 0; i < 300; i++) { /* 255 colours, neighbours of each other, and some twice */
        const uint8_t value = (uint8_t)(i % 255);
        const uint8_t pixel[4] = {value, 7, 200, (uint8_t)(i % 2 == 0 ? 255 : 128)};
        memcpy(pixels[i], pixel, 4);
    }
    check_init(&quantizer, pixels[0], 300);
    assert_int_equal(quantizer.count, 255);
    for (int i = 0; i < 300; i++)
        assert_memory_equal(quantizer.colors[quantizer_index(&quantizer, pixels[i])], pixels[i], 3);
    quantizer_fini(&quantizer);
}

TEST(palette_does_not_see_what_is_hardly_there)
{
    const uint8_t pixels[3][4] = {{1, 2, 3, 127}, {9, 9, 9, 0}, {50, 60, 70, 128}};
    struct quantizer quantizer;
    check_init(&quantizer, pixels[0], 3);
    assert_int_equal(quantizer.count, 1);
    assert_int_equal(quantizer_index(&quantizer, pixels[0]), QUANTIZER_TRANSPARENT);
    assert_int_equal(quantizer_index(&quantizer, pixels[1]), QUANTIZER_TRANSPARENT);
    assert_int_equal(quantizer_index(&quantizer, pixels[2]), 0);
    quantizer_fini(&quantizer);
    check_init(&quantizer, pixels[0], 2);
    assert_int_equal(quantizer.count, 0);
    quantizer_fini(&quantizer);
}

/* A smooth picture of 65536 colours: none is more than a few steps off, and on the whole they are near. */
TEST(palette_reduces_many_colors_without_a_shift)
{
    enum { SIDE = 256 };
    uint8_t *pixels = malloc((size_t)SIDE * SIDE * 4);
    struct quantizer quantizer;
    double squares = 0, shift[3] = {0};
    assert_non_null(pixels);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const uint8_t pixel[4] = {(uint8_t)x, (uint8_t)y, (uint8_t)((x + y) / 2), 255};
            memcpy(pixels + 4 * (SIDE * y + x), pixel, 4);
        }
    check_init(&quantizer, pixels, SIDE * SIDE);
    assert_int_equal(quantizer.count, QUANTIZER_COLORS_MAX);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *pixel = pixels + 4 * i, *found = quantizer.colors[quantizer_index(&quantizer, pixel)];
        for (int c = 0; c < 3; c++) {
            const int away = found[c] - pixel[c];
            assert_in_range(abs(away), 0, 24);
            squares += away * away;
            shift[c] += away;
        }
    }
    assert_true(squares / (3.0 * SIDE * SIDE) < 30); /* 16 x 16 squares would have 21 for the first two channels */
    for (int c = 0; c < 3; c++)
        assert_true(shift[c] / (SIDE * SIDE) < 0.6 && shift[c] / (SIDE * SIDE) > -0.6);
    quantizer_fini(&quantizer);
    free(pixels);
}
