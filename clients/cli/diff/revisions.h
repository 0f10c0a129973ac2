/* revisions.h - two revisions of a git repository as two folders, for posectl diff --git. Main thread. */
#pragma once

#include "clients/cli/command_line/args.h"

enum { REVISION_SIDES = 2 };

struct revisions {
    char *folder;                  /* temporary; NULL: there is none */
    char *folders[REVISION_SIDES]; /* in it: the old and the new files */
    size_t model_count;            /* in either; 0: no model has changed */
};

/* Finds the models that --git REV..REV changes, alone those under the arguments, and puts them into a temporary folder
 * with the files around them. A model counts as changed where a picture or buffer in its folder, below it, in the
 * folder above or in one beside it has. Pointers of Git LFS are resolved by git-lfs where that is installed. Returns 0
 * or an exit status after printing why. */
int revisions_check_out(struct revisions *revisions, const struct args *args);
/* Removes the folder. {0} may be removed too. */
void revisions_remove(struct revisions *revisions);
