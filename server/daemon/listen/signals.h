/* signals.h - what SIGTERM, SIGINT and SIGHUP mean to the daemon.
 *
 * SIGTERM and SIGINT stop it; a second one ends it at once with 128 + its number, and a stop that takes too long is cut
 * off with exit status 1. SIGHUP reloads, unless it comes because the terminal is gone from which the daemon was
 * started: that stops it as well. With nohup, or without a terminal, SIGHUP only reloads. One per process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct signal_events {
    void (*stop)(void *user, int number); /* once */
    void (*reload)(void *user);
};

/* Before there are other threads, and before sockets are made, which a signal without a handler would leave behind.
 * has_terminal: see standard_streams_hangup_ends(). end_limit_s: how long a stop may take. The loop does not count the
 * handles. */
void signals_start(uv_loop_t *loop, bool has_terminal, uint64_t end_limit_s, const struct signal_events *events,
                   void *user);
/* The loop is about to end: its handles go. A second signal still ends the process. */
void signals_stop(void);
/* After a start that failed: signals end the process as they do without handlers. */
void signals_drop(void);
