/* meshopt.h - arrays as the streams of EXT_meshopt_compression (Khronos vendor extension), without loss: no filter, no
 * quantisation, every element at its place.
 *
 * Pure; any thread. */
#pragma once

#include "base/buf.h"

/* What a stream is of: "mode" of the extension. */
enum meshopt_mode {
    MESHOPT_ATTRIBUTES, /* elements of 4, 8, .. 256 bytes */
    MESHOPT_TRIANGLES,  /* uint32_t, three for each triangle; a triangle may begin at another of its corners when it is
                           read, and turns the same way round */
    MESHOPT_INDICES,    /* uint32_t in any order */
};
extern const char *const MESHOPT_MODE_NAMES[]; /* [MESHOPT_INDICES + 1] */

/* Replaces what is in `out` by the stream; it fails when there is no memory. At least one element. */
void meshopt_pack(enum meshopt_mode mode, const void *elements, size_t count, size_t element_bytes, struct buf *out);
