/* collada_archive.h - a .zae: a zip with a COLLADA file and its textures. COLLADA 1.5.0, chapter 9. One thread. */
#pragma once

#include "import/source/import.h"

struct collada_archive {
    struct buf files;   /* as zip_unpack() leaves them */
    const char *folder; /* of the document in the archive, with its '/' at the end; folder_bytes of it */
    size_t folder_bytes;
    uint8_t *document; /* followed by a NUL byte that does not count; heap */
    size_t document_bytes;
};

/* Unpacks import->bytes and finds the document: <dae_root> of manifest.xml, else the first file that ends in ".dae".
 * Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL or ERR_MODEL_LIMIT; collada_archive_fini() is needed and safe in any case.
 */
int collada_archive_open(struct collada_archive *archive, const struct import *import, struct err *err);
void collada_archive_fini(struct collada_archive *archive);

/* A file of the archive by its path from the document, without regard to case, else by its base name. Its number from
 * 1; 0: it is not there. */
uint32_t collada_archive_find(const struct collada_archive *archive, const char *path, const uint8_t **bytes,
                              size_t *size_bytes);
