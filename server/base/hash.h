/* hash.h - a fast 64-bit hash for tables and ETags. Not for secrets: whoever chooses the bytes can
 * make two values collide. FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH64_SEED UINT64_C(0xcbf29ce484222325)

/* Goes on from `state` (HASH64_SEED at first) over `size_bytes` bytes. */
uint64_t hash64(uint64_t state, const void *bytes, size_t size_bytes);
