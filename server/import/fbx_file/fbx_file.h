/* fbx_file.h - reads the records of an FBX file, binary or ASCII, of any version: names, values and nesting.
 *
 * This header does not interpret records; fbx_scene.h does. The caller owns the file's bytes and keeps them until after
 * fbx_file_fini(), because names, texts and arrays point into them. Arrays are inflated or parsed only on request. The
 * reader accepts any bytes without undefined behaviour and does not recurse; memory is linear in the file size.
 * Single-threaded.
 *
 * Binary format: "FBX binary file format specification", Blender Developers Blog, 2013-08-10; sizes have 64 bits from
 * version 7500 on. Byte 22 of the header is 0 if numbers are little-endian. ASCII format: the FBX SDK's output, with
 * `Name: value, value { children }`, `*N { a: numbers }` for arrays, and comments from ';' to the end of a line. */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FBX_NONE UINT32_MAX       /* no record, no object */
#define FBX_TOP  (UINT32_MAX - 1) /* parent of top-level records; not FBX_NONE, which has no children */

enum {
    FBX_DEPTH_MAX = 64,  /* nesting limit of records; a deeper file gives ERR_BAD_MODEL */
    FBX_VALUES_MAX = 32, /* limit of separately stored values in a record; more become a list (FBX_ARRAY) */
};

/* Bytes of the file with any content and no terminating NUL. `bytes` is never NULL. */
struct fbx_span {
    const uint8_t *bytes;
    size_t size_bytes;
};

enum fbx_kind {
    FBX_INTEGER, /* Y C B Z I L of binary files; whole numbers of ASCII */
    FBX_REAL,    /* F D; numbers with a point or an exponent */
    FBX_TEXT,    /* S; in ASCII quoted and bare words (T, Y, W, ...), with &quot; and other escapes decoded */
    FBX_BYTES,   /* R */
    FBX_ARRAY, /* f d l i b c with a count; `*N { a: ... }`; or, for a record with more than FBX_VALUES_MAX values, all
                  of them as its only value */
};

/* An undecoded array in the file, for fbx_doubles() and related functions. Other code uses only the count. */
struct fbx_array {
    struct fbx_span span;
    uint32_t count; /* as stated in the file (binary) or counted (ASCII) */
    uint8_t type;   /* 'f' 'd' 'l' 'i' 'b' 'c'; 'v': each value has its own type; 'a': text */
    bool is_packed; /* zlib */
};

struct fbx_value {
    enum fbx_kind kind;
    union {
        int64_t integer;
        double real;
        struct fbx_span span;   /* FBX_TEXT, FBX_BYTES */
        struct fbx_array array; /* FBX_ARRAY */
    };
};

struct fbx_record {
    struct fbx_span name;
    uint32_t value_first, value_count; /* indices into fbx_file.values */
    uint32_t first_child, next;        /* records; FBX_NONE */
    uint64_t offset;                   /* offset of its first byte in the file, for messages */
};

struct fbx_pool; /* decoded texts, fbx_file.c */
struct libdeflate_decompressor;

struct fbx_file {
    const uint8_t *bytes; /* borrowed */
    size_t size_bytes;
    const struct limits *limits; /* borrowed */
    uint32_t version;            /* 7400 if the file does not give it */
    bool is_ascii, is_big_endian;
    struct fbx_record *records; /* in the file's order; a record precedes its children */
    uint32_t record_count;
    uint32_t first; /* first record at the top level; FBX_NONE if the file is empty */
    struct fbx_value *values;
    uint32_t value_count;
    struct fbx_pool *pool;
    struct libdeflate_decompressor *inflater; /* of a binary file's packed arrays */
    uint64_t record_capacity, value_capacity; /* mem_reserve() */
};

/* Whether the bytes begin like a binary FBX file, or like an ASCII one (a comment, or a record with a name). */
bool fbx_file_is_fbx(const uint8_t *bytes, size_t size_bytes);

/* Returns 0, ERR_NOT_A_MODEL (neither binary nor ASCII) or ERR_BAD_MODEL, which names the byte and the record. The
 * caller calls fbx_file_fini() in any case. */
int fbx_file_read(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct err *err);
void fbx_file_fini(struct fbx_file *file);

/* --- records. Each function accepts FBX_NONE and then reports nothing. Time is linear in the siblings. --- */

