/* regular_file.h - opens files only if they are regular. A repository or a restored cache can hold a pipe, and open()
 * would wait for its other end forever. */
#pragma once

#include <stdio.h>

/* Opens a file with O_CLOEXEC, without waiting. Returns -1 with errno, which is 0 if the path is not a regular file. */
int regular_file_open(const char *path, int flags);
/* The same for reading. Returns NULL on failure. */
FILE *regular_file_read(const char *path);
