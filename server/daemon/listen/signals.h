/* signals.h - handles SIGTERM, SIGINT and SIGHUP.
 *
 * SIGTERM and SIGINT stop the daemon; a second one ends it at once with 128 + its number, and a stop that takes too
 * long ends with exit status 1. SIGHUP reloads, unless it comes from the closing of the terminal that started the
 * daemon: that stops it as well. With nohup, or without a terminal, SIGHUP only reloads. One per process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct signal_events {
    void (*stop)(void *user, int number); /* once */
    void (*reload)(void *user);
};

/* Installs the handlers. Call it before there are other threads, and before sockets are made, because a signal without
 * a handler would leave them behind. has_terminal: see standard_streams_hangup_ends(). end_limit_s: how long a stop may
 * take. The handles do not keep the loop alive. */
void signals_start(uv_loop_t *loop, bool has_terminal, uint64_t end_limit_s, const struct signal_events *events,
                   void *user);
/* Closes the handles before the loop ends. A second signal still ends the process. */
void signals_stop(void);
/* Removes the handlers after a failed start, so that signals end the process as usual. */
void signals_drop(void);
