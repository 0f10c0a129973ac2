/* assimp_lwo.h - converts LightWave objects that assimp cannot read to ones that it can. Pure; any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Returns 1 if *out holds the object as LWO2 with a layer, 0 if assimp can read the bytes unchanged, or ERR_BAD_MODEL
 * or ERR_IMPORT_MEMORY. *has_textures: the object has projected textures, which the conversion leaves out. */
int assimp_lwo_convert(const uint8_t *bytes, size_t size_bytes, struct buf *out, bool *has_textures, struct err *err);
