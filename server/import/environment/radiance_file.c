/* radiance_file.c - reads the header, then each scan line. */
#include "import/environment/radiance_file.h"

#include <stdbool.h>
#include <string.h>

/* The widths for which a scan line may use the new run-length encoding. */
enum { RUNS_WIDTH_MIN = 8, RUNS_WIDTH_MAX = 32767 };
/* A code above this is a run of the next byte; a smaller code gives the number of literal bytes that follow. */
enum { RUN_ABOVE = 128 };

struct reader {
    const uint8_t *bytes;
    size_t size_bytes, at;
};

static int fail_short(const struct reader *reader, struct err *err)
{
    return err_set(err, ERR_BAD_MODEL, "the file ends early, at byte %zu", reader->size_bytes);
}

/* --- header --- */

/* Takes a line without its line feed; false at the end of the file. */
static bool take_line(struct reader *reader, const char **line, size_t *length)
{
    const uint8_t *from = reader->bytes + reader->at;
    const uint8_t *end = memchr(from, '\n', reader->size_bytes - reader->at);
    if (end == NULL)
        return false;
    *line = (const char *)from;
    *length = (size_t)(end - from);
    reader->at += *length + 1;
    if (*length > 0 && from[*length - 1] == '\r')
        --*length;
    return true;
}

static bool starts_with(const char *line, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(line, text, strlen(text)) == 0;
}

/* Up to the empty line. */
static int read_head(struct reader *reader, struct err *err)
{
    static const char FORMAT[] = "FORMAT=", RGBE[] = "FORMAT=32-bit_rle_rgbe";
    const char *line;
    size_t length;
    if (!take_line(reader, &line, &length) || !starts_with(line, length, "#?"))
        return err_set(err, ERR_NOT_A_MODEL, "it is no Radiance picture: it does not begin with '#?RADIANCE'");
    for (;;) {
        const size_t at = reader->at;
        if (!take_line(reader, &line, &length))
            return err_set(err, ERR_BAD_MODEL, "the header has no end: no empty line follows byte %zu", at);
        if (length == 0)
            return 0;
        if (starts_with(line, length, FORMAT) && (length != strlen(RGBE) || memcmp(line, RGBE, length) != 0))
            return err_set(err, ERR_NOT_A_MODEL, "the line at byte %zu wants colours of another kind than '%s'", at,
                           RGBE + strlen(FORMAT));
    }
}

/* Reads digits up to a space or the end. Returns false without digits or with too many. */
static bool take_side(const char **at, const char *end, uint32_t *side)
{
    const char *first = *at;
    *side = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - first < 9)
        *side = *side * 10 + (uint32_t)(*(*at)++ - '0');
    return *at > first && (*at == end || **at == ' ');
}

/* "-Y HEIGHT +X WIDTH": rows from the top, pixels from the left; the opposite signs reverse the direction. */
static int read_size(struct reader *reader, struct image *image, bool *is_upward, bool *is_leftward, struct err *err)
{
    const char *line;
    size_t length;
    const size_t begin = reader->at;
    if (!take_line(reader, &line, &length))
        return fail_short(reader, err);
    const char *at = line, *end = line + length;
    bool is_good = length > 3 && (at[0] == '-' || at[0] == '+') && at[1] == 'Y' && at[2] == ' ';
    *is_upward = is_good && at[0] == '+';
    at += is_good ? 3 : 0;
    is_good = is_good && take_side(&at, end, &image->height) && end - at > 4 && (at[1] == '-' || at[1] == '+') &&
              at[2] == 'X' && at[3] == ' ';
    *is_leftward = is_good && at[1] == '-';
    at += is_good ? 4 : 0;
    is_good = is_good && take_side(&at, end, &image->width) && at == end;
    return is_good ? 0
                   : err_set(err, ERR_BAD_MODEL, "the line at byte %zu is not '-Y HEIGHT +X WIDTH' of rows of pixels",
                             begin);
}

/* --- scan lines --- */

