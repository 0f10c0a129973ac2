/* source_files.h - the files of a model. The importer reads them only through this interface, by paths relative to the
 * model root.
 *
 * A file client opens them, because the process itself cannot open anything. In posed-import, the client is the daemon
 * (file_client.h), which follows no symbolic links and opens only regular files. Each file is read once and kept until
 * source_files_free(). The model records every requested file, found or not. Single-threaded. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"
#include "import/source/file_client.h"

#include <stddef.h>
#include <stdint.h>

struct source_files;

/* A file that was read. The source_files own all its data. */
struct source_bytes {
    const uint8_t *bytes; /* followed by one NUL byte that size_bytes does not include */
    size_t size_bytes;
    const char *path; /* relative to the root */
};

/* `model_path` is relative to the root. `client` is copied, and its context is borrowed. */
struct source_files *source_files_new(const struct file_client *client, const char *model_path,
                                      const struct limits *limits);
void source_files_free(struct source_files *files);

/* Reads a file at exactly this path, relative to the model's folder. For a file that a model names, use source_search()
 * instead. `uri` uses '/' (or '\\', which counts as '/'). It may have "./" and ".." components if it stays below the
 * root. Its percent-escapes must be decoded. `files` owns *bytes, which one uncounted NUL byte follows. Returns 0,
 * ERR_COMPANION_MISSING (missing, a link, outside the root, absolute), ERR_LFS_POINTER of a companion, ERR_FORBIDDEN or
 * ERR_MODEL_LIMIT; messages name the path. */
int source_files_read(struct source_files *files, const char *uri, enum source_role role, const uint8_t **bytes,
                      size_t *size_bytes, struct err *err);

/* source_files_read_at() does the same for a normalised path relative to the root (source_path.h). */
/* Checks whether the file system failed during a read (err_is_source()): the model would differ without the file's
 * bytes. Returns 0 or ERR_SOURCE_UNAVAILABLE. */
int source_files_check(const struct source_files *files, struct err *err);
int source_files_read_at(struct source_files *files, const char *path, enum source_role role, struct source_bytes *out,
                         struct err *err);

/* Reads the model file itself: source_files_read() with its own name, but with ERR_MODEL_NOT_FOUND if it is missing. */
int source_files_read_model(struct source_files *files, const uint8_t **bytes, size_t *size_bytes, struct err *err);

/* Lists the names in the model's folder that end in `suffix` (case-insensitive), sorted. `files` owns *names and its
 * strings. It records the folder, so the model becomes stale when a file appears or disappears. It serves formats whose
 * clips are files beside the mesh (MD5). */
int source_files_list(struct source_files *files, const char *suffix, const char *const **names, size_t *count,
                      struct err *err);

/* Lists all names in the folder at a normalised path relative to the root ("." is the root), except those that begin
 * with a dot. The order is that of strcasecmp(), then of strcmp(). `files` owns *names and its strings. It records the
 * folder as SOURCE_SEARCHED: a new file makes the model stale if its name, in any case, is a component of a requested
 * path. Returns the number of names. It is 0 if the folder does not exist, the model may not access it, it is too large
 * (IMPORT_NAMES_BYTES_MAX), or too many folders were listed (IMPORT_FOLDERS_MAX). */
size_t source_files_names(struct source_files *files, const char *path, const char *const **names);

/* The path that source_files_new() was given. */
const char *source_files_model(const struct source_files *files);
/* Like source_files_list(), but in a folder relative to the model's own, as for source_files_read(). A folder that does
 * not exist or is outside the root is empty. */
int source_files_list_in(struct source_files *files, const char *folder, const char *suffix, const char *const **names,
                         size_t *count, struct err *err);

/* The total size of all files read so far, each counted once. */
uint64_t source_files_bytes(const struct source_files *files);

/* Warns of companions that are Git LFS pointers: a reader may do without them. */
void source_files_warn(const struct source_files *files, struct bake_builder *builder);

/* Adds all requested files to builder->source_files, in the order of their first requests. */
void source_files_record(const struct source_files *files, struct bake_builder *builder);
