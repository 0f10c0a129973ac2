/* rule_file.h - reads one posed.rules.json, or the rules of the command line, and checks every key and value. */
#pragma once

#include "clients/cli/check/rules.h"
#include "clients/cli/output/json_file.h"

enum { RULE_FILE_BYTES_MAX = 1 << 20, PATTERN_BYTES_MAX = 255, PATTERNS_MAX = 1000 };

struct rule_file {
    struct json_file file;
    char *folder;  /* the file's folder, as a path under the root; "" for the root itself */
    char *ignores; /* the key "ignore" as the lines of an ignore file; NULL without that key */
};

/* Reads the file at `path`, which messages call `name`. Returns JSON_BAD after printing the error with its line and
 * key. The caller calls rule_file_free() in any case. */
enum json_read rule_file_read(struct rule_file *out, const char *path, const char *name, const char *folder);
/* Makes a rule file of `json`, and takes ownership of it. */
enum json_read rule_file_make(struct rule_file *out, cJSON *json, const char *name);
void rule_file_free(struct rule_file *file);
/* Returns "a,b" as a list of texts. */
cJSON *rule_list_of(const char *words);
