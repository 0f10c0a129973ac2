/* opener.h - the only way the importer reads files: beneath the model root, no symbolic links, size-limited.
 *
 * openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS) on the root's descriptor; regular files
 * only. Each file is read once and kept until opener_free(). Every file asked for, found or not, is recorded for
 * the model's source_files. One thread. */
#pragma once

#include "../anim/bake.h"
#include "../base/limits.h"

#include <stddef.h>
#include <stdint.h>

struct opener;

/* `model_path` is relative to the root; root_fd is borrowed. */
struct opener *opener_new(int root_fd, const char *model_path, const struct limits *limits);
void opener_free(struct opener *opener);

/* A file relative to the model's own folder. `uri` uses '/' (or '\\', taken as '/') and may have "./" and ".."
 * parts as long as it stays beneath the root; percent-escapes must already be decoded. *bytes is the opener's,
 * followed by one NUL byte that does not count.
 * Returns 0, ERR_COMPANION_MISSING (not there, a link, outside the root, absolute), ERR_FORBIDDEN,
 * ERR_MODEL_LIMIT; messages name the path. */
int opener_read(struct opener *opener, const char *uri, enum source_role role, const uint8_t **bytes,
                size_t *size_bytes, struct err *err);

/* The model file itself: opener_read of its own name with ERR_MODEL_NOT_FOUND when it is not there. */
int opener_read_model(struct opener *opener, const uint8_t **bytes, size_t *size_bytes, struct err *err);

/* Names in the folder of the model that end in `suffix` (case-insensitive), sorted; *names and its strings are
 * the opener's. The folder is recorded: a file that comes or goes makes the model stale. For formats whose clips lie
 * in files beside the mesh (MD5). */
int opener_list(struct opener *opener, const char *suffix, const char *const **names, size_t *count, struct err *err);

/* Of all files read so far, each counted once. */
uint64_t opener_bytes(const struct opener *opener);

/* Adds what was looked at to builder->source_files, in the order of first asking. */
void opener_record(const struct opener *opener, struct bake_builder *builder);
