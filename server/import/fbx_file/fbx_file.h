/* fbx_file.h - the records of an FBX file, binary or ASCII, of any version: names, values and what lies in what.
 *
 * Nothing here knows what a record means; fbx_scene.h does. The file's bytes stay the caller's and must outlive the
 * struct: names, texts and arrays point into them, and arrays are inflated or parsed only when they are asked for.
 * Total on any bytes, without recursion; memory is linear in the file. One thread.
 *
 * Format: "FBX binary file format specification", Blender Developers Blog, 2013-08-10; from version 7500 on with 64-bit
 * sizes. Byte 22 of the header is 0 where numbers are little-endian. ASCII is what the FBX SDK writes as such:
 * `Name: value, value { children }`, `*N { a: numbers }` for arrays, comments from ';' to the end of a line. */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FBX_NONE UINT32_MAX       /* no record, no object */
#define FBX_TOP  (UINT32_MAX - 1) /* as a parent: the top level; so a record that was not found has no children */

enum {
    FBX_DEPTH_MAX = 64,  /* records within records; deeper: ERR_BAD_MODEL */
    FBX_VALUES_MAX = 32, /* values of a record that are kept singly; more are a list (FBX_ARRAY) */
};

/* Bytes of the file, of any content, without a NUL. `bytes` is never NULL. */
struct fbx_span {
    const uint8_t *bytes;
    size_t size_bytes;
};

enum fbx_kind {
    FBX_INTEGER, /* Y C B Z I L of binary files; whole numbers of ASCII */
    FBX_REAL,    /* F D; numbers with a point or an exponent */
    FBX_TEXT,    /* S; quoted and bare words of ASCII (T, Y, W, ...), &quot; and its like replaced */
    FBX_BYTES,   /* R */
    FBX_ARRAY,   /* f d l i b c with a count; `*N { a: ... }`; or all values of a record that has more than
                  * FBX_VALUES_MAX of them: then it is the record's only value */
};

/* An array as it lies in the file. For fbx_doubles() and its like; of interest elsewhere is only the count. */
struct fbx_array {
    struct fbx_span span;
    uint32_t count; /* as the file says (binary) or as counted (ASCII) */
    uint8_t type;   /* 'f' 'd' 'l' 'i' 'b' 'c'; 'v': values with a type each; 'a': text */
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
    uint32_t value_first, value_count; /* of fbx_file.values */
    uint32_t first_child, next;        /* records; FBX_NONE */
    uint64_t offset;                   /* of its first byte in the file, for messages */
};

struct fbx_pool; /* decoded texts, fbx_file.c */

struct fbx_file {
    const uint8_t *bytes; /* borrowed */
    size_t size_bytes;
    const struct limits *limits; /* borrowed */
    uint32_t version;            /* 7400, also where the file does not say */
    bool is_ascii, is_big_endian;
    struct fbx_record *records; /* in the file's order; a record comes before its children */
    uint32_t record_count;
    uint32_t first; /* of the top level, FBX_NONE: the file is empty */
    struct fbx_value *values;
    uint32_t value_count;
    struct fbx_pool *pool;
    uint64_t record_capacity, value_capacity; /* mem_reserve() */
};

/* Whether the bytes begin like a binary file, or like an ASCII one (a comment, or a record with a name). */
bool fbx_file_is_fbx(const uint8_t *bytes, size_t size_bytes);

/* Returns 0, ERR_NOT_A_MODEL (neither binary nor ASCII) or ERR_BAD_MODEL with the byte and the record. Whatever it
 * returns, fbx_file_fini() is needed and safe afterwards. */
int fbx_file_read(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct err *err);
void fbx_file_fini(struct fbx_file *file);

/* --- records. Each takes FBX_NONE for a record and then says that there is nothing; linear in the siblings. --- */

