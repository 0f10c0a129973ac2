/* render_validate.c - checks the structure of picture files: signatures, sizes, lengths of their parts. */
#include "daemon/renderer/render_validate.h"
#include "daemon/renderer/exr_validate.h"

#include "base/bytes.h"
#include "base/picture/pass.h"
#include "base/picture/sheet_spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* It becomes a header of a response, so it must be printable. */
static bool is_printable(const char *text, size_t size_bytes)
{
    size_t at = 0;
    while (at < size_bytes && text[at] >= ' ' && text[at] <= '~')
        at++;
    return at < size_bytes && text[at] == '\0';
}

static bool is_finite(const struct render_shown *shown)
{
    const struct picture_camera *camera = &shown->camera;
    const double numbers[] = {shown->clip_time_s, camera->fx,   camera->fy, camera->cx,
                              camera->cy,         camera->near, camera->far};
    bool is_good = camera->kind <= PICTURE_CAMERA_ORTHOGRAPHIC;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        is_good = is_good && isfinite(numbers[i]);
    for (int i = 0; i < 16; i++)
        is_good = is_good && isfinite(camera->view_from_scene[i]) && isfinite(shown->clip_from_view[i]);
    return is_good;
}

bool render_notes_are_valid(const struct render_notes *notes)
{
    return is_finite(&notes->shown) && isfinite(notes->range.least) && isfinite(notes->range.most) &&
           is_printable(notes->unmatched, sizeof notes->unmatched);
}

struct content {
    const uint8_t *bytes;
    size_t size_bytes;
    uint32_t width, height; /* that it should have */
};

static bool has(const struct content *content, size_t at, const char *bytes, size_t size_bytes)
{
    return at <= content->size_bytes && size_bytes <= content->size_bytes - at &&
           memcmp(content->bytes + at, bytes, size_bytes) == 0;
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
    if (has(content, 12, "VP8 ", 4)) /* RFC 6386, 9.1: a key frame */
        return (bytes[20] & 1) == 0 && has(content, 23, "\x9d\x01\x2a", 3) &&
               (get_u16(bytes + 26) & 0x3fff) == content->width && (get_u16(bytes + 28) & 0x3fff) == content->height;
    const uint32_t size = get_u32(bytes + 21);
    return has(content, 12, "VP8L", 4) && bytes[20] == LOSSLESS_SIGN && (size & 0x3fff) + 1 == content->width &&
           (size >> 14 & 0x3fff) + 1 == content->height;
}

/* ITU-T T.81, annex B: segments up to the scan, one of them a frame of that size with three colours of 8 bits, and the
 * end of the picture at the end of the file. */
static bool is_jpeg(const struct content *content)
{
    enum { FRAME_BASELINE = 0xc0, FRAME_PROGRESSIVE = 0xc2, SCAN = 0xda, FRAME_BYTES = 17 };
    const uint8_t *bytes = content->bytes;
    size_t at = 2;
    bool has_frame = false;
    if (!has(content, 0, "\xff\xd8", 2) || !has(content, content->size_bytes - 2, "\xff\xd9", 2))
        return false;
    while (content->size_bytes - at >= 4 && bytes[at] == 0xff && bytes[at + 1] != SCAN) {
        const size_t part_bytes = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (part_bytes < 2 || part_bytes > content->size_bytes - at - 2)
            return false;
        if (bytes[at + 1] == FRAME_BASELINE || bytes[at + 1] == FRAME_PROGRESSIVE) {
            const uint8_t *frame = bytes + at + 4;
            has_frame = !has_frame && part_bytes == FRAME_BYTES && frame[0] == 8 &&
                        (uint32_t)(frame[1] << 8 | frame[2]) == content->height &&
                        (uint32_t)(frame[3] << 8 | frame[4]) == content->width && frame[5] == 3;
            if (!has_frame)
                return false;
        }
        at += 2 + part_bytes;
    }
    return has_frame && has(content, at, "\xff\xda", 2);
}

static bool is_line(const uint8_t *bytes, const uint8_t *end)
{
    while (bytes < end && *bytes >= ' ' && *bytes <= '~')
        bytes++;
    return bytes == end;
}

/* A line of words, then frames of one size, each after a line of its own. */
static bool is_y4m(const struct content *content, uint32_t frame_count)
{
    const uint64_t width = content->width, height = content->height;
    const uint64_t frame_bytes = 6 + width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2);
    char head[64];
    const int head_bytes = snprintf(head, sizeof head, "YUV4MPEG2 W%u H%u F", content->width, content->height);
    if (!has(content, 0, head, (size_t)head_bytes))
        return false;
    const uint8_t *end = memchr(content->bytes, '\n', content->size_bytes);
    if (end == NULL || !is_line(content->bytes, end))
        return false;
    size_t at = (size_t)(end - content->bytes) + 1;
    if (content->size_bytes - at != frame_bytes * frame_count)
        return false;
    for (uint32_t f = 0; f < frame_count; f++, at += frame_bytes)
        if (!has(content, at, "FRAME\n", 6))
            return false;
    return true;
}

