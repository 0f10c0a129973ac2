/* rule_set.h - the rules for the models of a folder. Each key has its value from the first of these that sets it: the
 * command line, the posed.rules.json of the folder, those of the folders above up to the root, --rules-file. The main
 * thread makes the sets; several threads may read them. */
#pragma once

#include "clients/cli/check/rule_file.h"
#include "clients/cli/command_line/args.h"

struct skeleton;

struct rule_set {
    char *folder; /* a path under the root */
    const struct rule_set *above;
    const struct rule_file *own;               /* the file in the folder, or NULL */
    const cJSON *values[KEY_COUNT];            /* checked; NULL: not set */
    const struct rule_file *places[KEY_COUNT]; /* the file that sets the key */
    enum severity severities[RULE_COUNT];
    const struct skeleton *reference; /* the model of reference_skeleton; NULL: not set */
};

struct rule_sets {
    const char *root;                                /* absolute; "" for a running server, whose folders are not read */
    struct rule_file initial, command_line, outmost; /* outmost: --rules-file */
    struct rule_file **files;
    size_t file_count;
    struct rule_set **sets; /* [0]: only the command line and --rules-file */
    size_t count;
};

/* Reads the command line and --rules-file. Returns 0, or STATUS_USAGE after printing the error. The caller calls
 * rule_sets_close() in any case. */
int rule_sets_open(struct rule_sets *sets, const struct args *args);
void rule_sets_close(struct rule_sets *sets);
/* Returns the rules for a model, which is a path under the root. Returns NULL after printing the error of a file. */
const struct rule_set *rule_sets_find(struct rule_sets *sets, const char *model);

/* Returns whether a key "ignore" excludes the model. */
bool rules_ignore(const struct rule_sets *sets, const struct rule_set *rules, const char *model);
/* Returns the number of a key, or NaN if it is not set. */
double rules_number(const struct rule_set *rules, enum key_id key);
/* Returns the text of a key, or NULL if it is not set. */
const char *rules_text(const struct rule_set *rules, enum key_id key);
/* Returns whether a pattern of the key matches the name, case-insensitively. */
bool rules_select(const struct rule_set *rules, enum key_id key, const char *name);
