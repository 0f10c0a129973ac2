/* worker_probe.h - what the worker programs say of themselves, and what this machine lets them give up: found out by
 * starting them. Blocks for some milliseconds: before the loop runs. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"

#include <stdbool.h>

enum { WORKER_VERSION_SIZE = 128 };

/* *out: the line that `posed-import --version` writes, without its newline: the same one makes the same of the same
 * files. Returns 0 or ERR_INTERNAL. */
int worker_probe_importer(const struct config *config, char out[WORKER_VERSION_SIZE], struct err *err);

/* Logs what the sandbox of each worker program consists of: one line, a warning where system calls are not filtered.
 * Returns 0, or ERR_UNAVAILABLE when they are not and --sandbox is require. */
int worker_probe_sandbox(const struct config *config, struct err *err);

/* --self-test-sandbox: has each program try each forbidden call from inside its sandbox, and appends a table of how
 * that went. Returns true when nothing was possible. */
bool worker_probe_self_test(const struct config *config, struct buf *out);
