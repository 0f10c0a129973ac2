/* gltf_accessor.h - reads typed rows from buffers (glTF 2.0, 3.6.2): every component type, normalized integers,
 * strides, sparse substitution, and accessors without a view, whose rows are zeros. Single-threaded.
 *
 * Reading from an open accessor needs no further checks, because its last byte is inside its view. Its count may be as
 * large as the file claims, so check a limit before allocating for it. */
#pragma once

#include "import/gltf/gltf.h"

/* These are bits, so a use can combine the types that it accepts. */
enum accessor_type {
    ACCESSOR_SCALAR = 1,
    ACCESSOR_VEC2 = 2,
    ACCESSOR_VEC3 = 4,
    ACCESSOR_VEC4 = 8,
    ACCESSOR_MAT2 = 16,
    ACCESSOR_MAT3 = 32,
    ACCESSOR_MAT4 = 64,
};
enum accessor_component {
    ACCESSOR_I8 = 1,
    ACCESSOR_U8 = 2,
    ACCESSOR_I16 = 4,
    ACCESSOR_U16 = 8,
    ACCESSOR_U32 = 16,
    ACCESSOR_F32 = 32,
    ACCESSOR_NUMBERS = 63,
};

struct accessor_use {
    const char *where; /* "meshes[0].primitives[1].NORMAL", for messages */
    unsigned types;    /* the allowed types: ACCESSOR_SCALAR, ... */
    unsigned components;
};

struct accessor {
    uint32_t index;
    uint32_t count; /* at least 1 */
    uint32_t width; /* components per row: 1..16 */
    enum accessor_component component;
    uint32_t component_type; /* 5120..5126 */
    uint32_t component_bytes, row_bytes;
    bool is_normalized;
    const uint8_t *rows; /* or NULL: zeros */
    uint64_t stride;
    uint32_t sparse_count; /* number of replaced rows */
    const uint8_t *sparse_indices;
    enum accessor_component sparse_component;
    uint32_t sparse_bytes;      /* bytes per index */
    const uint8_t *sparse_rows; /* tightly packed */
};

/* `index` is in range. Returns 0, ERR_BAD_MODEL (a type that the use does not accept, bytes out of bounds, sparse
 * indices out of order or out of range) or an error of gltf_view(). */
int accessor_open(struct gltf *gltf, uint32_t index, const struct accessor_use *use, struct accessor *accessor,
                  struct err *err);

/* Reads the type and count but no rows, for rows from another source. */
int accessor_describe(const struct gltf *gltf, uint32_t index, const struct accessor_use *use,
                      struct accessor *accessor, struct err *err);
/* Adds `bytes` to the total size of rows that accessors produce, including repeated reads. Refuses (ERR_MODEL_LIMIT,
 * naming the accessor) if the total exceeds LIMIT_ROWS_BYTES + ACCESSOR_ROWS_PER_BYTE * the file's bytes, because zeros
 * and repeated uses of the same rows cost a file nothing. accessor_open() counts its own rows. */
enum { ACCESSOR_ROWS_PER_BYTE = 16 };
int accessor_charge(struct gltf *gltf, uint32_t index, uint64_t bytes, struct err *err);
uint64_t accessor_bytes(const struct accessor *accessor); /* size of all rows, tightly packed */

/* Reads one row as numbers. Normalized integers convert by glTF 2.0, 3.11 (such as max(c / 127, -1)), others keep their
 * value. row < count. */
void accessor_row(const struct accessor *accessor, uint32_t row, double *out);
/* Reads one row of unsigned integers. */
void accessor_row_u32(const struct accessor *accessor, uint32_t row, uint32_t *out);

/* Reads `count` rows from `first` on as floats. */
void accessor_floats(const struct accessor *accessor, uint32_t first, uint32_t count, float *out);
