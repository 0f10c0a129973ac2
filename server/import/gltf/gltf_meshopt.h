/* gltf_meshopt.h - buffer views compressed by EXT_meshopt_compression, with libmeshoptimizer. Pure; any thread. */
#pragma once

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* The extension's object on a bufferView that gltf_schema_check() has passed, or NULL: the view is as it lies. */
const cJSON *gltf_meshopt_of(const cJSON *view);

/* Decodes `size_bytes` bytes into count * byteStride bytes; *out is the caller's: free(). `decoded_max` bounds what is
 * allocated; libmeshoptimizer's decoders are total on any bytes, but the indices they give may be out of range.
 * Returns 0, ERR_BAD_MODEL (a mode, stride or filter that the extension does not have, broken bytes),
 * ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int gltf_meshopt_decode(const cJSON *view, const uint8_t *bytes, uint64_t size_bytes, uint64_t decoded_max,
                        uint8_t **out, struct err *err);
