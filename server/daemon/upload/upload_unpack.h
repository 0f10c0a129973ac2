/* upload_unpack.h - writes the files that an importer unpacked from a zip into the stage of its upload. Work
 * threads. */
#pragma once

#include "daemon/upload/archive.h"
#include "daemon/upload/upload_store.h"

/* Writes the files of the archive to a folder in the stage, with the name of the last part of `target`, its later path
 * in the store. Sets model_path to the path of the archive's model in that folder. The descriptor is sealed and stays
 * the caller's; its contents are untrusted. ERR_BAD_BAKE, ERR_UNKNOWN_FORMAT, ERR_AMBIGUOUS_NAME, ERR_BAD_MODEL (an
 * entry is not allowed there, and nothing was written; or a file is in place of a folder), ERR_STORAGE. */
int upload_unpack(const struct upload_store *store, const struct upload_stage *stage, int archive_fd,
                  const char *target, char model_path[ARCHIVE_PATH_SIZE], struct err *err);
