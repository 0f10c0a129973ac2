/* fd.h - what is done with descriptors again and again. Any thread. */
#pragma once

#include <dirent.h>
#include <stddef.h>

/* Keeps errno; -1 is fine. */
void fd_close(int fd);

/* Writes all of it. Returns 0, or -1 and errno. */
int fd_write(int fd, const void *bytes, size_t size_bytes);

/* For reading a folder's names; takes the descriptor, which may be -1, in any case. NULL: errno says why. */
DIR *fd_open_names(int fd);
