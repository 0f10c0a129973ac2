/* ktx2_bits.h - reads bits and Huffman codes of BasisLZ: the lowest bit of each byte comes first. Pure.
 *
 * Source: KTX File Format Specification 2.0, appendix "BasisLZ/ETC1S Bitstream Specification". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ktx2_bits {
    const uint8_t *bytes;
    size_t size_bytes;
    size_t at_bits;
    bool has_fault; /* it was read past its end, or a code that the table does not have */
};

enum { HUFFMAN_BITS_MAX = 16, HUFFMAN_SYMBOLS_MAX = (1 << 14) - 1 };

/* A canonical Huffman code (RFC 1951, 3.2.2). Without symbols every read is a fault. */
struct ktx2_huffman {
    uint16_t counts[HUFFMAN_BITS_MAX + 1]; /* of codes, by their length */
    uint16_t symbols[HUFFMAN_SYMBOLS_MAX]; /* by their codes */
};

/* The next `count` bits, at most 16; 0 after a fault. */
uint32_t ktx2_bits_next(struct ktx2_bits *bits, uint32_t count);

/* The next symbol; 0 after a fault. */
uint32_t ktx2_bits_symbol(struct ktx2_bits *bits, const struct ktx2_huffman *huffman);

/* The next number of a variable length: `count` bits and one that says whether there are more. */
uint64_t ktx2_bits_number(struct ktx2_bits *bits, uint32_t count);

/* Reads a table. False: a fault. */
bool ktx2_bits_table(struct ktx2_bits *bits, struct ktx2_huffman *huffman);
