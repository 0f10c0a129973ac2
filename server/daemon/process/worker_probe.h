/* worker_probe.h - finds the sandbox features of this machine by starting the worker programs. Blocks for some
 * milliseconds: before the loop runs. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"

#include <stdbool.h>

/* Logs the parts of each worker program's sandbox in one line, which is a warning if system calls are not filtered.
 * Fills config->sandbox_lack. Returns 0, or ERR_UNAVAILABLE if --sandbox is require and system calls are not filtered,
 * or a program does not start and report. */
int worker_probe_sandbox(struct config *config, struct err *err);

/* Implements --self-test-sandbox: lets each program try each forbidden call from inside its sandbox, and appends a
 * table of the outcomes. Returns true if none succeeded. */
bool worker_probe_self_test(const struct config *config, struct buf *out);
