/* Hashes data that is too large for lines. */
#include "clients/cli/model_text/model_text.h"

uint64_t hash_more(uint64_t hash, const void *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}
