/* posectl --help and posectl COMMAND --help, from the tables. */
#include "clients/cli/command_line/completion.h"
#include "clients/cli/output/output.h"

#include <string.h>

enum { COLUMN = 27, WIDTH = 100 };

/* Breaks a text into lines, all but the first indented. */
static void put_wrapped(struct text *out, const char *words, size_t indent)
{
    size_t column = indent;
    while (*words != '\0') {
        const size_t size = strcspn(words, " ");
        if (column > indent && column + 1 + size > WIDTH) {
            text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            text_put(out, " ");
            column++;
        }
        text_put_bytes(out, words, size);
        column += size;
        words += size + (words[size] == ' ');
    }
    text_put(out, "\n");
}

static void put_row(struct text *out, const struct text *left, const char *right)
{
    const size_t columns = text_columns(left->at);
    text_put(out, left->at);
    if (columns + 1 >= COLUMN)
        text_printf(out, "\n%*s", COLUMN, "");
    else
        text_printf(out, "%*s", (int)(COLUMN - columns), "");
    put_wrapped(out, right, COLUMN);
}

static void put_option(struct text *out, const struct option *option)
{
    struct text left = {0}, right = {0};
    text_put(&left, "  ");
    if (option->letter != 0)
        text_printf(&left, "-%c, ", option->letter);
    text_printf(&left, "--%s%s%s", option->name, option->value[0] == '\0' ? "" : " ", option->value);
    text_put(&right, option->text);
    if (option->initial[0] != '\0')
        text_printf(&right, " (default: %s)", option->initial);
    put_row(out, &left, right.at);
    text_free(&left);
    text_free(&right);
}

static void put_parameter(struct text *out, const struct parameter *parameter)
{
    struct text left = {0}, right = {0};
    text_put(&left, "  --");
    for (const char *at = parameter->name; *at != '\0'; at++)
        text_put_bytes(&left, *at == '_' ? "-" : at, 1);
    text_printf(&left, parameter_is_flag(parameter) ? " [%s]" : " %s", parameter->values);
    text_put(&right, parameter->text);
    if (strcmp(parameter->how_often, "MANY") == 0)
        text_put(&right, "; may repeat");
    put_row(out, &left, right.at);
    text_free(&left);
    text_free(&right);
}

static void put_options(struct text *out, const char *heading, const struct command *command, bool is_common)
{
    text_printf(out, "\n%s:\n", heading);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((strcmp(OPTIONS[i].commands, " * ") == 0) == is_common &&
            option_is_for(&OPTIONS[i], command == NULL ? "" : command->name))
            put_option(out, &OPTIONS[i]);
}

static bool has_own(const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(OPTIONS[i].commands, " * ") != 0 && option_is_for(&OPTIONS[i], command->name))
            return true;
    return false;
}

static void put_command(struct text *out, const struct command *command)
{
    text_printf(out, "posectl %s - %s\n\n  posectl %s %s [options]\n\n", command->name, command->summary, command->name,
                command->arguments);
    put_wrapped(out, command->text, 0);
    if (has_own(command))
        put_options(out, "Options", command, false);
    if (command->operation[0] != '\0') {
        text_put(out, "\nWhat is asked for, as protocol/http.md has it:\n");
        for (size_t i = 0; i < PARAMETER_COUNT; i++)
            if (parameter_is_for(&PARAMETERS[i], command))
                put_parameter(out, &PARAMETERS[i]);
    }
    put_options(out, "Options of all commands", command, true);
}

static void put_all(struct text *out)
{
    text_put(
        out,
        "posectl - pictures, poses and checks of animated 3D models\n\n  posectl COMMAND ... [options]\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        struct text left = {0};
        text_printf(&left, "  %s %s", COMMANDS[i].name, COMMANDS[i].arguments);
        put_row(out, &left, COMMANDS[i].summary);
        text_free(&left);
    }
    text_put(out, "\nposectl COMMAND --help says more of each. No server is needed: posectl starts one for itself.\n"
                  "\nExamples:\n"
                  "  posectl render fox.glb -o fox.png --width 512 --height 512 --clip walk --t 0.5 --yaw 30\n"
                  "  posectl thumbs assets/ -o thumbs/ --size 256 --clips all --index\n"
                  "  posectl check assets/ --format sarif -o check.sarif\n"
                  "  posectl info fox.glb\n");
    put_options(out, "Options of all commands", NULL, true);
    text_put(out, "\nEnvironment:\n");
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        struct text left = {0};
        text_printf(&left, "  %s", VARIABLES[i].name);
        put_row(out, &left, VARIABLES[i].text);
        text_free(&left);
    }
    text_put(
        out,
        "\nExit status: 0 done; 1 a model failed, or check found what --fail-on says; 2 the command line is wrong, or\n"
        "a path, pattern or folder in it means no model (watch waits for one); 3 no server, or an output that cannot "
        "be\n"
        "written; 130 interrupted.\n");
}

int print_help(const struct command *command)
{
    struct text out = {0};
    if (command == NULL)
        put_all(&out);
    else
        put_command(&out, command);
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
