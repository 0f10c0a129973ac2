/* zip_read.h - the files in a zip that is in memory, by name. By libzip; one thread.
 *
 * The zip is hostile: sizes that it declares are not trusted, and the bytes of all files that are read are limited
 * together. */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stddef.h>
#include <stdint.h>

struct zip_reader;
struct zip_read_file;

/* The bytes are borrowed. At most LIMIT_ARCHIVE_FILES entries, at most LIMIT_BAKED_BYTES of all that is read. Returns
 * NULL with ERR_NOT_A_MODEL or ERR_MODEL_LIMIT. */
struct zip_reader *zip_reader_new(const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                                  struct err *err);
void zip_reader_free(struct zip_reader *reader);

/* A number that depends on every byte of the zip, never 0: nobody can aim at a hash table that is salted with it. */
uint64_t zip_reader_salt(const struct zip_reader *reader);

/* The number of the entry with this name, of which case does not matter, or -1. Names have '/' and none in front. */
int64_t zip_reader_find(const struct zip_reader *reader, const char *name);

/* Opens an entry that was found; NULL with ERR_BAD_MODEL where it is damaged, encrypted or packed in an unknown way. */
struct zip_read_file *zip_reader_open(struct zip_reader *reader, int64_t entry, struct err *err);
/* The next bytes: how many, 0 at the end, or ERR_BAD_MODEL, ERR_MODEL_LIMIT. */
int64_t zip_read_next(struct zip_read_file *file, void *out, size_t size_bytes, struct err *err);
void zip_read_close(struct zip_read_file *file);

/* The whole entry, followed by a NUL that does not count: heap, the caller's; at most LIMIT_FILE_BYTES. NULL: *err. */
uint8_t *zip_reader_load(struct zip_reader *reader, int64_t entry, size_t *size_bytes, struct err *err);
