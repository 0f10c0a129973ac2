/* rule_file.h - one posed.rules.json, or what the command line says instead: read, and every key and value checked. */
#pragma once

#include "clients/cli/check/rules.h"
#include "clients/cli/output/json_file.h"

enum { RULE_FILE_BYTES_MAX = 1 << 20, PATTERN_BYTES_MAX = 255, PATTERNS_MAX = 1000 };

struct rule_file {
    struct json_file file;
    char *folder;  /* where it lies: a path under the root, "" for the root itself */
    char *ignores; /* its key "ignore" as the lines of an ignore file; NULL: it has none */
};

/* Reads the file at `path`, which messages call `name`. JSON_BAD after printing what is wrong, with its line and key.
 * rule_file_free() in any case. */
enum json_read rule_file_read(struct rule_file *out, const char *path, const char *name, const char *folder);
/* Makes one of `json`, which it takes over. */
enum json_read rule_file_make(struct rule_file *out, cJSON *json, const char *name);
void rule_file_free(struct rule_file *file);
/* "a,b" as a list of texts. */
cJSON *rule_list_of(const char *words);
