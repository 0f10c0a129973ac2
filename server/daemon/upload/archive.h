/* archive.h - checks the files that an importer unpacked from a zip (worker/archive.h). Their bytes are untrusted, like
 * all that an importer hands over. Pure; any thread. */
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

/* Fills *out, which points into `bytes` (aligned to 8). Every entry lies where it should, and its name is a relative
 * path of UTF-8 without empty, hidden or '..' parts. ERR_BAD_BAKE. */
int archive_check(const void *bytes, size_t size_bytes, struct archive *out, struct err *err);

/* The NUL-terminated path of an entry. */
void archive_path(const struct archive *archive, uint32_t index, char out[ARCHIVE_PATH_SIZE]);

/* The one file that the archive is about: the only one among those nearest to the top whose extension an importer
 * knows, or of several the one that is called as the archive ("hero.zip": hero.gltf). Returns its index,
 * ERR_UNKNOWN_FORMAT (there is none) or ERR_AMBIGUOUS_NAME; messages name the candidates. */
int archive_find_model(const struct archive *archive, const char *stem, struct err *err);
