/* posectl(1), in man(7), from the tables. */
#include "clients/cli/command_line/completion.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <string.h>

/* Text for roff: a dash that can be copied, and no line that begins as a request. */
static void put_roff(struct text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((*at == '.' || *at == '\'') && (at == text || at[-1] == '\n'))
            text_put(out, "\\&");
        text_put(out, *at == '-' ? "\\-" : *at == '\\' ? "\\e" : (char[]){*at, '\0'});
    }
}

static void put_option(struct text *out, const char *name, char letter, const char *value, const char *help,
                       const char *initial)
{
    text_put(out, ".TP\n");
    if (letter != 0)
        text_printf(out, "\\fB\\-%c\\fR, ", letter);
    text_put(out, "\\fB\\-\\-");
    for (const char *at = name; *at != '\0'; at++)
        text_put(out, *at == '_' || *at == '-' ? "\\-" : (char[]){*at, '\0'});
    text_put(out, "\\fR");
    if (value[0] != '\0') {
        text_put(out, " \\fI");
        put_roff(out, value);
        text_put(out, "\\fR");
    }
    text_put(out, "\n");
    put_roff(out, help);
    if (initial[0] != '\0') {
        text_put(out, " (default: ");
        put_roff(out, initial);
        text_put(out, ")");
    }
    text_put(out, ".\n");
}

static void put_command(struct text *out, const struct command *command)
{
    text_printf(out, ".SS posectl %s ", command->name);
    put_roff(out, command->arguments);
    text_put(out, "\n");
    put_roff(out, command->summary);
    text_put(out, ".\n.PP\n");
    put_roff(out, command->text);
    text_put(out, "\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(OPTIONS[i].commands, " * ") != 0 && option_is_for(&OPTIONS[i], command->name))
            put_option(out, OPTIONS[i].name, OPTIONS[i].letter, OPTIONS[i].value, OPTIONS[i].text, OPTIONS[i].initial);
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (parameter_is_for(&PARAMETERS[i], command))
            put_option(out, PARAMETERS[i].name, 0, parameter_is_flag(&PARAMETERS[i]) ? "[0|1]" : PARAMETERS[i].values,
                       PARAMETERS[i].text, "");
}

static void put_environment(struct text *out)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        text_printf(out, ".TP\n%s\n", VARIABLES[i].name);
        put_roff(out, VARIABLES[i].text);
        text_put(out, "\n");
    }
}

int print_man(void)
{
    struct text out = {0};
    text_printf(&out, ".TH POSECTL 1 \"\" \"posed %s\" \"User Commands\"\n", POSECTL_VERSION);
    text_put(&out, ".SH NAME\nposectl \\- pictures, poses and checks of animated 3D models\n"
                   ".SH SYNOPSIS\n\\fBposectl\\fR \\fICOMMAND\\fR ... [\\fIoptions\\fR]\n"
                   ".SH DESCRIPTION\nThe command line of\n.BR posed (1).\n"
                   "Without \\fB\\-\\-server\\fR it starts a private posed on a Unix socket, which ends with it.\n"
                   ".SH COMMANDS\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        put_command(&out, &COMMANDS[i]);
    text_put(&out, ".SH OPTIONS OF ALL COMMANDS\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(OPTIONS[i].commands, " * ") == 0)
            put_option(&out, OPTIONS[i].name, OPTIONS[i].letter, OPTIONS[i].value, OPTIONS[i].text, OPTIONS[i].initial);
    text_put(
        &out,
        ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\na model failed, or check found what \\-\\-fail\\-on says\n"
        ".TP\n2\nthe command line is wrong, or a path, pattern or folder in it means no model (\\fBwatch\\fR waits for "
        "one)\n.TP\n3\nno server, or an output that cannot be written\n"
        ".TP\n130\ninterrupted; what was made stays, and the next run goes on\n"
        ".SH ENVIRONMENT\n");
    put_environment(&out);
    text_put(&out, ".SH FILES\n.TP\n.I .posedignore\nin a walked folder: what is left out, as in .gitignore\n"
                   ".TP\n.I OUT/.posectl\nwhat \\fBthumbs\\fR knows of earlier runs\n"
                   ".SH EXAMPLES\n.nf\nposectl render fox.glb \\-\\-clip walk \\-\\-t 0.5 \\-\\-yaw 30 \\-o fox.png\n"
                   "posectl thumbs assets/ \\-o thumbs/ \\-\\-size 256 \\-\\-clips all \\-\\-index\n"
                   "posectl check assets/ \\-\\-format sarif \\-o check.sarif\n.fi\n"
                   ".SH SEE ALSO\n.BR posed (1)\n");
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
