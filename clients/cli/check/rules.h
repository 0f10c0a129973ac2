/* rules.h - the rules of posectl check, and the keys of posed.rules.json by which folders set them: rules.def. */
#pragma once

#include <stddef.h>

enum severity { SEVERITY_OFF, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

enum rule_id {
#define RULE(symbol, name, severity, text) RULE_##symbol,
#include "clients/cli/check/rules.def"
    RULE_COUNT
};

enum key_kind {
    KEY_IS_WHOLE,  /* a whole number from 0 on */
    KEY_IS_NUMBER, /* a number from 0 on */
    KEY_IS_RATES,  /* a number above 0, or a list of such */
    KEY_IS_NAMES,  /* a list of patterns of names */
    KEY_IS_PATHS,  /* a list of patterns of models */
    KEY_IS_TEXT,
    KEY_IS_MODEL,  /* a path from the folder of the file */
    KEY_IS_LEVELS, /* an object: the severity of each rule named */
};
enum key_id {
#define KEY(symbol, name, kind, rule, option, initial, text) KEY_##symbol,
#include "clients/cli/check/rules.def"
    KEY_COUNT
};

struct rule {
    const char *name, *severity, *text;
};
struct key {
    const char *name;
    enum key_kind kind;
    int rule;   /* enum rule_id; RULE_COUNT: of no single one */
    int option; /* enum option_id that says the same; OPTION_COUNT: none */
    const char *initial, *text;
};
extern const struct rule RULES[RULE_COUNT];
extern const struct key KEYS[KEY_COUNT];

const char *severity_name(enum severity severity); /* "error" */
/* By name; -1 for none. */
int severity_find(const char *name);
int rule_find(const char *name, size_t name_bytes);
int key_find(const char *name, size_t name_bytes);
/* What the key is without a file, as text; "" for nothing. */
const char *key_initial(const struct key *key);
/* Prints all rules with their keys and these severities, with --json as JSON. Returns 0 or an exit status after
 * printing why. */
int rules_list(const enum severity severities[RULE_COUNT]);
