/* root.h - opens files beneath the model root and reads their stamps.
 *
 * Every access, including accesses for importers, goes through openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
 * RESOLVE_NO_MAGICLINKS). Any thread; waits for the file system. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct stamp stamp_of(const struct stat *stat);
bool stamp_equal(const struct stamp *a, const struct stamp *b);
int64_t stamp_now_ns(void); /* since 1970, like the times of stamps */

/* Opens the root (O_PATH: search permission is enough). Returns a descriptor or ERR_BAD_PARAMETER. */
int root_open(const char *path, struct err *err);

/* Checks whether `path` still leads to the folder of root_fd. Returns 0 or the errno of the check; ESTALE: it is
 * another folder. */
int root_check(int root_fd, const char *path);

/* Fills *err with ERR_SOURCE_UNAVAILABLE and returns it: the file at `path` is unreadable for the reason `why`. */
int root_unavailable(const char *path, const char *why, struct err *err);

/* Returns the number of folders in a path beneath the root: 2 for "a/b/c.glb". */
uint32_t root_folders_of(const char *path);

/* Reads the stamp of a model file. Returns 0, ERR_MODEL_NOT_FOUND (missing, a link, a folder, not a regular file),
 * ERR_FORBIDDEN, ERR_OVERLOADED (no descriptor or memory), ERR_SOURCE_UNAVAILABLE or ERR_INTERNAL; messages name the
 * path and the reason. */
int root_stat_model(int root_fd, const char *path, struct stamp *out, struct err *err);

/* Checks whether the server's user may read the file. Returns as root_stat_model(). */
int root_check_readable(int root_fd, const char *path, struct err *err);

/* Opens a folder for listing its names; "" is the root itself. Returns a descriptor or -1. */
int root_open_folder(int root_fd, const char *path);

/* Does openat2() as above with further flags. Returns a descriptor or -1 and errno. */
int root_open_beneath(int root_fd, const char *path, uint64_t flags);

/* Does lstat() at the path, without opening it. Returns 0, or -1 and errno. */
int root_lstat(int root_fd, const char *path, struct stat *out);

/* Answers an importer's request. Returns the descriptor for *reply, which the caller owns, or -1. It opens only regular
 * files, because opening a device can have side effects. */
int root_serve(int root_fd, const struct import_file_request *request, struct import_file_reply *reply);