/* The first child of this name; `parent` FBX_TOP: of the top level. NULL: of any name. */
uint32_t fbx_child(const struct fbx_file *file, uint32_t parent, const char *name);
/* The next sibling of this name, NULL: of any. */
uint32_t fbx_next(const struct fbx_file *file, uint32_t record, const char *name);
bool fbx_is(const struct fbx_file *file, uint32_t record, const char *name);
uint32_t fbx_value_count(const struct fbx_file *file, uint32_t record);

/* --- single values: of a record the `value`-th, from 0. A value of another kind is converted where it is a number
 * (1.0 is 1), and is missing where it is not; reals beyond int64_t are missing as integers. --- */

const struct fbx_value *fbx_value(const struct fbx_file *file, uint32_t record, uint32_t value); /* or NULL */
double fbx_real(const struct fbx_file *file, uint32_t record, uint32_t value, double fallback);
/* Whether all are finite as floats, which is what a model has. */
bool fbx_fits_float(const double *values, int count);
int64_t fbx_integer(const struct fbx_file *file, uint32_t record, uint32_t value, int64_t fallback);
struct fbx_span fbx_text(const struct fbx_file *file, uint32_t record, uint32_t value); /* size 0: none */

/* The same of a child: fbx_child_real(file, layer, "Weight", 100) is the first value of layer's record "Weight". */
double fbx_child_real(const struct fbx_file *file, uint32_t parent, const char *name, double fallback);
int64_t fbx_child_integer(const struct fbx_file *file, uint32_t parent, const char *name, int64_t fallback);
struct fbx_span fbx_child_text(const struct fbx_file *file, uint32_t parent, const char *name);

/* --- all numbers of a record: of its one array, or all its values that are numbers (texts are left out). *out is the
 * caller's: free(); NULL with *count 0 where there are none, also for record FBX_NONE. Returns 0, ERR_BAD_MODEL (a
 * damaged array, with byte and name of the record) or ERR_MODEL_LIMIT (larger than --max-model). --- */

int fbx_doubles(const struct fbx_file *file, uint32_t record, double **out, uint32_t *count, struct err *err);
int fbx_integers(const struct fbx_file *file, uint32_t record, int64_t **out, uint32_t *count, struct err *err);
/* What does not fit becomes the nearest that does. */
int fbx_int32s(const struct fbx_file *file, uint32_t record, int32_t **out, uint32_t *count, struct err *err);
/* The 32 bits of each element, for KeyAttrDataFloat, where some are no floats: of binary files as they lie, of ASCII
 * files whole numbers are the bits (from version 7200 on) and others a float's. */
int fbx_bits(const struct fbx_file *file, uint32_t record, uint32_t **out, uint32_t *count, struct err *err);
/* The letter that a value is: "U" of ASCII files, 85 of binary ones (legacy key lists); 0: it is none. */
int fbx_letter(const struct fbx_value *value);
/* All values with their kinds, texts too: for legacy key lists. An array becomes its numbers. */
int fbx_values(const struct fbx_file *file, uint32_t record, struct fbx_value **out, uint32_t *count, struct err *err);
/* The bytes of a record "Content": one value, several in a row, base64 in ASCII files. *out may point into the file
 * or to *owned, which is the caller's to free() (NULL where there is nothing to free). Size 0: there is none.
 * Returns 0 or ERR_BAD_MODEL: a damaged picture, which is no reason to refuse the model. */
int fbx_content(const struct fbx_file *file, uint32_t record, struct fbx_span *out, uint8_t **owned, struct err *err);

/* --- spans --- */

bool fbx_span_is(struct fbx_span span, const char *text);
bool fbx_span_equal(struct fbx_span a, struct fbx_span b);
int fbx_span_order(struct fbx_span a, struct fbx_span b); /* as memcmp(), shorter first: for sorting */
struct fbx_span fbx_span_of(const char *text);

/* ERR_BAD_MODEL: "byte 1234 (Vertices): what". `what` is a printf format without a full stop. */
int fbx_bad(const struct fbx_file *file, uint32_t record, struct err *err, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
