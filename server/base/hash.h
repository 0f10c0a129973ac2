/* hash.h - a fast 64-bit hash for tables and ETags. It is not for secrets: whoever chooses the bytes can make two
 * values collide. It takes eight bytes at a time and mixes each word into all bits as splitmix64 (S. Vigna) does.
 * Values differ on machines of another byte order. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH64_SEED UINT64_C(0xcbf29ce484222325)

/* Continues from `state` (HASH64_SEED at first) with `size_bytes` bytes. Hashing bytes in two calls gives another value
 * than hashing them in one. */
uint64_t hash64(uint64_t state, const void *bytes, size_t size_bytes);
