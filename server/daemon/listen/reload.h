/* reload.h - SIGHUP: reads the files of tokens and lists again and opens the log file again, without keeping the loop
 * waiting. Main loop's thread only.
 *
 * What cannot be read stays as it was, and the log says so, with file and line; when all was read the log says what
 * changed. systemd is told of the beginning and the end. */
#pragma once

#include "daemon/listen/loops.h"

struct reload;

/* All are borrowed. */
struct reload *reload_new(uv_loop_t *loop, const struct config *config, struct loops *loops);
/* Once more when one is under way. */
void reload_start(struct reload *reload);
/* The loops are about to drain: nothing is reloaded any more. */
void reload_stop(struct reload *reload);
/* After the loop. NULL is fine. */
void reload_free(struct reload *reload);
