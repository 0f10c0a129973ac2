#include "clients/cli/command_line/joint_map.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES_MAX = 1 << 20 };
static const char NAME[] = "rename_joints", BLANKS[] = " \t\r\n";

static int read_file(const char *file, struct text *out, struct text *problem)
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
        text_printf(problem, "--joint-map: cannot read '%s': %s", file, strerror(failure));
    else if (out->size_bytes > MAP_BYTES_MAX || strlen(out->at) < out->size_bytes)
        text_printf(problem, "--joint-map: '%s' is no map of joints: it %s", file,
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

/* What is wrong with one side of a rule; NULL: nothing. */
static const char *fault_of(const char *side)
{
    const char *star = strchr(side, '*');
    return side[0] == '\0'                                 ? "a side is empty"
           : star != NULL && strchr(star + 1, '*') != NULL ? "a side has more than one '*'"
                                                           : NULL;
}

/* Adds the rule, whose place in the file is `line`. */
static int add(cJSON *rules, const char *file, size_t line, const char *from, const char *to, struct text *problem)
{
    const char *fault = fault_of(from) != NULL ? fault_of(from) : fault_of(to);
    if (fault == NULL && strchr(from, '=') != NULL)
        fault = "the name before has a '=', which ends it; a '*' can stand there";
    if (fault == NULL && strchr(to, '*') != NULL && strchr(from, '*') == NULL)
        fault = "only the new name has a '*'";
    if (fault != NULL) {
        text_printf(problem, "--joint-map: %s:%zu: '%s=%s': %s", file, line, from, to, fault);
        return -1;
    }
    struct text rule = {0};
    text_printf(&rule, "%s=%s", from, to);
    cJSON_AddItemToArray(rules, cJSON_CreateString(rule.at));
    text_free(&rule);
    return 0;
}

/* Without the blanks at both ends; cuts `text` up. */
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t size_bytes = strlen(text);
    while (size_bytes > 0 && strchr(BLANKS, text[size_bytes - 1]) != NULL)
        text[--size_bytes] = '\0';
    return text;
}

static int add_lines(cJSON *rules, const char *file, char *text, struct text *problem)
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
            text_printf(problem, "--joint-map: %s:%zu: '%s' is no rule from=to", file, line, rule);
            return -1;
        }
        *sign = '\0';
        if (add(rules, file, line, trim(rule), trim(sign + 1), problem) < 0)
            return -1;
    }
    return 0;
}

/* The line of the member, by its place among all: cJSON keeps none. */
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

static int add_object(cJSON *rules, const char *file, const char *text, struct text *problem)
{
    const char *end = text;
    const cJSON *member;
    cJSON *json = cJSON_ParseWithOpts(text, &end, 1);
    int rc = 0;
    if (json == NULL) {
        text_printf(problem, "--joint-map: %s:%zu: this is not JSON", file, line_of(text, end));
        return -1;
    }
    cJSON_ArrayForEach(member, json)
    {
        if (rc == 0 && !cJSON_IsString(member)) {
            text_printf(problem, "--joint-map: %s:%zu: the new name of '%s' is no text", file,
                        line_of_member(text, member), member->string);
            rc = -1;
        }
        if (rc == 0)
            rc = add(rules, file, line_of_member(text, member), member->string, member->valuestring, problem);
    }
    cJSON_Delete(json);
    return rc;
}

static int add_map(cJSON *rules, const char *file, struct text *problem)
{
    struct text text = {0};
    const int before = cJSON_GetArraySize(rules);
    int rc = read_file(file, &text, problem);
    if (rc == 0)
        rc = text.at[strspn(text.at, BLANKS)] == '{' ? add_object(rules, file, text.at, problem)
                                                     : add_lines(rules, file, text.at, problem);
    text_free(&text);
    if (rc == 0 && cJSON_GetArraySize(rules) == before) {
        text_printf(problem, "--joint-map: '%s' has no rules", file);
        rc = -1;
    }
    return rc;
}

/* Takes the rules of --rename-joints away from the query. */
static void move_given(struct args *args, cJSON *rules)
{
    size_t kept = 0;
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (strcmp(args->parameters[i].name, NAME) == 0)
            cJSON_AddItemToArray(rules, cJSON_CreateString(args->parameters[i].value));
        else
            args->parameters[kept++] = args->parameters[i];
    }
    args->parameter_count = kept;
}

int joint_map_read(struct args *args, struct text *problem)
{
    cJSON *rules = cJSON_CreateArray();
    int rc = 0;
    if (args_has(args, OPTION_JOINT_MAP))
        move_given(args, rules);
    for (size_t i = 0; i < args->repeated_count && rc == 0; i++)
        if (args->repeated[i].option == OPTION_JOINT_MAP)
            rc = add_map(rules, args->repeated[i].value, problem);
    if (rc == 0 && args_has(args, OPTION_JOINT_MAP)) {
        args->joint_map = cJSON_PrintUnformatted(rules);
        args->parameters = must_grow(args->parameters, (args->parameter_count + 1) * sizeof *args->parameters);
        args->parameters[args->parameter_count++] = (struct given_parameter){NAME, args->joint_map, true};
    }
    cJSON_Delete(rules);
    return rc;
}
