/* reply_compress.h - compresses the body of a response for a client that accepts it, and adjusts the entity tag. Pure;
 * any thread. */
#pragma once

#include "wire/http/coding.h"
#include "wire/encode/reply.h"

/* True when compressing the body pays: JSON of `least_bytes` or more, a file of a page of at least a kilobyte, or
 * either of these while more of the body follows. */
bool reply_is_compressible(const struct reply *reply, uint64_t least_bytes);

/* Compresses the body. A small, whole body is compressed immediately. Another is compressed while reply->rest delivers
 * it, if can_chunk allows that; otherwise the reply stays uncompressed. */
void reply_compress(struct reply *reply, enum coding coding, bool can_chunk);

/* Replaces the tag of the plain body by the tag of the coded one. */
void reply_compress_etag(struct reply *reply, enum coding coding);

/* Replaces the tags of bodies in this coding in an If-None-Match header by the plain tags, and writes the result to
 * *out with a NUL. False when the header has no such tags. */
bool coding_strip_etags(const char *if_none_match, enum coding coding, struct buf *out);
