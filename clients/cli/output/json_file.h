/* json_file.h - reads JSON files that people write, and tells the line of what is wrong in them. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

/* {0} is an empty one. */
struct json_file {
    char *name; /* what messages call it */
    char *text; /* as it was read, terminated by NUL */
    size_t size_bytes;
    cJSON *json;
};

enum json_read { JSON_READ, JSON_NONE, JSON_BAD };

/* Reads a regular file of size_max bytes at most, which must hold one JSON value, where no object has a member twice.
 * JSON_NONE: there is no such file. JSON_BAD: *problem says why, beginning with `name`. json_file_free() in any case.
 */
enum json_read json_file_read(struct json_file *file, const char *path, const char *name, size_t size_max_bytes,
                              struct text *problem);
void json_file_free(struct json_file *file);
/* Puts "NAME:LINE: ", the place of a value (of its name, where it has one); "NAME: " for values that no file has. */
void json_file_put_place(const struct json_file *file, const cJSON *value, struct text *out);
/* Puts a value as JSON, short and printable. */
void json_put_short(struct text *out, const cJSON *value);
