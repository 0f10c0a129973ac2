/* fork_server.h - `posed-import --fork-server`: makes a process for each model (worker/fork_server.h). */
#pragma once

#include "import/importer.h"

/* Confines this process, then makes others until its socket closes. Returns the exit status, of this process or of one
 * that it made and that has done its work: whoever gets it exits with it at once. */
int fork_server_run(const struct importer_options *options);
