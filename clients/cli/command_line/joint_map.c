#include "clients/cli/command_line/joint_map.h"

#include "base/nearest.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES_MAX = 1 << 20 };
static const char BLANKS[] = " \t\r\n";

/* The parameter that the rules of a file become. */
struct kind {
    const char *flag, *name; /* the option that names the files, and the parameter of their rules */
    bool has_stars;
};
static const struct kind RENAMES = {"--joint-map", "rename_joints", true};
/* The words of --map and --clip-map that name tables, not files. */
static const struct bone_map {
    struct kind kind;
    const char *parameter;
} BONES[] = {{{"--map", "bones", false}, "map"}, {{"--clip-map", "clip_bones", false}, "clip_map"}};
static const char *const TABLES[] = {
    "auto",
#define X(symbol, word, prefix) word,
#include "protocol/humanoid/maps.def"
#undef X
};

static int read_file(const struct kind *kind, const char *file, struct text *out, struct text *problem)
{
    char chunk[16384];
    FILE *stream = fopen(file, "rb");
    size_t got;
    text_put(out, "");
    while (stream != NULL && out->size_bytes <= MAP_BYTES_MAX && (got = fread(chunk, 1, sizeof chunk, stream)) > 0)
        text_put_bytes(out, chunk, got);
    const int failure = stream == NULL || ferror(stream) != 0 ? errno : 0;
    if (stream != NULL)
        fclose(stream);
    if (failure != 0)
        text_printf(problem, "%s: cannot read '%s': %s", kind->flag, file, strerror(failure));
    else if (out->size_bytes > MAP_BYTES_MAX || strlen(out->at) < out->size_bytes)
        text_printf(problem, "%s: '%s' is no map of joints: it %s", kind->flag, file,
                    out->size_bytes > MAP_BYTES_MAX ? "is too long" : "has a NUL byte");
    return problem->size_bytes == 0 ? 0 : -1;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

/* Returns the error of one side of a rule, or NULL. */
static const char *fault_of(const struct kind *kind, const char *side)
{
    const char *star = kind->has_stars ? strchr(side, '*') : NULL;
    return side[0] == '\0'                                 ? "a side is empty"
           : star != NULL && strchr(star + 1, '*') != NULL ? "a side has more than one '*'"
                                                           : NULL;
}

/* Puts what is wrong with the bone of a rule, if anything. */
static void put_unknown_bone(const char *bone, struct text *fault)
{
    static const char *const BONES_OF_A_HUMAN[] = {
#define X(symbol, word, above, is_required) word,
#include "protocol/humanoid/roles.def"
#undef X
    };
    struct nearest nearest = NEAREST_NONE;
    for (size_t i = 0; i < sizeof BONES_OF_A_HUMAN / sizeof *BONES_OF_A_HUMAN; i++) {
        if (strcmp(bone, BONES_OF_A_HUMAN[i]) == 0)
            return;
        nearest_consider(&nearest, BONES_OF_A_HUMAN[i], bone, strlen(bone));
    }
    if (nearest.name != NULL)
        text_printf(fault, "'%s' is no bone of a human; did you mean '%s'?", bone, nearest.name);
    else
        text_printf(fault, "'%s' is no bone of a human; they are called as in VRM 1.0: hips, spine, head, ..", bone);
}

/* Adds the rule. `line`: its line in the file. */
static int add(const struct kind *kind, cJSON *rules, const char *file, size_t line, const char *from, const char *to,
               struct text *problem)
{
    const char *fault = fault_of(kind, from) != NULL ? fault_of(kind, from) : fault_of(kind, to);
    if (fault == NULL && strchr(from, '=') != NULL)
        fault = "the name before has a '=', which ends it; a '*' can stand there";
    if (fault == NULL && kind->has_stars && strchr(to, '*') != NULL && strchr(from, '*') == NULL)
        fault = "only the new name has a '*'";
    if (fault != NULL) {
        text_printf(problem, "%s: %s:%zu: '%s=%s': %s", kind->flag, file, line, from, to, fault);
        return -1;
    }
    struct text rule = {0};
    if (!kind->has_stars)
        put_unknown_bone(from, &rule);
    if (rule.size_bytes > 0) {
        text_printf(problem, "%s: %s:%zu: %s", kind->flag, file, line, rule.at);
        text_free(&rule);
        return -1;
    }
    text_printf(&rule, "%s=%s", from, to);
    cJSON_AddItemToArray(rules, cJSON_CreateString(rule.at));
    text_free(&rule);
    return 0;
}

/* Cuts the blanks at both ends off, within `text`. */
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t size_bytes = strlen(text);
    while (size_bytes > 0 && strchr(BLANKS, text[size_bytes - 1]) != NULL)
        text[--size_bytes] = '\0';
    return text;
}

static int add_lines(const struct kind *kind, cJSON *rules, const char *file, char *text, struct text *problem)
{
    size_t line = 1;
    for (char *at = text, *end; at != NULL; at = end, line++) {
        end = strchr(at, '\n');
        if (end != NULL)
            *end++ = '\0';
        char *rule = trim(at), *sign = strchr(rule, '=');
        if (rule[0] == '\0' || rule[0] == '#')
            continue;
        if (sign == NULL) {
            text_printf(problem, "%s: %s:%zu: '%s' is no rule from=to", kind->flag, file, line, rule);
            return -1;
        }
        *sign = '\0';
        if (add(kind, rules, file, line, trim(rule), trim(sign + 1), problem) < 0)
            return -1;
    }
    return 0;
}

