/* gltf_json.h - the JSON of a glTF file as a cJSON tree, and reading members of a tree that the schema has checked.
 *
 * cJSON takes more than JSON allows and recurses as deep as the text nests, so the text is scanned before cJSON sees
 * it. No I/O; any thread. */
#pragma once

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses exactly `size_bytes` bytes (a byte order mark before and white space around are fine, anything else behind
 * is not) nested at most `depth_max` deep. The tree is the caller's: cJSON_Delete().
 * Returns 0, ERR_NOT_A_MODEL (does not start like an object), ERR_BAD_MODEL (broken, with line and column) or
 * ERR_IMPORT_MEMORY. */
int json_parse(const uint8_t *bytes, size_t size_bytes, uint64_t depth_max, cJSON **out, struct err *err);

/* "a number", "an object": for messages. */
const char *json_kind(const cJSON *item);

/* Members of an object that gltf_schema_check() has passed; names are case-sensitive. `object` may be NULL: then
 * every member is missing. */
const cJSON *json_member(const cJSON *object, const char *name);
double json_number(const cJSON *object, const char *name, double missing);
/* A whole number, or -1 where it is missing. */
int64_t json_index(const cJSON *object, const char *name);
uint64_t json_count(const cJSON *object, const char *name, uint64_t missing);
bool json_is_true(const cJSON *object, const char *name);
const char *json_text(const cJSON *object, const char *name); /* or NULL */
/* Fills out[count] from an array of `count` numbers; false, and *out as it was, where it is missing. */
bool json_floats(const cJSON *object, const char *name, uint32_t count, float *out);
/* Items of an array; 0 where it is missing. Linear in them. */
uint32_t json_size(const cJSON *array);
