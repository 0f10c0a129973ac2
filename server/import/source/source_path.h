/* source_path.h - converts the paths in model files, of any system and with percent-escapes, to paths relative to the
 * root. Pure; any thread. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_PATH_SIZE = IMPORT_PATH_SIZE };

/* Decodes percent-escapes. Writes at most strlen(text) bytes to `out`, without a NUL, and returns their number. A '%'
 * without two hexadecimal digits after it stays (RFC 3986, 2.1, does not allow it). */
size_t percent_decode(const char *text, uint8_t *out);

/* The last component of a path of any system, after the last '/' or '\\'. */
const char *source_path_base_name(const char *path);

/* Normalises the path of a model: removes "." and ".." components and separates components by '/'. It takes names such
 * as 'C:x' or 'a\b' literally. Returns 0 or ERR_COMPANION_MISSING (absolute, outside the root, or no file). */
int source_path_of_model(const char *path, char out[SOURCE_PATH_SIZE], struct err *err);

/* Converts `path`, relative to the folder of the model at `model_path`, to a normalised path relative to the root. '\\'
 * counts as '/'. Returns 0 or ERR_COMPANION_MISSING (absolute, with a drive, outside the root, too long, or no
 * file). */
int source_path_resolve(const char *model_path, const char *path, char out[SOURCE_PATH_SIZE], struct err *err);

/* The path in a file's reference to another file; the caller frees it:
 *   file: URIs (RFC 8089, 2): the path, percent-decoded, without an empty or localhost authority and without the slash
 *     before a drive. Any other authority counts as the path's first component, because exporters write
 *     "file://tex/skin.png";
 *   "//" in .blend files: the path after it, relative to the file's folder (Blender manual, "Relative Paths");
 *   everything else: unchanged. */
char *source_path_plain(const char *model_path, const char *reference);
/* Percent-decodes a path, or returns NULL if that changes nothing. */
char *source_path_decoded(const char *path);
