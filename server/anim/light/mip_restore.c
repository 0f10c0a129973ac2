/* mip_restore.c - finds the pixels that mip_resample() enlarged.
 *
 * Enlarging by area is a linear map A of each row and then of each column, in linear light. Its least squares solution
 * x = (A^T A)^-1 A^T y undoes it. A cell of the source reaches into at most one cell of the result that its neighbour
 * reaches into too, so A^T A is tridiagonal, and elimination (Thomas' algorithm) solves it in one pass each way. Its
 * condition is at most some 250 (511 to 512), mostly below 20: rounding to bytes is hardly amplified. */
#include "anim/light/mip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4 }; /* colour times weight, alpha */
enum { CELLS = 3 };    /* the most enlarged cells that a cell reaches into: sides at most double */

/* As in mip.c: the weight of an invisible pixel relative to a visible one. */
static const float INVISIBLE_WEIGHT = 1.0f / 65536;

/* One direction: the elimination of A^T A, for cells 0 to count - 1. */
struct axis {
    uint32_t count, enlarged_count;
    float *below, *above, *inverse; /* the entry beside the diagonal, what is left of it, and 1 over the pivot */
    float *shares;                  /* [count][CELLS]: of the enlarged cells from first_enlarged() on */
};

/* The share of enlarged cell `t` that lies in cell `i`. */
static double share(const struct axis *axis, uint32_t i, uint32_t t)
{
    const uint64_t cell = (uint64_t)i * axis->enlarged_count, other = (uint64_t)t * axis->count;
    const uint64_t first = cell > other ? cell : other;
    const uint64_t last =
        cell + axis->enlarged_count < other + axis->count ? cell + axis->enlarged_count : other + axis->count;
    return last > first ? (double)(last - first) / axis->count : 0;
}

static uint32_t first_enlarged(const struct axis *axis, uint32_t i)
{
    return (uint32_t)((uint64_t)i * axis->enlarged_count / axis->count);
}

/* The entry (i, j) of A^T A, j = i or i + 1. */
static double entry(const struct axis *axis, uint32_t i, uint32_t j)
{
    double sum = 0, part;
    for (uint32_t t = first_enlarged(axis, i); t < axis->enlarged_count && (part = share(axis, i, t)) > 0; t++)
        sum += part * share(axis, j, t);
    return sum;
}

static bool axis_init(struct axis *axis, uint32_t count, uint32_t enlarged_count)
{
    *axis = (struct axis){.count = count, .enlarged_count = enlarged_count};
    axis->below = calloc(count, (3 + CELLS) * sizeof *axis->below);
    if (axis->below == NULL)
        return false;
    axis->above = axis->below + count;
    axis->inverse = axis->above + count;
    axis->shares = axis->inverse + count;
    double above = 0, below = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < CELLS; k++)
            axis->shares[i * CELLS + k] = (float)share(axis, i, first_enlarged(axis, i) + k);
        const double pivot = entry(axis, i, i) - below * above;
        axis->inverse[i] = (float)(1 / pivot);
        axis->below[i] = (float)below;
        below = i + 1 < count ? entry(axis, i, i + 1) : 0;
        above = below / pivot;
        axis->above[i] = (float)above;
    }
    return true;
}

/* The two passes of elimination: numbers[count] of cell i become those of the solution. `before` and `after` are those
 * of cells i - 1 and i + 1, or NULL. */
static void eliminate(const struct axis *axis, uint32_t i, const float *before, float *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++)
        numbers[k] = (numbers[k] - (before != NULL ? axis->below[i] * before[k] : 0)) * axis->inverse[i];
}

static void substitute(const struct axis *axis, uint32_t i, const float *after, float *numbers, size_t count)
{
    for (size_t k = 0; k < count && after != NULL; k++)
        numbers[k] -= axis->above[i] * after[k];
}

static void read_pixel(const uint8_t *pixel, enum texture_content content, float *out)
{
    const float weight = content == TEXTURE_DATA ? 1 : (float)pixel[3] + INVISIBLE_WEIGHT;
    for (int c = 0; c < 3; c++)
        out[c] = weight * (content == TEXTURE_DATA ? (float)pixel[c] / 255 : mip_linear_of(pixel[c]));
    out[3] = (float)pixel[3];
}

