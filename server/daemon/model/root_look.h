/* root_look.h - one look at the path of the root: is the folder that is open still there, or is it another, and may
 * that be taken for the root? Work threads. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { ROOT_LOOK_PATH_SIZE = 4096 };

/* A folder that was or could become the root. */
struct root_place {
    dev_t device;
    ino_t inode;
    bool is_mount;                  /* a file system begins there */
    char path[ROOT_LOOK_PATH_SIZE]; /* without links, "" where that is not known */
};

/* Returns 0 or an errno. */
int root_place_of(int fd, struct root_place *out);

/* Why `now` must not become the root in the place of `then`, or NULL. fd: of `now`. What lies beneath a mount point is
 * no root once the mount has gone. */
const char *root_place_refusal(const struct root_place *then, const struct root_place *now, int fd);

/* Whether what lies at `path` beneath the folder can be looked at, opened and read; whatever it is, or if there is
 * nothing, that is an answer. Returns 0, or an errno of err_is_source(). */
int root_probe(int folder_fd, const char *path);
