/* sandbox.h - takes from a worker process what its work does not need, for good. Linux.
 *
 * Three layers, each enough against most of what a subverted parser could want, together against a hole in one:
 *   system calls  seccomp: a short list of calls, partly by argument. Any other ends an importer with SIGSYS and its
 *                 number as the last words (sandbox_contract.h); a renderer, whose driver is not ours, gets EPERM and
 *                 ends so for what only an attack would try. The layer that counts.
 *   files         Landlock, where the kernel has it: no file, no TCP, no signal to others.
 *   namespaces    where the user may have them, and only in processes that live long: an empty network.
 * Beneath them the process is nobody's, or a user's like any other: privileges.h. The rest (processor time, memory, no
 * new privileges, out-of-memory score) is resource_limits.h. */
#pragma once

#include "base/err.h"
#include "worker/privileges.h"
#include "worker/sandbox_contract.h"

#include <stdbool.h>

enum sandbox_program { SANDBOX_IMPORT = 1, SANDBOX_RENDER = 2, SANDBOX_FORKS = 4 /* importers */ };

struct sandbox {
    enum sandbox_program program;
    enum sandbox_mode mode;
    char filter[96], landlock[96], namespaces[96]; /* "yes", or why not */
    struct privileges privileges;
    bool is_settled, has_no_capability;
};

/* A word of SANDBOX_MODES to *out. */
bool sandbox_mode_read(const char *word, enum sandbox_mode *out);

/* What must come before the first thread: namespaces, and that no capability is left, whatever the mode. Never fails:
 * the results are in the report. */
void sandbox_isolate(struct sandbox *sandbox);

/* What a process passes on to those that it makes, and what it does not need for making them: of a fork server, after
 * sandbox_isolate(). It can make processes like itself from then on, and nothing else. */
void sandbox_settle(struct sandbox *sandbox);

/* The rest, before the first byte from outside. Needs resource_limits_set() and sandbox_isolate() before it, or those
 * and sandbox_settle() in the process that made this one. Other threads get the user and the filter as well, but
 * Landlock not; after it there are no new ones. Returns 0, or ERR_UNAVAILABLE when mode is SANDBOX_REQUIRE and there is
 * no filter, or a capability is left. */
int sandbox_enter(struct sandbox *sandbox, struct err *err);

/* Writes the report line; limits: of resource_limits_text(). */
void sandbox_report(const struct sandbox *sandbox, const char *limits);

/* For sandbox.c: NULL, or why it did not work ("Operation not permitted"). */
const char *sandbox_filter(enum sandbox_program program);
