/* etc1s_slice.c - the blocks of a slice: which endpoint and which selector each has, and the texels that they make.
 *
 * A block has the endpoint of a neighbour, or a new one; which is said for 2x2 blocks at a time. Its selector is new or
 * one of the history, or a run goes on. */
#include "import/ktx2/etc1s.h"

#include <stdlib.h>

/* KTX File Format Specification 2.0, "ETC1S Slice Block Decoding". */
enum {
    REPEAT_PREDICTION = 256,
    PREDICTION_RUN_MIN = 3,
    SELECTOR_RUN_MIN = 3,
    SELECTOR_RUN_LONG = 63,
};
enum { FROM_LEFT, FROM_ABOVE, FROM_ABOVE_LEFT, IS_NEW };

struct slice {
    const struct etc1s *etc1s;
    struct ktx2_bits *bits;
    uint32_t columns, rows;
    uint16_t *endpoints; /* of the blocks of this row and of the row above: at x, and at columns + x */
    uint8_t *below;      /* the predictions of the next row, for 2 blocks */
    uint32_t prediction; /* of the blocks that follow, 2 bits each */
    uint32_t last_prediction;
    uint64_t prediction_run, selector_run; /* how often it still repeats */
    uint32_t endpoint;
    uint16_t *history;
    uint32_t history_next;
};

/* At the first of two blocks in a row: where their endpoints come from. */
static void read_prediction(struct slice *slice, uint32_t x, uint32_t y)
{
    if (y % 2 == 1) {
        slice->prediction = slice->below[x / 2];
        return;
    }
    if (slice->prediction_run > 0) {
        slice->prediction_run--;
    } else {
        const uint32_t symbol = ktx2_bits_symbol(slice->bits, &slice->etc1s->predictions);
        if (symbol == REPEAT_PREDICTION)
            slice->prediction_run = ktx2_bits_number(slice->bits, 4) + PREDICTION_RUN_MIN - 1;
        else
            slice->last_prediction = symbol;
    }
    slice->prediction = slice->last_prediction;
    slice->below[x / 2] = (uint8_t)(slice->prediction >> 4);
}

static const char *read_endpoint(struct slice *slice, uint32_t x, uint32_t y)
{
    if (x % 2 == 0)
        read_prediction(slice, x, y);
    const uint32_t from = slice->prediction & 3, count = slice->etc1s->endpoint_count;
    slice->prediction >>= 2;
    if ((x == 0 && (from == FROM_LEFT || from == FROM_ABOVE_LEFT)) ||
        (y == 0 && (from == FROM_ABOVE || from == FROM_ABOVE_LEFT)))
        return "a block has the endpoint of one outside the picture";
    uint16_t *const row = slice->endpoints + (y % 2) * slice->columns;
    const uint16_t *const above = slice->endpoints + ((y + 1) % 2) * slice->columns;
    if (from == FROM_ABOVE)
        slice->endpoint = above[x];
    else if (from == FROM_ABOVE_LEFT)
        slice->endpoint = above[x - 1];
    else if (from == IS_NEW)
        slice->endpoint += ktx2_bits_symbol(slice->bits, &slice->etc1s->deltas);
    if (slice->endpoint >= count)
        slice->endpoint -= count;
    if (slice->endpoint >= count)
        return "a block has an endpoint that the codebook has not";
    row[x] = (uint16_t)slice->endpoint;
    return NULL;
}

/* An approximate move to front: a selector that is used trades places with the one at half its index. */
static uint32_t use_history(struct slice *slice, uint32_t index)
{
    const uint16_t selector = slice->history[index];
    slice->history[index] = slice->history[index / 2];
    slice->history[index / 2] = selector;
    return selector;
}

/* New selectors go round in the upper half. */
static void remember(struct slice *slice, uint32_t selector)
{
    const uint32_t size = slice->etc1s->history_size;
    if (size == 0)
        return;
    slice->history[slice->history_next++] = (uint16_t)selector;
    if (slice->history_next == size)
        slice->history_next = size / 2;
}

