/* mip.c - resamples pixels by area, with tables to linear light and back. */
#include "anim/light/mip.h"

#include "anim/light/rgbe.h"
#include "base/mem.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The weight of an invisible pixel relative to a visible one, so that its colour counts only if all pixels are
 * invisible. */
static const float INVISIBLE_WEIGHT = 1.0f / 65536;

/* Steps of the table back to sRGB: about 20 for the narrowest of the 256 levels, the darkest. */
enum { ENCODE_STEPS = 65536 };

struct tables {
    float linear_of[256], number_of[256];
    uint8_t srgb_of[ENCODE_STEPS + 1];
};

/* The sRGB curve (IEC 61966-2-1). */
static double linear_of_srgb(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static struct tables *tables_new(void)
{
    struct tables *tables = mem_alloc(sizeof *tables);
    for (int i = 0; i < 256; i++) {
        const double s = i / 255.0;
        tables->number_of[i] = (float)s;
        tables->linear_of[i] = (float)linear_of_srgb(s);
    }
    /* The table is filled per level, which needs one pow() for each of 256 levels instead of one per step. */
    for (int level = 0, i = 0; i <= ENCODE_STEPS; level++) {
        const double end = level < 255 ? linear_of_srgb((level + 0.5) / 255) * ENCODE_STEPS : ENCODE_STEPS + 1;
        for (; i <= ENCODE_STEPS && i < end; i++)
            tables->srgb_of[i] = (uint8_t)level;
    }
    return tables;
}

/* Returns the tables, which the first caller makes. They stay until the process ends. */
static const struct tables *tables_get(void)
{
    static struct tables *_Atomic shared;
    struct tables *tables = atomic_load_explicit(&shared, memory_order_acquire), *made;
    if (tables != NULL)
        return tables;
    made = tables_new();
    if (atomic_compare_exchange_strong(&shared, &tables, made))
        return made;
    free(made); /* another thread was first */
    return tables;
}

float mip_linear_of(uint8_t srgb) { return tables_get()->linear_of[srgb]; }

uint8_t mip_srgb_of(float linear)
{
    return tables_get()->srgb_of[linear > 0 ? linear < 1 ? (int)(linear * ENCODE_STEPS + 0.5f) : ENCODE_STEPS : 0];
}

uint32_t mip_side(uint32_t side, uint32_t side_max)
{
    uint32_t power = 1;
    while (power < side && power <= side_max / 2)
        power *= 2;
    return power;
}

uint32_t mip_level_count(uint32_t width, uint32_t height)
{
    uint32_t count = 1;
    for (uint32_t side = width > height ? width : height; side > 1; side /= 2)
        count++;
    return count;
}

static uint32_t half(uint32_t side) { return side > 1 ? side / 2 : 1; }

uint64_t mip_bytes(uint32_t width, uint32_t height)
{
    uint64_t bytes = 0;
    for (uint32_t level = mip_level_count(width, height); level > 0; level--) {
        bytes += 4 * (uint64_t)width * height;
        width = half(width);
        height = half(height);
    }
    return bytes;
}

/* Returns the overlap of source cell `i` with target cell `t` if `from` cells span `to` cells, in units of 1/to of a
 * source cell. The integers are exact. */
static uint32_t overlap(uint32_t i, uint32_t t, uint32_t from, uint32_t to)
{
    const uint64_t cell = (uint64_t)i * to, target = (uint64_t)t * from;
    const uint64_t first = cell > target ? cell : target;
    const uint64_t last = cell + to < target + from ? cell + to : target + from;
    return last > first ? (uint32_t)(last - first) : 0;
}

/* What the pixels are, and the numbers of their bytes. */
struct meaning {
    enum texture_content content;
    const float *value_of; /* [256] */
    const uint8_t *srgb_of;
};

/* Adds one pixel to sums[5]: colour times weight, weight, alpha, each times the area. */
static inline void add_pixel(const uint8_t *pixel, float area, const struct meaning *meaning, float *sums)
{
    const enum texture_content content = meaning->content;
    if (content == TEXTURE_RADIANCE) {
        float rgb[3];
        rgbe_to_linear(pixel, rgb);
        for (int c = 0; c < 3; c++)
            sums[c] += area * rgb[c];
        return;
    }
    const float *value_of = meaning->value_of;
    const float weight = content == TEXTURE_DATA ? area : area * ((float)pixel[3] + INVISIBLE_WEIGHT);
    for (int c = 0; c < 3; c++)
        sums[c] += weight * value_of[pixel[c]];
    sums[3] += weight;
    sums[4] += area * (float)pixel[3];
}

/* sum_row() for the usual case of two pixels to one, without the search for overlaps. */
static void sum_row_of_pairs(const uint8_t *row, uint32_t to_width, const struct meaning *meaning, float *sums)
{
    for (uint32_t x = 0; x < to_width; x++, sums += 5, row += 8) {
        memset(sums, 0, 5 * sizeof *sums);
        add_pixel(row, 0.5f, meaning, sums);
        add_pixel(row + 4, 0.5f, meaning, sums);
    }
}

/* sums[to_width * 5], as add_pixel() makes them. */
static void sum_row(const uint8_t *row, uint32_t from_width, uint32_t to_width, const struct meaning *meaning,
                    float *sums)
{
    if (from_width / 2 == to_width && from_width % 2 == 0) {
        sum_row_of_pairs(row, to_width, meaning, sums);
        return;
    }
    for (uint32_t x = 0; x < to_width; x++, sums += 5) {
        memset(sums, 0, 5 * sizeof *sums);
        const uint32_t first = (uint32_t)((uint64_t)x * from_width / to_width);
        for (uint32_t i = first; i < from_width; i++) {
            const uint32_t part = overlap(i, x, from_width, to_width);
            if (part == 0)
                break;
            add_pixel(row + 4 * (size_t)i, (float)part / (float)from_width, meaning, sums);
        }
    }
}

static uint8_t encode(float linear, const struct meaning *meaning)
{
    if (meaning->content == TEXTURE_DATA)
        return (uint8_t)fminf(linear * 255 + 0.5f, 255);
    const float step = linear * ENCODE_STEPS + 0.5f;
    return meaning->srgb_of[step < ENCODE_STEPS ? (int)step : ENCODE_STEPS];
}

static void put_row(const float *sums, uint32_t width, const struct meaning *meaning, uint8_t *row)
{
    for (uint32_t x = 0; x < width; x++, sums += 5, row += 4) {
        if (meaning->content == TEXTURE_RADIANCE) {
            rgbe_from_linear(sums, row);
            continue;
        }
        for (int c = 0; c < 3; c++)
            row[c] = encode(sums[c] / sums[3], meaning);
        row[3] = (uint8_t)fminf(sums[4] + 0.5f, 255);
    }
}

/* A target row is the weighted sum of the source rows under it. The sum of a source row under two target rows is
 * computed once and kept. */
static void resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                     uint32_t to_height, const struct meaning *meaning, float *sums, float *total)
{
    uint32_t summed = UINT32_MAX;
    for (uint32_t y = 0; y < to_height; y++) {
        memset(total, 0, 5 * (size_t)to_width * sizeof *total);
        for (uint32_t i = (uint32_t)((uint64_t)y * from_height / to_height); i < from_height; i++) {
            const uint32_t part = overlap(i, y, from_height, to_height);
            if (part == 0)
                break;
            if (i != summed)
                sum_row(from + 4 * (size_t)i * from_width, from_width, to_width, meaning, sums);
            summed = i;
            const float area = (float)part / (float)from_height;
            for (size_t k = 0; k < 5 * (size_t)to_width; k++)
                total[k] += area * sums[k];
        }
        put_row(total, to_width, meaning, to + 4 * (size_t)y * to_width);
    }
}

