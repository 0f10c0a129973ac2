/* blob.h - immutable bytes with an atomic reference count. The last holder to release a blob frees it. Any thread. */
#pragma once

#include "base/buf.h"

#include <stdatomic.h>
#include <stdint.h>

struct blob {
    const char *data;
    size_t size_bytes;
    struct buf bytes;                 /* private to blob.c, like the rest */
    atomic_uint_fast64_t *held_bytes; /* or NULL */
    atomic_uint_fast32_t holders;
};

/* Moves *bytes into a new blob, which the caller holds. *held_bytes (may be NULL) includes the blob's size until the
 * blob is freed. */
struct blob *blob_new(struct buf *bytes, atomic_uint_fast64_t *held_bytes);
struct blob *blob_ref(struct blob *blob); /* returns blob */
void blob_unref(struct blob *blob);       /* NULL is fine */
