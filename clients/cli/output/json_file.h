/* json_file.h - reads JSON files that people write, and finds the line of an error. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

/* {0} is an empty one. */
struct json_file {
    char *name; /* the name in messages */
    char *text; /* the bytes of the file, and NUL */
    size_t size_bytes;
    cJSON *json;
};

enum json_read { JSON_READ, JSON_NONE, JSON_BAD };

/* Reads a regular file of size_max bytes at most. It must hold one JSON value, and no object may have a member twice.
 * JSON_NONE: the file does not exist. JSON_BAD: *problem says why, and begins with `name`. The caller calls
 * json_file_free() in any case. */
enum json_read json_file_read(struct json_file *file, const char *path, const char *name, size_t size_max_bytes,
                              struct text *problem);
void json_file_free(struct json_file *file);
/* Puts "NAME:LINE: ", the place of a value, or of its name if it has one. Puts "NAME: " for values that come from no
 * file. */
void json_file_put_place(const struct json_file *file, const cJSON *value, struct text *out);
/* Puts a value as JSON, short and printable. */
void json_put_short(struct text *out, const cJSON *value);
