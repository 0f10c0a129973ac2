/* attempt.h - tries forbidden calls from inside a sandbox, to show that it stops them. For --attempt of the worker
 * programs (sandbox_contract.h). Nothing here lets a process do more than it already can. */
#pragma once

#include <stdbool.h>

/* Prints each name and what it tries, separated by a tab, one per line. */
void attempt_list(void);

/* Tries a call and reports the outcome on stderr; "report" tries nothing. False: no attempt has this name. A refused
 * call ends the process. "broken-heap", which is not listed, breaks no rule of the sandbox: the C library notices the
 * damage and ends the process. */
bool attempt(const char *name);
