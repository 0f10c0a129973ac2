/* output.h - files that appear whole or not at all. */
#pragma once

#include "clients/cli/output/text.h"

/* Writes `path` by way of another name, so that a reader or a later run never finds a part of it. `temporary_folder`:
 * on the same file system, for that name; NULL: beside it. Makes the folders above. Returns 0, or -1 with a sentence in
 * *problem. */
int output_write(const char *path, const char *temporary_folder, const void *bytes, size_t size_bytes,
                 struct text *problem);
/* The same for a FILE of the command line: NULL or "-" is stdout. Returns an exit status after complaining. */
int output_give(const char *file, const void *bytes, size_t size_bytes);
/* Makes the folders above `path`. Returns 0 or -1 with errno. */
int output_make_folders(const char *path);
/* "birds/crow.fbx" and ".png" to "crow.png": in the current folder. Caller's to free. */
char *output_name(const char *model, const char *ending);
