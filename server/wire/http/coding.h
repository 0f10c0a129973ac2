/* coding.h - content codings (RFC 9110, 8.4.1): gzip by zlib, zstd by libzstd. Pure; any thread, but an encoder serves
 * one at a time. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

enum coding { CODING_NONE, CODING_GZIP, CODING_ZSTD, CODING_COUNT };

/* For Content-Encoding: "gzip". */
const char *coding_name(enum coding coding);
/* The suffix that the entity tag of a coded body has before its closing quote: "-gzip1.2.13". It contains the library's
 * version because the bytes depend on it. */
const char *coding_suffix(enum coding coding);

struct encoder;
/* NULL: out of memory. */
struct encoder *encoder_new(enum coding coding);
void encoder_free(struct encoder *encoder); /* NULL is fine */
/* Encodes the bytes and appends the output to *out. With is_last it also appends all pending output and the end of the
 * stream. Returns 0 or ERR_NO_MEMORY. */
int encoder_put(struct encoder *encoder, const void *bytes, size_t size_bytes, bool is_last, struct buf *out,
                struct err *err);
/* Approximate memory that an encoder holds. */
size_t encoder_held_bytes(enum coding coding);
