/* onion.h - several pictures of one size laid over each other, the earlier the fainter. Pure; any thread.
 *
 * Of n pictures the last is laid in full, and the i-th before it (1 the first) with 0.6 * i / n of its alpha, each over
 * those before it (Porter and Duff 1984, "over"), in whole numbers. */
#pragma once

#include <stdint.h>

/* Lays picture `index` of `count` over `below`. Samples: [sample_count] RGBA8, premultiplied. Start with zeros. */
void onion_lay(uint8_t *below, const uint8_t *samples, uint64_t sample_count, uint32_t index, uint32_t count);
