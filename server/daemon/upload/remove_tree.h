/* remove_tree.h - removes a folder with everything in it, however deep, wide or unreadable.
 *
 * The tree may be hostile, so stack, memory, descriptors and paths must not grow with it. Instead of descending, it
 * moves nonempty folders up to the topmost one and empties them there. Waits for the disk. */
#pragma once

#include "base/err.h"

/* Removes the folder `name` in the folder above_fd. `fd` is an open descriptor of it, which it takes, or -1. It follows
 * no link, does not empty mounted file systems, and grants itself the necessary permissions if the user may. Concurrent
 * removals are fine. Returns 0 when the folder is gone, or ERR_STORAGE: the message names the first remaining object;
 * another call continues. */
int remove_tree(int above_fd, const char *name, int fd, struct err *err);

/* Gives the folder `name` permissions for reading, changing and moving it. Returns 0, or -1 and errno. */
int remove_tree_open_up(int above_fd, const char *name);
