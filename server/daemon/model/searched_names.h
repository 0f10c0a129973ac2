/* searched_names.h - what counts of a folder in which an import looked for files by their names, without regard to case
 * (import/source/source_search.h): not all that lies there, or else each new file would make stale all models beside it
 * that miss a texture.
 *
 * The names that were looked for are the parts of all paths that the import asked for, and IMPORT_SEARCH_FOLDERS. Any
 * thread; waits for the file system. */
#pragma once

#include "daemon/model/sources.h"

/* SHA-256 of the names in the folder that are, without regard to case, among those which the import of `sources` looked
 * for: sorted by bytes, each with its NUL. False: the folder cannot be read. */
bool searched_names_hash(int root_fd, const char *path, const struct sources *sources, uint8_t hash[SOURCE_HASH_SIZE]);
