#include "hash.h"

uint64_t hash64(uint64_t state, const void *bytes, size_t size_bytes)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size_bytes; i++)
        state = (state ^ b[i]) * UINT64_C(0x100000001b3);
    return state;
}
