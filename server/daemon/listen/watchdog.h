/* watchdog.h - tells systemd that the server lives, for as long as each of its loops does (WatchdogSec= of the unit).
 * Main loop's thread only. */
#pragma once

#include "daemon/listen/loops.h"

struct watchdog;

/* every_us: as notify_watchdog_us() has it, not 0. Says so at once and then twice in that time. `loops` is borrowed. */
struct watchdog *watchdog_new(uv_loop_t *loop, const struct loops *loops, uint64_t every_us);
/* Ends it; the rest goes while the loop runs. NULL is fine. */
void watchdog_free(struct watchdog *watchdog);
