/* revisions.h - checks two revisions of a git repository out into two folders, for posectl diff --git. Main thread. */
#pragma once

#include "clients/cli/command_line/args.h"

enum { REVISION_SIDES = 2 };

struct revisions {
    char *folder;                  /* temporary, or NULL */
    char *folders[REVISION_SIDES]; /* within it: the old files and the new files */
    size_t model_count;            /* models in either folder; 0: no model has changed */
};

/* Finds the models under the arguments that --git REV..REV changes, and puts them into a temporary folder with the
 * files around them. A model counts as changed, too, if a picture or buffer has changed in its folder, in a folder
 * below it, in the folder above or in a folder beside it. git-lfs resolves pointers of Git LFS, if it is installed.
 * Returns 0, or an exit status after printing the error. */
int revisions_check_out(struct revisions *revisions, const struct args *args);
/* Removes the folder. Accepts {0}. */
void revisions_remove(struct revisions *revisions);
