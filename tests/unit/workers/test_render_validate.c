#include "tests/unit/support/check.h"

#include "daemon/renderer/render_validate.h"
#include "base/sheet_spec.h"

#include <math.h>
#include <string.h>

#define PNG_START "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x06\x08\x06\0\0\0....", 33
#define PNG_END   "\0\0\0\0IEND....", 12

static const struct render_job PNG = {.format = SHEET_PNG, .width = 2, .height = 6, .cell_count = 3};

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
    const struct render_job apng = {.format = SHEET_APNG, .width = 2, .height = 18, .cell_count = 3};
    assert_true(is(&apng, png, size));
}

TEST(render_content_gif_and_webp_have_the_size_of_a_frame)
{
    const struct render_job gif = {.format = SHEET_GIF, .width = 2, .height = 18, .cell_count = 3};
    assert_true(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0;", 14));
    assert_false(is(&gif, "GIF89a\x02\0\x12\0\x80\0\0;", 14));
    assert_false(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0;", 13));
    assert_false(is(&gif, "GIF89a\x02\0\x06\0\x80\0\0,", 14));
    assert_false(is(&gif, "", 0));
    const struct render_job webp = {.format = SHEET_WEBP, .width = 258, .height = 18, .cell_count = 3};
    assert_true(is(&webp, "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x05\0\0", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x02\0\x05\0\0", 30));
    assert_false(is(&webp, "RIFF\x17\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x05\0\0", 30));
    assert_true(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x01\x41\x01\x10.....", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x01\x41\x02\x10.....", 30));
    assert_false(is(&webp, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f", 21));
}

TEST(render_content_cameras_are_one_for_each_cell)
{
    const struct render_job form = {.format = SHEET_JSON, .cell_count = 1};
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
    notes.shown.view_from_scene[15] = (double)NAN;
    assert_false(render_notes_are_valid(&notes));
}
