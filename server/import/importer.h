/* importer.h - an importer process. It is confined in two steps, then works on one model and exits.
 *
 * Forked processes inherit the first step, so the fork server does it once. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "worker/sandbox.h"

struct importer_options {
    struct limits limits;
    enum sandbox_mode sandbox;
};

/* Loads what most models do not need: assimp's reader, a separate library, and libtiff, which may be missing. Call it
 * before importer_settle(), which removes the rights that loading requires. */
int importer_load_libraries(struct err *err);

/* Does the first step of confinement. Closes descriptors above last_fd and fills *sandbox. */
int importer_settle(const struct importer_options *options, int last_fd, struct sandbox *sandbox, struct err *err);

/* Both do the second step of confinement. importer_run() then reads the model `path` through IMPORT_FILES_FD and writes
 * it to IMPORT_RESULT_FD. importer_attempt() tries the call that the sandbox forbids (worker/attempt.h). Both return
 * the process's exit status. */
int importer_run(const struct importer_options *options, struct sandbox *sandbox, const char *path);
int importer_attempt(const struct importer_options *options, struct sandbox *sandbox, const char *name);
