/* blob.h - immutable bytes with a reference count; the last holder to release them frees them. Any thread: the count
 * is atomic. */
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

/* Moves *bytes in; the caller holds the blob. *held_bytes (may be NULL) has its size in it for as long as it lives. */
struct blob *blob_new(struct buf *bytes, atomic_uint_fast64_t *held_bytes);
struct blob *blob_ref(struct blob *blob); /* returns blob */
void blob_unref(struct blob *blob);       /* NULL is fine */
