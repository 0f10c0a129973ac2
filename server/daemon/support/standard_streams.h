/* standard_streams.h - makes sure that stdin, stdout and stderr are open, and finds the terminal of the process and its
 * width. Start-up only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Opens /dev/null in place of each closed stream. Otherwise the next file, socket or event queue would get its number,
 * and receive printed text. Reading from such a stdin and writing to such a stdout or stderr still fails (EBADF). Call
 * it first of all, from the only thread. */
void standard_streams_open(void);

/* True if the process has a terminal that is not closed. */
bool standard_streams_has_terminal(void);

/* Ignores SIGHUP if there is no terminal that could hang up, so that the process continues. Returns true if SIGHUP
 * should end this process: not without a terminal, and not if it was started to outlive its terminal (nohup). Call it
 * at the start. */
bool standard_streams_hangup_ends(void);

/* Returns the columns of the terminal at stdout; 0: it is not a terminal. */
size_t standard_streams_columns(void);
