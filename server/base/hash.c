#include "base/hash.h"

#include <string.h>

/* Spreads each of the 64 bits over all: multiplying spreads them to the left, shifting to the right. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

uint64_t hash64(uint64_t state, const void *bytes, size_t size_bytes)
{
    const unsigned char *b = bytes;
    uint64_t word;
    for (size_t i = 0; i + sizeof word <= size_bytes; i += sizeof word) {
        memcpy(&word, b + i, sizeof word);
        state = mix(state ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    word = 0;
    if (size_bytes % sizeof word > 0) /* `bytes` may be NULL when there are none, and memcpy() must not get NULL */
        memcpy(&word, b + size_bytes / sizeof word * sizeof word, size_bytes % sizeof word);
    return mix(state ^ word ^ (uint64_t)size_bytes << 56);
}
