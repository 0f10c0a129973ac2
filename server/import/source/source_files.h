/* source_files.h - the files of a model: the importer reads them by paths beneath the model root, and in no other way.
 *
 * A file client opens them: in posed-import the daemon (file_client.h), which follows no symbolic links and opens
 * regular files only; the process itself cannot open anything. Each file is read once and kept until
 * source_files_free(). Every file that was asked for, found or not, is recorded in the model. One thread. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"
#include "import/source/file_client.h"

#include <stddef.h>
#include <stdint.h>

struct source_files;

/* A file that was read. Everything stays with the files. */
struct source_bytes {
    const uint8_t *bytes; /* followed by one NUL byte that does not count */
    size_t size_bytes;
    const char *path; /* beneath the root */
};

/* `model_path` is relative to the root; `client` is copied, its context borrowed. */
struct source_files *source_files_new(const struct file_client *client, const char *model_path,
                                      const struct limits *limits);
void source_files_free(struct source_files *files);

/* A file relative to the model's own folder, at this very path; what a model names is read by source_search() instead.
 * `uri` uses '/' (or '\\', taken as '/') and may have "./" and ".." parts as long as it stays beneath the root;
 * percent-escapes must already be decoded. *bytes stays with the files and is followed by one NUL byte that does not
 * count.
 * Returns 0, ERR_COMPANION_MISSING (not there, a link, outside the root, absolute), ERR_FORBIDDEN,
 * ERR_MODEL_LIMIT; messages name the path. */
int source_files_read(struct source_files *files, const char *uri, enum source_role role, const uint8_t **bytes,
                      size_t *size_bytes, struct err *err);

/* The same of a normalised path beneath the root (source_path.h). */
/* Whether the file system failed while a file was read (err_is_source()): without its bytes the model would be another.
 * Returns 0 or ERR_SOURCE_UNAVAILABLE. */
int source_files_check(const struct source_files *files, struct err *err);
int source_files_read_at(struct source_files *files, const char *path, enum source_role role, struct source_bytes *out,
                         struct err *err);

/* The model file itself: source_files_read of its own name with ERR_MODEL_NOT_FOUND when it is not there. */
int source_files_read_model(struct source_files *files, const uint8_t **bytes, size_t *size_bytes, struct err *err);

/* Names in the folder of the model that end in `suffix` (case-insensitive), sorted; *names and its strings stay with
 * the files. The folder is recorded, so that the model is stale when a file appears or disappears. For formats whose
 * clips are files beside the mesh (MD5). */
int source_files_list(struct source_files *files, const char *suffix, const char *const **names, size_t *count,
                      struct err *err);

/* All names in the folder at a normalised path beneath the root ("." is the root itself), but none that begin with a
 * dot, in the order of strcasecmp() and of strcmp() within it; *names and its strings stay with the files. The folder
 * is recorded as SOURCE_SEARCHED: a file that appears makes the model stale when its name is, in any case, a part of a
 * path that was asked for. Returns how many: 0 where there is no such folder, where the model may not have it, and
 * where it is too large (IMPORT_NAMES_BYTES_MAX) or one too many (IMPORT_FOLDERS_MAX). */
size_t source_files_names(struct source_files *files, const char *path, const char *const **names);

/* The path that source_files_new() was given. */
const char *source_files_model(const struct source_files *files);
/* Likewise in a folder relative to the model's own, as source_files_read() has it. One that does not exist or lies
 * outside of the root holds nothing. */
int source_files_list_in(struct source_files *files, const char *folder, const char *suffix, const char *const **names,
                         size_t *count, struct err *err);

/* The bytes of all files read so far, each counted once. */
uint64_t source_files_bytes(const struct source_files *files);

/* Adds all files that were asked for to builder->source_files, in the order of the first requests. */
void source_files_record(const struct source_files *files, struct bake_builder *builder);