bool mip_try_resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                      uint32_t to_height, enum texture_content content)
{
    if (from_width == to_width && from_height == to_height) {
        memcpy(to, from, 4 * (size_t)to_width * to_height);
        return true;
    }
    float *rows = calloc((size_t)to_width * 2, 5 * sizeof *rows);
    if (rows == NULL)
        return false;
    const struct tables *tables = tables_get();
    const struct meaning meaning = {content, content == TEXTURE_DATA ? tables->number_of : tables->linear_of,
                                    tables->srgb_of};
    resample(from, from_width, from_height, to, to_width, to_height, &meaning, rows, rows + 5 * (size_t)to_width);
    free(rows);
    return true;
}

void mip_resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                  uint32_t to_height, enum texture_content content)
{
    if (!mip_try_resample(from, from_width, from_height, to, to_width, to_height, content))
        mem_exhausted();
}

void mip_repeat(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                uint32_t to_height)
{
    for (uint32_t y = 0; y < to_height; y++) {
        const uint8_t *row = from + (uint64_t)y * from_height / to_height * from_width * 4;
        for (uint32_t x = 0; x < to_width; x++, to += 4)
            memcpy(to, row + (uint64_t)x * from_width / to_width * 4, 4);
    }
}

void mip_unrepeat(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                  uint32_t to_height)
{
    for (uint32_t y = 0; y < to_height; y++) {
        const uint8_t *row = from + (2 * (uint64_t)y + 1) * from_height / (2 * (uint64_t)to_height) * from_width * 4;
        for (uint32_t x = 0; x < to_width; x++, to += 4)
            memcpy(to, row + (2 * (uint64_t)x + 1) * from_width / (2 * (uint64_t)to_width) * 4, 4);
    }
}

void mip_fill(uint8_t *pixels, uint32_t width, uint32_t height, enum texture_content content)
{
    while (width > 1 || height > 1) {
        const uint32_t to_width = half(width), to_height = half(height);
        uint8_t *to = pixels + 4 * (size_t)width * height;
        mip_resample(pixels, width, height, to, to_width, to_height, content);
        pixels = to;
        width = to_width;
        height = to_height;
    }
}
