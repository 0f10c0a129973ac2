/* gltf_json.h - the JSON of a glTF file: extracts it from its container, parses it to a cJSON tree, and reads members
 * of a tree that passed the schema check.
 *
 * cJSON accepts more than JSON allows and recurses as deep as the text nests, so json_parse() scans the text first. No
 * I/O; any thread. */
#pragma once

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The GLB container (glTF 2.0, section 4): a file with a JSON chunk and an optional binary chunk. */
struct glb_chunks {
    const uint8_t *json; /* borrowed from the file's bytes */
    size_t json_bytes;
    const uint8_t *bin; /* or NULL: no binary chunk */
    size_t bin_bytes;
    bool has_trailing_bytes; /* after the length in the header */
};

bool glb_is_glb(const uint8_t *bytes, size_t size_bytes);

/* Returns 0, ERR_NOT_A_MODEL (another version of the container) or ERR_BAD_MODEL (the file is truncated or a chunk does
 * not fit; names the byte). Skips chunks of other types, as the specification requires. */
int glb_split(const uint8_t *bytes, size_t size_bytes, struct glb_chunks *glb, struct err *err);

/* Parses exactly `size_bytes` bytes nested at most `depth_max` deep. A byte order mark before the text and white space
 * around it are allowed, but nothing else may follow it. The caller frees the tree with cJSON_Delete(). Returns 0,
 * ERR_NOT_A_MODEL (does not start like an object), ERR_BAD_MODEL (broken; names line and column) or
 * ERR_IMPORT_MEMORY. */
int json_parse(const uint8_t *bytes, size_t size_bytes, uint64_t depth_max, cJSON **out, struct err *err);

/* "a number", "an object": for messages. */
const char *json_kind(const cJSON *item);

/* Members of an object that passed gltf_schema_check(). Names are case-sensitive. If `object` is NULL, every member is
 * missing. */
const cJSON *json_member(const cJSON *object, const char *name);
/* The first item of an array, or member of an object; NULL if it is missing or empty. */
const cJSON *json_first(const cJSON *object, const char *name);
double json_number(const cJSON *object, const char *name, double missing);
/* A whole number, or -1 if it is missing. */
int64_t json_index(const cJSON *object, const char *name);
uint64_t json_count(const cJSON *object, const char *name, uint64_t missing);
bool json_is_true(const cJSON *object, const char *name);
const char *json_text(const cJSON *object, const char *name); /* or NULL */
/* The index of a text in words[count], or -1. */
int json_word(const char *text, const char *const *words, int count);
/* Fills out[count] from an array of `count` numbers. Returns false and leaves *out unchanged if it is missing. */
bool json_floats(const cJSON *object, const char *name, uint32_t count, float *out);
