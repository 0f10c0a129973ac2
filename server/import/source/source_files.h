/* files.h - the only way the importer gets files: by a path beneath the model root, from whoever opens them for it.
 *
 * In posed-import that is the daemon (broker.h), which follows no symbolic links and gives away regular files only;
 * the process itself can open nothing. Each file is read once and kept until source_files_free(). Every file
 * asked for, found or not, is recorded for the model's source_files. One thread. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"
#include "worker/import_files.h"

#include <stddef.h>
#include <stdint.h>

/* Who opens files. */
struct file_client {
    /* Fills *reply as worker/import_files.h has it and returns the descriptor that comes with it, the caller's from
     * now on, or -1. */
    int (*ask)(const void *context, const struct import_file_request *request, struct import_file_reply *reply);
    const void *context;
};

struct source_files;

/* `model_path` is relative to the root; `source` is copied, its context borrowed. */
struct source_files *source_files_new(const struct file_client *source, const char *model_path,
                                      const struct limits *limits);
void source_files_free(struct source_files *files);

/* A file relative to the model's own folder. `uri` uses '/' (or '\\', taken as '/') and may have "./" and ".."
 * parts as long as it stays beneath the root; percent-escapes must already be decoded. *bytes is the files's,
 * followed by one NUL byte that does not count.
 * Returns 0, ERR_COMPANION_MISSING (not there, a link, outside the root, absolute), ERR_FORBIDDEN,
 * ERR_MODEL_LIMIT; messages name the path. */
int source_files_read(struct source_files *files, const char *uri, enum source_role role, const uint8_t **bytes,
                      size_t *size_bytes, struct err *err);

/* The model file itself: source_files_read of its own name with ERR_MODEL_NOT_FOUND when it is not there. */
int source_files_read_model(struct source_files *files, const uint8_t **bytes, size_t *size_bytes, struct err *err);

/* Names in the folder of the model that end in `suffix` (case-insensitive), sorted; *names and its strings are
 * the files's. The folder is recorded: a file that comes or goes makes the model stale. For formats whose clips lie
 * in files beside the mesh (MD5). */
int source_files_list(struct source_files *files, const char *suffix, const char *const **names, size_t *count,
                      struct err *err);

/* Of all files read so far, each counted once. */
uint64_t source_files_bytes(const struct source_files *files);

/* Adds what was looked at to builder->source_files, in the order of first asking. */
void source_files_record(const struct source_files *files, struct bake_builder *builder);
