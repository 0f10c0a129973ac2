/* regular_file.h - opens what should be a file and may be anything: a repository or a restored cache can hold a pipe,
 * whose reader would wait for ever. */
#pragma once

#include <stdio.h>

/* open() with O_CLOEXEC that waits for nothing. -1 with errno, which is 0 where there is something that is no regular
 * file. */
int regular_file_open(const char *path, int flags);
/* The same for reading; NULL. */
FILE *regular_file_read(const char *path);
