/* gltf_accessor.h - typed rows out of buffers (glTF 2.0, 3.6.2): every component type, normalized integers, strides,
 * sparse substitution, and accessors without a view, which are zeros. One thread.
 *
 * An accessor that opened reads without further checks: its last byte lies inside its view. Its count is only as
 * large as the file says, so whoever allocates for it asks a limit first. */
#pragma once

#include "import/gltf/gltf.h"

/* Bits, so that a use can list the types that it accepts. */
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
    unsigned types;    /* ACCESSOR_SCALAR, ... that are allowed */
    unsigned components;
};

struct accessor {
    uint32_t index;
    uint32_t count; /* at least 1 */
    uint32_t width; /* components of a row: 1..16 */
    enum accessor_component component;
    uint32_t component_type; /* 5120..5126 */
    uint32_t component_bytes, row_bytes;
    bool is_normalized;
    const uint8_t *rows; /* or NULL: zeros */
    uint64_t stride;
    uint32_t sparse_count; /* rows that are replaced */
    const uint8_t *sparse_indices;
    enum accessor_component sparse_component;
    uint32_t sparse_bytes;      /* of one index */
    const uint8_t *sparse_rows; /* tightly packed */
};

/* `index` is in range. Returns 0, ERR_BAD_MODEL (another type than the use takes, bytes that are not there, sparse
 * indices that do not rise or are out of range) or what gltf_view() says. */
int accessor_open(struct gltf *gltf, uint32_t index, const struct accessor_use *use, struct accessor *accessor,
                  struct err *err);

/* Type and count without the rows: for rows that come from elsewhere. */
int accessor_describe(const struct gltf *gltf, uint32_t index, const struct accessor_use *use,
                      struct accessor *accessor, struct err *err);
/* Counts `bytes` of rows that an accessor gives, again or for the first time, and refuses (ERR_MODEL_LIMIT, naming the
 * accessor) when all of them together are more than LIMIT_ROWS_BYTES beyond ACCESSOR_ROWS_PER_BYTE times the bytes of
 * the file: zeros, and many uses of the same rows, cost a file nothing. accessor_open() counts its rows itself. */
enum { ACCESSOR_ROWS_PER_BYTE = 16 };
int accessor_charge(struct gltf *gltf, uint32_t index, uint64_t bytes, struct err *err);
uint64_t accessor_bytes(const struct accessor *accessor); /* of all rows, tightly packed */

/* One row as numbers: normalized integers by glTF 2.0, 3.11 (max(c / 127, -1) and its like), others as they are.
 * row < count. */
void accessor_row(const struct accessor *accessor, uint32_t row, double *out);
/* One row of unsigned integers. */
void accessor_row_u32(const struct accessor *accessor, uint32_t row, uint32_t *out);

/* The first `count` rows as floats. */
void accessor_floats(const struct accessor *accessor, uint32_t count, float *out);
