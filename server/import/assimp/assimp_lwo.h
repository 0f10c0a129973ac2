/* assimp_lwo.h - LightWave objects that assimp does not read, as ones that it does. Pure; any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Returns 1 where *out has become the object as LWO2 with a layer; 0 where the bytes are to be taken as they are; or
 * ERR_BAD_MODEL, ERR_IMPORT_MEMORY. *has_textures: it has pictures, which lie by projections and are left out. */
int assimp_lwo_convert(const uint8_t *bytes, size_t size_bytes, struct buf *out, bool *has_textures, struct err *err);
