/* assimp_io.h - assimp's view of files: nothing but the files. One thread. */
#pragma once

#include "import/source/source_files.h"

#include <assimp/cfileio.h>

struct assimp_io {
    struct aiFileIO io; /* what assimp takes; its user data is this struct */
    struct source_files *files;
    const char *file;
    const uint8_t *bytes; /* that stand for the file's own, or NULL */
    size_t size_bytes;
};

/* Both are borrowed. `file` is the one that will be loaded: some readers put its ending in lower case, and still mean
 * this one. Reading only: files opened for writing are refused. */
void assimp_io_init(struct assimp_io *io, struct source_files *files, const char *file);
