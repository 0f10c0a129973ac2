/* npz_file.h - writes arrays as a .npz file: a ZIP file (PKWARE APPNOTE 6.3.10) of .npy files (NumPy enhancement
 * proposal 1, format 1.0), which numpy.load() reads. Any thread.
 *
 * Entries have a fixed time: the same arrays give the same bytes. Arrays are in C order, little-endian. A file has less
 * than 4 GiB. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/* Bytes that the caller leaves free in front of an array, for its header. */
enum { NPZ_HEADER_BYTES = 128, NPZ_ENTRIES_MAX = 16 };

struct npz_entry {
    const char *name; /* of the array, borrowed */
    uint32_t crc, packed_bytes, size_bytes, at;
};

struct npz_file {
    struct buf *out;
    size_t begin; /* of the file in `out` */
    struct npz_entry entries[NPZ_ENTRIES_MAX];
    uint32_t entry_count;
};

/* Begins a file at the end of `out`. */
void npz_file_init(struct npz_file *file, struct buf *out);

/* Appends an array. bytes: NPZ_HEADER_BYTES that the function fills, followed by the numbers. type: "u1", "i4", "f4"
 * or "f8". height 0: the array is a list of `width` numbers. components: the last axis; 1: the array lacks it. Returns
 * 0, ERR_NO_MEMORY or ERR_INTERNAL. */
int npz_file_put(struct npz_file *file, const char *name, uint8_t *bytes, const char *type, uint32_t height,
                 uint32_t width, uint32_t components, struct err *err);

/* Appends the directory of the entries. ERR_NO_MEMORY. */
int npz_file_end(struct npz_file *file, struct err *err);
