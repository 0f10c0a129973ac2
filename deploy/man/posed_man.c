/* Prints posed(1) in man(7), from the daemon's table of options. Part of the build. */
#include "daemon/config/option_table.h"
#include "base/version.h"

#include <stdio.h>
#include <string.h>

static void put_roff(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (at == text && (*at == '.' || *at == '\''))
            fputs("\\&", stdout);
        if (*at == '-')
            fputs("\\-", stdout);
        else if (*at == '\\')
            fputs("\\e", stdout);
        else
            putchar(*at);
    }
}

static void put_option(const struct option *option)
{
    char env[VARIABLE_SIZE];
    option_env(option, env);
    printf(".TP\n\\fB\\-\\-");
    put_roff(option->name);
    printf("\\fR");
    if (option->value != NULL) {
        printf(" \\fI");
        put_roff(option->value);
        printf("\\fR");
    }
    putchar('\n');
    put_roff(option->help);
    if (option->initial != NULL) {
        printf("; default ");
        put_roff(option->initial);
    }
    puts(".");
    const char *unit = option_bare_unit(option);
    if (unit != NULL)
        printf("A bare number is %s.\n", unit);
    if (env[0] != '\0')
        printf("Variable \\fB%s\\fR.\n", env);
}

int main(void)
{
    const char *group = "";
    printf(".TH POSED 1 \"\" \"posed %s\" \"User Commands\"\n", POSED_RELEASE);
    puts(".SH NAME\nposed \\- serves poses and pictures of animated 3D models\n"
         ".SH SYNOPSIS\n\\fBposed\\fR [\\fB\\-\\-root\\fR \\fIDIR\\fR] [\\fB\\-\\-http\\fR \\fIADDR:PORT\\fR] "
         "[\\fB\\-\\-tcp\\fR \\fIADDR:PORT\\fR] [\\fB\\-\\-unix\\fR \\fIPATH\\fR] [\\fIoptions\\fR]\n"
         ".SH DESCRIPTION\n"
         "A headless animation server: it keeps 3D models in memory, says where every bone of a character is at a time "
         "of a\n"
         "clip, and draws that moment to PNG, without a GPU or a display.\n.PP\n"
         "A flag wins over its environment variable, the variable over the default. Sizes take k, m, g, t; times take "
         "ms, s,\n"
         "m, h. SIGTERM or SIGINT stops it once answers under way are sent; a second one at once. SIGHUP reads the\n"
         "tokens and the lists in files again and opens the log file again; it stops the server only where the\n"
         "terminal that it was started from is closed. Defaults of limits may be\n"
         "less where the machine has little memory; \\fB\\-\\-help\\fR prints those of this machine.\n"
         ".SH OPTIONS");
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        if (option.name[0] == '\0')
            continue;
        if (strcmp(group, option.group) != 0)
            printf(".SS %s%s\n", option.is_limit ? "Limits of " : "", option.group);
        group = option.group;
        put_option(&option);
    }
    puts(".SS Other\n.TP\n\\fB\\-\\-help\\fR, \\fB\\-\\-version\\fR\nprint that and exit.\n"
         ".SH EXIT STATUS\n0: stopped as asked. 2: the configuration is bad. Other: it could not start, or failed.\n"
         ".SH ENVIRONMENT\n\\fBNOTIFY_SOCKET\\fR, \\fBWATCHDOG_USEC\\fR, \\fBLISTEN_FDS\\fR and \\fBLISTEN_FDNAMES\\fR "
         "mean what\nsd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3) say. Passed sockets are named http, "
         "tcp,\n"
         "unix or admin, and take the place of \\fB\\-\\-http\\fR, \\fB\\-\\-tcp\\fR, \\fB\\-\\-unix\\fR and "
         "\\fB\\-\\-admin\\fR.\n"
         ".SH FILES\n.TP\n.I ~/.cache/posed\nimported models, see \\fB\\-\\-cache\\-dir\\fR.\n"
         ".SH SEE ALSO\n.BR posectl (1)\n.PP\n.I /usr/share/doc/posed/protocol\nsays what it answers.");
    return 0;
}
