/* terminal.h - how posectl speaks: exit statuses, lines on stderr, colours, progress lines, and Ctrl-C. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Documented in --help and posectl(1). */
enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,       /* a model failed, or check found something as severe as --fail-on */
    STATUS_USAGE = 2,        /* the command line is wrong, or names no model */
    STATUS_SERVER = 3,       /* no server, or an output that cannot be written */
    STATUS_INTERRUPTED = 130 /* SIGINT or SIGTERM: finished output stays, and the next run completes it */
};

/* Set once by main(), before the first thread starts. */
struct terminal {
    bool is_quiet, is_verbose, is_json;
    bool has_colour;       /* of stdout */
    bool is_progress_line; /* stderr is a terminal: progress repaints one line */
};
extern struct terminal terminal;

/* These three print whole lines and may be called by several threads. */
/* "posectl: ..." on stderr. */
void terminal_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "posectl: CODE: MESSAGE" on stderr, and with --json {"error":{"code","message"}} as a line on stdout. `json`: that
 * object as the server sent it, else NULL. */
void terminal_coded_error(const char *code, const char *message, const char *json, size_t json_bytes);
/* The same line as terminal_error(), unless --quiet. */
void terminal_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --json prints the first error on stdout, unless an error is there already. `code`: that of the object. */
void terminal_first_error_json(const char *code);

/* Codes for a terminal's colours, "" where there is none. */
enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_YELLOW, COLOUR_GREEN, COLOUR_CYAN };
const char *colour(enum colour colour);

/* From here on SIGINT and SIGTERM only set what is_interrupted() returns; a second one ends the process. */
void interrupts_catch(void);
bool is_interrupted(void);

/* The monotonic clock. */
double now_s(void);
/* Sleeps so long, or until a signal comes. */
void sleep_s(double seconds);
