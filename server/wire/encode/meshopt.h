/* meshopt.h - encodes arrays as streams of EXT_meshopt_compression (Khronos vendor extension). Elements keep their
 * order. Streams lose nothing; filters before them quantise.
 *
 * Pure; any thread. */
#pragma once

#include "base/buf.h"

/* The content of a stream: "mode" of the extension. */
enum meshopt_mode {
    MESHOPT_ATTRIBUTES, /* elements of 4, 8, .. 256 bytes */
    MESHOPT_TRIANGLES,  /* uint16_t or uint32_t, three per triangle; decoding may rotate the corners of a triangle, but
                           keeps its winding */
    MESHOPT_INDICES,    /* likewise, in any order */
};
extern const char *const MESHOPT_MODE_NAMES[]; /* [MESHOPT_INDICES + 1] */

/* What is done to the elements before MESHOPT_ATTRIBUTES: "filter" of the extension. */
enum meshopt_filter {
    MESHOPT_NO_FILTER,
    MESHOPT_OCTAHEDRAL,  /* int8_t[4]: a unit vector and a fourth number within -1..1, normalised */
    MESHOPT_QUATERNION,  /* int16_t[4]: a unit quaternion or its negative, normalised */
    MESHOPT_EXPONENTIAL, /* floats: all numbers of an element share an exponent */
};
extern const char *const MESHOPT_FILTER_NAMES[]; /* [MESHOPT_EXPONENTIAL + 1] */

/* Replaces the content of `out` by the stream of at least one element: of `element_bytes`, 2 or 4 for indices. `out`
 * fails when out of memory. */
void meshopt_pack(enum meshopt_mode mode, const void *elements, size_t count, size_t element_bytes, struct buf *out);

/* Filters `count` unit vectors of four floats into out[4 * count]. */
void meshopt_filter_vectors(const float *vectors, size_t count, int8_t *out);
void meshopt_filter_quaternions(const float *quaternions, size_t count, int16_t *out);
/* Filters elements of `width` finite floats: each keeps `bits` (2 to 24, with the sign) of its largest number, and the
 * others as many places. */
void meshopt_filter_floats(const float *floats, size_t count, size_t width, int bits, uint32_t *out);
/* Replaces filtered elements by what readers see. */
void meshopt_unfilter(enum meshopt_filter filter, void *elements, size_t count, size_t element_bytes);
