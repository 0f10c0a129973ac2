/* collada_archive.h - a .zae: a zip with a COLLADA file and its textures. COLLADA 1.5.0, chapter 9. One thread. */
#pragma once

#include "import/source/import.h"

struct collada_archive {
    struct buf files;   /* as zip_unpack() returns them */
    const char *folder; /* of the document in the archive, up to and including '/'; not terminated, see folder_bytes */
    size_t folder_bytes;
    char *document_name; /* heap: without its folder */
    uint8_t *document;   /* heap; a NUL byte follows that document_bytes does not count */
    size_t document_bytes;
};

/* Unpacks import->bytes and finds the document: <dae_root> of manifest.xml, else the first file that ends in ".dae".
 * Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL or ERR_MODEL_LIMIT; collada_archive_fini() is needed and safe in any case.
 */
int collada_archive_open(struct collada_archive *archive, const struct import *import, struct err *err);
void collada_archive_fini(struct collada_archive *archive);

/* Finds a file of the archive by its path from the document, ignoring case, or else by its base name. Returns its
 * number from 1, or 0 if it is missing. */
uint32_t collada_archive_find(const struct collada_archive *archive, const char *path, const uint8_t **bytes,
                              size_t *size_bytes);
