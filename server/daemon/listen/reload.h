/* reload.h - handles SIGHUP: reads the files of tokens and lists again and reopens the log file, without blocking the
 * loop. Main loop's thread only.
 *
 * If a file is unreadable, all lists keep their contents, and the log names file and line; otherwise the log reports
 * the changes. It notifies systemd of the beginning and the end. */
#pragma once

#include "daemon/listen/loops.h"

struct reload;

/* Borrows its arguments. */
struct reload *reload_new(uv_loop_t *loop, const struct config *config, struct loops *loops);
/* Starts a reload; if one is under way, another follows it. */
void reload_start(struct reload *reload);
/* Stops reloads, because the loops are about to drain. */
void reload_stop(struct reload *reload);
/* Frees it after the loop has ended. NULL is fine. */
void reload_free(struct reload *reload);
