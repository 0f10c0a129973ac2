/* Completions for shells and the man page, from the tables. */
#include "clients/cli/command_line/completion.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <string.h>

/* "--clip-name" */
static void put_flag(struct text *out, const char *name)
{
    text_put(out, "--");
    for (const char *at = name; *at != '\0'; at++)
        text_put_bytes(out, *at == '_' ? "-" : at, 1);
}

/* In single quotes of a shell. */
static void put_quoted(struct text *out, const char *text)
{
    text_put(out, "'");
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\'')
            text_put(out, "'\\''");
        else
            text_put_bytes(out, at, 1);
    text_put(out, "'");
}

/* The words of a value with a space behind each; returns how many. */
static size_t put_words(struct text *out, const char *values)
{
    const char *word;
    size_t size = 0, count = 0;
    while ((word = values_next_word(&values, &size)) != NULL) {
        text_printf(out, "%s%.*s", count == 0 ? "" : " ", (int)size, word);
        count++;
    }
    return count;
}

/* "" where the parameter may stand alone. */
static const char *needed_value(const struct parameter *parameter)
{
    return parameter_is_flag(parameter) ? "" : parameter->values;
}

static bool is_path(const char *value)
{
    return strcmp(value, "FILE") == 0 || strcmp(value, "DIR") == 0 || strcmp(value, "PATH") == 0;
}

static void put_flags(struct text *out, const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_is_for(&OPTIONS[i], command->name)) {
            put_flag(out, OPTIONS[i].name);
            text_put(out, " ");
        }
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (parameter_is_for(&PARAMETERS[i], command)) {
            put_flag(out, PARAMETERS[i].name);
            text_put(out, " ");
        }
}

/* "    'render --view') ..": what may stand behind an option. */
static void put_bash_words(struct text *out, const char *command, const char *name, const char *values)
{
    struct text words = {0};
    if (put_words(&words, values) > 0) {
        text_printf(out, "    '%s ", command);
        put_flag(out, name);
        text_printf(out, "') COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", words.at);
    }
    text_free(&words);
}

static void put_bash_values(struct text *out, const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_is_for(&OPTIONS[i], command->name))
            put_bash_words(out, command->name, OPTIONS[i].name, OPTIONS[i].value);
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (parameter_is_for(&PARAMETERS[i], command))
            put_bash_words(out, command->name, PARAMETERS[i].name, needed_value(&PARAMETERS[i]));
}

static void put_bash(struct text *out)
{
    /* readline takes "--view=lit" for three words */
    text_put(out, "# bash completion of posectl, made by: posectl completion bash\n_posectl()\n{\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= flags= i\n"
                  "    [[ $before == = && COMP_CWORD -ge 2 ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
                  "    [[ $word == = ]] && word=\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "        case ${COMP_WORDS[i]} in\n        ");
    for (int i = 0; i < COMMAND_COUNT; i++)
        text_printf(out, "%s%s", i == 0 ? "" : "|", COMMANDS[i].name);
    text_put(out, ") command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n"
                  "    COMPREPLY=()\n    case \"$command $before\" in\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        put_bash_values(out, &COMMANDS[i]);
    text_put(out, "    esac\n    case $command in\n    '') flags='");
    for (int i = 0; i < COMMAND_COUNT; i++)
        text_printf(out, "%s ", COMMANDS[i].name);
    text_put(out, "--help --version'\n        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")); return ;;\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "    %s) flags='", COMMANDS[i].name);
        put_flags(out, &COMMANDS[i]);
        text_put(out, i == COMMAND_COMPLETION ? "bash zsh fish' ;;\n" : "' ;;\n");
    }
    text_put(out,
             "    esac\n    if [[ $word == -* || $command == completion ]]; then\n"
             "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n    else\n"
             "        compopt -o filenames 2>/dev/null\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
             "complete -F _posectl posectl\n");
}

static void put_zsh_argument(struct text *out, const char *name, const char *value, const char *help)
{
    struct text spec = {0};
    put_flag(&spec, name);
    text_put(&spec, value[0] == '\0' ? "[" : "=[");
    for (const char *at = help; *at != '\0'; at++) {
        if (strchr("[]:\\", *at) != NULL)
            text_put(&spec, "\\");
        text_put_bytes(&spec, at, 1);
    }
    text_put(&spec, "]");
    struct text words = {0};
    if (put_words(&words, value) > 0)
        text_printf(&spec, ":value:(%s)", words.at);
    else if (is_path(value))
        text_put(&spec, ":file:_files");
    else if (value[0] != '\0')
        text_put(&spec, ":value: ");
    text_put(out, " ");
    put_quoted(out, spec.at);
    text_free(&spec);
    text_free(&words);
}

