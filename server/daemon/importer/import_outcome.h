/* import_outcome.h - turns the end of an importer process into a model, or into the error that explains it.
 *
 * It trusts nothing from the process: it seals and checks the result, cleans the message, and explains the exit itself.
 * No loop, no globals; any thread. */
#pragma once

#include "base/limits.h"
#include "daemon/model/imported_model.h"
#include "daemon/process/child.h"

#include <stdbool.h>
#include <stdint.h>

struct import_exit {
    const char *path; /* of the model, for the sentence */
    struct child_exit child;
    bool is_breach;      /* posed killed it for a request that no correct importer sends */
    bool is_starved;     /* posed killed it because it could not give it a file */
    bool is_unavailable; /* posed killed it after an error of err_is_source() on a file, or it ended while it waited for
                            a file */
    bool is_killed_again; /* killed from outside, like the last import of the same bytes (import_run.c) */
    bool has_libraries;   /* its fork server has all of them */
    const struct limits *limits;
};

/* Returns 0 with one reference in *out, which takes over the memfd. Otherwise the fd stays the caller's, and it returns
 * the model's error with a sentence that names the model: an ERR_ from the importer itself (import_failure),
 * ERR_IMPORT_CRASHED, ERR_IMPORT_ABORTED, ERR_IMPORT_TIMEOUT, ERR_IMPORT_CPU, ERR_IMPORT_MEMORY, ERR_IMPORT_SYSCALL,
 * ERR_IMPORT_TOO_LARGE, ERR_IMPORT_KILLED, ERR_BAD_BAKE; ERR_OVERLOADED and ERR_SOURCE_UNAVAILABLE say nothing about
 * the model, ERR_NO_MEMORY and ERR_INTERNAL are the server's own. Whatever the process does, never ERR_INTERNAL. */
int import_outcome(int result_fd, const struct import_exit *end, uint64_t key, struct imported_model **out,
                   struct err *err);

/* True if neither posed nor the file ended the process, but an outsider, perhaps the kernel for lack of memory. */
bool import_exit_is_kill(const struct import_exit *end);

/* True if a retry may succeed: the fork server ended before it made the process, or posed ended the process because it
 * hung. */
bool import_exit_is_transient(const struct import_exit *end);

/* True if the importer ended because the model needs a library that its fork server has not loaded. */
bool import_exit_needs_libraries(const struct import_exit *end);

/* The same for an importer that unpacked a zip: returns 0 if the fd, now sealed, holds its unchecked output
 * (archive.h). */
int import_outcome_archive(int result_fd, const struct import_exit *end, struct err *err);
