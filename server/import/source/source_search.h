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

/* Finds and reads what `reference` names. A file that lies elsewhere than written is a warning, file_found_elsewhere,
 * that names both. Returns 0, or what source_files_read() says of the path as written: ERR_COMPANION_MISSING where
 * there is none anywhere; whether that is an error or a warning is the caller's to say. The first file that cannot be
 * read for another reason, such as its size, ends the search. */
int source_search(struct import *import, const char *reference, enum source_role role, struct source_bytes *out,
                  struct err *err);

/* Of several texts for one file, as FBX has, the best first: the number of the one by which source_search() finds a
 * file at the earliest place; 0 where none does. No warning. */
size_t source_search_best(struct import *import, const char *const *references, size_t count, enum source_role role);

/* For a file that the model does not name, but that readers look for by a name of their own making: places 1 and 2 of
 * the order, without warning. */
int source_search_guess(struct import *import, const char *path, enum source_role role, struct source_bytes *out,
                        struct err *err);
