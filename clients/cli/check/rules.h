/* rules.h - the rules of posectl check, and the keys of posed.rules.json that configure them. rules.def lists both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum severity { SEVERITY_OFF, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

enum rule_id {
#define RULE(symbol, name, severity, text) RULE_##symbol,
#include "clients/cli/check/rules.def"
    RULE_COUNT
};

enum key_kind {
    KEY_IS_WHOLE,  /* a whole number, not negative */
    KEY_IS_NUMBER, /* a number, not negative */
    KEY_IS_RATES,  /* a number above 0, or a list of such numbers */
    KEY_IS_NAMES,  /* a list of patterns of names */
    KEY_IS_PATHS,  /* a list of patterns of models */
    KEY_IS_TEXT,
    KEY_IS_MODEL,  /* a path relative to the folder of the file */
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
    int rule;   /* enum rule_id; RULE_COUNT: the key belongs to no rule, or to all */
    int option; /* the enum option_id that sets the same; OPTION_COUNT: none */
    const char *initial, *text;
};
extern const struct rule RULES[RULE_COUNT];
extern const struct key KEYS[KEY_COUNT];

const char *severity_name(enum severity severity); /* "error" */
/* Returns the severity of that name, or -1. */
int severity_find(const char *name);
/* Returns whether `posectl flex` (is_flex) or `posectl check` finds all that there is of a rule. What flex finds of
 * other rules is only why a model cannot be read. An unknown rule is one of check. */
bool rule_is_judged(const char *name, bool is_flex);
/* Returns the rule under which check reports a warning of the server: a code of protocol/warnings.md. */
enum rule_id rule_of_warning(const char *code);
int rule_find(const char *name, size_t name_bytes);
int key_find(const char *name, size_t name_bytes);
/* Returns the key's default as text; "" if it has none. */
const char *key_initial(const struct key *key);
/* Prints all rules with their keys and these severities, as JSON with --json. Returns 0, or an exit status after
 * printing the error. */
int rules_list(const enum severity severities[RULE_COUNT]);
