#include "tests/unit/support/check.h"

#include "daemon/renderer/render_validate.h"
#include "base/picture/sheet_spec.h"

#include <math.h>
#include <string.h>

#define PNG_START "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x06\x08\x06\0\0\0....", 33
#define PNG_END   "\0\0\0\0IEND....", 12

static const struct render_job PNG = {.format = SHEET_PNG, .width = 2, .height = 6, .cell_count = 3, .drawn_count = 3};

static bool is(const struct render_job *form, const char *bytes, size_t size_bytes)
{
    return render_picture_is_valid(form, bytes, size_bytes);
}

static size_t put(char *out, size_t at, const char *bytes, size_t size_bytes)
{
    memcpy(out + at, bytes, size_bytes);
    return at + size_bytes;
}

TEST(render_content_png_is_its_chunks)
{
    char png[64], other[64];
    size_t size = put(png, 0, PNG_START);
    size = put(png, size, "\0\0\0\x02IDATxx....", 14);
    assert_false(is(&PNG, png, size));
    size = put(png, size, PNG_END);
    assert_true(is(&PNG, png, size));
    for (size_t cut = 0; cut < size; cut++)
        assert_false(is(&PNG, png, cut));
    assert_false(is(&PNG, png, size + 1));
    for (size_t at = 0; at < 24; at++) {
        memcpy(other, png, size);
        other[at] ^= 1;
        assert_false(is(&PNG, other, size));
    }
    memcpy(other, png, size);
    memset(other + 33, 0xff, 4); /* a chunk of 4 GiB */
    assert_false(is(&PNG, other, size));
    const struct render_job apng = {.format = SHEET_APNG, .width = 2, .height = 18, .cell_count = 3, .drawn_count = 3};
    assert_true(is(&apng, png, size));
}

