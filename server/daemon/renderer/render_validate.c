/* render_validate.c - checks the frame of PNG, GIF and WebP files: signatures, sizes, chunk lengths. */
#include "daemon/renderer/render_validate.h"

#include "base/bytes.h"
#include "base/sheet_spec.h"

#include <math.h>
#include <string.h>

/* It becomes a header of an answer. */
static bool is_printable(const char *text, size_t size_bytes)
{
    size_t at = 0;
    while (at < size_bytes && text[at] >= ' ' && text[at] <= '~')
        at++;
    return at < size_bytes && text[at] == '\0';
}

static bool is_finite(const struct render_shown *shown)
{
    bool is_good = isfinite(shown->clip_time_s);
    for (int i = 0; i < 16; i++)
        is_good = is_good && isfinite(shown->view_from_scene[i]) && isfinite(shown->clip_from_view[i]);
    return is_good;
}

bool render_notes_are_valid(const struct render_notes *notes)
{
    return is_finite(&notes->shown) && is_printable(notes->unmatched, sizeof notes->unmatched);
}

struct content {
    const uint8_t *bytes;
    size_t size_bytes;
    uint32_t width, height; /* that it should have */
};

static bool has(const struct content *content, size_t at, const char *bytes, size_t size_bytes)
{
    return content->size_bytes >= at + size_bytes && memcmp(content->bytes + at, bytes, size_bytes) == 0;
}

static uint32_t big_u32(const uint8_t *bytes) { return __builtin_bswap32(get_u32(bytes)); }

/* ISO/IEC 15948, 5: chunks from the signature to IEND, the first with the size. */
static bool is_png(const struct content *content)
{
    enum { SIGNATURE_BYTES = 8, FRAME_BYTES = 12, HEADER_BYTES = 13 };
    const uint8_t *header = content->bytes + SIGNATURE_BYTES + 8;
    size_t at = SIGNATURE_BYTES;
    if (content->size_bytes < SIGNATURE_BYTES + FRAME_BYTES + HEADER_BYTES ||
        !has(content, 0, "\x89PNG\r\n\x1a\n", 8) || !has(content, at, "\0\0\0\rIHDR", 8) ||
        big_u32(header) != content->width || big_u32(header + 4) != content->height)
        return false;
    while (content->size_bytes - at >= FRAME_BYTES) {
        const uint32_t data_bytes = big_u32(content->bytes + at);
        if (data_bytes > content->size_bytes - at - FRAME_BYTES)
            return false;
        const bool is_end = has(content, at, "\0\0\0\0IEND", 8);
        at += FRAME_BYTES + data_bytes;
        if (is_end)
            return at == content->size_bytes;
    }
    return false;
}

/* GIF89a, 18 and 27. */
static bool is_gif(const struct content *content)
{
    enum { HEADER_BYTES = 13, TRAILER = 0x3b };
    return content->size_bytes > HEADER_BYTES && has(content, 0, "GIF89a", 6) &&
           get_u16(content->bytes + 6) == content->width && get_u16(content->bytes + 8) == content->height &&
           content->bytes[content->size_bytes - 1] == TRAILER;
}

/* RFC 9649, 2: the whole file is one RIFF chunk; its first has the size less one. A single frame may come without the
 * extended header. */
static bool is_webp(const struct content *content)
{
    enum { OUTER_BYTES = 8, HEADER_BYTES = 30, LOSSLESS_SIGN = 0x2f };
    const uint8_t *bytes = content->bytes;
    if (content->size_bytes < HEADER_BYTES || !has(content, 0, "RIFF", 4) || !has(content, 8, "WEBP", 4) ||
        get_u32(bytes + 4) != content->size_bytes - OUTER_BYTES)
        return false;
    if (has(content, 12, "VP8X", 4))
        return (get_u32(bytes + 24) & 0xffffff) + 1 == content->width &&
               (get_u32(bytes + 26) >> 8) + 1 == content->height;
    const uint32_t size = get_u32(bytes + 21);
    return has(content, 12, "VP8L", 4) && bytes[20] == LOSSLESS_SIGN && (size & 0x3fff) + 1 == content->width &&
           (size >> 14 & 0x3fff) + 1 == content->height;
}

bool render_picture_is_valid(const struct render_job *job, const void *bytes, size_t size_bytes)
{
    const bool is_animation = job->format != SHEET_PNG;
    const struct content content = {.bytes = bytes,
                                    .size_bytes = size_bytes,
                                    .width = job->width,
                                    .height = is_animation ? job->height / job->cell_count : job->height};
    switch (job->format) {
    case SHEET_PNG:
    case SHEET_APNG:
        return is_png(&content);
    case SHEET_GIF:
        return is_gif(&content);
    case SHEET_WEBP:
        return is_webp(&content);
    default:
        return size_bytes == sizeof(struct render_cameras) + job->cell_count * sizeof(struct render_cell_camera);
    }
}
