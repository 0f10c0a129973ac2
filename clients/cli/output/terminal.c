/* Prints lines on stderr and errors as JSON, and catches Ctrl-C. */
#include "clients/cli/output/terminal.h"

#include "clients/cli/output/json.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { FIRST_ERROR_BYTES = 1024 };

struct terminal terminal;
static volatile sig_atomic_t interrupts;

static void on_signal(int number)
{
    if (++interrupts > 1) { /* a second Ctrl-C does not wait */
        signal(number, SIG_DFL);
        raise(number);
    }
}

void interrupts_catch(void)
{
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
}

bool is_interrupted(void) { return interrupts > 0; }

/* Prints a line. File names and the server's messages come from outside: their control characters must not reach the
 * terminal. */
__attribute__((format(printf, 1, 0))) static void put_line(const char *format, va_list arguments)
{
    struct text message = {0}, line = {0};
    text_vprintf(&message, format, arguments);
    text_put(&line, terminal.is_progress_line ? "\r\033[K" : "");
    text_put(&line, "posectl: ");
    text_put_printable(&line, message.at == NULL ? "" : message.at);
    text_put(&line, "\n");
    fputs(line.at, stderr);
    text_free(&message);
    text_free(&line);
}

/* The first error, and whether stdout has an error object, for --json. */
static char first_error[FIRST_ERROR_BYTES];
static bool has_error_json;
static pthread_mutex_t error_mutex = PTHREAD_MUTEX_INITIALIZER;

void terminal_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&error_mutex);
    va_start(arguments, format);
    if (first_error[0] == '\0')
        vsnprintf(first_error, sizeof first_error, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&error_mutex);
}

static void print_error_json(const char *code, const char *message)
{
    cJSON *json = cJSON_CreateObject(), *error = cJSON_AddObjectToObject(json, "error");
    cJSON_AddStringToObject(error, "code", code);
    cJSON_AddStringToObject(error, "message", message);
    json_print(json);
    has_error_json = true;
}

void terminal_coded_error(const char *code, const char *message, const char *json, size_t json_bytes)
{
    terminal_error("%s%s%s", code, code[0] == '\0' ? "" : ": ", message);
    if (terminal.is_json && json == NULL)
        print_error_json(code, message);
    else if (terminal.is_json) {
        struct text out = {0};
        text_put_json(&out, json, json_bytes);
        printf("%s%s", out.at, json_bytes > 0 && json[json_bytes - 1] == '\n' ? "" : "\n");
        fflush(stdout);
        text_free(&out);
        has_error_json = true;
    }
}

void terminal_first_error_json(const char *code)
{
    if (!has_error_json && first_error[0] != '\0')
        print_error_json(code, first_error);
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

void sleep_s(double seconds)
{
    const struct timespec pause = {.tv_sec = (time_t)seconds,
                                   .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}
