/* attempt.h - tries forbidden calls from inside a sandbox, to show that it stops them. For --attempt of the worker
 * programs (sandbox_contract.h). Nothing here lets a process do more than it already can. */
#pragma once

#include <stdbool.h>

/* Prints each name and what it tries, separated by a tab, one a line. */
void attempt_list(void);

/* Tries and says on stderr how it went; "report" tries nothing. False: there is no such name. A refused call
 * ends the process. "broken-heap", which is not listed, breaks no rule of the sandbox: the C library notices and ends
 * the process. */
bool attempt(const char *name);
