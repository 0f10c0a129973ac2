/* importer.h - what an importer process is: confined in two steps, then at work on one model until its end.
 *
 * The first step is what a process passes on to those that it forks; the fork server takes it once. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "worker/sandbox.h"

enum { EXIT_BAKED = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

struct importer_options {
    struct limits limits;
    enum sandbox_mode sandbox;
};

/* Makes assimp's reader ready, which is a library of its own: most models do without. Before importer_settle(), which
 * takes what loading it needs. */
int importer_load_assimp(struct err *err);

/* Descriptors above last_fd are closed. Fills *sandbox. */
int importer_settle(const struct importer_options *options, int last_fd, struct sandbox *sandbox, struct err *err);

/* Confines the process further, then does what it is there for: reads the model `path`, through IMPORT_FILES_FD, to
 * IMPORT_RESULT_FD; or tries the call that the sandbox forbids (worker/attempt.h). Returns the exit status of the
 * process. */
int importer_run(const struct importer_options *options, struct sandbox *sandbox, const char *path);
int importer_attempt(const struct importer_options *options, struct sandbox *sandbox, const char *name);
