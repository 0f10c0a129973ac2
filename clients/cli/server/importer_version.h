/* importer_version.h - identifies the importer of a private server. */
#pragma once

#include <sys/types.h>

enum { IMPORTER_VERSION_BYTES = 256 };

/* Reads the line that --version prints of the posed-import beside the server with process id `pid`. It names the build:
 * two importers with the same line import alike. "": unknown. Main thread. */
void importer_version(pid_t pid, char out[IMPORTER_VERSION_BYTES]);
