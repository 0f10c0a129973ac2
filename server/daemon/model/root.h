/* root.h - the files beneath the model root: their stamps, and opening them.
 *
 * Every access goes through openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS), also on behalf of
 * importers. Any thread; waits for the file system. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct stamp stamp_of(const struct stat *stat);
bool stamp_equal(const struct stamp *a, const struct stamp *b);
int64_t stamp_now_ns(void); /* since 1970, as the times of stamps are */

/* Opens the root (O_PATH: search permission is enough). Returns a descriptor or ERR_BAD_PARAMETER. */
int root_open(const char *path, struct err *err);

/* Whether `path` still leads to the folder that root_fd is. Returns 0, or the errno of the look; ESTALE: it is another.
 */
int root_check(int root_fd, const char *path);

/* Fills *err with ERR_SOURCE_UNAVAILABLE, which it returns: nothing is known of the file at `path` for this reason. */
int root_unavailable(const char *path, const char *why, struct err *err);

/* Of how many folders beneath the root a path leads through: of "a/b/c.glb" 2. */
uint32_t root_folders_of(const char *path);

/* The stamp of a model file. Returns 0, ERR_MODEL_NOT_FOUND (missing, a link, a folder, not a regular file),
 * ERR_FORBIDDEN, ERR_OVERLOADED (no descriptor or memory), ERR_SOURCE_UNAVAILABLE or ERR_INTERNAL; messages name the
 * path and the reason. */
int root_stat_model(int root_fd, const char *path, struct stamp *out, struct err *err);

/* Whether the server's user may read the file. Returns 0 or as root_stat_model(). */
int root_check_readable(int root_fd, const char *path, struct err *err);

/* Opens a folder for reading its names; "" is the root itself. Returns a descriptor or -1. */
int root_open_folder(int root_fd, const char *path);

/* openat2() as above with further flags. Returns a descriptor or -1 and errno. */
int root_open_beneath(int root_fd, const char *path, uint64_t flags);

/* What is at the path, a link for itself, without opening it. Returns 0, or -1 and errno. */
int root_lstat(int root_fd, const char *path, struct stat *out);

/* Answers an importer's request. Returns the descriptor that goes with *reply and is the caller's, or -1. What is not a
 * regular file is never opened: opening a device can have effects. */
int root_serve(int root_fd, const struct import_file_request *request, struct import_file_reply *reply);
