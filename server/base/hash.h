/* hash.h - a fast 64-bit hash for tables and ETags. Not for secrets: whoever chooses the bytes can
 * make two values collide. Eight bytes at a time, each mixed into all bits as in splitmix64 (S. Vigna); other values on
 * machines of another byte order. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH64_SEED UINT64_C(0xcbf29ce484222325)

/* Goes on from `state` (HASH64_SEED at first) over `size_bytes` bytes. Two calls are not one over all bytes. */
uint64_t hash64(uint64_t state, const void *bytes, size_t size_bytes);
