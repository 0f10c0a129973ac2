#include "base/blob.h"

#include "base/mem.h"

#include <stdlib.h>

struct blob *blob_new(struct buf *bytes, atomic_uint_fast64_t *held_bytes)
{
    struct blob *blob = mem_zalloc(1, sizeof *blob);
    *blob = (struct blob){
        .data = bytes->data, .size_bytes = bytes->size_bytes, .bytes = *bytes, .held_bytes = held_bytes, .holders = 1};
    buf_init(bytes, 0);
    if (held_bytes != NULL)
        atomic_fetch_add_explicit(held_bytes, blob->size_bytes, memory_order_relaxed);
    return blob;
}

struct blob *blob_ref(struct blob *blob)
{
    atomic_fetch_add_explicit(&blob->holders, 1, memory_order_relaxed);
    return blob;
}

void blob_unref(struct blob *blob)
{
    if (blob == NULL || atomic_fetch_sub_explicit(&blob->holders, 1, memory_order_acq_rel) > 1)
        return;
    if (blob->held_bytes != NULL)
        atomic_fetch_sub_explicit(blob->held_bytes, blob->size_bytes, memory_order_relaxed);
    buf_fini(&blob->bytes);
    free(blob);
}
