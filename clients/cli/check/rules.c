/* The tables of rules, severities and keys: rules.h. */
#include "clients/cli/check/rules.h"

#include "clients/cli/command_line/args.h"

#include <string.h>

enum { OPTION_NONE = OPTION_COUNT };

const struct rule RULES[RULE_COUNT] = {
#define RULE(symbol, name, severity, text) {name, severity, text},
#include "clients/cli/check/rules.def"
};
const struct key KEYS[KEY_COUNT] = {
#define KEY(symbol, name, kind, rule, option, initial, text)                                                           \
    {name, KEY_IS_##kind, (int)RULE_##rule, (int)OPTION_##option, initial, text},
#include "clients/cli/check/rules.def"
};

static const char *const SEVERITY_NAMES[SEVERITY_COUNT] = {"off", "info", "warning", "error"};

const char *severity_name(enum severity severity) { return SEVERITY_NAMES[severity]; }

int severity_find(const char *name)
{
    for (int i = 0; i < SEVERITY_COUNT; i++)
        if (strcmp(SEVERITY_NAMES[i], name) == 0)
            return i;
    return -1;
}

static int is_named(const char *name, const char *given, size_t given_bytes)
{
    return strlen(name) == given_bytes && memcmp(name, given, given_bytes) == 0;
}

int rule_find(const char *name, size_t name_bytes)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (is_named(RULES[i].name, name, name_bytes))
            return i;
    return -1;
}

int key_find(const char *name, size_t name_bytes)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (is_named(KEYS[i].name, name, name_bytes))
            return i;
    return -1;
}

const char *key_initial(const struct key *key)
{
    return key->option == OPTION_NONE ? key->initial : OPTIONS[key->option].initial;
}
