#include "etag.h"

#include "../base/hash.h"
#include "../base/version.h"

#include <stdio.h>
#include <string.h>

void etag_make(const struct etag_source *source, char out[ETAG_SIZE])
{
    uint64_t maker = hash64(HASH64_SEED, POSED_VERSION, sizeof POSED_VERSION);
    maker = hash64(maker, source->renderer, strlen(source->renderer));
    for (size_t i = 0; i < source->clips_count; i++)
        maker = hash64(maker, source->clips[i], strlen(source->clips[i]));
    snprintf(out, ETAG_SIZE, "\"%.16s-%.16s-%08x-%.4s\"", source->hash, source->canonical, (unsigned)(maker >> 32),
             source->format);
}
