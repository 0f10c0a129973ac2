/* posectl --help and posectl COMMAND --help: makes the text from the tables of options. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/output.h"

#include "base/wrap.h"

#include <string.h>

enum { COLUMN = 27, WIDTH = 100 };

/* Puts the words in lines. All but the first are indented. */
static void put_wrapped(struct text *out, const char *words, size_t indent)
{
    for (size_t line; (line = wrap_line_bytes(words, WIDTH - indent)) > 0;) {
        text_put_bytes(out, words, line);
        words += line + (words[line] == ' ');
        if (*words != '\0')
            text_printf(out, "\n%*s", (int)indent, "");
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

static void put_flag(struct text *out, const struct flag *flag)
{
    struct text left = {0}, right = {0};
    text_put(&left, "  ");
    if (flag->letter != 0)
        text_printf(&left, "-%c, ", flag->letter);
    flag_put_name(&left, flag->name);
    if (flag->value[0] != '\0')
        text_printf(&left, flag->is_value_optional ? " [%s]" : " %s", flag->value);
    text_put(&right, flag->text);
    if (flag->initial[0] != '\0')
        text_printf(&right, " (default: %s)", flag->initial);
    text_put(&right, flag->is_repeatable ? "; may repeat" : "");
    put_row(out, &left, right.at);
    text_free(&left);
    text_free(&right);
}

/* Puts the flags of a group under a heading, or nothing if there are none. */
static void put_flags(struct text *out, const char *heading, const struct command *command, int group)
{
    struct flag flag;
    bool has_heading = false;
    for (size_t at = 0; flags_next(command, group, &at, &flag); has_heading = true) {
        if (!has_heading)
            text_printf(out, "\n%s:\n", heading);
        put_flag(out, &flag);
    }
}

static void put_command(struct text *out, const struct command *command)
{
    text_printf(out, "posectl %s - %s\n\n  posectl %s %s [options]\n\n", command->name, command->summary, command->name,
                command->arguments);
    put_wrapped(out, command->text, 0);
    put_flags(out, "Options", command, FLAGS_OWN);
    put_flags(out, "Parameters of the request, see protocol/http.md", command, FLAGS_PARAMETERS);
    put_flags(out, "Options of all commands", command, FLAGS_COMMON);
}

static void put_described(struct text *out, const char *heading, const struct described *row)
{
    text_printf(out, "\n%s:\n", heading);
    for (; row->name != NULL; row++) {
        struct text left = {0};
        text_printf(&left, "  %s", row->name);
        put_row(out, &left, row->text);
        text_free(&left);
    }
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
    text_put(
        out,
        "\nposectl COMMAND --help describes a command. No running server is needed: posectl starts a private one.\n"
        "\nExamples:\n"
        "  posectl render fox.glb -o fox.png --width 512 --height 512 --clip walk --t 0.5 --yaw 30\n"
        "  posectl thumbs assets/ -o thumbs/ --size 256 --clips all --index\n"
        "  posectl check assets/ --format sarif -o check.sarif\n"
        "  posectl convert fox.fbx -o fox.glb\n"
        "  posectl convert raw/ -o glb/\n"
        "  posectl diff old/ new/\n"
        "  posectl info fox.glb\n"
        "  posectl map hero.glb mocap.bvh > map.json\n");
    put_flags(out, "Options of all commands", NULL, FLAGS_COMMON);
    put_described(out, "Environment", VARIABLES);
    put_described(out, "Exit status", EXIT_STATUSES);
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
