/* deflate.h - compresses fast: isa-l's deflate at level 1. Any thread. The same data gives the same bytes. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/* Appends a whole stream (RFC 1951). Data has less than 4 GiB; isa-l wants it writable and does not change it. Returns
 * 0, ERR_NO_MEMORY or ERR_INTERNAL. */
int deflate_put(struct buf *out, uint8_t *data, size_t size_bytes, struct err *err);
