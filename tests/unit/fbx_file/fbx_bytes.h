/* fbx_bytes.h - writes small FBX files for tests: binary ones of every layout record by record, and runs of a reader
 * over bytes that lie in a block of their own, so that AddressSanitizer sees every read beyond them. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

struct fbx_bytes {
    uint8_t data[16384];
    size_t size;
    uint32_t version;
    bool is_big_endian;
    bool has_children[FBX_DEPTH_MAX + 8];
    size_t open[FBX_DEPTH_MAX + 8]; /* where the open records begin */
    uint32_t depth;
};

/* What an array is written from: `count` numbers in the machine's own form. */
struct fbx_numbers {
    const void *numbers;
    uint32_t count;
    bool is_packed;
};

void fbx_bytes_begin(struct fbx_bytes *bytes, uint32_t version, bool is_big_endian);
/* A record with a value for each letter of `types`: Y C Z I (int), L (long long), F D (double), S (const char *),
 * N (size_t, const char *: a text with any bytes), R (likewise), f d l i b c (struct fbx_numbers *). */
void fbx_bytes_open(struct fbx_bytes *bytes, const char *name, const char *types, ...);
void fbx_bytes_close(struct fbx_bytes *bytes);
/* The record of zeros that ends the top level, and a footer. */
void fbx_bytes_end(struct fbx_bytes *bytes);
#define fbx_bytes_leaf(bytes, ...) (fbx_bytes_open(bytes, __VA_ARGS__), fbx_bytes_close(bytes))

/* A read file or scene, or why it was not. */
struct fbx_reading {
    struct limits limits;
    struct err err;
    int rc;
    uint8_t *copy; /* heap */
    struct import import;
    struct fbx_file file;   /* of fbx_reading_file() */
    struct fbx_scene scene; /* of fbx_reading_scene() */
};
void fbx_reading_file(struct fbx_reading *run, const void *bytes, size_t size_bytes);
void fbx_reading_text(struct fbx_reading *run, const char *text); /* fbx_reading_file() of an ASCII file */
void fbx_reading_scene(struct fbx_reading *run, const void *bytes, size_t size_bytes);
void fbx_reading_fini(struct fbx_reading *run);
/* Whether it was refused with this code and a message that has `part` in it. */
bool fbx_refused(const struct fbx_reading *run, int code, const char *part);

/* The file at each shorter length and with each byte changed, by fbx_walk(): read, or refused with a reason. */
void fbx_check_damaged(const void *bytes, size_t size_bytes);
