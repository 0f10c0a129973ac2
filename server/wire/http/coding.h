/* coding.h - content codings (RFC 9110, 8.4.1): gzip by zlib, zstd by libzstd. Pure; any thread, an encoder on one at a
 * time. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

enum coding { CODING_NONE, CODING_GZIP, CODING_ZSTD, CODING_COUNT };

/* For Content-Encoding: "gzip". */
const char *coding_name(enum coding coding);
/* What an entity tag of the coded bytes has in front of its closing quote: "-gzip1.2.13". The library's version is part
 * of it, because the bytes depend on it. */
const char *coding_suffix(enum coding coding);

struct encoder;
/* NULL: no memory. */
struct encoder *encoder_new(enum coding coding);
void encoder_free(struct encoder *encoder); /* NULL is fine */
/* Appends to *out what the bytes give; with is_last all that is left and the end. 0, or ERR_NO_MEMORY. */
int encoder_put(struct encoder *encoder, const void *bytes, size_t size_bytes, bool is_last, struct buf *out,
                struct err *err);
/* Memory that an encoder holds, about. */
size_t encoder_held_bytes(enum coding coding);