static const char *read_selector(struct slice *slice, uint32_t *selector)
{
    const uint32_t count = slice->etc1s->selector_count, history_size = slice->etc1s->history_size;
    uint32_t symbol = count; /* the first of the history, as in a run */
    if (slice->selector_run > 0) {
        slice->selector_run--;
    } else {
        symbol = ktx2_bits_symbol(slice->bits, &slice->etc1s->selections);
        if (symbol == count + history_size) {
            const uint32_t run = ktx2_bits_symbol(slice->bits, &slice->etc1s->runs);
            slice->selector_run =
                (run == SELECTOR_RUN_LONG ? ktx2_bits_number(slice->bits, 7) : run) + SELECTOR_RUN_MIN - 1;
            symbol = count;
        }
    }
    if (symbol < count) {
        *selector = symbol;
        remember(slice, symbol);
    } else if (symbol - count < history_size) {
        *selector = use_history(slice, symbol - count);
    } else {
        return "a block has a selector that the codebook has not";
    }
    return NULL;
}

static uint8_t shade(uint32_t colour, int modifier)
{
    const int value = (int)(colour << 3 | colour >> 2) + modifier;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* KDFS 1.3, "ETC1S": the intensity modifiers of ETC1, from the darkest on. */
static void make_texels(const struct etc1s_endpoint *endpoint, uint32_t selector, uint8_t texels[64])
{
    static const int16_t MODIFIERS[8][4] = {{-8, -2, 2, 8},       {-17, -5, 5, 17},    {-29, -9, 9, 29},
                                            {-42, -13, 13, 42},   {-60, -18, 18, 60},  {-80, -24, 24, 80},
                                            {-106, -33, 33, 106}, {-183, -47, 47, 183}};
    uint8_t shades[4][4];
    for (uint32_t i = 0; i < 4; i++) {
        const int modifier = MODIFIERS[endpoint->table][i];
        shades[i][0] = shade(endpoint->red, modifier);
        shades[i][1] = shade(endpoint->green, modifier);
        shades[i][2] = shade(endpoint->blue, modifier);
        shades[i][3] = 255;
    }
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t c = 0; c < 4; c++)
            texels[4 * i + c] = shades[selector >> 2 * i & 3][c];
}

/* Alpha is the green of its slice. */
static void put_alpha(const struct ktx2 *ktx2, uint32_t block_x, uint32_t block_y, const uint8_t texels[64],
                      uint8_t *rgba)
{
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t x = 4 * block_x + i % 4, y = 4 * block_y + i / 4;
        if (x < ktx2->width && y < ktx2->height)
            rgba[4 * ((size_t)y * ktx2->width + x) + 3] = texels[4 * i + 1];
    }
}

static const char *decode(struct slice *slice, const struct ktx2 *ktx2, bool is_alpha, uint8_t *rgba)
{
    const char *fault = NULL;
    for (uint32_t y = 0; y < slice->rows; y++) {
        for (uint32_t x = 0; x < slice->columns; x++) {
            uint32_t selector = 0;
            uint8_t texels[64];
            fault = read_endpoint(slice, x, y);
            if (fault == NULL)
                fault = read_selector(slice, &selector);
            if (slice->bits->has_fault)
                fault = "the blocks are damaged, or end too early";
            if (fault != NULL)
                return fault;
            make_texels(&slice->etc1s->endpoints[slice->endpoint], slice->etc1s->selectors[selector], texels);
            if (is_alpha)
                put_alpha(ktx2, x, y, texels, rgba);
            else
                ktx2_put_block(ktx2, x, y, texels, rgba);
        }
    }
    return NULL;
}

int etc1s_slice(const struct etc1s *etc1s, const struct ktx2 *ktx2, bool is_alpha, struct ktx2_bits *bits,
                uint8_t *rgba, const char **fault)
{
    struct slice slice = {.etc1s = etc1s, .bits = bits, .history_next = etc1s->history_size / 2};
    slice.columns = (ktx2->width + 3) / 4;
    slice.rows = (ktx2->height + 3) / 4;
    slice.endpoints = calloc((size_t)2 * slice.columns, sizeof *slice.endpoints);
    slice.below = calloc((size_t)slice.columns / 2 + 1, 1);
    slice.history = calloc((size_t)etc1s->history_size + 1, sizeof *slice.history);
    int rc = ERR_IMPORT_MEMORY;
    if (slice.endpoints != NULL && slice.below != NULL && slice.history != NULL) {
        *fault = decode(&slice, ktx2, is_alpha, rgba);
        rc = *fault != NULL ? ERR_BAD_MODEL : 0;
    }
    free(slice.endpoints);
    free(slice.below);
    free(slice.history);
    return rc;
}
