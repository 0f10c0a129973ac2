/* watchdog.h - tells systemd that the server is alive, as long as each of its loops is (WatchdogSec= of the unit). Main
 * loop's thread only. */
#pragma once

#include "daemon/listen/loops.h"

struct watchdog;

/* Starts the watchdog, which notifies systemd at once and then twice in every_us (of notify_watchdog_us(), not 0).
 * Borrows `loops`. */
struct watchdog *watchdog_new(uv_loop_t *loop, const struct loops *loops, uint64_t every_us);
/* Stops it; its memory is freed while the loop runs. NULL is fine. */
void watchdog_free(struct watchdog *watchdog);
