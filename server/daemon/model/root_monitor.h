/* root_monitor.h - follows the path of the root, and knows whether the root is readable. Loop thread only.
 *
 * If another folder appears at the path, because the root or a link in the path was replaced, the descriptors of the
 * root change to that folder. When a mount goes away, the folder beneath it appears. Therefore the monitor does not
 * accept an empty folder, or a folder without a mount in place of a mount.
 *
 * The root is *down* if it is unreadable, no acceptable folder is at the path, or a call does not return. It is
 * *failing* after an error of err_is_source() on a file beneath it, until that file is readable again. */
#pragma once

#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum { ROOT_MONITOR_FDS = 2 };

enum root_event {
    ROOT_MOVED, /* the descriptors have changed to another folder */
    ROOT_DOWN,  /* checks of files are meaningless */
    ROOT_BACK,  /* it is readable again */
};

struct root_monitor;

/* Checks the path every --watch-interval, and at least once a second while something is wrong. The numbers of `fds` do
 * not change, so that their users need not know. With --watch off it does not notice another folder. changed() runs
 * after each event. Borrows its arguments. */
struct root_monitor *root_monitor_new(uv_loop_t *loop, const struct config *config, const int fds[ROOT_MONITOR_FDS],
                                      void (*changed)(void *user, enum root_event event), void *user);
/* Stops the monitor, which does not use the descriptors after this returns; its memory is freed while the loop runs.
 * NULL is fine. */
void root_monitor_free(struct root_monitor *monitor);

/* Notes that a file beneath the root failed with this errno; the monitor soon checks it itself. */
void root_monitor_note(struct root_monitor *monitor, const char *path, int error);

bool root_monitor_is_down(const struct root_monitor *monitor);
/* Returns since when the root has been down or failing, of uv_hrtime() in ms; 0: it is neither. */
uint64_t root_monitor_since_ms(const struct root_monitor *monitor);
/* Returns the fault, for a sentence; valid until the loop continues. */
const char *root_monitor_why(const struct root_monitor *monitor);
