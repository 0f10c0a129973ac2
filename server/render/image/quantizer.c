/* quantizer.c - counts colours and cuts the colour cube. */
#include "render/image/quantizer.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
    TABLE_SIZE = 1024, /* four times the colours, which keeps probing short */
    EMPTY = 0,         /* an entry is a colour, with 1 + its index in the highest byte */
    CUBE_BITS = 5,
    CUBE_SIZE = 1 << 3 * CUBE_BITS,
    HALF_ALPHA = 128,
};

/* A cell of the colour cube. */
struct bin {
    uint64_t count, sum[3], squares[3];
};
struct color_box {
    uint32_t first, count; /* in the list of cells */
    double spread;         /* sum of squared distances from the mean, in the channel that varies most */
    int channel;
};

static uint32_t color_of(const uint8_t *pixel) { return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2]; }

static uint32_t cell_of(const uint8_t *pixel)
{
    const int drop = 8 - CUBE_BITS;
    return (uint32_t)(pixel[0] >> drop) << 2 * CUBE_BITS | (uint32_t)(pixel[1] >> drop) << CUBE_BITS |
           (uint32_t)(pixel[2] >> drop);
}

/* Returns the slot of a colour in the table, or a free one for it. */
static uint32_t find_exact(const uint32_t *table, uint32_t color)
{
    uint32_t at = color * 2654435761u >> 22; /* Knuth's multiplicative hashing; 10 bits */
    while (table[at] != EMPTY && (table[at] & 0xffffff) != color)
        at = (at + 1) % TABLE_SIZE;
    return at;
}

/* False when there are too many colours. */
static bool list_exact(struct quantizer *quantizer, const uint8_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = pixels + 4 * i;
        if (pixel[3] < HALF_ALPHA)
            continue;
        const uint32_t color = color_of(pixel), at = find_exact(quantizer->exact, color);
        if (quantizer->exact[at] != EMPTY)
            continue;
        if (quantizer->count == QUANTIZER_COLORS_MAX)
            return false;
        for (int c = 0; c < 3; c++)
            quantizer->colors[quantizer->count][c] = pixel[c];
        quantizer->exact[at] = ++quantizer->count << 24 | color;
    }
    return true;
}

static void add_bin(struct bin *to, const struct bin *from)
{
    to->count += from->count;
    for (int c = 0; c < 3; c++) {
        to->sum[c] += from->sum[c];
        to->squares[c] += from->squares[c];
    }
}

static void fill_bins(struct bin *bins, const uint8_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = pixels + 4 * i;
        if (pixel[3] < HALF_ALPHA)
            continue;
        struct bin *bin = &bins[cell_of(pixel)];
        bin->count++;
        for (int c = 0; c < 3; c++) {
            bin->sum[c] += pixel[c];
            bin->squares[c] += (uint64_t)pixel[c] * pixel[c];
        }
    }
}

static struct bin sum_of(const struct bin *bins, const uint32_t *cells, const struct color_box *box)
{
    struct bin sum = {0};
    for (uint32_t i = 0; i < box->count; i++)
        add_bin(&sum, &bins[cells[box->first + i]]);
    return sum;
}

static void measure(const struct bin *bins, const uint32_t *cells, struct color_box *box)
{
    const struct bin sum = sum_of(bins, cells, box);
    box->spread = 0;
    for (int c = 0; c < 3 && box->count > 1; c++) {
        const double mean = (double)sum.sum[c] / (double)sum.count;
        const double spread = (double)sum.squares[c] - mean * (double)sum.sum[c];
        if (spread > box->spread) {
            box->spread = spread;
            box->channel = c;
        }
    }
}

/* Cuts a box in two; false when all cells are on one side. */
static bool cut(const struct bin *bins, uint32_t *cells, struct color_box *box, struct color_box *other)
{
    const struct bin sum = sum_of(bins, cells, box);
    const int c = box->channel;
    uint32_t low = box->first, high = box->first + box->count;
    while (low < high) { /* cells whose mean is below the box's come first */
        const struct bin *bin = &bins[cells[low]];
        if ((double)bin->sum[c] * (double)sum.count < (double)sum.sum[c] * (double)bin->count) {
            low++;
        } else {
            const uint32_t moved = cells[--high];
            cells[high] = cells[low];
            cells[low] = moved;
        }
    }
    if (low == box->first || low == box->first + box->count) { /* only by rounding */
        box->spread = 0;
        return false;
    }
    *other = (struct color_box){.first = low, .count = box->first + box->count - low};
    box->count = low - box->first;
    measure(bins, cells, box);
    measure(bins, cells, other);
    return true;
}

