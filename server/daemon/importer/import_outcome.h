/* import_outcome.h - what an importer process left behind: a model, or the reason why there is none.
 *
 * Nothing that the process says is trusted: its result is sealed and checked, its message cleaned, its exit explained
 * by the daemon. No loop, no globals; any thread. */
#pragma once

#include "base/limits.h"
#include "daemon/model/imported_model.h"
#include "daemon/process/child.h"

#include <stdbool.h>
#include <stdint.h>

struct import_exit {
    const char *path; /* of the model, for the sentence */
    struct child_exit child;
    bool is_breach;       /* posed killed it for asking what no importer asks */
    bool is_starved;      /* posed killed it because it could not be given a file */
    bool is_unavailable;  /* posed killed it because a file could not be opened for a reason of err_is_source(), or it
                             ended while it waited for one */
    bool is_killed_again; /* killed from outside, as the last import of the same bytes was (import_run.c) */
    const struct limits *limits;
};

/* Returns 0 with *out (one reference; the memfd is now its own), or the error of the model with a sentence that names
 * it, and the fd stays the caller's: an ERR_ of the importer's own (import_failure), ERR_IMPORT_CRASHED,
 * ERR_IMPORT_ABORTED, ERR_IMPORT_TIMEOUT, ERR_IMPORT_CPU, ERR_IMPORT_MEMORY, ERR_IMPORT_SYSCALL, ERR_IMPORT_TOO_LARGE,
 * ERR_IMPORT_KILLED, ERR_BAD_BAKE; ERR_OVERLOADED and ERR_SOURCE_UNAVAILABLE say nothing about the model, ERR_NO_MEMORY
 * and ERR_INTERNAL are the server's own. Whatever the process does, never ERR_INTERNAL. */
int import_outcome(int result_fd, const struct import_exit *end, uint64_t key, struct imported_model **out,
                   struct err *err);

/* Neither posed nor the file ended it, but somebody else, perhaps the kernel for lack of memory. */
bool import_exit_is_kill(const struct import_exit *end);

/* Another try may go well: its fork server ended before it was made, or posed ended it because it hung. */
bool import_exit_is_transient(const struct import_exit *end);

/* The same for an importer that had a zip to unpack: 0 when the fd, now sealed, holds what it left (archive.h), which
 * is not checked. */
int import_outcome_archive(int result_fd, const struct import_exit *end, struct err *err);
