/* root_look.h - checks the path of the root: is the open folder still there, and if it is another folder, may that
 * become the root? Work threads. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { ROOT_LOOK_PATH_SIZE = 4096 };

/* A folder that was the root or could become it. */
struct root_place {
    dev_t device;
    ino_t inode;
    bool is_mount;                  /* the root of a file system */
    char path[ROOT_LOOK_PATH_SIZE]; /* without links, "" if unknown */
};

/* Returns 0 or an errno. */
int root_place_of(int fd, struct root_place *out);

/* Returns why `now` must not replace `then` as the root, or NULL if it may. fd: of `now`. It refuses the folder beneath
 * a mount point once the mount has gone. */
const char *root_place_refusal(const struct root_place *then, const struct root_place *now, int fd);

/* Checks whether the object at `path` beneath the folder can be examined, opened and read; a missing object is fine.
 * Returns 0, or an errno of err_is_source(). */
int root_probe(int folder_fd, const char *path);
