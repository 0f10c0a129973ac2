/* archive.h - checks the files that an importer unpacked from a zip (worker/archive.h). Their bytes are untrusted, like
 * all output of an importer. Pure; any thread. */
#pragma once

#include "base/err.h"
#include "worker/archive.h"

#include <stddef.h>

enum { ARCHIVE_PATH_SIZE = 1280 };

struct archive {
    const struct archive_entry *entries;
    uint32_t count;
    const char *names, *data; /* borrowed */
};

/* Fills *out, which points into `bytes` (aligned to 8). Checks that every entry is at its proper place, and that its
 * name is a relative UTF-8 path without empty, hidden or '..' parts. ERR_BAD_BAKE. */
int archive_check(const void *bytes, size_t size_bytes, struct archive *out, struct err *err);

/* Writes the NUL-terminated path of an entry. */
void archive_path(const struct archive *archive, uint32_t index, char out[ARCHIVE_PATH_SIZE]);

/* Finds the model of the archive: the only file nearest to the top whose extension an importer knows, or among several
 * the one with the archive's name ("hero.zip": hero.gltf). Returns its index, ERR_UNKNOWN_FORMAT (there is none) or
 * ERR_AMBIGUOUS_NAME; messages name the candidates. */
int archive_find_model(const struct archive *archive, const char *stem, struct err *err);
