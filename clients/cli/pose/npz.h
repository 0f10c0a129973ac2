/* npz.h - reads archives of NumPy arrays (.npz: zip files of .npy files; NEP 1, APPNOTE.TXT 6.3) that come from
 * anywhere: every size is checked before it is believed. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPZ_ARRAYS_MAX = 64, NPY_AXES_MAX = 4 };

/* An array of an archive. Its items are read by npy_number() and npy_text(). */
struct npy {
    char *name;           /* without ".npy" */
    unsigned char *bytes; /* of its file; the items begin at items_offset */
    size_t size_bytes, items_offset;
    char kind; /* 'f', 'i', 'u', 'b': numbers; 'U', 'S': texts */
    bool is_big_endian, is_fortran_order;
    size_t item_bytes;
    size_t axis_count, axes[NPY_AXES_MAX]; /* the shape */
    size_t item_count;                     /* the product of the axes */
};

/* {0} is an empty one. */
struct npz {
    struct npy *arrays;
    size_t count;
};

/* Reads all arrays of an archive; the bytes are no longer needed afterwards. Returns 0, or -1 with a message in
 * *problem that names the array. The caller calls npz_free() in any case. */
int npz_read(struct npz *npz, const unsigned char *bytes, size_t size_bytes, struct text *problem);
const struct npy *npz_find(const struct npz *npz, const char *name); /* or NULL */
void npz_free(struct npz *npz);

/* Reads the head of npy->bytes. Returns 0, or -1 with a message. */
int npy_read_head(struct npy *npy, struct text *problem);
bool npy_is_number(const struct npy *npy);
bool npy_is_text(const struct npy *npy);
/* Returns an item of numbers. `index`: as in an array in C order, whatever the order of the file is. */
double npy_number(const struct npy *npy, size_t index);
/* Appends an item of texts as UTF-8. Returns false if it is none: it has NUL within it or is no valid text. */
bool npy_text(const struct npy *npy, size_t index, struct text *out);
/* Appends the shape, "(3, 4)". */
void npy_put_shape(const struct npy *npy, struct text *out);
