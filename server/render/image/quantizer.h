/* quantizer.h - reduces the colours of a picture to at most 255. Pure; the same pixels give the same colours.
 *
 * At most 255 colours are kept as they are. More are sorted into boxes of the colour cube: the box whose colours differ
 * most in all is cut in two at the mean of the channel that differs most, until there are enough, and each stands for
 * its mean (after X. Wu, "Efficient Statistical Computations for Optimal Color Quantization", 1991). */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { QUANTIZER_COLORS_MAX = 255, QUANTIZER_TRANSPARENT = 255 /* the index of pixels that are not there */ };

struct quantizer {
    uint8_t colors[QUANTIZER_COLORS_MAX][3];
    uint32_t count;
    uint32_t *exact;  /* private to quantizer.c: a hash table of colours as they are, or NULL */
    uint8_t *nearest; /* likewise: of each cell of the colour cube */
};

/* pixels: [count], RGBA8, straight; those of less than half alpha do not count. Returns 0 or ERR_NO_MEMORY; call
 * quantizer_fini() in any case. */
int quantizer_init(struct quantizer *quantizer, const uint8_t *pixels, size_t count, struct err *err);
void quantizer_fini(struct quantizer *quantizer);
/* The index of a pixel's colour, or QUANTIZER_TRANSPARENT. The pixel is one of those the palette was made of. */
uint8_t quantizer_index(const struct quantizer *quantizer, const uint8_t pixel[4]);
