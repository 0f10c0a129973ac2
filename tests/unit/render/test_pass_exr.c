/* OpenEXR files of passes: what the daemon takes of them, and memory that ends. */
#include "tests/unit/support/check.h"

#include "daemon/renderer/exr_validate.h"
#include "render/passes/pass_exr.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 9, HEIGHT = 37, PIXELS = WIDTH * HEIGHT, PASSES = 1 << PASS_COLOR | 1 << PASS_NORMAL | 1 << PASS_NODE };

static int put(struct buf *out, struct err *err)
{
    static const struct camera CAMERA = {.view_from_scene = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                                         .clip_from_view = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1.2, -1, 0, 0, -2.2, 0}}};
    static uint8_t color[PIXELS * 4];
    static float normal[PIXELS * 3];
    static int32_t node[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        node[i] = i % 5 - 1;
        normal[3 * i + i % 3] = (float)i / PIXELS;
        color[4 * i + i % 4] = (uint8_t)(i * i);
    }
    const struct pass_exr file = {
        .arrays.of = {[PASS_COLOR] = color, [PASS_NORMAL] = normal, [PASS_NODE] = node},
        .width = WIDTH,
        .height = HEIGHT,
        .camera = &CAMERA,
    };
    return pass_exr_put(out, &file, err);
}

/* Behind what the buffer has already. */
TEST(pass_exr_files_are_checked_before_they_are_sent)
{
    struct buf out;
    struct err err;
    buf_init(&out, 0);
    buf_put_text(&out, "before");
    assert_int_equal(put(&out, &err), 0);
    assert_memory_equal(out.data, "before", 6);
    char *file = out.data + 6;
    const size_t size = out.size_bytes - 6;
    assert_true(exr_is_valid(file, size, WIDTH, HEIGHT, PASSES));
    assert_false(exr_is_valid(file, size, WIDTH + 1, HEIGHT, PASSES));
    assert_false(exr_is_valid(file, size, WIDTH, HEIGHT - 1, PASSES));
    assert_false(exr_is_valid(file, size, WIDTH, HEIGHT + 16, PASSES));
    assert_false(exr_is_valid(file, size, WIDTH, HEIGHT, 1 << PASS_COLOR | 1 << PASS_NORMAL));
    assert_false(exr_is_valid(file, size, WIDTH, HEIGHT, PASSES | 1 << PASS_DEPTH));
    assert_false(exr_is_valid(file, size, WIDTH, HEIGHT, 1 << PASS_COLOR | 1 << PASS_POSITION | 1 << PASS_NODE));
    for (size_t cut = 0; cut < size; cut++) {
        char *part = malloc(cut + 1); /* a sanitizer sees what is read behind it */
        memcpy(part, file, cut);
        assert_false(exr_is_valid(part, cut, WIDTH, HEIGHT, PASSES));
        free(part);
    }
    size_t refused = 0;
    for (size_t at = 0; at < size; at++) {
        file[at] ^= 1;
        refused += !exr_is_valid(file, size, WIDTH, HEIGHT, PASSES);
        file[at] ^= 1;
    }
    /* magic, window, names of eight channels, the table and the heads of three chunks */
    assert_true(refused >= 8 + 16 + 4 + 3 * 8 + 6 + 3 * 8 + 3 * 8);
    buf_fini(&out);
}

/* The limit stands for memory that ends somewhere in the header, the chunks or the table. */
TEST(pass_exr_files_need_memory)
{
    struct buf whole, out;
    struct err err;
    buf_init(&whole, 0);
    assert_int_equal(put(&whole, &err), 0);
    for (size_t limit = 1; limit < whole.size_bytes; limit += 7) {
        buf_init(&out, limit);
        assert_int_equal(put(&out, &err), ERR_NO_MEMORY);
        buf_fini(&out);
    }
    buf_init(&out, 0);
    assert_int_equal(put(&out, &err), 0);
    assert_int_equal(out.size_bytes, whole.size_bytes);
    assert_memory_equal(out.data, whole.data, whole.size_bytes);
    buf_fini(&out);
    buf_fini(&whole);
}
