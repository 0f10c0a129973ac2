/* root_monitor.h - follows the path of the root, and knows whether the root can be read. Loop thread only.
 *
 * When another folder appears at the path, because the root was replaced or a link on the way was changed, the
 * descriptors of the root become that folder's. When a mount goes away, what appears there is the folder beneath it: a
 * folder without anything in it, and one that is no mount in the place of a mount, are not taken.
 *
 * The root is *down* where it cannot be looked at, no such folder is at the path, or a call does not return. It is
 * *failing* where a file beneath it failed with err_is_source(), until that file can be looked at again. */
#pragma once

#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum { ROOT_MONITOR_FDS = 2 };

enum root_event {
    ROOT_MOVED, /* the descriptors are another folder's */
    ROOT_DOWN,  /* no look at a file says anything */
    ROOT_BACK,  /* it can be read again */
};

struct root_monitor;

/* Checks the path every --watch-interval, and once a second at least while something is wrong. The numbers of `fds`
 * stay the same, so that their users need not know. With --watch off another folder is not noticed. changed() runs
 * after each event. All are borrowed. */
struct root_monitor *root_monitor_new(uv_loop_t *loop, const struct config *config, const int fds[ROOT_MONITOR_FDS],
                                      void (*changed)(void *user, enum root_event event), void *user);
/* The descriptors are not touched any more when this returns; the rest goes while the loop runs. NULL is fine. */
void root_monitor_free(struct root_monitor *monitor);

/* A file beneath the root failed with this errno: soon the monitor looks at it itself. */
void root_monitor_note(struct root_monitor *monitor, const char *path, int error);

bool root_monitor_is_down(const struct root_monitor *monitor);
/* Since when it has been down or failing, of uv_hrtime() in ms; 0: it is neither. */
uint64_t root_monitor_since_ms(const struct root_monitor *monitor);
/* What is wrong, for a sentence; valid until the loop goes on. */
const char *root_monitor_why(const struct root_monitor *monitor);
