/* source_parts.h - finds where bytes in memory are stored: in which file of the model, at which offset, and whether as
 * base64 or deflated. So a model can refer to the file of a picture inside of another file. Single-threaded. */
#pragma once

#include "import/source/source_files.h"

/* Declares that `bytes` were decoded from the base64 `text`, which is a part of a file or a copy of one. Borrows both
 * until source_parts_end(). */
void source_parts_begin(struct source_files *files, const uint8_t *bytes, size_t size_bytes, const char *text,
                        size_t text_bytes);
/* Forgets what begins at `bytes`, which may be unknown or NULL. */
void source_parts_end(struct source_files *files, const uint8_t *bytes);

/* Records where the bytes with this SHA-256 are, for source_parts_record(). False: no file has them as they are, nor
 * as base64, nor as an entry of the model's own zip. */
bool source_parts_note(struct source_files *files, const uint8_t *bytes, size_t size_bytes,
                       const uint8_t hash[TEXTURE_HASH_SIZE]);

/* Adds the places of all textures, after source_files_record(). */
void source_parts_record(const struct source_files *files, struct bake_builder *builder);
