/* posectl completion: makes scripts for bash, zsh and fish from the tables of options. */
#include "clients/cli/command_line/commands.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <string.h>

enum { ALL_FLAGS = FLAGS_OWN | FLAGS_COMMON | FLAGS_PARAMETERS };

/* Puts text in single quotes of a shell. */
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

/* Puts the literal words of a value, separated by spaces, and returns their number. */
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

/* Returns the value that must follow the flag, or "". */
static const char *needed_value(const struct flag *flag) { return flag->is_value_optional ? "" : flag->value; }

static bool is_path(const char *value)
{
    return strcmp(value, "FILE") == 0 || strcmp(value, "DIR") == 0 || strcmp(value, "PATH") == 0;
}

/* Puts " 'render --view') ..": the words that may follow each option. */
static void put_bash_values(struct text *out, const struct command *command)
{
    struct flag flag;
    for (size_t at = 0; flags_next(command, ALL_FLAGS, &at, &flag);) {
        struct text words = {0};
        if (put_words(&words, needed_value(&flag)) > 0) {
            text_printf(out, "    '%s ", command->name);
            flag_put_name(out, flag.name);
            text_printf(out, "') COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", words.at);
        }
        text_free(&words);
    }
}

static void put_bash(struct text *out)
{
    struct flag flag;
    /* readline splits "--view=lit" into three words. */
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
        for (size_t at = 0; flags_next(&COMMANDS[i], ALL_FLAGS, &at, &flag); text_put(out, " "))
            flag_put_name(out, flag.name);
        text_put(out, i == COMMAND_COMPLETION ? "bash zsh fish' ;;\n" : "' ;;\n");
    }
    text_put(out,
             "    esac\n    if [[ $word == -* || $command == completion ]]; then\n"
             "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n    else\n"
             "        compopt -o filenames 2>/dev/null\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
             "complete -F _posectl posectl\n");
}

static void put_zsh_argument(struct text *out, const struct flag *flag)
{
    struct text spec = {0}, words = {0};
    const char *value = needed_value(flag);
    flag_put_name(&spec, flag->name);
    text_put(&spec, value[0] == '\0' ? "[" : "=[");
    for (const char *at = flag->text; *at != '\0'; at++) {
        if (strchr("[]:\\", *at) != NULL)
            text_put(&spec, "\\");
        text_put_bytes(&spec, at, 1);
    }
    text_put(&spec, "]");
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
    struct flag flag;
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
        for (size_t at = 0; flags_next(&COMMANDS[i], ALL_FLAGS, &at, &flag);)
            put_zsh_argument(out, &flag);
        text_put(out, i == COMMAND_COMPLETION ? " '1:shell:(bash zsh fish)' ;;\n" : " '*:file:_files' ;;\n");
    }
    text_put(out, "  esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _posectl \"$@\"; else compdef "
                  "_posectl posectl; fi\n");
}

/* command NULL: puts the flags of all commands. */
static void put_fish_flags(struct text *out, const struct command *command)
{
    struct flag flag;
    const int groups = command == NULL ? FLAGS_COMMON : FLAGS_OWN | FLAGS_PARAMETERS;
    for (size_t at = 0; flags_next(command, groups, &at, &flag);) {
        struct text name = {0}, words = {0};
        flag_put_name(&name, flag.name);
        text_put(out, "complete -c posectl ");
        if (command != NULL)
            text_printf(out, "-n '__fish_seen_subcommand_from %s' ", command->name);
        text_printf(out, "-l %s", name.at + 2);
        if (flag.letter != 0)
            text_printf(out, " -s %c", flag.letter);
        if (put_words(&words, needed_value(&flag)) > 0)
            text_printf(out, " -xa '%s'", words.at);
        else if (needed_value(&flag)[0] != '\0')
            text_put(out, is_path(flag.value) ? " -r" : " -x");
        text_put(out, " -d ");
        put_quoted(out, flag.text);
        text_put(out, "\n");
        text_free(&name);
        text_free(&words);
    }
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
    put_fish_flags(out, NULL);
    for (int i = 0; i < COMMAND_COUNT; i++)
        put_fish_flags(out, &COMMANDS[i]);
}

int run_completion(const struct args *args)
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
        terminal_error("missing or unknown shell; usage: posectl completion bash|zsh|fish");
        return STATUS_USAGE;
    }
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
