#include "daemon/service/etag.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/version.h"

#include <string.h>

enum { HASH_DIGITS = 16, MAKER_DIGITS = 8 };
_Static_assert(1 + 2 * (HASH_DIGITS + 1) + MAKER_DIGITS + 1 + ETAG_FORMAT_MAX + 2 <= ETAG_SIZE, "a tag has room");

void etag_make(const struct etag_source *source, char out[ETAG_SIZE])
{
    uint64_t maker = hash64(HASH64_SEED, POSED_VERSION, sizeof POSED_VERSION);
    maker = hash64(maker, source->renderer, strlen(source->renderer));
    for (size_t i = 0; i < source->clips_count; i++)
        maker = hash64(maker, source->clips[i], strlen(source->clips[i]));
    char *to = out;
    *to++ = '"';
    memcpy(to, source->hash, HASH_DIGITS);
    to[HASH_DIGITS] = '-';
    to += HASH_DIGITS + 1;
    memcpy(to, source->canonical, HASH_DIGITS);
    to[HASH_DIGITS] = '-';
    to += HASH_DIGITS + 1;
    hex_put_number(to, maker >> 32, MAKER_DIGITS);
    to[MAKER_DIGITS] = '-';
    to += MAKER_DIGITS + 1;
    for (const char *c = source->format; *c != '\0'; c++)
        *to++ = *c;
    *to++ = '"';
    *to = '\0';
}
