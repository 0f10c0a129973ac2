/* posectl.h - what all of posectl shares: exit statuses, and how it speaks to people. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifndef POSECTL_VERSION
#define POSECTL_VERSION "0.1.0"
#endif

/* Documented in --help and posectl(1). */
enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,       /* a model failed, or check found what --fail-on says */
    STATUS_USAGE = 2,        /* the command line is wrong, or means no model */
    STATUS_SERVER = 3,       /* no server, or an output that cannot be written */
    STATUS_INTERRUPTED = 130 /* SIGINT or SIGTERM: what was made stays, and the next run goes on */
};

struct connection;

/* How to speak: set once by main(). */
struct terminal {
    bool is_quiet, is_verbose, is_json;
    bool has_colour;       /* of stdout */
    bool is_progress_line; /* stderr is a terminal: one line that moves */
};
extern struct terminal terminal;

/* "posectl: ..." on stderr. */
void terminal_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "posectl: CODE: MESSAGE" on stderr, and with --json {"error":{"code","message"}} on stdout, as a line: `json` where
 * the server said it so, else NULL. */
void terminal_coded_error(const char *code, const char *message, const char *json, size_t json_bytes);
/* The same, unless --quiet. */
void terminal_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether SIGINT or SIGTERM came. */
bool is_interrupted(void);

/* Codes for a terminal's colours, "" where there is none. */
enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_YELLOW, COLOUR_GREEN, COLOUR_CYAN };
const char *colour(enum colour colour);

/* The monotonic clock. */
double now_s(void);
