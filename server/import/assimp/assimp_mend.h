/* assimp_mend.h - texts that are valid in their format and that assimp 5.2.5 refuses, put in words that it takes, and
 * files that it cannot read at all, refused by name. Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IFC: things without an owner history, which IFC4 lets be missing, get one that nothing looks at. The file's text;
 * *out is the same with that, *out_bytes of it, the caller's to free(). False: nothing is missing. */
bool assimp_mend_ifc(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* OpenGEX: hides the colours of vertices. assimp refuses those of three numbers, and with those of four it writes
 * beyond its memory. Likewise. */
bool assimp_mend_ogex(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* Blender: refuses compressed files of 3.0 and newer, and files of a version that assimp cannot read: of 4.0 and newer
 * always, and of 2.80 to 3.6 where is_read is false, so where it gave no face. Returns 0 or ERR_BAD_MODEL, which names
 * the version and what to do. */
int assimp_check_blend(const uint8_t *bytes, size_t size_bytes, bool is_read, struct err *err);

/* The failure of a file of this format (formats.def), of which assimp says `why`: a sentence for people, without
 * assimp's names and places in its code. Returns ERR_BAD_MODEL or ERR_IMPORT_MEMORY. */
int assimp_failure(const char *extension, const char *format, const char *why, struct err *err);
