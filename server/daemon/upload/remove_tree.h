/* remove_tree.h - removes a folder with everything in it, however deep, wide or unreadable.
 *
 * The tree may be hostile: no stack, memory, descriptor or path grows with it. Instead of descending, folders that are
 * not empty are moved up to the topmost one and emptied there. Waits for the disk. */
#pragma once

#include "base/err.h"

/* Removes the folder `name` in the folder above_fd. `fd` is an open descriptor of it, which is taken, or -1. Follows no
 * link; empties no file system that is mounted in it; gives itself the permissions that it needs where the user may.
 * What somebody else removes meanwhile is fine. Returns 0 when it is gone, or ERR_STORAGE: the message names the first
 * of what is left, which another call goes on with. */
int remove_tree(int above_fd, const char *name, int fd, struct err *err);

/* Gives the folder `name` the permissions to be read, changed and moved. Returns 0, or -1 and errno. */
int remove_tree_open_up(int above_fd, const char *name);
