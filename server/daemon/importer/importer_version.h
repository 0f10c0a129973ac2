/* importer_version.h - which importer this server starts, as the program itself says it. */
#pragma once

#include "base/err.h"

enum { IMPORTER_VERSION_SIZE = 128 };

/* Runs `program --version` and waits for it, a few milliseconds, at most some seconds. *out: its line without the
 * newline. Returns 0 or ERR_INTERNAL with a sentence. Before the loop runs. */
int importer_version(const char *program, char out[IMPORTER_VERSION_SIZE], struct err *err);