/* Where the entry that is read next has its row in the directory, and its bytes. */
struct npz_reader {
    size_t row, at;
    size_t directory, end; /* of the rows */
};

/* Whether the next entry is an array of this name and size, and reads it. */
static bool is_array(const struct content *content, const char *name, uint64_t size_bytes, struct npz_reader *reader)
{
    enum { ROW_BYTES = 46, ENTRY_BYTES = 30, ARRAY_HEADER_BYTES = 128 };
    const uint8_t *bytes = content->bytes;
    const size_t name_bytes = strlen(name), row = reader->row, at = reader->at;
    if (row > reader->end || reader->end - row < ROW_BYTES + name_bytes + 4 || !has(content, row, "PK\1\2", 4) ||
        get_u32(bytes + row + 24) != ARRAY_HEADER_BYTES + size_bytes || get_u16(bytes + row + 28) != name_bytes + 4 ||
        get_u32(bytes + row + 42) != at || !has(content, row + ROW_BYTES, name, name_bytes) ||
        !has(content, row + ROW_BYTES + name_bytes, ".npy", 4))
        return false;
    const uint32_t packed_bytes = get_u32(bytes + row + 20);
    const size_t head_bytes = ENTRY_BYTES + name_bytes + 4;
    if (at > reader->directory || reader->directory - at < head_bytes || !has(content, at, "PK\3\4", 4) ||
        packed_bytes > reader->directory - at - head_bytes)
        return false;
    reader->at += head_bytes + packed_bytes;
    reader->row += ROW_BYTES + name_bytes + 4;
    return true;
}

static bool is_camera(const struct content *content, uint32_t kind, struct npz_reader reader)
{
    const struct picture_camera camera = {.kind = kind};
    struct camera_array arrays[CAMERA_ARRAYS];
    bool is_good = true;
    picture_camera_arrays(&camera, arrays);
    for (int i = 0; i < CAMERA_ARRAYS; i++)
        is_good =
            is_good && is_array(content, arrays[i].name, camera_array_numbers(&arrays[i]) * sizeof(double), &reader);
    return is_good && reader.at == reader.directory && reader.row == reader.end;
}

/* PKWARE APPNOTE 6.3.10, 4.3: an array for each pass, in the order of the passes, with its name and size, then those of
 * the camera; behind them the directory, which the end of the file tells of. */
static bool is_npz(const struct content *content, uint32_t passes)
{
    enum { END_BYTES = 22 };
    const uint8_t *bytes = content->bytes;
    if (content->size_bytes < END_BYTES)
        return false;
    const size_t end = content->size_bytes - END_BYTES;
    if (!has(content, end, "PK\5\6\0\0\0\0", 8) || get_u16(bytes + end + 20) != 0)
        return false;
    const uint32_t count = get_u16(bytes + end + 10);
    struct npz_reader reader = {.row = get_u32(bytes + end + 16), .end = end};
    if (count != (uint32_t)__builtin_popcount(passes) + CAMERA_ARRAYS || reader.row > end ||
        get_u32(bytes + end + 12) != end - reader.row)
        return false;
    reader.directory = reader.row;
    for (int p = 0; p < PASS_COUNT; p++)
        if (pass_has(passes, (enum pass)p) &&
            !is_array(content, PASS_INFO[p].word,
                      (uint64_t)content->width * content->height * pass_pixel_bytes(1u << p), &reader))
            return false;
    return is_camera(content, PICTURE_CAMERA_PERSPECTIVE, reader) ||
           is_camera(content, PICTURE_CAMERA_ORTHOGRAPHIC, reader);
}

bool render_picture_is_valid(const struct render_job *job, const void *bytes, size_t size_bytes)
{
    const struct sheet_spec spec = {.format = job->format};
    const struct content content = {.bytes = bytes,
                                    .size_bytes = size_bytes,
                                    .width = job->width,
                                    .height = sheet_is_animation(&spec) ? job->height / job->drawn_count : job->height};
    switch (job->format) {
    case SHEET_PNG:
    case SHEET_APNG:
        return is_png(&content);
    case SHEET_NPZ:
        return is_npz(&content, job->picture.passes);
    case SHEET_EXR:
        return exr_is_valid(bytes, size_bytes, job->width, job->height, job->picture.passes);
    case SHEET_GIF:
        return is_gif(&content);
    case SHEET_WEBP:
    case SHEET_WEBP_STILL:
        return is_webp(&content);
    case SHEET_JPEG:
        return is_jpeg(&content);
    case SHEET_Y4M:
        return is_y4m(&content, job->drawn_count);
    case SHEET_POINTS:
        return size_bytes ==
               job->cell_count * (sizeof(struct render_shown) + job->point_count * sizeof(struct render_keypoint));
    default:
        return size_bytes == sizeof(struct render_cameras) + job->cell_count * sizeof(struct render_cell_camera);
    }
}
