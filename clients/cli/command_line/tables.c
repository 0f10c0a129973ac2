/* The tables of commands, options and parameters, and which commands have which: args.h. */
#include "clients/cli/command_line/args.h"

#include <stdio.h>
#include <string.h>

const struct command COMMANDS[COMMAND_COUNT] = {
#define COMMAND(symbol, name, arguments, operation, summary, text) {name, arguments, operation, summary, text},
#include "clients/cli/command_line/options.def"
};
const struct option OPTIONS[OPTION_COUNT] = {
#define OPTION(symbol, commands, name, letter, value, initial, text) {commands, name, letter, value, initial, text},
#include "clients/cli/command_line/options.def"
};
const struct described VARIABLES[] = {
#define ENVIRONMENT(name, text) {name, text},
#include "clients/cli/command_line/options.def"
    {NULL, NULL}};
const struct described EXIT_STATUSES[] = {
#define EXIT_STATUS(number, text) {number, text},
#include "clients/cli/command_line/options.def"
    {NULL, NULL}};
static const char view_words[] = "" /* "|lit|weights|.." */
#define X(symbol, word, takes_joint, text) "|" word
#include "protocol/pictures/views.def"
#undef X
    ;
#define VIEW_WORDS (view_words + 1)
static const char pass_words[] = "" /* "|color|depth|.." */
#define X(symbol, word, components, type, picture, unit, what) "|" word
#include "protocol/pictures/passes.def"
#undef X
    ;
#define PASS_WORDS (pass_words + 1)
/* Operations are compared as text, so a new operation needs no change here. */
const struct parameter PARAMETERS[] = {
#define X(symbol, name, operations, how_often, parser, values, text) {name, #operations, #how_often, values, text},
#include "wire/request/request_params.def"
#undef X
};
const size_t PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS;

static bool is_common(const struct option *option) { return strcmp(option->commands, " * ") == 0; }

bool option_is_for(const struct option *option, const struct command *command)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", command == NULL ? "*" : command->name);
    return is_common(option) || strstr(option->commands, word) != NULL;
}

/* Returns whether the operation's words and the parameter's, "FOR_POSE | FOR_MESH", have one in common. */
static bool share_word(const char *operations, const char *words)
{
    while (*words != '\0') {
        const size_t size = strcspn(words, " ");
        for (const char *at = operations; size > 0 && *at != '\0'; at += strcspn(at, " |"), at += strspn(at, " |"))
            if (strcspn(at, " |") == size && memcmp(at, words, size) == 0)
                return true;
        words += size + (words[size] == ' ');
    }
    return false;
}

bool parameter_is_json(const struct parameter *parameter) { return strcmp(parameter->values, "JSON") == 0; }
bool parameter_is_flag(const struct parameter *parameter) { return strcmp(parameter->values, "0|1") == 0; }

const char *values_next_word(const char **values, size_t *size_bytes)
{
    while (**values != '\0') {
        const char *word = *values;
        *size_bytes = strcspn(word, "|");
        *values += *size_bytes + (word[*size_bytes] == '|');
        if (*size_bytes > 0 && (*word < 'A' || *word > 'Z'))
            return word;
    }
    return NULL;
}

const struct option *command_option(const char *name, size_t name_bytes, const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(OPTIONS[i].name) == name_bytes && memcmp(OPTIONS[i].name, name, name_bytes) == 0 &&
            option_is_for(&OPTIONS[i], command))
            return &OPTIONS[i];
    return NULL;
}

bool parameter_is_for(const struct parameter *parameter, const struct command *command)
{
    const bool is_about_one = strncmp(command->arguments, "MODEL", 5) == 0;
    const bool is_of_one = strcmp(parameter->name, "hash") == 0 || strcmp(parameter->name, "format") == 0;
    if (strcmp(parameter->name, "model") == 0 || strcmp(parameter->name, "with") == 0 || (is_of_one && !is_about_one))
        return false;
    return share_word(parameter->operations, command->operation) &&
           command_option(parameter->name, strlen(parameter->name), command) == NULL;
}

bool flags_next(const struct command *command, int groups, size_t *at, struct flag *flag)
{
    while (*at < OPTION_COUNT + PARAMETER_COUNT) {
        const size_t i = (*at)++;
        if (i < OPTION_COUNT && option_is_for(&OPTIONS[i], command) &&
            (groups & (is_common(&OPTIONS[i]) ? FLAGS_COMMON : FLAGS_OWN)) != 0) {
            *flag = (struct flag){.name = OPTIONS[i].name,
                                  .letter = OPTIONS[i].letter,
                                  .value = OPTIONS[i].value,
                                  .text = OPTIONS[i].text,
                                  .initial = OPTIONS[i].initial};
            return true;
        }
        const struct parameter *parameter = &PARAMETERS[i < OPTION_COUNT ? 0 : i - OPTION_COUNT];
        if (i >= OPTION_COUNT && (groups & FLAGS_PARAMETERS) != 0 && command != NULL &&
            parameter_is_for(parameter, command)) {
            *flag = (struct flag){.name = parameter->name,
                                  .value = parameter->values,
                                  .text = parameter->text,
                                  .initial = "",
                                  .is_value_optional = parameter_is_flag(parameter),
                                  .is_repeatable = strcmp(parameter->how_often, "MANY") == 0};
            return true;
        }
    }
    return false;
}

void flag_put_name(struct text *out, const char *name)
{
    text_put(out, "--");
    for (const char *at = name; *at != '\0'; at++)
        text_put_bytes(out, *at == '_' ? "-" : at, 1);
}
