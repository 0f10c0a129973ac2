/* disk_file.h - writes files in a private folder atomically, and reads them only if nobody else could write them. Any
 * thread; waits for the disk. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DISK_NAME_SIZE = 64 };

/* Creates the folder and missing folders above it (mode 0700) and opens it. It refuses, with a sentence, a folder that
 * belongs to another user or that others may write. Returns a descriptor or a negative ERR_. */
int disk_folder_open(const char *path, struct err *err);
/* The same, but also accepts a folder of root, which is then read-only. */
int disk_folder_open_shared(const char *path, bool *is_read_only, struct err *err);
/* Refuses what disk_folder_open_shared() refuses of an existing folder or of the path to it, and changes nothing. */
int disk_folder_check(const char *path, struct err *err);

/* Opens a file for reading. A file that is not regular, belongs to another user except root, or is writable by others
 * counts as broken. Returns a descriptor; ERR_NOT_FOUND; ERR_BAD_BAKE (remove it); ERR_INTERNAL (temporary). */
int disk_file_open(int folder_fd, const char *name, uint64_t *size_bytes, struct err *err);

/* A file being written. The writer locks its temporary name, so that a cleanup can tell it from the file of a dead
 * writer. */
struct disk_writer {
    int folder_fd; /* borrowed */
    int fd;        /* to write to */
    char temporary[DISK_NAME_SIZE];
};

/* Creates an empty, locked file with a temporary name in the folder. Returns 0 or ERR_UNAVAILABLE, like the next. */
int disk_writer_open(struct disk_writer *writer, int folder_fd, struct err *err);
/* Flushes the file to the disk and then renames it to `name`, replacing an existing file. Closes it in any case. */
int disk_writer_finish(struct disk_writer *writer, const char *name, struct err *err);
void disk_writer_abandon(struct disk_writer *writer); /* removes the file */

/* Removes the file if it has a temporary name, belongs to this user and its writer is gone. True if it did. */
bool disk_temporary_remove(int folder_fd, const char *name);
