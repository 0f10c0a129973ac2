/* output.h - writes files that appear complete or not at all. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>

/* Writes a temporary file and renames it to `path`. Readers and later runs never find an incomplete file.
 * `temporary_folder`: on the same file system; NULL: beside `path`. Creates the folders above `path`. Returns 0, or -1
 * with a message in *problem. Thread-safe. */
int output_write(const char *path, const char *temporary_folder, const void *bytes, size_t size_bytes,
                 struct text *problem);
/* Does the same, unless the file has exactly these bytes. */
int output_update(const char *path, const char *temporary_folder, const struct text *bytes, struct text *problem);
/* Returns whether the path is a symbolic link, with a message in *problem. posectl writes through a link only if the
 * command line names it, because somebody else may have committed the link. */
bool output_is_link(const char *path, struct text *problem);
/* The same for the folders between `folder` and the file `name` in it. */
bool output_is_behind_link(const char *folder, const char *name, struct text *problem);
/* Writes a FILE of the command line. NULL and "-" mean stdout. Returns 0, or an exit status after printing the error.
 */
int output_give(const char *file, const void *bytes, size_t size_bytes);
/* Writes JSON to stdout through text_put_json(). Returns the same as output_give(). */
int output_give_json(const char *json, size_t size_bytes);
/* Creates the folders above `path`. Returns 0, or -1 with errno. */
int output_make_folders(const char *path);
/* Turns "birds/crow.fbx" and ".png" into "crow.png". The caller frees it. */
char *output_name(const char *model, const char *extension);
