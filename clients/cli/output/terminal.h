/* terminal.h - posectl's exit statuses, lines on stderr, colours, progress lines, and Ctrl-C. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* --help and posectl(1) document these. */
enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,       /* a model failed, or check has a finding at least as severe as --fail-on */
    STATUS_USAGE = 2,        /* the command line is wrong, or names no model */
    STATUS_SERVER = 3,       /* no server, or an output that cannot be written */
    STATUS_INTERRUPTED = 130 /* SIGINT or SIGTERM: finished output stays, and the next run completes it */
};

/* main() sets it once, before the first thread starts. */
struct terminal {
    bool is_quiet, is_verbose, is_json;
    bool has_colour;       /* stdout has colours */
    bool is_progress_line; /* stderr is a terminal: progress repaints one line */
};
extern struct terminal terminal;

/* The next three print whole lines. Several threads may call them. */
/* Prints "posectl: ..." on stderr. */
void terminal_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "posectl: CODE: MESSAGE" on stderr, and with --json {"error":{"code","message"}} as a line on stdout. `json`:
 * that object as the server sent it, or NULL. */
void terminal_coded_error(const char *code, const char *message, const char *json, size_t json_bytes);
/* Prints the same line as terminal_error(), unless --quiet. */
void terminal_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the first error on stdout with --json, unless an error is there already. `code`: the object's. */
void terminal_first_error_json(const char *code);

/* Returns the escape sequence of a colour, or "" if the terminal has none. */
enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_YELLOW, COLOUR_GREEN, COLOUR_CYAN };
const char *colour(enum colour colour);

/* Catches SIGINT and SIGTERM from here on: the first only makes is_interrupted() true, a second one ends the process.
 */
void interrupts_catch(void);
bool is_interrupted(void);

/* Reads the monotonic clock. */
double now_s(void);
/* Sleeps that long, or until a signal arrives. */
void sleep_s(double seconds);