/* Reads the four components of a scan line one after another, each as runs and literals. */
static int read_runs(struct reader *reader, uint8_t *row, uint32_t width, struct err *err)
{
    for (int c = 0; c < 4; c++) {
        for (uint32_t x = 0; x < width;) {
            if (reader->size_bytes - reader->at < 2)
                return fail_short(reader, err);
            const size_t at = reader->at;
            const uint8_t code = reader->bytes[reader->at++];
            const bool is_run = code > RUN_ABOVE;
            const uint32_t count = is_run ? code - RUN_ABOVE : code;
            if (count == 0 || count > width - x)
                return err_set(err, ERR_BAD_MODEL, "%u pixels at byte %zu, where %u are left of the row", count, at,
                               width - x);
            if (reader->size_bytes - reader->at < (is_run ? 1 : count))
                return fail_short(reader, err);
            for (uint32_t i = 0; i < count; i++)
                row[4 * (x + i) + (uint32_t)c] = reader->bytes[reader->at + (is_run ? 0 : i)];
            reader->at += is_run ? 1 : count;
            x += count;
        }
    }
    return 0;
}

/* Reads pixel by pixel. 1, 1, 1, n repeats the previous pixel n times. Consecutive counts form one number in 8-bit
 * digits, lowest first. */
static int read_plain(struct reader *reader, uint8_t *row, uint32_t width, struct err *err)
{
    unsigned shift = 0;
    for (uint32_t x = 0; x < width;) {
        if (reader->size_bytes - reader->at < 4)
            return fail_short(reader, err);
        const size_t at = reader->at;
        const uint8_t *pixel = reader->bytes + at;
        reader->at += 4;
        if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
            memcpy(row + 4 * (size_t)x++, pixel, 4);
            shift = 0;
            continue;
        }
        const uint64_t count = shift < 32 ? (uint64_t)pixel[3] << shift : UINT64_MAX;
        if (x == 0 || count > width - x)
            return err_set(err, ERR_BAD_MODEL, "at byte %zu a pixel is repeated %s", at,
                           x == 0 ? "before there is one" : "beyond its row");
        for (uint64_t i = 0; i < count; i++, x++)
            memcpy(row + 4 * (size_t)x, row + 4 * (size_t)(x - 1), 4);
        shift += 8;
    }
    return 0;
}

static int read_row(struct reader *reader, uint8_t *row, uint32_t width, struct err *err)
{
    if (reader->size_bytes - reader->at < 4)
        return fail_short(reader, err);
    const uint8_t *start = reader->bytes + reader->at;
    if (width < RUNS_WIDTH_MIN || width > RUNS_WIDTH_MAX || start[0] != 2 || start[1] != 2 || start[2] >= 128)
        return read_plain(reader, row, width, err);
    const uint32_t said = (uint32_t)start[2] << 8 | start[3];
    if (said != width)
        return err_set(err, ERR_BAD_MODEL, "the row at byte %zu has %u pixels instead of %u", reader->at, said, width);
    reader->at += 4;
    return read_runs(reader, row, width, err);
}

static void mirror(uint8_t *row, uint32_t width)
{
    for (uint32_t left = 0, right = width - 1; left < right; left++, right--) {
        uint8_t kept[4];
        memcpy(kept, row + 4 * (size_t)left, 4);
        memcpy(row + 4 * (size_t)left, row + 4 * (size_t)right, 4);
        memcpy(row + 4 * (size_t)right, kept, 4);
    }
}

int radiance_file_decode(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                         struct err *err)
{
    struct reader reader = {.bytes = bytes, .size_bytes = size_bytes};
    bool is_upward = false, is_leftward = false;
    *image = (struct image){0};
    if (read_head(&reader, err) < 0 || read_size(&reader, image, &is_upward, &is_leftward, err) < 0 ||
        image_alloc(image, limits, err) < 0)
        return err->code;
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = image->rgba + 4 * (size_t)image->width * (is_upward ? image->height - 1 - y : y);
        if (read_row(&reader, row, image->width, err) < 0) {
            image_fini(image);
            return err->code;
        }
        if (is_leftward)
            mirror(row, image->width);
    }
    return 0;
}
