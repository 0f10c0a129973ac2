/* importer_version.h - which importer a private server has. */
#pragma once

#include <sys/types.h>

enum { IMPORTER_VERSION_BYTES = 256 };

/* The line that the posed-import beside the server of process `pid` prints for --version: it names the build, so that
 * two that print the same import alike. "" where that cannot be found out. Main thread. */
void importer_version(pid_t pid, char out[IMPORTER_VERSION_BYTES]);
