/* root_monitor.h - follows the path of the root: when another folder appears there, because the root was replaced or a
 * link on the way was changed, the descriptors of the root become that folder's. Loop thread only. */
#pragma once

#include <stdint.h>
#include <uv.h>

enum { ROOT_MONITOR_FDS = 2 };

struct root_monitor;

/* Checks the path every interval_ms. The numbers of `fds` stay the same, so that their users need not know. moved()
 * runs after each change. All are borrowed. */
struct root_monitor *root_monitor_new(uv_loop_t *loop, const char *path, uint64_t interval_ms,
                                      const int fds[ROOT_MONITOR_FDS], void (*moved)(void *user), void *user);
/* The descriptors are not touched any more when this returns; the rest goes while the loop runs. NULL is fine. */
void root_monitor_free(struct root_monitor *guard);