static uint8_t byte_of(float number) { return (uint8_t)(fminf(fmaxf(number, 0), 255) + 0.5f); }

static void put_pixel(const float *numbers, enum texture_content content, uint8_t *out)
{
    out[3] = byte_of(numbers[3]);
    const float weight = content == TEXTURE_DATA ? 1 : fmaxf(numbers[3], 0) + INVISIBLE_WEIGHT;
    for (int c = 0; c < 3; c++)
        out[c] = content == TEXTURE_DATA ? byte_of(numbers[c] * 255) : mip_srgb_of(numbers[c] / weight);
}

/* out[axis->count * CHANNELS]: the row before it was enlarged. pixels[axis->enlarged_count * CHANNELS]. */
static void restore_row(const struct axis *axis, const float *pixels, float *out)
{
    for (uint32_t i = 0; i < axis->count; i++) {
        const float *shares = axis->shares + (size_t)i * CELLS;
        const float *pixel = pixels + CHANNELS * (size_t)first_enlarged(axis, i);
        float *cell = out + CHANNELS * (size_t)i, sum[CHANNELS] = {0};
        for (int k = 0; k < CELLS && shares[k] > 0; k++, pixel += CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                sum[c] += shares[k] * pixel[c];
        memcpy(cell, sum, sizeof sum);
        eliminate(axis, i, i > 0 ? cell - CHANNELS : NULL, cell, CHANNELS);
    }
    for (uint32_t i = axis->count; i-- > 0;) {
        float *cell = out + CHANNELS * (size_t)i;
        substitute(axis, i, i + 1 < axis->count ? cell + CHANNELS : NULL, cell, CHANNELS);
    }
}

/* rows[y->count][x->count * CHANNELS], zeroed: the columns of the restored rows times A^T. `row` and `pixels` are for
 * one row and for one enlarged row. */
static void restore_rows(const struct axis *x, const struct axis *y, const uint8_t *from, enum texture_content content,
                         float *row, float *pixels, float *rows)
{
    const size_t width = CHANNELS * (size_t)x->count;
    for (uint32_t t = 0; t < y->enlarged_count; t++) {
        for (uint32_t k = 0; k < x->enlarged_count; k++, from += 4)
            read_pixel(from, content, pixels + CHANNELS * (size_t)k);
        restore_row(x, pixels, row);
        double part;
        for (uint32_t i = (uint32_t)((uint64_t)t * y->count / y->enlarged_count);
             i < y->count && (part = share(y, i, t)) > 0; i++)
            for (size_t k = 0; k < width; k++)
                rows[i * width + k] += (float)part * row[k];
    }
}

static void put_columns(const struct axis *x, const struct axis *y, enum texture_content content, float *rows,
                        uint8_t *to)
{
    const size_t width = CHANNELS * (size_t)x->count;
    for (uint32_t i = 0; i < y->count; i++)
        eliminate(y, i, i > 0 ? rows + (i - 1) * width : NULL, rows + i * width, width);
    for (uint32_t i = y->count; i-- > 0;) {
        substitute(y, i, i + 1 < y->count ? rows + (i + 1) * width : NULL, rows + i * width, width);
        for (uint32_t k = 0; k < x->count; k++)
            put_pixel(rows + i * width + CHANNELS * (size_t)k, content, to + 4 * ((size_t)i * x->count + k));
    }
}

bool mip_restore(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                 uint32_t to_height, enum texture_content content)
{
    struct axis x = {0}, y = {0};
    const size_t width = CHANNELS * (size_t)to_width, count = to_height * width;
    float *rows = calloc(count + width + CHANNELS * (size_t)from_width, sizeof *rows);
    const bool is_ready = rows != NULL && axis_init(&x, to_width, from_width) && axis_init(&y, to_height, from_height);
    if (is_ready) {
        restore_rows(&x, &y, from, content, rows + count, rows + count + width, rows);
        put_columns(&x, &y, content, rows, to);
    }
    free(rows);
    free(x.below);
    free(y.below);
    return is_ready;
}
