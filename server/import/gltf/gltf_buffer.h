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

/* Returns 0, ERR_IMPORT_MEMORY, or ERR_BAD_MODEL: a view ends behind its buffer. */
int gltf_buffers_new(struct gltf *gltf, struct err *err);
void gltf_buffers_free(struct gltf *gltf);

/* `index` is in range. Returns 0, ERR_BAD_MODEL (the buffer holds fewer bytes than it says, a broken data URI),
 * ERR_IMPORT_MEMORY, or what source_files_read() says. */
int gltf_view(struct gltf *gltf, uint32_t index, struct gltf_view *view, struct err *err);
