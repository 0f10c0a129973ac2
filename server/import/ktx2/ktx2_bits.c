/* ktx2_bits.c - bits, Huffman codes and their tables. */
#include "import/ktx2/ktx2_bits.h"

#include <string.h>

/* Symbols of the lengths of codes: 0 to 16 is a length, the others are runs. */
enum { ZEROS_SHORT = 17, ZEROS_LONG = 18, REPEAT_SHORT = 19, REPEAT_LONG = 20, LENGTH_SYMBOLS = 21 };

uint32_t ktx2_bits_next(struct ktx2_bits *bits, uint32_t count)
{
    if (bits->has_fault || bits->size_bytes * 8 - bits->at_bits < count) {
        bits->has_fault = true;
        return 0;
    }
    uint32_t value = 0;
    for (uint32_t got = 0; got < count;) {
        const uint32_t offset = bits->at_bits % 8, left = count - got, part = 8 - offset < left ? 8 - offset : left;
        const uint32_t byte = bits->bytes[bits->at_bits / 8];
        value |= (byte >> offset & ((1u << part) - 1)) << got;
        bits->at_bits += part;
        got += part;
    }
    return value;
}

/* The codes of each length are a range of numbers, in the order of their symbols. */
uint32_t ktx2_bits_symbol(struct ktx2_bits *bits, const struct ktx2_huffman *huffman)
{
    uint32_t code = 0, first = 0, index = 0;
    for (uint32_t length = 1; length <= HUFFMAN_BITS_MAX; length++) {
        if (bits->has_fault || bits->at_bits >= bits->size_bytes * 8)
            break;
        code |= bits->bytes[bits->at_bits / 8] >> bits->at_bits % 8 & 1;
        bits->at_bits++;
        const uint32_t count = huffman->counts[length];
        if (code - first < count)
            return huffman->symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    bits->has_fault = true;
    return 0;
}

uint64_t ktx2_bits_number(struct ktx2_bits *bits, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 32; shift += count) {
        const uint32_t part = ktx2_bits_next(bits, count + 1);
        value |= (uint64_t)(part & ((1u << count) - 1)) << shift;
        if (part >> count == 0)
            return value;
    }
    bits->has_fault = true;
    return 0;
}

/* False: more codes of a length than there can be, or fewer, unless it is the only one. */
static bool build(struct ktx2_huffman *huffman, const uint8_t *lengths, uint32_t count)
{
    uint32_t firsts[HUFFMAN_BITS_MAX + 2] = {0}, used = 0;
    int32_t left = 1;
    memset(huffman->counts, 0, sizeof huffman->counts);
    for (uint32_t i = 0; i < count; i++)
        huffman->counts[lengths[i]]++;
    used = count - huffman->counts[0];
    huffman->counts[0] = 0;
    for (uint32_t length = 1; length <= HUFFMAN_BITS_MAX; length++) {
        left = 2 * left - huffman->counts[length];
        if (left < 0)
            return false;
        firsts[length + 1] = firsts[length] + huffman->counts[length];
    }
    if (left > 0 && used > 1)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (lengths[i] != 0)
            huffman->symbols[firsts[lengths[i]]++] = (uint16_t)i;
    return true;
}

bool ktx2_bits_table(struct ktx2_bits *bits, struct ktx2_huffman *huffman)
{
    static const uint8_t ORDER[LENGTH_SYMBOLS] = {17, 18, 19, 20, 0,  8, 7,  9, 6,  10, 5,
                                                  11, 4,  12, 3,  13, 2, 14, 1, 15, 16};
    uint8_t lengths[HUFFMAN_SYMBOLS_MAX] = {0}, of_lengths[LENGTH_SYMBOLS] = {0};
    const uint32_t count = ktx2_bits_next(bits, 14), length_count = ktx2_bits_next(bits, 5);
    if (length_count > LENGTH_SYMBOLS)
        bits->has_fault = true;
    for (uint32_t i = 0; i < length_count && !bits->has_fault; i++)
        of_lengths[ORDER[i]] = (uint8_t)ktx2_bits_next(bits, 3);
    if (bits->has_fault || !build(huffman, of_lengths, LENGTH_SYMBOLS)) {
        bits->has_fault = true;
        return false;
    }
    for (uint32_t at = 0; at < count && !bits->has_fault;) {
        const uint32_t symbol = ktx2_bits_symbol(bits, huffman);
        const uint8_t last = at > 0 ? lengths[at - 1] : 0;
        const bool is_repeat = symbol == REPEAT_SHORT || symbol == REPEAT_LONG;
        uint32_t run = 1;
        if (symbol == ZEROS_SHORT)
            run = 3 + ktx2_bits_next(bits, 3);
        else if (symbol == ZEROS_LONG)
            run = 11 + ktx2_bits_next(bits, 7);
        else if (is_repeat)
            run = symbol == REPEAT_SHORT ? 3 + ktx2_bits_next(bits, 2) : 7 + ktx2_bits_next(bits, 7);
        if (run > count - at || (is_repeat && last == 0))
            bits->has_fault = true;
        else
            memset(lengths + at, is_repeat ? last : symbol <= HUFFMAN_BITS_MAX ? (int)symbol : 0, run);
        at += run;
    }
    if (!bits->has_fault && !build(huffman, lengths, count))
        bits->has_fault = true;
    return !bits->has_fault;
}
