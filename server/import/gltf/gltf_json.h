/* gltf_json.h - the JSON of a glTF file: out of its container, as a cJSON tree, and members of a tree that the schema
 * has checked.
 *
 * cJSON takes more than JSON allows and recurses as deep as the text nests, so the text is scanned before cJSON sees
 * it. No I/O; any thread. */
#pragma once

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The GLB container (glTF 2.0, section 4): one file of a JSON chunk and an optional binary one. */
struct glb_chunks {
    const uint8_t *json; /* borrowed from the file's bytes */
    size_t json_bytes;
    const uint8_t *bin; /* or NULL: no binary chunk */
    size_t bin_bytes;
    bool has_trailing_bytes; /* after the length that the header gives */
};

bool glb_is_glb(const uint8_t *bytes, size_t size_bytes);

/* Returns 0, ERR_NOT_A_MODEL (another version of the container) or ERR_BAD_MODEL (cut, or chunks that do not fit;
 * names the byte). Chunks of other types are passed over, as the specification asks. */
int glb_split(const uint8_t *bytes, size_t size_bytes, struct glb_chunks *glb, struct err *err);

/* Parses exactly `size_bytes` bytes (a byte order mark before it and white space around it are allowed, anything else
 * after it is not) nested at most `depth_max` deep. The tree is the caller's: cJSON_Delete(). Returns 0,
 * ERR_NOT_A_MODEL (does not start like an object), ERR_BAD_MODEL (broken, with line and column) or ERR_IMPORT_MEMORY.
 */
int json_parse(const uint8_t *bytes, size_t size_bytes, uint64_t depth_max, cJSON **out, struct err *err);

/* "a number", "an object": for messages. */
const char *json_kind(const cJSON *item);

/* Members of an object that gltf_schema_check() has passed; names are case-sensitive. `object` may be NULL: then
 * every member is missing. */
const cJSON *json_member(const cJSON *object, const char *name);
/* The first item of an array, or member of an object; NULL where it is missing or empty. */
const cJSON *json_first(const cJSON *object, const char *name);
double json_number(const cJSON *object, const char *name, double missing);
/* A whole number, or -1 where it is missing. */
int64_t json_index(const cJSON *object, const char *name);
uint64_t json_count(const cJSON *object, const char *name, uint64_t missing);
bool json_is_true(const cJSON *object, const char *name);
const char *json_text(const cJSON *object, const char *name); /* or NULL */
/* Which of words[count] a text is; -1: none of them. */
int json_word(const char *text, const char *const *words, int count);
/* Fills out[count] from an array of `count` numbers; false, and *out as it was, where it is missing. */
bool json_floats(const cJSON *object, const char *name, uint32_t count, float *out);