static void put_zsh(struct text *out)
{
    text_put(out, "#compdef posectl\n# zsh completion of posectl, made by: posectl completion zsh\n_posectl() {\n"
                  "  local -a commands\n  commands=(");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        struct text entry = {0};
        text_printf(&entry, "%s:%s", COMMANDS[i].name, COMMANDS[i].summary);
        text_put(out, " ");
        put_quoted(out, entry.at);
        text_free(&entry);
    }
    text_put(out, ")\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  local command=$words[2]\n"
                  "  shift words; (( CURRENT-- ))\n  case $command in\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "  %s) _arguments", COMMANDS[i].name);
        for (size_t k = 0; k < OPTION_COUNT; k++)
            if (option_is_for(&OPTIONS[k], COMMANDS[i].name))
                put_zsh_argument(out, OPTIONS[k].name, OPTIONS[k].value, OPTIONS[k].text);
        for (size_t k = 0; k < PARAMETER_COUNT; k++)
            if (parameter_is_for(&PARAMETERS[k], &COMMANDS[i]))
                put_zsh_argument(out, PARAMETERS[k].name, needed_value(&PARAMETERS[k]), PARAMETERS[k].text);
        text_put(out, i == COMMAND_COMPLETION ? " '1:shell:(bash zsh fish)' ;;\n" : " '*:file:_files' ;;\n");
    }
    text_put(out, "  esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _posectl \"$@\"; else compdef "
                  "_posectl posectl; fi\n");
}

static void put_fish_option(struct text *out, const char *command, const char *name, char letter, const char *value,
                            const char *help)
{
    text_put(out, "complete -c posectl ");
    if (command != NULL)
        text_printf(out, "-n '__fish_seen_subcommand_from %s' ", command);
    text_put(out, "-l ");
    for (const char *at = name; *at != '\0'; at++)
        text_put_bytes(out, *at == '_' ? "-" : at, 1);
    if (letter != 0)
        text_printf(out, " -s %c", letter);
    struct text words = {0};
    if (put_words(&words, value) > 0)
        text_printf(out, " -xa '%s'", words.at);
    else if (value[0] != '\0')
        text_put(out, is_path(value) ? " -r" : " -x");
    text_free(&words);
    text_put(out, " -d ");
    put_quoted(out, help);
    text_put(out, "\n");
}

static void put_fish(struct text *out)
{
    text_put(out, "# fish completion of posectl, made by: posectl completion fish\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "complete -c posectl -f -n __fish_use_subcommand -a %s -d ", COMMANDS[i].name);
        put_quoted(out, COMMANDS[i].summary);
        text_put(out, "\n");
    }
    text_put(out, "complete -c posectl -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n");
    for (size_t k = 0; k < OPTION_COUNT; k++)
        if (strcmp(OPTIONS[k].commands, " * ") == 0)
            put_fish_option(out, NULL, OPTIONS[k].name, OPTIONS[k].letter, OPTIONS[k].value, OPTIONS[k].text);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        for (size_t k = 0; k < OPTION_COUNT; k++)
            if (strcmp(OPTIONS[k].commands, " * ") != 0 && option_is_for(&OPTIONS[k], COMMANDS[i].name))
                put_fish_option(out, COMMANDS[i].name, OPTIONS[k].name, OPTIONS[k].letter, OPTIONS[k].value,
                                OPTIONS[k].text);
        for (size_t k = 0; k < PARAMETER_COUNT; k++)
            if (parameter_is_for(&PARAMETERS[k], &COMMANDS[i]))
                put_fish_option(out, COMMANDS[i].name, PARAMETERS[k].name, 0, needed_value(&PARAMETERS[k]),
                                PARAMETERS[k].text);
    }
}

int print_completion(const struct args *args)
{
    const char *shell = args->positional_count == 1 ? args->positional[0] : "";
    struct text out = {0};
    if (strcmp(shell, "bash") == 0)
        put_bash(&out);
    else if (strcmp(shell, "zsh") == 0)
        put_zsh(&out);
    else if (strcmp(shell, "fish") == 0)
        put_fish(&out);
    else {
        terminal_error("say which shell: posectl completion bash, zsh or fish");
        return STATUS_USAGE;
    }
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
