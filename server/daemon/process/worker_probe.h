/* worker_probe.h - what this machine lets the worker programs give up, found out by starting them. Blocks for some
 * milliseconds: before the loop runs. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"

#include <stdbool.h>

/* Logs what the sandbox of each worker program consists of: one line, a warning where system calls are not filtered.
 * Fills config->sandbox_lack. Returns 0, or ERR_UNAVAILABLE when they are not, or a program does not start and say so,
 * and --sandbox is require. */
int worker_probe_sandbox(struct config *config, struct err *err);

/* --self-test-sandbox: has each program try each forbidden call from inside its sandbox, and appends a table of how
 * that went. Returns true when nothing was possible. */
bool worker_probe_self_test(const struct config *config, struct buf *out);
