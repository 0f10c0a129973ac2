/* Reads and checks one posed.rules.json: rule_file.h. */
#include "clients/cli/check/rule_file.h"

#include "clients/cli/output/terminal.h"

#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS_MAX = 10 };

static const char *const KIND_TEXTS[] = {
    [KEY_IS_WHOLE] = "a whole number from 0 to 9007199254740992",
    [KEY_IS_NUMBER] = "a number from 0 to 1e9",
    [KEY_IS_RATES] = "a number above 0, or a list of 1 to 1000 such numbers",
    [KEY_IS_NAMES] = "a list of patterns, 1000 at most, each a text of 1 to 255 bytes",
    [KEY_IS_PATHS] = "a list of patterns, 1000 at most, each a text of 1 to 255 bytes",
    [KEY_IS_TEXT] = "a text of 1 to 1023 bytes",
    [KEY_IS_MODEL] = "a path of 1 to 1023 bytes",
    [KEY_IS_LEVELS] = "an object that gives rules a severity",
};

/* The errors of a file: one line each, up to FAULTS_MAX. */
struct faults {
    const struct rule_file *file;
    size_t count;
};

static void report(struct faults *faults, const cJSON *value, struct text *fault)
{
    struct text line = {0};
    if (faults->count++ < FAULTS_MAX) {
        json_file_put_place(&faults->file->file, value, &line);
        text_put(&line, fault->at);
        terminal_error("%s", line.at);
    }
    text_free(&line);
    text_free(fault);
}

/* Reports "unknown key 'max_joint'; did you mean 'max_joints'?". */
static void report_unknown(struct faults *faults, const cJSON *value, const char *what, struct nearest nearest)
{
    struct text fault = {0};
    text_printf(&fault, "unknown %s '", what);
    text_put_printable(&fault, value->string);
    text_put(&fault, nearest.name != NULL ? "'; did you mean '" : "'; posectl check --rules lists them");
    text_put(&fault, nearest.name != NULL ? nearest.name : "");
    text_put(&fault, nearest.name != NULL ? "'?" : "");
    report(faults, value, &fault);
}

static void report_value(struct faults *faults, const cJSON *value, const char *name, const char *takes)
{
    struct text fault = {0};
    text_printf(&fault, "'%s' takes %s, not ", name, takes);
    json_put_short(&fault, value);
    report(faults, value, &fault);
}

static bool is_text(const cJSON *value, size_t bytes_max)
{
    const char *text = cJSON_GetStringValue(value);
    return text != NULL && text[0] != '\0' && strlen(text) <= bytes_max;
}

static bool is_rate(const cJSON *value)
{
    return cJSON_IsNumber(value) && value->valuedouble > 0 && value->valuedouble <= 1e6;
}

/* Returns the part of the value that does not have the key's kind, or NULL. */
static const cJSON *find_fault(enum key_kind kind, const cJSON *value)
{
    const double number = cJSON_GetNumberValue(value);
    const cJSON *entry;
    switch (kind) {
    case KEY_IS_WHOLE:
        return number >= 0 && number <= 0x1p53 && number == floor(number) ? NULL : value;
    case KEY_IS_NUMBER:
        return number >= 0 && number <= 1e9 ? NULL : value;
    case KEY_IS_TEXT:
    case KEY_IS_MODEL:
        return is_text(value, 1023) ? NULL : value;
    case KEY_IS_LEVELS:
        return cJSON_IsObject(value) ? NULL : value;
    case KEY_IS_RATES:
        if (is_rate(value))
            return NULL;
        break;
    default:
        break;
    }
    const int count = cJSON_GetArraySize(value);
    if (!cJSON_IsArray(value) || count > PATTERNS_MAX || (kind == KEY_IS_RATES && count == 0))
        return value;
    cJSON_ArrayForEach(entry, value)
    {
        if (kind == KEY_IS_RATES ? !is_rate(entry) : !is_text(entry, PATTERN_BYTES_MAX))
            return entry;
    }
    return NULL;
}

static void check_levels(struct faults *faults, const cJSON *levels)
{
    const cJSON *level;
    cJSON_ArrayForEach(level, levels)
    {
        const char *word = cJSON_GetStringValue(level);
        if (rule_find(level->string, strlen(level->string)) < 0) {
            struct nearest nearest = NEAREST_NONE;
            for (int i = 0; i < RULE_COUNT; i++)
                nearest_consider(&nearest, RULES[i].name, level->string, strlen(level->string));
            report_unknown(faults, level, "rule", nearest);
        } else if (word == NULL || severity_find(word) < 0)
            report_value(faults, level, level->string, "error, warning, info or off");
    }
}

static void check_member(struct faults *faults, const cJSON *member)
{
    const int id = key_find(member->string, strlen(member->string));
    if (id < 0) {
        struct nearest nearest = NEAREST_NONE;
        for (int i = 0; i < KEY_COUNT; i++)
            nearest_consider(&nearest, KEYS[i].name, member->string, strlen(member->string));
        report_unknown(faults, member, "key", nearest);
        return;
    }
    const cJSON *fault = cJSON_IsNull(member) ? NULL : find_fault(KEYS[id].kind, member);
    if (fault != NULL)
        report_value(faults, fault, KEYS[id].name, KIND_TEXTS[KEYS[id].kind]);
    else if (KEYS[id].kind == KEY_IS_LEVELS)
        check_levels(faults, member);
}

static enum json_read check_members(struct rule_file *out)
{
    struct faults faults = {.file = out};
    const cJSON *member;
    struct text lines = {0};
    if (!cJSON_IsObject(out->file.json)) {
        struct text fault = {0};
        text_put(&fault, "rules are an object of keys, not ");
        json_put_short(&fault, out->file.json);
        report(&faults, out->file.json, &fault);
        return JSON_BAD;
    }
    cJSON_ArrayForEach(member, out->file.json) check_member(&faults, member);
    if (faults.count > FAULTS_MAX)
        terminal_error("%s: and %zu faults more", out->file.name, faults.count - FAULTS_MAX);
    if (faults.count > 0)
        return JSON_BAD;
    cJSON_ArrayForEach(member, json_get(out->file.json, KEYS[KEY_IGNORE].name))
        text_printf(&lines, "%s\n", member->valuestring);
    out->ignores = lines.at;
    return JSON_READ;
}

enum json_read rule_file_read(struct rule_file *out, const char *path, const char *name, const char *folder)
{
    struct text problem = {0};
    *out = (struct rule_file){.folder = must_copy(folder)};
    const enum json_read result = json_file_read(&out->file, path, name, RULE_FILE_BYTES_MAX, &problem);
    if (result == JSON_BAD)
        terminal_error("%s", problem.at);
    text_free(&problem);
    return result == JSON_READ ? check_members(out) : result;
}

enum json_read rule_file_make(struct rule_file *out, cJSON *json, const char *name)
{
    *out = (struct rule_file){.folder = must_copy("")};
    out->file.name = must_copy(name);
    out->file.json = json;
    return check_members(out);
}

void rule_file_free(struct rule_file *file)
{
    json_file_free(&file->file);
    free(file->folder);
    free(file->ignores);
    *file = (struct rule_file){0};
}

cJSON *rule_list_of(const char *words)
{
    cJSON *list = cJSON_CreateArray();
    while (*words != '\0') {
        struct text word = {0};
        const size_t size = strcspn(words, ",");
        text_put_bytes(&word, words, size);
        if (size > 0)
            cJSON_AddItemToArray(list, cJSON_CreateString(word.at));
        text_free(&word);
        words += size + (words[size] == ',');
    }
    return list;
}
