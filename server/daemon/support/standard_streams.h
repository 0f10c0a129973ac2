/* standard_streams.h - makes sure that stdin, stdout and stderr are open; whether the process has a terminal, and how
 * wide that is. Start-up only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Opens /dev/null in place of each that is closed: else the next file, socket or event queue that is opened gets its
 * number, and what is printed goes there. Reading from such a stdin and writing to such a stdout or stderr fails as it
 * would have (EBADF). Call it first of all, from the only thread. */
void standard_streams_open(void);

/* Whether the process has a terminal: one that was closed is gone. */
bool standard_streams_has_terminal(void);

/* Without a terminal nothing hangs up: ignores SIGHUP then, for what is meant to go on. Returns whether SIGHUP means
 * the end of this process: not where it was started so that it outlives its terminal (nohup) either. At the start. */
bool standard_streams_hangup_ends(void);

/* Of the terminal that stdout is; 0: it is none. */
size_t standard_streams_columns(void);