/* Lists the cells of the cube that have colours; returns how many. */
static uint32_t list_cells(const struct bin *bins, uint32_t *cells)
{
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < CUBE_SIZE; cell++)
        if (bins[cell].count > 0)
            cells[count++] = cell;
    return count;
}

static void make_boxes(struct quantizer *quantizer, const struct bin *bins, uint32_t *cells)
{
    struct color_box boxes[QUANTIZER_COLORS_MAX];
    uint32_t count = 1;
    boxes[0] = (struct color_box){.count = list_cells(bins, cells)};
    measure(bins, cells, &boxes[0]);
    while (count < QUANTIZER_COLORS_MAX) {
        uint32_t widest = 0;
        for (uint32_t b = 1; b < count; b++)
            if (boxes[b].spread > boxes[widest].spread)
                widest = b;
        if (!(boxes[widest].spread > 0))
            break;
        count += cut(bins, cells, &boxes[widest], &boxes[count]);
    }
    for (uint32_t b = 0; b < count; b++) {
        const struct bin sum = sum_of(bins, cells, &boxes[b]);
        for (int c = 0; c < 3; c++)
            quantizer->colors[b][c] = (uint8_t)((sum.sum[c] + sum.count / 2) / sum.count);
    }
    quantizer->count = count;
}

/* Uses the mean of a cell's colours, because the mean of the cell's own box need not be the nearest. */
static uint8_t nearest_to(const struct quantizer *quantizer, const struct bin *bin)
{
    double best = 0;
    uint32_t found = 0;
    for (uint32_t b = 0; b < quantizer->count; b++) {
        double distance = 0;
        for (int c = 0; c < 3; c++) {
            const double away = (double)bin->sum[c] / (double)bin->count - quantizer->colors[b][c];
            distance += away * away;
        }
        if (b == 0 || distance < best) {
            best = distance;
            found = b;
        }
    }
    return (uint8_t)found;
}

static int reduce(struct quantizer *quantizer, const uint8_t *pixels, size_t count, struct err *err)
{
    struct bin *bins = calloc(CUBE_SIZE, sizeof *bins);
    uint32_t *cells = calloc(CUBE_SIZE, sizeof *cells);
    quantizer->nearest = calloc(CUBE_SIZE, 1);
    const bool has_memory = bins != NULL && cells != NULL && quantizer->nearest != NULL;
    if (has_memory) {
        fill_bins(bins, pixels, count);
        make_boxes(quantizer, bins, cells);
        for (uint32_t cell = 0; cell < CUBE_SIZE; cell++)
            if (bins[cell].count > 0)
                quantizer->nearest[cell] = nearest_to(quantizer, &bins[cell]);
    }
    free(bins);
    free(cells);
    return has_memory ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for the colours of a picture");
}

int quantizer_init(struct quantizer *quantizer, const uint8_t *pixels, size_t count, struct err *err)
{
    *quantizer = (struct quantizer){.exact = calloc(TABLE_SIZE, sizeof(uint32_t))};
    if (quantizer->exact == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the colours of a picture");
    if (list_exact(quantizer, pixels, count))
        return 0;
    free(quantizer->exact);
    quantizer->exact = NULL;
    quantizer->count = 0;
    return reduce(quantizer, pixels, count, err);
}

void quantizer_fini(struct quantizer *quantizer)
{
    free(quantizer->exact);
    free(quantizer->nearest);
    *quantizer = (struct quantizer){0};
}

uint8_t quantizer_index(const struct quantizer *quantizer, const uint8_t pixel[4])
{
    if (pixel[3] < HALF_ALPHA)
        return QUANTIZER_TRANSPARENT;
    if (quantizer->exact == NULL)
        return quantizer->nearest[cell_of(pixel)];
    return (uint8_t)((quantizer->exact[find_exact(quantizer->exact, color_of(pixel))] >> 24) - 1);
}
