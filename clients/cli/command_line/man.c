/* posectl man: makes posectl(1) in man(7) format from the tables of options. */
#include "clients/cli/command_line/commands.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include "base/version.h"

#include <string.h>

/* Escapes text for roff: dashes stay ASCII, and no line begins a request. */
static void put_roff(struct text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((*at == '.' || *at == '\'') && (at == text || at[-1] == '\n'))
            text_put(out, "\\&");
        text_put(out, *at == '-' ? "\\-" : *at == '\\' ? "\\e" : (char[]){*at, '\0'});
    }
}

static void put_flags(struct text *out, const struct command *command, int groups)
{
    struct flag flag;
    for (size_t at = 0; flags_next(command, groups, &at, &flag);) {
        struct text name = {0};
        flag_put_name(&name, flag.name);
        text_put(out, ".TP\n");
        if (flag.letter != 0)
            text_printf(out, "\\fB\\-%c\\fR, ", flag.letter);
        text_put(out, "\\fB");
        put_roff(out, name.at);
        text_put(out, flag.value[0] == '\0' ? "\\fR" : flag.is_value_optional ? "\\fR \\fI[" : "\\fR \\fI");
        put_roff(out, flag.value);
        text_put(out, flag.value[0] == '\0' ? "\n" : flag.is_value_optional ? "]\\fR\n" : "\\fR\n");
        put_roff(out, flag.text);
        if (flag.initial[0] != '\0') {
            text_put(out, " (default: ");
            put_roff(out, flag.initial);
            text_put(out, ")");
        }
        text_put(out, ".\n");
        text_free(&name);
    }
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
    put_flags(out, command, FLAGS_OWN | FLAGS_PARAMETERS);
}

static void put_described(struct text *out, const char *heading, const struct described *row)
{
    text_printf(out, ".SH %s\n", heading);
    for (; row->name != NULL; row++) {
        text_printf(out, ".TP\n%s\n", row->name);
        put_roff(out, row->text);
        text_put(out, "\n");
    }
}

int run_man(const struct args *args)
{
    (void)args;
    struct text out = {0};
    text_printf(&out, ".TH POSECTL 1 \"\" \"posed %s\" \"User Commands\"\n", POSED_RELEASE);
    text_put(&out, ".SH NAME\nposectl \\- pictures, poses and checks of animated 3D models\n"
                   ".SH SYNOPSIS\n\\fBposectl\\fR \\fICOMMAND\\fR ... [\\fIoptions\\fR]\n"
                   ".SH DESCRIPTION\nThe command line of\n.BR posed (1).\n"
                   "Without \\fB\\-\\-server\\fR it starts a private posed on a Unix socket, which ends with it.\n"
                   ".SH COMMANDS\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        put_command(&out, &COMMANDS[i]);
    text_put(&out, ".SH OPTIONS OF ALL COMMANDS\n");
    put_flags(&out, NULL, FLAGS_COMMON);
    put_described(&out, "EXIT STATUS", EXIT_STATUSES);
    put_described(&out, "ENVIRONMENT", VARIABLES);
    text_put(&out, ".SH FILES\n.TP\n.I .posedignore\nin a folder of models: names excluded files, as .gitignore does\n"
                   ".TP\n.I OUT/.posectl\nwhat \\fBthumbs\\fR, \\fBdataset\\fR, \\fBconvert\\fR and \\fBbake\\fR "
                   "remember of earlier runs\n"
                   ".SH EXAMPLES\n.nf\nposectl render fox.glb \\-\\-clip walk \\-\\-t 0.5 \\-\\-yaw 30 \\-o fox.png\n"
                   "posectl thumbs assets/ \\-o thumbs/ \\-\\-size 256 \\-\\-clips all \\-\\-index\n"
                   "posectl check assets/ \\-\\-format sarif \\-o check.sarif\n.fi\n"
                   ".SH SEE ALSO\n.BR posed (1)\n");
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}
