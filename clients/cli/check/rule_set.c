/* Finds the rules of each folder: rule_set.h. */
#include "clients/cli/check/rule_set.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/paths.h"
#include "clients/cli/server/pattern.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the command line as a file --- */

/* Converts a word of the command line to the value of a key. */
static cJSON *value_of(const struct key *key, const char *word)
{
    const bool is_list = key->kind == KEY_IS_NAMES || key->kind == KEY_IS_PATHS;
    cJSON *json = key->kind == KEY_IS_TEXT || key->kind == KEY_IS_MODEL || (is_list && word[0] != '[')
                      ? NULL
                      : cJSON_ParseWithOpts(word, NULL, 1);
    if (json == NULL && is_list && strcmp(word, "null") != 0)
        json = rule_list_of(word);
    return json != NULL ? json : strcmp(word, "null") == 0 ? cJSON_CreateNull() : cJSON_CreateString(word);
}

static void set_member(cJSON *object, const char *name, cJSON *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, value);
}

/* Takes --severity RULE=LEVEL. An unknown rule is told with all else that is wrong. */
static int take_severity(cJSON *object, const char *word)
{
    const char *equals = strchr(word, '=');
    const int severity = equals == NULL ? -1 : severity_find(equals + 1);
    if (severity < 0) {
        terminal_error("--severity takes RULE=LEVEL with the level error, warning, info or off, not '%s'; posectl "
                       "check --rules lists the rules",
                       word);
        return STATUS_USAGE;
    }
    const char *name = KEYS[KEY_SEVERITY].name;
    if (!cJSON_IsObject(json_get(object, name)))
        set_member(object, name, cJSON_CreateObject());
    struct text rule = {0};
    text_put_bytes(&rule, word, (size_t)(equals - word));
    set_member(cJSON_GetObjectItemCaseSensitive(object, name), rule.at,
               cJSON_CreateString(severity_name((enum severity)severity)));
    text_free(&rule);
    return STATUS_DONE;
}

/* Takes --set KEY=VALUE. */
static int take_key(cJSON *object, const char *word)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL || equals == word) {
        terminal_error("--set takes KEY=VALUE, not '%s'; posectl check --rules lists the keys", word);
        return STATUS_USAGE;
    }
    struct text name = {0};
    text_put_bytes(&name, word, (size_t)(equals - word));
    const int key = key_find(name.at, name.size_bytes);
    set_member(object, name.at, key < 0 ? cJSON_CreateNull() : value_of(&KEYS[key], equals + 1));
    text_free(&name);
    return STATUS_DONE;
}

static int read_command_line(struct rule_sets *sets, const struct args *args)
{
    cJSON *object = cJSON_CreateObject();
    int status = STATUS_DONE;
    for (size_t i = 0; i < args->repeated_count && status == STATUS_DONE; i++) {
        const int option = args->repeated[i].option;
        for (int k = 0; k < KEY_COUNT; k++)
            if (KEYS[k].option == option && option != OPTION_COUNT)
                set_member(object, KEYS[k].name, value_of(&KEYS[k], args->repeated[i].value));
        status = option == OPTION_SEVERITY ? take_severity(object, args->repeated[i].value)
                 : option == OPTION_SET    ? take_key(object, args->repeated[i].value)
                                           : STATUS_DONE;
    }
    const enum json_read result = rule_file_make(&sets->command_line, object, "the command line");
    return status == STATUS_DONE && result != JSON_READ ? STATUS_USAGE : status;
}

/* --- sets --- */

static void overlay(struct rule_set *set, const struct rule_file *file, const struct rule_file *initial)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, file->file.json)
    {
        const int key = key_find(member->string, strlen(member->string));
        const cJSON *level;
        if (key == KEY_SEVERITY) {
            cJSON_ArrayForEach(level, member) set->severities[rule_find(level->string, strlen(level->string))] =
                (enum severity)severity_find(level->valuestring);
        } else if (key >= 0) {
            set->values[key] = cJSON_IsNull(member) ? json_get(initial->file.json, member->string) : member;
            set->places[key] = cJSON_IsNull(member) ? initial : file;
        }
    }
}

/* Returns the defaults: the values of the table. */
static cJSON *initial_values(void)
{
    cJSON *object = cJSON_CreateObject();
    for (int k = 0; k < KEY_COUNT; k++)
        if (key_initial(&KEYS[k])[0] != '\0')
            cJSON_AddItemToObject(object, KEYS[k].name, value_of(&KEYS[k], key_initial(&KEYS[k])));
    return object;
}

static struct rule_set *add_set(struct rule_sets *sets, const char *folder, const struct rule_set *above)
{
    struct rule_set *set = must_alloc(sizeof *set);
    if (above != NULL)
        *set = *above;
    set->folder = must_copy(folder);
    set->above = above;
    set->own = NULL;
    set->reference = NULL;
    sets->sets = must_grow(sets->sets, (sets->count + 1) * sizeof(struct rule_set *));
    sets->sets[sets->count++] = set;
    return set;
}