TEST(render_content_gif_and_webp_have_the_size_of_a_frame)
{
    const struct render_job gif = {.format = SHEET_GIF, .width = 2, .height = 18, .cell_count = 3, .drawn_count = 3};
    assert_true(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0;", 14));
    assert_false(is(&gif, "GIF89a\x02\0\x12\0\x80\0\0;", 14));
    assert_false(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0;", 13));
    assert_false(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0,", 14));
    assert_false(is(&gif, "", 0));
    const struct render_job webp = {
        .format = SHEET_WEBP, .width = 258, .height = 18, .cell_count = 3, .drawn_count = 3};
    assert_true(is(&webp, "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x05\0\0", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x02\0\x05\0\0", 30));
    assert_false(is(&webp, "RIFF\x17\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x05\0\0", 30));
    assert_true(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x01\x41\x01\x10.....", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x01\x41\x02\x10.....", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f", 21));
}

TEST(render_content_webp_with_loss_is_one_key_frame)
{
    const struct render_job webp = {
        .format = SHEET_WEBP_STILL, .width = 258, .height = 6, .cell_count = 5, .drawn_count = 5};
    static const char FILE_BYTES[] = "RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\x10\0\0\x9d\x01\x2a\x02\x01\x06\0";
    char other[30];
    assert_true(is(&webp, FILE_BYTES, 30));
    for (size_t at = 0; at < 30; at++) {
        memcpy(other, FILE_BYTES, 30);
        other[at] ^= 1;
        const bool is_free = at >= 16 && at < 23 && at != 20; /* how long its parts are */
        if (is(&webp, other, 30) != is_free)
            fail_msg("byte %zu", at);
        assert_false(is(&webp, FILE_BYTES, at));
    }
}

/* Start, a segment, the frame of 2 by 6 pixels, the scan, end. */
static const char JPEG_BYTES[] = "\xff\xd8"
                                 "\xff\xe0\0\x04JF"
                                 "\xff\xc0\0\x11\x08\0\x06\0\x02\x03\1\x11\0\2\x11\1\3\x11\1"
                                 "\xff\xda\0\x02xxx\xff\xd9";
enum { JPEG_SIZE = sizeof JPEG_BYTES - 1, JPEG_FRAME_AT = 8 };

TEST(render_content_jpeg_has_a_frame_of_the_size)
{
    const struct render_job jpeg = {.format = SHEET_JPEG, .width = 2, .height = 6, .cell_count = 3, .drawn_count = 3};
    const struct render_job wide = {.format = SHEET_JPEG, .width = 6, .height = 2, .cell_count = 3, .drawn_count = 3};
    char other[JPEG_SIZE];
    assert_true(is(&jpeg, JPEG_BYTES, JPEG_SIZE));
    assert_false(is(&wide, JPEG_BYTES, JPEG_SIZE));
    for (size_t cut = 0; cut < JPEG_SIZE; cut++)
        assert_false(is(&jpeg, JPEG_BYTES, cut));
    for (size_t at = 0; at < JPEG_FRAME_AT + 10; at++) {
        memcpy(other, JPEG_BYTES, JPEG_SIZE);
        other[at] ^= 1;
        const bool is_free = at == 3 || at == 6 || at == 7; /* another segment, its content */
        if (is(&jpeg, other, JPEG_SIZE) != is_free)
            fail_msg("byte %zu", at);
    }
    memcpy(other, JPEG_BYTES, JPEG_SIZE);
    other[JPEG_FRAME_AT + 1] = '\xc2'; /* progressive */
    assert_true(is(&jpeg, other, JPEG_SIZE));
    other[JPEG_FRAME_AT + 1] = '\xc3'; /* without loss */
    assert_false(is(&jpeg, other, JPEG_SIZE));
    memset(other + 4, 0xff, 2); /* a segment that ends behind the file */
    assert_false(is(&jpeg, other, JPEG_SIZE));
    memset(other + 4, 0, 2); /* one that has not even its length */
    assert_false(is(&jpeg, other, JPEG_SIZE));
}

TEST(render_content_y4m_is_its_frames)
{
    const struct render_job y4m = {
        .format = SHEET_Y4M, .width = 3, .height = 4, .cell_count = 2, .drawn_count = 2}; /* 3 x 2 each */
    char file[100];
    size_t size = put(file, 0, "YUV4MPEG2 W3 H2 F12:1\n", 22), frames[2];
    for (int f = 0; f < 2; f++) {
        frames[f] = size;
        size = put(file, size, "FRAME\nyyyyyybbrr", 16);
    }
    assert_true(is(&y4m, file, size));
    for (size_t cut = 0; cut < size; cut++)
        assert_false(is(&y4m, file, cut));
    file[size] = 'x';
    assert_false(is(&y4m, file, size + 1));
    for (int f = 0; f < 2; f++) {
        file[frames[f] + 2] ^= 1;
        assert_false(is(&y4m, file, size));
        file[frames[f] + 2] ^= 1;
    }
    file[18] = '\r';
    assert_false(is(&y4m, file, size));
    file[18] = '2';
    assert_true(is(&y4m, file, size));
    file[11] = '4';
    assert_false(is(&y4m, file, size));
}

TEST(render_content_cameras_are_one_for_each_cell)
{
    const struct render_job form = {.format = SHEET_JSON, .cell_count = 1, .drawn_count = 1};
    struct {
        struct render_cameras shots;
        struct render_cell_camera view;
    } cameras = {0};
    assert_true(is(&form, (const char *)&cameras, sizeof cameras));
    assert_false(is(&form, (const char *)&cameras, sizeof cameras - 1));
    assert_false(is(&PNG, (const char *)&cameras, sizeof cameras));
}

TEST(render_notes_are_numbers_and_text)
{
    static struct render_notes notes;
    assert_true(render_notes_are_valid(&notes));
    memset(notes.unmatched, 'x', sizeof notes.unmatched);
    assert_false(render_notes_are_valid(&notes));
    notes.unmatched[sizeof notes.unmatched - 1] = '\0';
    assert_true(render_notes_are_valid(&notes));
    notes.unmatched[3] = '\n';
    assert_false(render_notes_are_valid(&notes));
    notes.unmatched[0] = '\0';
    notes.shown.camera.view_from_scene[15] = (double)NAN;
    assert_false(render_notes_are_valid(&notes));
}
