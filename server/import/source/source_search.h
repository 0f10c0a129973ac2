/* source_search.h - where a file that a model names is found: one order for the companions and textures of all formats.
 *
 *   1. As written, from the model's folder. '\\' counts as '/'; of file: URIs and of "//" in .blend files the path
 * counts (source_path_plain()), and where nothing is there, the path with its percent-escapes decoded.
 *   2. The same without regard to case, of folders and file.
 *   3. By its name alone, without regard to case, in the folder of which it is written to lie, if that is beside the
 *      model; in the model's folder; in textures, tex, maps and images there; and in ../textures.
 *
 * Absolute paths, as of Windows, begin with 3. "Without regard to case" is about the letters of ASCII; of several names
 * the one as written comes first, then the others in the order of their bytes. Hidden files are found as written only.
 * The daemon opens and lists what protocol/file_access.def lets the model have, and nothing else; folders that are
 * looked into are recorded, so that the model is stale when something appears in one. How many folders and files one
 * model may look at is limited (source_files.h).
 *
 * A reader calls source_search() for a file that it must have and texture_add() (texture/texture.h), which calls it,
 * for pictures, both with the text that stands in the file. */
#pragma once

#include "import/source/import.h"

/* Finds and reads the file that `reference` names. If the file is elsewhere, gives the warning file_found_elsewhere,
 * which names both paths. Returns 0 or the error of source_files_read() for the path as written. This is
 * ERR_COMPANION_MISSING if no file is found; the caller decides whether this is an error or a warning. The search ends
 * at the first file that cannot be read for another reason, such as its size. */
int source_search(struct import *import, const char *reference, enum source_role role, struct source_bytes *out,
                  struct err *err);

/* Chooses among several references to one file, such as FBX has, ordered by preference. Returns the index of the one
 * with which source_search() finds a file at the earliest place, or 0 if none finds a file. Gives no warning. */
size_t source_search_best(struct import *import, const char *const *references, size_t count, enum source_role role);

/* Searches for a file that the model does not name, under a name that the reader derives: places 1 and 2 of the order,
 * without a warning. */
int source_search_guess(struct import *import, const char *path, enum source_role role, struct source_bytes *out,
                        struct err *err);
