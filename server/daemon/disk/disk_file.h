/* disk_file.h - files in a private folder: written whole or not at all, and read only when nobody else could write
 * them. Any thread; waits for the disk. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DISK_NAME_SIZE = 64 };

/* Makes the folder and those above it where they are missing (mode 0700) and opens it. Refused, with a sentence, is one
 * that belongs to another user or that others may write. Returns a descriptor or a negative ERR_. */
int disk_folder_open(const char *path, struct err *err);
/* The same, or one of root's, of which nothing is to be written then. */
int disk_folder_open_shared(const char *path, bool *is_read_only, struct err *err);

/* Opens a file for reading. Not trusted, as if it were broken: what is not a regular file, another user's but
 * root's, or writable by others. Returns a descriptor; ERR_NOT_FOUND; ERR_BAD_BAKE (remove it); ERR_INTERNAL (for now).
 */
int disk_file_open(int folder_fd, const char *name, uint64_t *size_bytes, struct err *err);

/* A file on its way. Its temporary name is locked, so that a tidying process can tell it from one whose writer
 * died. */
struct disk_writer {
    int folder_fd; /* borrowed */
    int fd;        /* to write to */
    char temporary[DISK_NAME_SIZE];
};

/* Creates an empty file, locked, of a temporary name in the folder. Returns 0 or ERR_UNAVAILABLE, like the next. */
int disk_writer_open(struct disk_writer *writer, int folder_fd, struct err *err);
/* On the disk first, then under its name, which it takes from a file that was there. Closes in any case. */
int disk_writer_finish(struct disk_writer *writer, const char *name, struct err *err);
void disk_writer_abandon(struct disk_writer *writer); /* removes what was written */

/* Removes the file if its name is a temporary one, it is ours and its writer is gone. True when it did. */
bool disk_temporary_remove(int folder_fd, const char *name);
