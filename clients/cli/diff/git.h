/* git.h - runs git's own commands. Main thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>

/* Runs git in `folder` (NULL: the current one). The arguments end with NULL. `index`: GIT_INDEX_FILE, or NULL. `input`
 * is its stdin, *out receives its stdout. `is_quiet` hides its messages. Returns its exit status, or 127 if git could
 * not be run. */
int git_run(const char *folder, const char *index, const char *const *arguments, const struct text *input,
            struct text *out, bool is_quiet);
/* Returns the next entry of a list in which NUL ends each entry, as git's -z makes it; NULL after the last. *at starts
 * at 0. */
const char *git_next(const struct text *list, size_t *at);
