/* etag.h - the entity tag of an answer: what it was made from, not what it holds, so that a client's copy is known to
 * be good before anything is evaluated. Pure; any thread. */
#pragma once

#include <stddef.h>

enum { ETAG_SIZE = 56, ETAG_FORMAT_MAX = 4 };

/* Everything that the bytes of an answer depend on. */
struct etag_source {
    const char *hash;         /* the model's content hash, hex, at least 16 digits */
    const char *canonical;    /* the request's, 16 hex digits */
    const char *const *clips; /* the content hashes of the other files that clips are from, in the request's order */
    size_t clips_count;
    const char *renderer; /* what draws, for pictures; "" otherwise */
    const char *format;   /* "json", "bin", "png": at most ETAG_FORMAT_MAX letters */
};

/* Writes a strong tag with its quotes. The server's version is part of it. */
void etag_make(const struct etag_source *source, char out[ETAG_SIZE]);
