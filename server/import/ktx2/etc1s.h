/* etc1s.h - decodes ETC1S packed by BasisLZ: codebooks of endpoints and selectors, from which the blocks of a slice
 * choose. A second slice has alpha. Pure.
 *
 * Source: KTX File Format Specification 2.0, appendices "BasisLZ Global Data" and "BasisLZ/ETC1S Bitstream
 * Specification"; KDFS 1.3, "ETC1S". */
#pragma once

#include "import/ktx2/ktx2.h"
#include "import/ktx2/ktx2_bits.h"

/* A colour of 5 bits a channel, and the row of the table of modifiers. */
struct etc1s_endpoint {
    uint8_t red, green, blue, table;
};

struct etc1s {
    uint32_t endpoint_count, selector_count;
    struct etc1s_endpoint *endpoints;
    uint32_t *selectors; /* 2 bits a texel, the first lowest, row by row */
    /* The tables of slices; codebooks are read with the same memory. */
    struct ktx2_huffman predictions, deltas, selections, runs;
    uint32_t history_size; /* of selectors, in slices */
};

/* Decodes the largest level, as ktx2_decode(). */
int etc1s_decode(const struct ktx2 *ktx2, uint8_t *rgba, struct err *err);

/* Decodes a slice: colours, or the alpha of a picture that has its colours. Sets *fault to a reason and returns
 * ERR_BAD_MODEL, or returns 0 or ERR_IMPORT_MEMORY. */
int etc1s_slice(const struct etc1s *etc1s, const struct ktx2 *ktx2, bool is_alpha, struct ktx2_bits *bits,
                uint8_t *rgba, const char **fault);
