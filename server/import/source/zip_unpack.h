/* zip_unpack.h - unpacks a zip (worker/archive.h), by libzip. It runs in the importer's process, because a zip is as
 * hostile as a model. */
#pragma once

#include "import/source/import.h"

#include "base/buf.h"

/* True for a path that ends in ".zip". */
bool zip_unpack_is_zip(const char *path);

/* Unpacks the zip that is import->bytes. Folders, hidden files (a part of the path that begins with a dot) and the
 * __MACOSX folder are left out; '\\' counts as '/'. ERR_NOT_A_MODEL: no zip; ERR_BAD_MODEL: a damaged, encrypted or
 * absolute entry, one with a
 * '..' part, a link, or the same name twice; ERR_MODEL_LIMIT: more than LIMIT_ARCHIVE_FILES files or LIMIT_BAKED_BYTES
 * bytes. Messages name the entry. */
int zip_unpack(const struct import *import, struct buf *out, struct err *err);
