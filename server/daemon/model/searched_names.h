/* searched_names.h - finds the relevant names of a folder in which an import searched for files by name, ignoring case
 * (import/source/source_search.h). If all names counted, each new file would invalidate all models beside it that miss
 * a texture.
 *
 * The import searched for the parts of all requested paths, and for IMPORT_SEARCH_FOLDERS. Any thread; waits for the
 * file system. */
#pragma once

#include "daemon/model/sources.h"

/* Computes SHA-256 of the names in the folder for which, ignoring case, the import of `sources` searched: sorted by
 * bytes, each with its NUL. False: the folder is unreadable. */
bool searched_names_hash(int root_fd, const char *path, const struct sources *sources, uint8_t hash[SOURCE_HASH_SIZE]);