/* The first child with this name, or with any name if `name` is NULL. `parent` FBX_TOP searches the top level. */
uint32_t fbx_child(const struct fbx_file *file, uint32_t parent, const char *name);
/* The next sibling with this name, or with any name if `name` is NULL. */
uint32_t fbx_next(const struct fbx_file *file, uint32_t record, const char *name);
bool fbx_is(const struct fbx_file *file, uint32_t record, const char *name);
uint32_t fbx_value_count(const struct fbx_file *file, uint32_t record);

/* --- single values: the value at index `value` of a record, from 0. A number of another kind is converted (1.0 is 1).
 * Any other kind counts as missing, as does a real beyond int64_t when an integer is requested. --- */

const struct fbx_value *fbx_value(const struct fbx_file *file, uint32_t record, uint32_t value); /* or NULL */
double fbx_real(const struct fbx_file *file, uint32_t record, uint32_t value, double fallback);
/* Whether all values are finite as floats, the type that models store. */
bool fbx_fits_float(const double *values, int count);
int64_t fbx_integer(const struct fbx_file *file, uint32_t record, uint32_t value, int64_t fallback);
struct fbx_span fbx_text(const struct fbx_file *file, uint32_t record, uint32_t value); /* size 0 if missing */

/* The same for a child: fbx_child_real(file, layer, "Weight", 100) gives the first value of layer's record "Weight". */
double fbx_child_real(const struct fbx_file *file, uint32_t parent, const char *name, double fallback);
int64_t fbx_child_integer(const struct fbx_file *file, uint32_t parent, const char *name, int64_t fallback);
struct fbx_span fbx_child_text(const struct fbx_file *file, uint32_t parent, const char *name);

/* --- all numbers of a record: its single array, or else all its numeric values; texts are left out. The caller frees
 * *out with free(). *out is NULL and *count 0 if there are no numbers or the record is FBX_NONE. Returns 0,
 * ERR_BAD_MODEL (a damaged array; names the byte and the record) or ERR_MODEL_LIMIT (larger than --max-model). --- */

int fbx_doubles(const struct fbx_file *file, uint32_t record, double **out, uint32_t *count, struct err *err);
int fbx_integers(const struct fbx_file *file, uint32_t record, int64_t **out, uint32_t *count, struct err *err);
/* Clamps values to the range of int32_t. */
int fbx_int32s(const struct fbx_file *file, uint32_t record, int32_t **out, uint32_t *count, struct err *err);
/* The 32 bits of each element, for KeyAttrDataFloat, which also holds data other than floats. Binary files store the
 * bits. In ASCII files, whole numbers are the bits (from version 7200 on) and other numbers are floats. */
int fbx_bits(const struct fbx_file *file, uint32_t record, uint32_t **out, uint32_t *count, struct err *err);
/* The value as a letter for legacy key lists, "U" in ASCII files and 85 in binary ones; 0 if it is not a letter. */
int fbx_letter(const struct fbx_value *value);
/* All values with their kinds, including texts, for legacy key lists. An array is expanded to its numbers. */
int fbx_values(const struct fbx_file *file, uint32_t record, struct fbx_value **out, uint32_t *count, struct err *err);
/* The bytes of a record "Content", stored as one value, as several in a row, or as base64 in ASCII files. *out points
 * into the file or to *owned. The caller frees *owned with free(); it is NULL if there is nothing to free. Size 0 means
 * that there is no content. Returns 0 or ERR_BAD_MODEL for a damaged image; the caller should still accept the
 * model. */
int fbx_content(const struct fbx_file *file, uint32_t record, struct fbx_span *out, uint8_t **owned, struct err *err);
/* The base64 of the content in an ASCII file, from the first piece to the last, with what is in between. Empty if there
 * is none. */
struct fbx_span fbx_content_text(const struct fbx_file *file, uint32_t record);

/* --- spans --- */

bool fbx_span_is(struct fbx_span span, const char *text);
bool fbx_span_equal(struct fbx_span a, struct fbx_span b);
int fbx_span_order(struct fbx_span a, struct fbx_span b); /* like memcmp(), a prefix first; for sorting */
struct fbx_span fbx_span_of(const char *text);

/* Sets ERR_BAD_MODEL with "byte 1234 (Vertices): what". `what` is a printf format without a full stop. */
int fbx_bad(const struct fbx_file *file, uint32_t record, struct err *err, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
