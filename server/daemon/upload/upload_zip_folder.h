/* upload_zips.h - folders of uploads that came as zips (file_access.h): each has what came with it and nothing else,
 * since its models may open all of it. Private to upload_*.c; work threads. */
#pragma once

#include "daemon/upload/upload_store.h"

/* One at a time, of all servers that share the folder: what is found on the way to a place holds until it is taken.
 * Returns a descriptor to close, or ERR_STORAGE. Whoever has it must not ask again. */
int upload_lock(const struct upload_store *store, struct err *err);

/* Whether what is `path` beneath the folder came as a zip. */
bool upload_is_zip(int folder_fd, const char *path);

/* ERR_CONFLICT, with an errno: one of the folders that `path` lies in came as a zip. */
int upload_check_way(const struct upload_store *store, const char *path, struct err *err);

/* Removes the folder `name` when it is empty, or has nothing but the mark of a zip left; locked. Returns 0 when it is
 * gone, else -1. */
int upload_remove_if_empty(int folder_fd, const char *name);
