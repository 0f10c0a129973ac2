/* sandbox.h - permanently takes from a worker process what its work does not need. Linux.
 *
 * It has three layers. Each stops most of what a subverted parser could want, and together they cover a hole in one:
 *   system calls  seccomp: a short list of calls, some restricted by argument. Any other call ends an importer with
 *                 SIGSYS, after it has written the call's number (sandbox_contract.h). A renderer, whose driver is
 *                 third-party code, gets EPERM, and is ended for calls that only an attack would make. This layer
 *                 matters most.
 *   files         Landlock, where the kernel has it: no files, no TCP, no signals to others.
 *   namespaces    where the user may have them, and only in long-lived processes: an empty network.
 * Below these layers the process runs as nobody, or as an ordinary user: privileges.h. Other limits (processor time,
 * memory, no new privileges, out-of-memory score) are in resource_limits.h. */
#pragma once

#include "base/err.h"
#include "worker/privileges.h"
#include "worker/sandbox_contract.h"

#include <stdbool.h>

enum sandbox_program { SANDBOX_IMPORT = 1, SANDBOX_RENDER = 2, SANDBOX_FORKS = 4 /* a fork server */ };

struct sandbox {
    enum sandbox_program program;
    enum sandbox_mode mode;
    char filter[96], landlock[96], namespaces[96]; /* "yes", or the reason why not */
    struct privileges privileges;
    bool is_settled, has_no_capability;
};

/* Converts a word of SANDBOX_MODES to *out. */
bool sandbox_mode_read(const char *word, enum sandbox_mode *out);

/* Does what must come before the first thread: namespaces, and dropping every capability, in any mode. Never fails: the
 * results are in the report. */
void sandbox_isolate(struct sandbox *sandbox);

/* Prepares a fork server after sandbox_isolate(): sets what its child processes inherit, and drops what it does not
 * need itself. From then on it can only make copies of itself. */
void sandbox_settle(struct sandbox *sandbox);

/* Enters the sandbox; call it before the first byte from outside. resource_limits_set() and sandbox_isolate() must come
 * first, or those and sandbox_settle() in the parent. Other threads also get the user and the filter, but not Landlock;
 * no threads can start afterwards. Returns 0, or ERR_UNAVAILABLE when mode is SANDBOX_REQUIRE and there is no filter,
 * or a capability is left. */
int sandbox_enter(struct sandbox *sandbox, struct err *err);

/* Writes the report line; limits: from resource_limits_text(). */
void sandbox_report(const struct sandbox *sandbox, const char *limits);

/* For sandbox.c: returns NULL, or why the filter failed ("Operation not permitted"). */
const char *sandbox_filter(enum sandbox_program program);
