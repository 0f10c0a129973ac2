/* The tables of args.h, and what is for which command. */
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
const struct environment_variable VARIABLES[] = {
#define ENVIRONMENT(name, text) {name, text},
#include "clients/cli/command_line/options.def"
};
const size_t VARIABLE_COUNT = sizeof VARIABLES / sizeof *VARIABLES;
static const char view_words[] = "" /* "|lit|weights|.." */
#define X(symbol, word, takes_joint, text) "|" word
#include "protocol/views.def"
#undef X
    ;
#define VIEW_WORDS (view_words + 1)
/* The words of the table are taken as texts: a new operation or parser needs no change here. */
const struct parameter PARAMETERS[] = {
#define X(symbol, name, operations, how_often, parser, values, text)                                                   \
    {name, #operations, #how_often, #parser, values, text},
#include "wire/request/request_params.def"
#undef X
};
const size_t PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS;

bool option_is_for(const struct option *option, const char *command)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", command);
    return strcmp(option->commands, " * ") == 0 || strstr(option->commands, word) != NULL;
}

/* Whether an operation's words and a parameter's, "FOR_POSE | FOR_MESH", have one in common. */
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

bool parameter_is_json(const struct parameter *parameter) { return strcmp(parameter->parser, "param_of_body") == 0; }
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

const struct option *option_find(const char *name, size_t name_bytes, const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(OPTIONS[i].name) == name_bytes && memcmp(OPTIONS[i].name, name, name_bytes) == 0 &&
            option_is_for(&OPTIONS[i], command == NULL ? "" : command->name))
            return &OPTIONS[i];
    return NULL;
}

bool parameter_is_for(const struct parameter *parameter, const struct command *command)
{
    const bool is_about_one = strncmp(command->arguments, "MODEL", 5) == 0;
    if (strcmp(parameter->name, "model") == 0 || (strcmp(parameter->name, "hash") == 0 && !is_about_one))
        return false;
    return share_word(parameter->operations, command->operation) &&
           option_find(parameter->name, strlen(parameter->name), command) == NULL;
}
