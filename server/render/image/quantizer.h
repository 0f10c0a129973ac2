/* quantizer.h - reduces the colours of a picture to at most 255. Pure; the same pixels give the same colours.
 *
 * Up to 255 colours are kept unchanged. More are sorted into boxes of the colour cube. The box with the largest total
 * variation is cut in two at the mean of the channel that varies most, until there are 255 boxes, and each is replaced
 * by its mean (after X. Wu, "Efficient Statistical Computations for Optimal Color Quantization", 1991). */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { QUANTIZER_COLORS_MAX = 255, QUANTIZER_TRANSPARENT = 255 /* index of transparent pixels */ };

struct quantizer {
    uint8_t colors[QUANTIZER_COLORS_MAX][3];
    uint32_t count;
    uint32_t *exact;  /* private to quantizer.c: a hash table of unchanged colours, or NULL */
    uint8_t *nearest; /* private: for each cell of the colour cube */
};

/* pixels: [count], RGBA8, straight alpha; those of less than half alpha do not count. Returns 0 or ERR_NO_MEMORY; call
 * quantizer_fini() in any case. */
int quantizer_init(struct quantizer *quantizer, const uint8_t *pixels, size_t count, struct err *err);
void quantizer_fini(struct quantizer *quantizer);
/* Returns the index of a pixel's colour, or QUANTIZER_TRANSPARENT. The pixel must be one of those passed to
 * quantizer_init(). */
uint8_t quantizer_index(const struct quantizer *quantizer, const uint8_t pixel[4]);
