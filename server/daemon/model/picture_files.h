/* picture_files.h - reads the own files of a model's pictures, as answers send them.
 *
 * A model refers to them (struct picture_place) and has their SHA-256, so nothing but the bytes that the importer
 * decoded leaves the server, whatever is at their place by now. Nothing here decodes a picture. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/model/file_access.h"

/* Appends the own file of a texture, whose `file` is not TEXTURE_FILE_NONE, to `out`. The rules of the import apply:
 * `access` is that of the model. Waits for the file system: work threads. Returns 0, ERR_MODEL_CHANGING (the file is
 * not the one that was imported), ERR_SOURCE_UNAVAILABLE, ERR_OVERLOADED (no descriptor) or ERR_TOO_MANY_FRAMES (`out`
 * is full); messages name the file. On failure `out` has as many bytes as before. */
int picture_file_read(const struct file_access *access, int root_fd, const struct model *model, uint32_t texture,
                      struct buf *out, struct err *err);
