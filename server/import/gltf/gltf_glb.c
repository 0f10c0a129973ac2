#include "import/gltf/gltf_glb.h"

#include "base/bytes.h"

/* glTF 2.0, 4.4: header = magic, version, length; chunk = length, type, data. */
enum { HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8, VERSION = 2 };
static const uint32_t CHUNK_JSON = 0x4E4F534A, CHUNK_BIN = 0x004E4942;

bool glb_is_glb(const uint8_t *bytes, size_t size_bytes) { return size_bytes >= 4 && memcmp(bytes, "glTF", 4) == 0; }

static int check_header(const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the GLB header is cut: %zu of %d bytes", size_bytes, HEADER_BYTES);
    const uint32_t version = get_u32(bytes + 4), length = get_u32(bytes + 8);
    if (version != VERSION)
        return err_set(err, ERR_NOT_A_MODEL, "the GLB is of version %u; only version 2 (glTF 2.0) is supported",
                       version);
    if (length > size_bytes)
        return err_set(err, ERR_BAD_MODEL, "the GLB is cut: its header says %u bytes, the file has %zu", length,
                       size_bytes);
    if (length < HEADER_BYTES + CHUNK_HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the GLB header says %u bytes, which has no room for a JSON chunk", length);
    return 0;
}

int glb_split(const uint8_t *bytes, size_t size_bytes, struct glb_chunks *glb, struct err *err)
{
    *glb = (struct glb_chunks){0};
    if (check_header(bytes, size_bytes, err) < 0)
        return err->code;
    const size_t end = get_u32(bytes + 8);
    glb->has_trailing_bytes = end < size_bytes;
    size_t at = HEADER_BYTES;
    for (unsigned chunk = 0; end - at >= CHUNK_HEADER_BYTES; chunk++) {
        const uint32_t size = get_u32(bytes + at), type = get_u32(bytes + at + 4);
        at += CHUNK_HEADER_BYTES;
        if (size > end - at)
            return err_set(err, ERR_BAD_MODEL, "GLB chunk %u at byte %zu says %u bytes, but %zu follow", chunk,
                           at - CHUNK_HEADER_BYTES, size, end - at);
        if (chunk == 0 && type != CHUNK_JSON)
            return err_set(err, ERR_BAD_MODEL, "the first chunk of the GLB is not JSON (type 0x%08x)", type);
        if (chunk == 0) {
            glb->json = bytes + at;
            glb->json_bytes = size;
        } else if (type == CHUNK_BIN && glb->bin == NULL) {
            glb->bin = bytes + at;
            glb->bin_bytes = size;
        }
        at += size;
    }
    if (at != end)
        return err_set(err, ERR_BAD_MODEL, "the GLB ends inside a chunk header at byte %zu", at);
    return 0;
}
