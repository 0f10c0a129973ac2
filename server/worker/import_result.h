/* import_result.h - how the importer returns its result: the contract between posed-import and posed.
 *
 * posed has a process made for each model (fork_server.h), with file descriptor 3 = a socket for requesting files
 * (import_files.h) and 4 = an empty memfd for the result, which posed seals once the process has ended. Then the memfd
 * holds a baked model (BAKE_MAGIC), for a PATH that ends in ".zip" its files (archive.h), or a struct import_failure.
 * The last lines of stderr are kept for the log and for the sentence that explains a crash. Exit status: 0 = a baked
 * model, 1 = an import_failure, 2 = wrong arguments,
 * 3 = the model needs a library, which only processes of the fork server with all libraries have: posed imports it
 * there. Any other status is a crash. */
#pragma once

#include "base/err.h"

#include <stdint.h>

#define IMPORT_FAILURE_MAGIC "posedno\n"

enum { IMPORT_RESULT_FD = 4 };
enum { EXIT_BAKED = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NEEDS_LIBRARIES = 3 };

struct import_failure {
    char magic[8];
    uint32_t number; /* in the error table: 34 for ERR_BAD_MODEL */
    uint32_t reserved;
    char message[ERR_MESSAGE_SIZE]; /* NUL-terminated */
};