/* Finds the line of the member by its index, because cJSON does not keep lines. */
static size_t line_of_member(const char *text, const cJSON *member)
{
    struct text quoted = {0};
    char *name = cJSON_PrintUnformatted(&(cJSON){.type = cJSON_String, .valuestring = member->string});
    text_put(&quoted, name == NULL ? "" : name);
    const char *at = strstr(text, quoted.at);
    free(name);
    text_free(&quoted);
    return at == NULL ? 1 : line_of(text, at);
}

static int add_object(const struct kind *kind, cJSON *rules, const char *file, const char *text, struct text *problem)
{
    const char *end = text;
    const cJSON *member;
    cJSON *json = cJSON_ParseWithOpts(text, &end, 1);
    int rc = 0;
    if (json == NULL) {
        text_printf(problem, "%s: %s:%zu: this is not JSON", kind->flag, file, line_of(text, end));
        return -1;
    }
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(json, kind->flag + strlen("--"));
    if (own == NULL && strcmp(kind->flag, "--clip-map") == 0)
        own = cJSON_GetObjectItemCaseSensitive(json, "clip_map");
    if (!cJSON_IsObject(own)) /* a file of posectl map has an object for each option */
        own = json;
    cJSON_ArrayForEach(member, own)
    {
        if (rc == 0 && !cJSON_IsString(member)) {
            text_printf(problem, "%s: %s:%zu: the new name of '%s' is no text", kind->flag, file,
                        line_of_member(text, member), member->string);
            rc = -1;
        }
        if (rc == 0)
            rc = add(kind, rules, file, line_of_member(text, member), member->string, member->valuestring, problem);
    }
    cJSON_Delete(json);
    return rc;
}

static int add_map(const struct kind *kind, cJSON *rules, const char *file, struct text *problem)
{
    struct text text = {0};
    const int before = cJSON_GetArraySize(rules);
    int rc = read_file(kind, file, &text, problem);
    if (rc == 0)
        rc = text.at[strspn(text.at, BLANKS)] == '{' ? add_object(kind, rules, file, text.at, problem)
                                                     : add_lines(kind, rules, file, text.at, problem);
    text_free(&text);
    if (rc == 0 && cJSON_GetArraySize(rules) == before) {
        text_printf(problem, "%s: '%s' has no rules", kind->flag, file);
        rc = -1;
    }
    return rc;
}

/* Removes the parameter of this name from the query. Its values are added to `rules`. */
static void take_given(struct args *args, const char *name, cJSON *rules)
{
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, name) == 0)
            cJSON_AddItemToArray(rules, cJSON_CreateString(args->parameters[i].value));
    args_drop_parameter(args, name);
}

/* Makes the rules a parameter of the body, because a whole map is too long for a query. */
static void give(struct args *args, const char *name, const cJSON *rules)
{
    char *text = cJSON_PrintUnformatted(rules);
    args_give_json(args, name, text == NULL ? "[]" : text);
    cJSON_free(text);
}

static int read_renames(struct args *args, struct text *problem)
{
    cJSON *rules = cJSON_CreateArray();
    int rc = 0;
    take_given(args, RENAMES.name, rules);
    for (size_t i = 0; i < args->repeated_count && rc == 0; i++)
        if (args->repeated[i].option == OPTION_JOINT_MAP)
            rc = add_map(&RENAMES, rules, args->repeated[i].value, problem);
    if (rc == 0)
        give(args, RENAMES.name, rules);
    cJSON_Delete(rules);
    return rc;
}

/* Returns the file that the option names. NULL: the option is not given, or names a table. */
static const char *bone_file(const struct args *args, const struct bone_map *map)
{
    const char *file = NULL;
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, map->parameter) == 0)
            file = args->parameters[i].value;
    for (size_t i = 0; file != NULL && i < sizeof TABLES / sizeof *TABLES; i++)
        file = strcmp(file, TABLES[i]) == 0 ? NULL : file;
    return file;
}

/* Puts the rules of the file first. If a bone has two rules, the last one holds. */
static int read_bones(struct args *args, size_t place, struct text *problem)
{
    const struct bone_map *map = &BONES[place];
    const char *file = bone_file(args, map);
    if (file == NULL)
        return 0;
    cJSON *rules = cJSON_CreateArray();
    const int rc = add_map(&map->kind, rules, file, problem);
    if (rc == 0) {
        args_drop_parameter(args, map->parameter);
        take_given(args, map->kind.name, rules);
        give(args, map->kind.name, rules);
    }
    cJSON_Delete(rules);
    return rc;
}

int joint_map_read(struct args *args, struct text *problem)
{
    int rc = args_has(args, OPTION_JOINT_MAP) ? read_renames(args, problem) : 0;
    for (size_t i = 0; i < sizeof BONES / sizeof *BONES && rc == 0; i++)
        rc = read_bones(args, i, problem);
    return rc;
}
