/* The tables of rules, severities and keys, and --rules, which lists them: rules.h. */
#include "clients/cli/check/rules.h"

#include "clients/cli/command_line/args.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

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

enum rule_id rule_of_warning(const char *code)
{
    static const struct {
        const char *code;
        enum rule_id rule;
    } OF_WARNINGS[] = {
#define WARNING(code, rule) {code, RULE_##rule},
#include "clients/cli/check/rules.def"
    };
    for (size_t i = 0; i < sizeof OF_WARNINGS / sizeof *OF_WARNINGS; i++)
        if (strcmp(OF_WARNINGS[i].code, code) == 0)
            return OF_WARNINGS[i].rule;
    return RULE_READER_WARNING;
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

bool rule_is_judged(const char *name, bool is_flex)
{
    static const bool IS_OF_FLEX[RULE_COUNT] = {
#define RULE(symbol, name, severity, text) [RULE_##symbol] = true,
#include "protocol/rules/flex_rules.def"
#undef RULE
    };
    const int rule = rule_find(name, strlen(name));
    return rule == RULE_UNREADABLE || (rule >= 0 && IS_OF_FLEX[rule]) == is_flex;
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

/* --- --rules --- */

enum { RULE_COLUMNS = 23, LEVEL_COLUMNS = 9, KEY_COLUMNS = 20 };

static const char *const KIND_WORDS[] = {
    [KEY_IS_WHOLE] = "whole number", [KEY_IS_NUMBER] = "number",  [KEY_IS_RATES] = "number or numbers",
    [KEY_IS_NAMES] = "patterns",     [KEY_IS_PATHS] = "patterns", [KEY_IS_TEXT] = "text",
    [KEY_IS_MODEL] = "path",         [KEY_IS_LEVELS] = "object",
};

static void put_key(const struct key *key, struct text *out)
{
    text_put(out, "  ");
    text_put_column(out, key->name, KEY_COLUMNS);
    text_printf(out, "%s: %s", KIND_WORDS[key->kind], key->text);
    if (key_initial(key)[0] != '\0')
        text_printf(out, " (default: %s)", key_initial(key));
    text_put(out, "\n");
}

static void put_keys_of(int rule, struct text *out)
{
    for (int k = 0; k < KEY_COUNT; k++)
        if (KEYS[k].rule == rule)
            put_key(&KEYS[k], out);
}

static void put_text(const enum severity *severities, struct text *out)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        text_put_column(out, RULES[i].name, RULE_COLUMNS);
        text_put_column(out, severity_name(severities[i]), LEVEL_COLUMNS);
        text_printf(out, "%s\n", RULES[i].text);
        put_keys_of(i, out);
    }
    text_put(out, "\nKeys of posed.rules.json about all rules:\n");
    put_keys_of(RULE_COUNT, out);
}

static cJSON *keys_of(int rule)
{
    cJSON *keys = cJSON_CreateArray();
    for (int k = 0; k < KEY_COUNT; k++) {
        cJSON *key = cJSON_CreateObject();
        if (KEYS[k].rule != rule) {
            cJSON_Delete(key);
            continue;
        }
        cJSON_AddStringToObject(key, "key", KEYS[k].name);
        cJSON_AddStringToObject(key, "kind", KIND_WORDS[KEYS[k].kind]);
        cJSON_AddStringToObject(key, "default", key_initial(&KEYS[k]));
        cJSON_AddStringToObject(key, "text", KEYS[k].text);
        cJSON_AddItemToArray(keys, key);
    }
    return keys;
}

static void put_json(const enum severity *severities, struct text *out)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < RULE_COUNT; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON_AddStringToObject(rule, "rule", RULES[i].name);
        cJSON_AddStringToObject(rule, "severity", severity_name(severities[i]));
        cJSON_AddStringToObject(rule, "text", RULES[i].text);
        cJSON_AddItemToObject(rule, "keys", keys_of(i));
        cJSON_AddItemToArray(list, rule);
    }
    json_put_indented(out, list);
}

int rules_list(const enum severity severities[RULE_COUNT])
{
    struct text out = {0};
    (terminal.is_json ? put_json : put_text)(severities, &out);
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
