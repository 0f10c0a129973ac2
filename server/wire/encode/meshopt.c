#include "wire/encode/meshopt.h"

#include <meshoptimizer.h>

const char *const MESHOPT_MODE_NAMES[] = {
    [MESHOPT_ATTRIBUTES] = "ATTRIBUTES", [MESHOPT_TRIANGLES] = "TRIANGLES", [MESHOPT_INDICES] = "INDICES"};

/* The extension has version 1 of index streams and version 0 of attributes. libmeshoptimizer keeps the version in a
 * global variable with default 0, so it is set before a second thread exists. */
static void __attribute__((constructor)) choose_index_version(void) { meshopt_encodeIndexVersion(1); }

static size_t bound(enum meshopt_mode mode, size_t count, size_t element_bytes)
{
    switch (mode) {
    case MESHOPT_TRIANGLES:
        return meshopt_encodeIndexBufferBound(count, UINT32_MAX);
    case MESHOPT_INDICES:
        return meshopt_encodeIndexSequenceBound(count, UINT32_MAX);
    default:
        return meshopt_encodeVertexBufferBound(count, element_bytes);
    }
}

void meshopt_pack(enum meshopt_mode mode, const void *elements, size_t count, size_t element_bytes, struct buf *out)
{
    buf_clear(out);
    const size_t most_bytes = bound(mode, count, element_bytes);
    char *to = buf_reserve(out, most_bytes);
    if (to == NULL)
        return;
    unsigned char *bytes = (unsigned char *)to;
    buf_advance(out, mode == MESHOPT_TRIANGLES ? meshopt_encodeIndexBuffer(bytes, most_bytes, elements, count)
                     : mode == MESHOPT_INDICES
                         ? meshopt_encodeIndexSequence(bytes, most_bytes, elements, count)
                         : meshopt_encodeVertexBuffer(bytes, most_bytes, elements, count, element_bytes));
}
