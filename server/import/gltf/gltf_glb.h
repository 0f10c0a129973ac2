/* gltf_glb.h - the GLB container (glTF 2.0, section 4): one file of a JSON chunk and an optional binary one.
 * Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glb_chunks {
    const uint8_t *json; /* borrowed from the file's bytes */
    size_t json_bytes;
    const uint8_t *bin; /* or NULL: no binary chunk */
    size_t bin_bytes;
    bool has_trailing_bytes; /* behind the length that the header says */
};

bool glb_is_glb(const uint8_t *bytes, size_t size_bytes);

/* Returns 0, ERR_NOT_A_MODEL (another version of the container) or ERR_BAD_MODEL (cut, or chunks that do not fit;
 * names the byte). Chunks of other types are passed over, as the specification asks. */
int glb_split(const uint8_t *bytes, size_t size_bytes, struct glb_chunks *glb, struct err *err);
