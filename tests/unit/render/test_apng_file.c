/* clients/cli/sheet/apng_file.h reads exactly the output of the renderer's encoders. */
#include "clients/cli/sheet/apng_file.h"
#include "render/image/image_sequence.h"
#include "render/image/picture_file.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 5, HEIGHT = 4, FRAMES = 3, PIXELS = WIDTH * HEIGHT * FRAMES };
static const uint64_t PIXELS_MAX = PIXELS;
static const uint32_t DURATIONS_MS[FRAMES] = {40, 1234, 70000};

/* The second frame differs in a part of its middle, the third one nowhere. */
static void fill(uint8_t pixels[4 * PIXELS], bool is_opaque)
{
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
        pixels[i] = i % 4 == 3 && is_opaque ? 255 : (uint8_t)(i * 37 + 11);
    for (int f = 1; f < FRAMES; f++)
        memcpy(pixels + 4 * WIDTH * HEIGHT * f, pixels, 4 * WIDTH * HEIGHT);
    for (int f = 1; f < FRAMES; f++)
        pixels[4 * (WIDTH * HEIGHT * f + 2 * WIDTH + 3)] ^= 0x55;
}

static void put_animation(struct buf *out, bool is_opaque)
{
    static uint8_t pixels[4 * PIXELS];
    struct err err;
    fill(pixels, is_opaque);
    const struct image_sequence sequence = {.pixels = pixels,
                                            .width = WIDTH,
                                            .height = HEIGHT,
                                            .frame_count = FRAMES,
                                            .durations_ms = DURATIONS_MS,
                                            .loops = 7,
                                            .form = {.has_alpha = !is_opaque}};
    assert_int_equal(image_sequence_put(out, SHEET_APNG, &sequence, &err), 0);
}

static int read_file(const void *bytes, size_t size_bytes, struct apng_file *file)
{
    struct text problem = {0};
    uint8_t *exact = malloc(size_bytes + 1); /* so that a sanitizer detects a read past the end */
    if (size_bytes > 0)
        memcpy(exact, bytes, size_bytes);
    const int rc = apng_file_read(exact, size_bytes, PIXELS_MAX, file, &problem);
    assert_int_equal(rc<0, problem.size_bytes> 0);
    text_free(&problem);
    free(exact);
    return rc;
}

TEST(apng_file_has_the_pixels_that_were_written)
{
    static uint8_t pixels[4 * PIXELS];
    for (int is_opaque = 0; is_opaque <= 1; is_opaque++) {
        struct buf written;
        struct apng_file file;
        buf_init(&written, 0);
        put_animation(&written, is_opaque != 0);
        fill(pixels, is_opaque != 0);
        assert_int_equal(read_file(written.data, written.size_bytes, &file), 0);
        assert_int_equal(file.width, WIDTH);
        assert_int_equal(file.height, HEIGHT);
        assert_int_equal(file.frame_count, FRAMES);
        assert_int_equal(file.loops, 7);
        assert_int_equal(file.has_alpha, !is_opaque);
        assert_memory_equal(file.pixels, pixels, sizeof pixels);
        for (int f = 0; f < FRAMES; f++)
            assert_int_equal(file.durations_ms[f], DURATIONS_MS[f]);
        apng_file_free(&file);
        buf_fini(&written);
    }
}

TEST(apng_file_reads_a_still_picture)
{
    static uint8_t pixels[4 * PIXELS];
    struct buf written;
    struct apng_file file;
    struct err err;
    buf_init(&written, 0);
    fill(pixels, false);
    const struct picture_form form = {.format = SHEET_PNG, .png = {.has_alpha = true, .is_small = true}};
    assert_int_equal(picture_file_put(&written, pixels, WIDTH, HEIGHT * FRAMES, &form, &err), 0);
    assert_int_equal(read_file(written.data, written.size_bytes, &file), 0);
    assert_int_equal(file.frame_count, 1);
    assert_memory_equal(file.pixels, pixels, sizeof pixels);
    apng_file_free(&file);
    buf_clear(&written); /* a row more than is believed */
    assert_int_equal(picture_file_put(&written, pixels, 1, PIXELS, &form, &err), 0);
    assert_int_equal(read_file(written.data, written.size_bytes, &file), 0);
    apng_file_free(&file);
    buf_clear(&written);
    static uint8_t more[4 * (PIXELS + 1)];
    assert_int_equal(picture_file_put(&written, more, 1, PIXELS + 1, &form, &err), 0);
    assert_int_equal(read_file(written.data, written.size_bytes, &file), -1);
    assert_null(file.pixels);
    buf_fini(&written);
}

TEST(apng_file_refuses_every_cut)
{
    struct buf written;
    struct apng_file file;
    buf_init(&written, 0);
    put_animation(&written, false);
    for (size_t cut = 0; cut < written.size_bytes; cut++) {
        assert_int_equal(read_file(written.data, cut, &file), -1);
        assert_null(file.pixels);
    }
    buf_fini(&written);
}

TEST(apng_file_survives_every_changed_byte)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    struct buf written;
    struct apng_file file;
    buf_init(&written, 0);
    put_animation(&written, true);
    for (size_t at = 0; at < written.size_bytes; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            written.data[at] = (char)(written.data[at] ^ changes[i]);
            if (read_file(written.data, written.size_bytes, &file) == 0)
                assert_true((uint64_t)file.width * file.height * file.frame_count <= PIXELS_MAX);
            apng_file_free(&file);
            written.data[at] = (char)(written.data[at] ^ changes[i]);
        }
    buf_fini(&written);
}
