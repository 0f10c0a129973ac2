#include "render/passes/pass_png.h"

#include "render/image/png_file.h"

#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>

enum { FAST_LEVEL = 1, SMALL_LEVEL = 6, WHITE = UINT16_MAX };

/* --- numbers --- */

/* Finds the least and the largest finite number. Both are 0 when there is none. */
static struct render_pass_range find_range(const float *numbers, size_t count)
{
    struct render_pass_range range = {(double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i])) {
            range.least = fmin(range.least, (double)numbers[i]);
            range.most = fmax(range.most, (double)numbers[i]);
        }
    return range.least <= range.most ? range : (struct render_pass_range){0, 0};
}

static uint16_t from_range(const struct render_pass_range *range, float number)
{
    const double span = range->most - range->least;
    if (!isfinite(number))
        return 0;
    return (uint16_t)(1 + lround(span > 0 ? ((double)number - range->least) / span * (WHITE - 1) : 0));
}

static uint16_t from_unit(const float *normal, uint32_t component)
{
    const bool is_shown = normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
    return is_shown ? (uint16_t)lround(fmin(fmax((1 + (double)normal[component]) / 2, 0), 1) * WHITE) : 0;
}

static int check_ids(enum pass pass, const int32_t *numbers, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] > PASS_ID_MAX)
            return err_set(err, ERR_BAD_PARAMETER,
                           "the pass %s has index %d, and a PNG file shows %d at most: format=npz shows all",
                           PASS_INFO[pass].word, numbers[i], PASS_ID_MAX);
    return 0;
}

/* --- the file --- */

/* Writes a row of big-endian numbers, component after component. */
static void put_row(enum pass pass, const void *numbers, size_t first, uint32_t width,
                    const struct render_pass_range *range, uint8_t *to)
{
    const uint32_t components = PASS_INFO[pass].components;
    const float *floats = numbers;
    const int32_t *indices = numbers;
    for (size_t i = 0; i < (size_t)width * components; i++) {
        const size_t pixel = first + i / components;
        const uint16_t value = PASS_INFO[pass].picture == PASS_AS_ID ? (uint16_t)(indices[pixel] + 1)
                               : PASS_INFO[pass].picture == PASS_AS_UNIT
                                   ? from_unit(floats + pixel * components, (uint32_t)(i % components))
                                   : from_range(range, floats[pixel]);
        *to++ = (uint8_t)(value >> 8);
        *to++ = (uint8_t)value;
    }
}

/* Filters rows for PNG: a filter byte, then each byte minus the one above (PNG 1.2, 6.4). */
static uint8_t *make_rows(enum pass pass, const void *numbers, uint32_t width, uint32_t height,
                          const struct render_pass_range *range, size_t row_bytes)
{
    enum { FILTER_UP = 2 };
    uint8_t *rows = calloc(height, row_bytes + 1);
    for (uint32_t y = 0; rows != NULL && y < height; y++) {
        rows[y * (row_bytes + 1)] = FILTER_UP;
        put_row(pass, numbers, (size_t)y * width, width, range, rows + y * (row_bytes + 1) + 1);
    }
    for (uint32_t y = height; rows != NULL && y-- > 1;)
        for (size_t i = 1; i <= row_bytes; i++)
            rows[y * (row_bytes + 1) + i] =
                (uint8_t)(rows[y * (row_bytes + 1) + i] - rows[(y - 1) * (row_bytes + 1) + i]);
    return rows;
}

static int put_data(struct buf *out, const uint8_t *rows, size_t size_bytes, int level, struct err *err)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    const size_t capacity = compressor == NULL ? 0 : libdeflate_zlib_compress_bound(compressor, size_bytes);
    void *to = compressor == NULL ? NULL : buf_reserve(out, capacity);
    const size_t written = to == NULL ? 0 : libdeflate_zlib_compress(compressor, rows, size_bytes, to, capacity);
    libdeflate_free_compressor(compressor);
    if (to == NULL || written == 0)
        return err_set(err, to == NULL ? ERR_NO_MEMORY : ERR_INTERNAL, "the pass could not be compressed");
    buf_advance(out, written);
    return 0;
}

static void put_head(struct buf *out, uint32_t width, uint32_t height, bool is_grey)
{
    static const uint8_t SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t form[5] = {16, is_grey ? 0 : 2, 0, 0, 0}; /* bits, colours, deflate, filters, not interlaced */
    buf_put(out, SIGNATURE, sizeof SIGNATURE);
    const size_t at = png_start_chunk(out, "IHDR");
    png_put_u32(out, width);
    png_put_u32(out, height);
    buf_put(out, form, sizeof form);
    png_end_chunk(out, at, png_file_crc);
}

int pass_png_put(struct buf *out, enum pass pass, const void *numbers, uint32_t width, uint32_t height, bool is_small,
                 struct render_pass_range *range, struct err *err)
{
    const uint32_t components = PASS_INFO[pass].components;
    const size_t count = (size_t)width * height, row_bytes = 2 * (size_t)width * components;
    *range = (struct render_pass_range){0, 0};
    if (PASS_INFO[pass].picture == PASS_AS_ID && check_ids(pass, numbers, count, err) < 0)
        return err->code;
    if (PASS_INFO[pass].picture == PASS_AS_RANGE)
        *range = find_range(numbers, count);
    uint8_t *rows = make_rows(pass, numbers, width, height, range, row_bytes);
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", width, height);
    put_head(out, width, height, components == 1);
    const size_t at = png_start_chunk(out, "IDAT");
    const int rc = put_data(out, rows, (row_bytes + 1) * height, is_small ? SMALL_LEVEL : FAST_LEVEL, err);
    free(rows);
    if (rc < 0)
        return rc;
    png_end_chunk(out, at, png_file_crc);
    png_end_chunk(out, png_start_chunk(out, "IEND"), png_file_crc);
    return buf_failed(out) ? err_set(err, ERR_NO_MEMORY, "no memory for the picture's file") : 0;
}
