/* rule_set.h - the rules that apply to the models of a folder: of posed.rules.json in it and in the folders above up to
 * the root, the deepest one first, key by key; the command line before all of them, --rules-file after them. Made in
 * the main thread, then read by several. */
#pragma once

#include "clients/cli/check/rule_file.h"
#include "clients/cli/command_line/args.h"

struct skeleton;

struct rule_set {
    char *folder; /* under the root */
    const struct rule_set *above;
    const struct rule_file *own;               /* the file in the folder; NULL: there is none */
    const cJSON *values[KEY_COUNT];            /* checked; NULL: not set */
    const struct rule_file *places[KEY_COUNT]; /* which file sets it */
    enum severity severities[RULE_COUNT];
    const struct skeleton *reference; /* of reference_skeleton; NULL: not set */
};

struct rule_sets {
    const char *root;                                /* absolute; "": a running server, whose folders are not read */
    struct rule_file initial, command_line, outmost; /* outmost: --rules-file */
    struct rule_file **files;
    size_t file_count;
    struct rule_set **sets; /* [0]: that of the command line and --rules-file alone */
    size_t count;
};

/* Reads the command line and --rules-file. Returns 0 or STATUS_USAGE after printing why; rule_sets_close() in any case.
 */
int rule_sets_open(struct rule_sets *sets, const struct args *args);
void rule_sets_close(struct rule_sets *sets);
/* The rules for a model under the root, a path; NULL after printing what is wrong in a file. */
const struct rule_set *rule_sets_find(struct rule_sets *sets, const char *model);

/* Whether a key "ignore" excludes the model. */
bool rules_ignore(const struct rule_sets *sets, const struct rule_set *rules, const char *model);
/* The number of a key; NaN where it is not set. */
double rules_number(const struct rule_set *rules, enum key_id key);
/* The text of a key; NULL where it is not set. */
const char *rules_text(const struct rule_set *rules, enum key_id key);
/* Whether a pattern of the key matches the name, without regard to case. */
bool rules_select(const struct rule_set *rules, enum key_id key, const char *name);
