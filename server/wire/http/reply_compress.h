/* reply_compress.h - a reply whose body a client takes compressed: what that does to the body and to the entity tag.
 * Pure; any thread. */
#pragma once

#include "wire/http/coding.h"
#include "wire/encode/reply.h"

/* True when the body is worth a coding: JSON of `least_bytes` or more, a file of a page from a kilobyte on, or what of
 * these has more to follow. */
bool reply_is_compressible(const struct reply *reply, uint64_t least_bytes);

/* The body is coded, here and now when it is small and whole; otherwise, where can_chunk says so, as it is taken:
 * reply->rest then gives it. A codable reply stays as it is where that is impossible. */
void reply_compress(struct reply *reply, enum coding coding, bool can_chunk);

/* The tag of the coded body instead of that of the plain one. */
void reply_compress_etag(struct reply *reply, enum coding coding);

/* Of an If-None-Match header: the plain tags in place of those of bodies in this coding, to *out with a NUL. False:
 * there are none. */
bool coding_strip_etags(const char *if_none_match, enum coding coding, struct buf *out);
