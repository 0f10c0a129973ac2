/* fork_server.h - `posed-import --fork-server` forks a process for each model (worker/fork_server.h). */
#pragma once

#include "import/importer.h"

/* Confines this process, then forks others until its socket closes. It returns in this process and in each forked
 * process when its work is done. The caller exits at once with the returned status. */
int fork_server_run(const struct importer_options *options);
