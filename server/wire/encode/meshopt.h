/* meshopt.h - encodes arrays as streams of EXT_meshopt_compression (Khronos vendor extension) without loss: no filter
 * and no quantisation, and elements keep their order.
 *
 * Pure; any thread. */
#pragma once

#include "base/buf.h"

/* The content of a stream: "mode" of the extension. */
enum meshopt_mode {
    MESHOPT_ATTRIBUTES, /* elements of 4, 8, .. 256 bytes */
    MESHOPT_TRIANGLES,  /* uint32_t, three per triangle; decoding may rotate the corners of a triangle, but keeps its
                           winding */
    MESHOPT_INDICES,    /* uint32_t in any order */
};
extern const char *const MESHOPT_MODE_NAMES[]; /* [MESHOPT_INDICES + 1] */

/* Replaces the content of `out` by the stream of at least one element. `out` fails when out of memory. */
void meshopt_pack(enum meshopt_mode mode, const void *elements, size_t count, size_t element_bytes, struct buf *out);
