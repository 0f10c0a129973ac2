/* source_path.h - the paths that model files give: texts of any system and percent-escapes, to paths beneath the root.
 * Pure; any thread. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_PATH_SIZE = IMPORT_PATH_SIZE };

/* Writes at most strlen(text) bytes to `out`, without a NUL, and returns how many. A '%' that no two hexadecimal digits
 * follow stays (RFC 3986, 2.1, has no such). */
size_t percent_decode(const char *text, uint8_t *out);

/* The last part of a path that a file of any system gives: after the last '/' or '\\'. */
const char *source_path_base_name(const char *path);

/* The path of a model, normalised: without "." and ".." parts, and '/' between the parts. It names a file as it stands,
 * also as 'C:x' or 'a\b'. Returns 0 or ERR_COMPANION_MISSING (absolute, outside the root, no file). */
int source_path_of_model(const char *path, char out[SOURCE_PATH_SIZE], struct err *err);

/* `path`, relative to the folder of the model at `model_path`, as a normalised path beneath the root. '\\' counts as
 * '/'. Returns 0 or ERR_COMPANION_MISSING (absolute, on a drive, outside the root, too long, no file). */
int source_path_resolve(const char *model_path, const char *path, char out[SOURCE_PATH_SIZE], struct err *err);

/* What a file says of another, without what surrounds its path; the caller's to free:
 *   file: URIs (RFC 8089, 2): the path, percent-decoded, without an authority that is empty or localhost and without
 * the slash before a drive. What else stands in the authority's place counts as the path's first part, as exporters
 *     write "file://tex/skin.png";
 *   "//" in .blend files: the path behind it, which begins in the file's folder (Blender manual, "Relative Paths");
 *   everything else: as it is. */
char *source_path_plain(const char *model_path, const char *reference);
/* The same percent-decoded, where that makes a difference; else NULL. */
char *source_path_decoded(const char *path);
