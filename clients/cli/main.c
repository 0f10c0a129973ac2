/* posectl: the command line of posed. */
#include "clients/cli/command_line/args.h"
#include "clients/cli/ask/commands.h"
#include "clients/cli/command_line/completion.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/output/text.h"

#include "daemon/support/standard_streams.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PROBLEM_BYTES = 1024 };

struct terminal terminal;
static volatile sig_atomic_t interrupts;

static void on_signal(int number)
{
    if (++interrupts > 1) { /* a second Ctrl-C does not wait */
        signal(number, SIG_DFL);
        raise(number);
    }
}

bool is_interrupted(void) { return interrupts > 0; }

/* Names of files and the server's sentences are somebody else's: a term shall not obey them. */
__attribute__((format(printf, 1, 0))) static void put_line(const char *format, va_list arguments)
{
    struct text said = {0}, line = {0};
    text_vprintf(&said, format, arguments);
    text_put(&line, terminal.is_progress_line ? "\r\033[K" : "");
    text_put(&line, "posectl: ");
    text_put_printable(&line, said.at == NULL ? "" : said.at);
    text_put(&line, "\n");
    fputs(line.at, stderr);
    text_free(&said);
    text_free(&line);
}

/* The first complaint, and whether stdout has told of an error: for --json. */
static char first_problem[PROBLEM_BYTES];
static bool has_error_json;
static pthread_mutex_t problem_mutex = PTHREAD_MUTEX_INITIALIZER;

void terminal_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&problem_mutex);
    va_start(arguments, format);
    if (first_problem[0] == '\0')
        vsnprintf(first_problem, sizeof first_problem, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&problem_mutex);
}

static void put_error_json(struct text *out, const char *code, const char *message)
{
    cJSON *json = cJSON_CreateObject(), *error = cJSON_AddObjectToObject(json, "error");
    cJSON_AddStringToObject(error, "code", code);
    cJSON_AddStringToObject(error, "message", message);
    char *text = cJSON_PrintUnformatted(json);
    text_put(out, text == NULL ? "{}" : text);
    free(text);
    cJSON_Delete(json);
}

void terminal_coded_error(const char *code, const char *message, const char *json, size_t json_bytes)
{
    struct text out = {0};
    terminal_error("%s%s%s", code, code[0] == '\0' ? "" : ": ", message);
    if (!terminal.is_json)
        return;
    if (json != NULL)
        text_put_bytes(&out, json, json_bytes);
    else
        put_error_json(&out, code, message);
    if (out.at[out.size_bytes - 1] != '\n')
        text_put(&out, "\n");
    fputs(out.at, stdout);
    fflush(stdout);
    text_free(&out);
    has_error_json = true;
}

void terminal_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!terminal.is_quiet)
        put_line(format, arguments);
    va_end(arguments);
}

const char *colour(enum colour colour)
{
    static const char *const CODES[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[33m", "\033[32m", "\033[36m"};
    return terminal.has_colour ? CODES[colour] : "";
}

double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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

static int run(const struct args *args)
{
    switch ((enum command_id)args->command) {
    case COMMAND_INFO:
        return run_info(args);
    case COMMAND_PALETTE:
    case COMMAND_POSE:
    case COMMAND_MESH:
    case COMMAND_BOUNDS:
        return run_answer(args);
    case COMMAND_RENDER:
    case COMMAND_SHEET:
    case COMMAND_TURNTABLE:
        return run_picture(args);
    case COMMAND_WATCH:
        standard_streams_hangup_ends(); /* who has no term goes on */
        return run_thumbs(args);
    case COMMAND_THUMBS:
        return run_thumbs(args);
    case COMMAND_QUERY:
    case COMMAND_MODELS:
    case COMMAND_FORMATS:
    case COMMAND_VERSION:
        return run_server_command(args);
    case COMMAND_CHECK:
        return run_check(args);
    case COMMAND_BENCH:
        return run_bench(args);
    case COMMAND_COMPLETION:
        return print_completion(args);
    case COMMAND_MAN:
        return print_man();
    case COMMAND_COUNT:
        break;
    }
    return print_help(NULL);
}

/* Also where the rest of the command line could not be read. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

/* With --json an error of posectl's own is on stdout too. */
static void put_own_error(int status)
{
    struct text out = {0};
    put_error_json(&out, status == STATUS_USAGE ? "usage" : "failed", first_problem);
    puts(out.at);
    fflush(stdout);
    text_free(&out);
}

int main(int argc, char **argv)
{
    struct args args;
    struct text problem = {0};
    int status;
    standard_streams_open();
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    if (args_parse(&args, argc, argv, &problem) < 0) {
        terminal_error("%s", problem.at);
        status = STATUS_USAGE;
    } else {
        set_terminal(&args);
        if (args.has_version)
            status = printf("posectl %s\n", POSECTL_VERSION) < 0 ? STATUS_SERVER : STATUS_DONE;
        else if (args.has_help)
            status = print_help(args.command < 0 ? NULL : &COMMANDS[args.command]);
        else if (args.command < 0) {
            terminal_error("say what to do; posectl --help lists the commands");
            status = STATUS_USAGE;
        } else
            status = run(&args);
    }
    if (fflush(stdout) != 0 && status == STATUS_DONE) {
        if (errno != EPIPE)
            terminal_error("cannot write to stdout: %s", strerror(errno));
        status = STATUS_SERVER;
    }
    if (status >= STATUS_USAGE && !has_error_json && first_problem[0] != '\0' && wants_json(argc, argv))
        put_own_error(status);
    text_free(&problem);
    args_free(&args);
    return is_interrupted() ? STATUS_INTERRUPTED : status;
}
