/* sandbox.h - takes from a worker process what its work does not need, for good. Linux.
 *
 * Three layers, each enough against most of what a subverted parser could want, together against a hole in one:
 *   system calls  seccomp: a short list of calls, partly by argument. Any other ends an importer with SIGSYS and its
 *                 number as the last words (sandbox_contract.h); a renderer, whose driver is not ours, gets EPERM and
 *                 ends so for what only an attack would try. The layer that counts.
 *   files         Landlock, where the kernel has it: no file, no TCP, no signal to others.
 *   namespaces    where unprivileged users may have them, and only in processes that live long: an empty network.
 * The rest (processor time, memory, no new privileges, out-of-memory score) is limits.h. */
#pragma once

#include "../base/err.h"
#include "sandbox_contract.h"

#include <stdbool.h>

enum sandbox_program { SANDBOX_IMPORT = 1, SANDBOX_RENDER = 2 };

struct sandbox {
    enum sandbox_program program;
    enum sandbox_mode mode;
    char filter[96], landlock[96], namespaces[96]; /* "yes", or why not */
};

/* A word of SANDBOX_MODES to *out. */
bool sandbox_mode_read(const char *word, enum sandbox_mode *out);

/* What must come before the first thread: namespaces. Never fails: the result is in sandbox->namespaces. */
void sandbox_isolate(struct sandbox *sandbox);

/* The rest, before the first byte from outside. Needs worker_limit() before it: no new privileges. Other threads get
 * the filter as well, but Landlock only those started later. Returns 0, or ERR_UNAVAILABLE when mode is SANDBOX_REQUIRE
 * and there is no filter. */
int sandbox_enter(struct sandbox *sandbox, struct err *err);

/* Writes the report line; limits: of worker_limits_text(). */
void sandbox_report(const struct sandbox *sandbox, const char *limits);

/* For sandbox.c: each returns NULL, or why it did not work ("Operation not permitted"). */
const char *sandbox_filter(enum sandbox_program program);
const char *sandbox_landlock(int *abi);
