/* zip_read.h - reads the files of an in-memory zip by name, with libzip. Single-threaded.
 *
 * The zip is hostile: declared sizes are not trusted, and the total size of all files read is limited. */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stddef.h>
#include <stdint.h>

struct zip_reader;
struct zip_read_file;

/* Borrows the bytes. Allows at most LIMIT_ARCHIVE_FILES entries, and reads at most LIMIT_BAKED_BYTES in total. Returns
 * NULL with ERR_NOT_A_MODEL or ERR_MODEL_LIMIT. */
struct zip_reader *zip_reader_new(const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                                  struct err *err);
void zip_reader_free(struct zip_reader *reader);

/* A number that depends on every byte of the zip and is never 0. An attacker cannot target a hash table salted with
 * it. */
uint64_t zip_reader_salt(const struct zip_reader *reader);

/* The number of the entry with this name, or -1. The comparison ignores case. Names use '/' and do not begin with
 * it. */
int64_t zip_reader_find(const struct zip_reader *reader, const char *name);

/* Opens an entry that zip_reader_find() found. Returns NULL with ERR_BAD_MODEL if it is damaged, encrypted or
 * compressed with an unknown method. */
struct zip_read_file *zip_reader_open(struct zip_reader *reader, int64_t entry, struct err *err);
/* Reads the next bytes. Returns their number, 0 at the end, or ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int64_t zip_read_next(struct zip_read_file *file, void *out, size_t size_bytes, struct err *err);
void zip_read_close(struct zip_read_file *file);

/* Reads the whole entry and appends a NUL that *size_bytes does not include. The result is on the heap, belongs to the
 * caller, and has at most LIMIT_FILE_BYTES. Returns NULL with *err set. */
uint8_t *zip_reader_load(struct zip_reader *reader, int64_t entry, size_t *size_bytes, struct err *err);
