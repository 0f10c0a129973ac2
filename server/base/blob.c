#include "blob.h"

#include "mem.h"

#include <stdlib.h>

struct blob *blob_new(struct buf *bytes, uint64_t *held_bytes)
{
    struct blob *blob = mem_zalloc(1, sizeof *blob);
    *blob = (struct blob){
        .data = bytes->data, .size_bytes = bytes->size_bytes, .bytes = *bytes, .held_bytes = held_bytes, .holders = 1};
    buf_init(bytes, 0);
    if (held_bytes != NULL)
        *held_bytes += blob->size_bytes;
    return blob;
}

struct blob *blob_ref(struct blob *blob)
{
    blob->holders++;
    return blob;
}

void blob_unref(struct blob *blob)
{
    if (blob == NULL || --blob->holders > 0)
        return;
    if (blob->held_bytes != NULL)
        *blob->held_bytes -= blob->size_bytes;
    buf_fini(&blob->bytes);
    free(blob);
}
