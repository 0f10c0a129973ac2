/* posectl: the command line of posed. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/command_line/joint_map.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/ask/camera_option.h"
#include "clients/cli/pose/pose_option.h"

#include "base/version.h"
#include "daemon/config/option_names.h"
#include "daemon/support/standard_streams.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*const RUN[COMMAND_COUNT])(const struct args *args) = {
    [COMMAND_INFO] = run_info,
    [COMMAND_MAP] = run_bone_map,
    [COMMAND_PALETTE] = run_ask,
    [COMMAND_POSE] = run_ask,
    [COMMAND_MESH] = run_ask,
    [COMMAND_BOUNDS] = run_ask,
    [COMMAND_KEYS] = run_ask,
    [COMMAND_CONVERT] = run_convert,
    [COMMAND_BAKE] = run_bake,
    [COMMAND_RENDER] = run_ask,
    [COMMAND_KEYPOINTS] = run_ask,
    [COMMAND_SHEET] = run_ask,
    [COMMAND_TURNTABLE] = run_ask,
    [COMMAND_THUMBS] = run_thumbs,
    [COMMAND_DATASET] = run_dataset,
    [COMMAND_CHECK] = run_check,
    [COMMAND_FLEX] = run_flex,
    [COMMAND_DIFF] = run_diff,
    [COMMAND_WATCH] = run_watch,
    [COMMAND_TEXT] = run_text,
    [COMMAND_WARM] = run_warm,
    [COMMAND_BENCH] = run_bench,
    [COMMAND_QUERY] = run_server_command,
    [COMMAND_MODELS] = run_server_command,
    [COMMAND_FORMATS] = run_server_command,
    [COMMAND_VERSION] = run_server_command,
    [COMMAND_COMPLETION] = run_completion,
    [COMMAND_MAN] = run_man,
};

static void set_terminal(const struct args *args)
{
    const char *when = args_text(args, OPTION_COLOR, "auto"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool is_dumb = term == NULL || strcmp(term, "dumb") == 0;
    terminal.is_quiet = args_has(args, OPTION_QUIET);
    terminal.is_verbose = args_has(args, OPTION_VERBOSE);
    terminal.is_json = args_has(args, OPTION_JSON);
    terminal.has_colour = strcmp(when, "always") == 0 || (strcmp(when, "auto") == 0 && isatty(STDOUT_FILENO) &&
                                                          !is_dumb && (no_color == NULL || no_color[0] == '\0'));
    terminal.is_progress_line = isatty(STDERR_FILENO) && !is_dumb && !terminal.is_quiet && !terminal.is_verbose;
}

/* Warns of misspelt variables of posed or posectl. Others may be the user's own. */
static void warn_of_variables(void)
{
    char sentence[VARIABLE_SENTENCE_SIZE];
    bool is_similar;
    for (char *const *entry = environ; *entry != NULL; entry++)
        if (option_names_unread(*entry, &is_similar, sentence) && is_similar)
            terminal_info("warning: %s", sentence);
}

static int run(const struct args *args)
{
    set_terminal(args);
    if (args->has_version)
        return printf("posectl %s\n", posed_version()) < 0 ? STATUS_SERVER : STATUS_DONE;
    if (args->has_help)
        return print_help(args->command < 0 ? NULL : &COMMANDS[args->command]);
    if (args->command < 0) {
        terminal_error("missing command; posectl --help lists them");
        return STATUS_USAGE;
    }
    if (args->command == COMMAND_WATCH)
        standard_streams_hangup_ends(); /* without a terminal, watch goes on */
    if (args->command != COMMAND_COMPLETION && args->command != COMMAND_MAN)
        warn_of_variables();
    return RUN[args->command](args);
}

/* Works even if the command line could not be parsed. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct args args;
    struct text problem = {0};
    int status = STATUS_USAGE;
    standard_streams_open();
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    interrupts_catch();
    if (args_parse(&args, argc, argv, &problem) == 0 &&
        (args.has_help || (joint_map_read(&args, &problem) == 0 && pose_option_read(&args, &problem) == 0 &&
                           camera_option_read(&args, &problem) == 0)))
        status = run(&args);
    else
        terminal_error("%s", problem.at);
    if (fflush(stdout) != 0 && status == STATUS_DONE) {
        if (errno != EPIPE)
            terminal_error("cannot write to stdout: %s", strerror(errno));
        status = STATUS_SERVER;
    }
    if (status >= STATUS_USAGE && wants_json(argc, argv))
        terminal_first_error_json(status == STATUS_USAGE ? "usage" : "failed");
    text_free(&problem);
    args_free(&args);
    return is_interrupted() ? STATUS_INTERRUPTED : status;
}
