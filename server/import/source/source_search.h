/* source_search.h - finds a file that a model names: one search order for the companions and textures of all formats.
 *
 *   1. As written, relative to the model's folder. '\\' counts as '/'. For file: URIs and for "//" in .blend files, the
 *      path in them is used (source_path_plain()). If nothing is there, the percent-decoded path is tried.
 *   2. The same with folders and file compared without regard to case.
 *   3. By its file name alone, without regard to case, in these folders in order: the folder in the written path, if it
 *      is beside the model; the model's folder; textures, tex, maps and images in it; ../textures;
 * ../materials/textures.
 *   4. A picture: 2 and 3 with another extension, IMPORT_PICTURE_EXTENSIONS in order.
 *
 * The search for an absolute path, such as one of Windows, begins with 3. "Without regard to case" applies to ASCII
 * letters. Of several matching names, the one as written comes first, then the others in byte order. Hidden files match
 * only as written. The daemon opens and lists only what protocol/file_access.def allows the model. The model records
 * the searched folders, so it becomes stale when something appears in one. The number of folders and files that one
 * model may look at is limited (source_files.h).
 *
 * A reader calls source_search() for a file that it requires. For images it calls texture_add() (texture/texture.h),
 * which calls source_search(). It passes the text in the file to both. */
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
