/* import_result.h - what the importer hands back: the contract between posed-import and posed.
 *
 * posed has a process made for each model (fork_server.h), with file descriptor 3 = a socket that it asks for files on
 * (import_files.h) and 4 = an empty memfd for the result, sealed by posed once the process has ended. The memfd then
 * holds a baked model (BAKE_MAGIC), of a PATH that ends in ".zip" its files (archive.h), or a struct import_failure.
 * stderr is kept (its last lines) for the log and for the sentence that explains a crash. Exit status: 0 = a baked
 * model, 1 = an import_failure, 2 = wrong arguments. Anything else is a crash. */
#pragma once

#include "base/err.h"

#include <stdint.h>

#define IMPORT_FAILURE_MAGIC "posedno\n"

enum { IMPORT_RESULT_FD = 4 };

struct import_failure {
    char magic[8];
    uint32_t number; /* of the error table: 34 for ERR_BAD_MODEL */
    uint32_t reserved;
    char message[ERR_MESSAGE_SIZE]; /* NUL-terminated */
};