int rule_sets_open(struct rule_sets *sets, const struct args *args)
{
    const char *outmost = args_text(args, OPTION_RULES_FILE, NULL);
    *sets = (struct rule_sets){.root = ""};
    (void)rule_file_make(&sets->initial, initial_values(), "the table of keys");
    int status = read_command_line(sets, args);
    if (status == STATUS_DONE && outmost != NULL) {
        const enum json_read result = rule_file_read(&sets->outmost, outmost, outmost, "");
        if (result == JSON_NONE)
            terminal_error("'%s': %s", outmost, strerror(ENOENT));
        status = result == JSON_READ ? STATUS_DONE : STATUS_USAGE;
    }
    struct rule_set *set = add_set(sets, "", NULL);
    for (int i = 0; i < RULE_COUNT; i++)
        set->severities[i] = (enum severity)severity_find(RULES[i].severity);
    overlay(set, &sets->initial, &sets->initial);
    if (status == STATUS_DONE && outmost != NULL)
        overlay(set, &sets->outmost, &sets->initial);
    if (status == STATUS_DONE)
        overlay(set, &sets->command_line, &sets->initial);
    return status;
}

void rule_sets_close(struct rule_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        free(sets->sets[i]->folder);
        free(sets->sets[i]);
    }
    for (size_t i = 0; i < sets->file_count; i++) {
        rule_file_free(sets->files[i]);
        free(sets->files[i]);
    }
    free(sets->sets);
    free(sets->files);
    rule_file_free(&sets->initial);
    rule_file_free(&sets->command_line);
    rule_file_free(&sets->outmost);
}

/* --- folders --- */

/* Reads the folder's own file into the set. */
static enum json_read read_own(struct rule_sets *sets, struct rule_set *set)
{
    struct text path = {0}, name = {0};
    char resolved[PATH_MAX];
    size_t rest;
    struct rule_file *file = must_alloc(sizeof *file);
    text_printf(&name, "%s%sposed.rules.json", set->folder, set->folder[0] == '\0' ? "" : "/");
    text_printf(&path, "%s/%s", strcmp(sets->root, "/") == 0 ? "" : sets->root, name.at);
    enum json_read result = JSON_NONE;
    if (realpath(path.at, resolved) != NULL && !path_is_beneath(sets->root, resolved, &rest)) {
        terminal_error("%s: the symbolic link leads out of %s", name.at, sets->root);
        result = JSON_BAD;
    } else
        result = rule_file_read(file, path.at, name.at, set->folder);
    if (result == JSON_READ) {
        sets->files = must_grow(sets->files, (sets->file_count + 1) * sizeof(struct rule_file *));
        sets->files[sets->file_count++] = file;
        set->own = file;
        overlay(set, file, &sets->initial);
        overlay(set, &sets->command_line, &sets->initial);
    } else {
        rule_file_free(file);
        free(file);
    }
    text_free(&path);
    text_free(&name);
    return result;
}

/* Recursive. Paths are at most PATH_MAX long. */
static const struct rule_set *find_folder(struct rule_sets *sets, const char *folder)
{
    for (size_t i = sets->count; i-- > 1;) /* the models are sorted, so it is mostly the last one */
        if (strcmp(sets->sets[i]->folder, folder) == 0)
            return sets->sets[i];
    const struct rule_set *above = sets->sets[0];
    if (folder[0] != '\0') {
        char *outer = must_copy(folder), *slash = strrchr(outer, '/');
        *(slash == NULL ? outer : slash) = '\0';
        above = find_folder(sets, outer);
        free(outer);
    }
    if (above == NULL)
        return NULL;
    struct rule_set *set = add_set(sets, folder, above);
    return read_own(sets, set) == JSON_BAD ? NULL : set;
}

const struct rule_set *rule_sets_find(struct rule_sets *sets, const char *model)
{
    if (sets->root[0] == '\0')
        return sets->sets[0];
    char *folder = must_copy(model), *slash = strrchr(folder, '/');
    *(slash == NULL ? folder : slash) = '\0';
    const struct rule_set *set = find_folder(sets, folder);
    free(folder);
    return set;
}

/* --- what they say --- */

/* Applies the lines of a file to a model, by its path from the file's folder. As in .posedignore, excluding a folder
 * excludes everything beneath it. Returns -1 if no line matches. */
static int verdict_of(const char *lines, const char *model)
{
    int verdict = -1;
    char *path = must_copy(model);
    for (char *slash = strchr(path, '/'); slash != NULL && verdict != 1; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        verdict = pattern_ignores(lines, path, true);
        *slash = '/';
    }
    const int own = verdict == 1 ? 1 : pattern_ignores(lines, model, false);
    free(path);
    return own >= 0 ? own : verdict;
}

bool rules_ignore(const struct rule_sets *sets, const struct rule_set *rules, const char *model)
{
    int verdict = sets->command_line.ignores == NULL ? -1 : verdict_of(sets->command_line.ignores, model);
    for (const struct rule_set *set = rules; set != NULL && verdict < 0; set = set->above)
        if (set->own != NULL && set->own->ignores != NULL)
            verdict = verdict_of(set->own->ignores, model + strlen(set->folder) + (set->folder[0] != '\0'));
    if (verdict < 0 && sets->outmost.ignores != NULL)
        verdict = verdict_of(sets->outmost.ignores, model);
    return verdict == 1;
}

double rules_number(const struct rule_set *rules, enum key_id key) { return cJSON_GetNumberValue(rules->values[key]); }

const char *rules_text(const struct rule_set *rules, enum key_id key)
{
    return cJSON_GetStringValue(rules->values[key]);
}

bool rules_select(const struct rule_set *rules, enum key_id key, const char *name)
{
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, rules->values[key])
    {
        if (pattern_matches_name(pattern->valuestring, name, true))
            return true;
    }
    return false;
}
