/* git.h - runs git's own commands. Main thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>

/* Runs git with these arguments, up to a NULL, in `folder` (NULL: the current one). `index`: GIT_INDEX_FILE, or NULL.
 * `input` goes to its stdin, what it prints to *out. Returns its exit status, or 127 where git could not be run; with
 * `is_quiet` its own messages are not shown. */
int git_run(const char *folder, const char *index, const char *const *arguments, const struct text *input,
            struct text *out, bool is_quiet);
/* The next of a list that ends each entry with a NUL, as git's -z does; NULL after the last. Begin with *at = 0. */
const char *git_next(const struct text *list, size_t *at);
