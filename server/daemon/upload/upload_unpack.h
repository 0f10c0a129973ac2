/* upload_unpack.h - writes what an importer unpacked from a zip into the stage of its upload. Work threads. */
#pragma once

#include "daemon/upload/archive.h"
#include "daemon/upload/upload_store.h"

/* The files of the archive go to a folder in the stage that is called as the last part of `target`, the path that it
 * will have in the store; model_path becomes the path in that folder of the one that the archive is about. The
 * descriptor is sealed and stays the caller's; what is in it is not believed. ERR_BAD_BAKE, ERR_UNKNOWN_FORMAT,
 * ERR_AMBIGUOUS_NAME, ERR_BAD_MODEL (an entry that may not lie there: nothing is written; a file is where a folder is
 * needed), ERR_STORAGE. */
int upload_unpack(const struct upload_store *store, const struct upload_stage *stage, int archive_fd,
                  const char *target, char model_path[ARCHIVE_PATH_SIZE], struct err *err);
