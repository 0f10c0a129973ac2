/* fd.h - common operations on descriptors. Any thread. */
#pragma once

#include <dirent.h>
#include <stddef.h>

/* Closes it and preserves errno; -1 is fine. */
void fd_close(int fd);

/* Writes all bytes. Returns 0, or -1 and errno. */
int fd_write(int fd, const void *bytes, size_t size_bytes);

/* Makes a sealed file in memory, positioned at its start. Returns a descriptor, or -1 and errno. */
int fd_memory(const char *name, const void *bytes, size_t size_bytes);

/* Opens a folder for reading its names. Takes the descriptor, which may be -1, in any case. NULL: see errno. */
DIR *fd_open_names(int fd);
