/* gltf_buffer.h - buffers and buffer views: where the bytes of accessors and embedded images come from. One thread.
 *
 * A buffer is read when something first asks for it: a GLB's binary chunk, a data URI, or a file beside the model.
 * A compressed view is decompressed then, and once. */
#pragma once

#include "import/gltf/gltf.h"

struct gltf_view {
    const uint8_t *bytes; /* the import's, until gltf_buffers_free() */
    uint64_t size_bytes;
    uint64_t stride; /* 0: tightly packed */
};

/* Returns 0 or ERR_BAD_MODEL: a view ends behind its buffer. */
int gltf_buffers_new(struct gltf *gltf, struct err *err);
void gltf_buffers_free(struct gltf *gltf);

/* `index` is in range. Returns 0, ERR_BAD_MODEL (the buffer holds fewer bytes than it says, a broken data URI),
 * or what source_search() says. */
int gltf_view(struct gltf *gltf, uint32_t index, struct gltf_view *view, struct err *err);

/* gltf_meshopt.c: EXT_meshopt_compression, by libmeshoptimizer. The extension's object on a bufferView that the schema
 * check has passed, or NULL: the view is as it lies. */
const cJSON *gltf_meshopt_of(const cJSON *view);

/* Decodes `size_bytes` bytes into count * byteStride bytes; *out is the caller's: free(). `decoded_max` bounds what is
 * allocated; libmeshoptimizer's decoders are total on any bytes, but the indices they give may be out of range.
 * Returns 0, ERR_BAD_MODEL (a mode, stride or filter that the extension does not have, broken bytes) or
 * ERR_MODEL_LIMIT. */
int gltf_meshopt_decode(const cJSON *view, const uint8_t *bytes, uint64_t size_bytes, uint64_t decoded_max,
                        uint8_t **out, struct err *err);
