/* import_run.h - runs one import, from the start of its process to its outcome. Loop thread only. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/model/file_access.h"
#include "daemon/process/fork_server.h"

#include <uv.h>

struct import_run;

/* The result of an import. */
struct import_run_end {
    struct imported_model *imported; /* one reference, which the callee takes; or */
    int archive_fd;                  /* likewise; or NULL and -1: */
    const struct err *err;           /* says why */
    bool is_transient;               /* a retry may succeed: import_exit_is_transient() */
    bool needs_libraries;            /* as does one by the fork server with all libraries */
};

/* Runs once, never before import_run_start() returns. */
typedef void import_run_done(void *context, const struct import_run_end *end);

/* The model to import; all borrowed for the call. */
struct import_task {
    const char *path;                 /* of the model under the root */
    const struct file_access *access; /* for an upload: where its files are; else NULL */
    bool is_archive;                  /* it is a zip to unpack instead */
    bool has_libraries;               /* the fork server has all libraries */
};

/* Lets the fork server make a process for the import; the fork server must live until the run is over or abandoned. A
 * failure to start is an outcome as well. `key` becomes the imported model's key. */
struct import_run *import_run_start(uv_loop_t *loop, struct fork_server *fork_server, const struct config *config,
                                    int root_fd, const struct import_task *task, uint64_t key, import_run_done *done,
                                    void *context);

/* Kills the process without calling done(); the rest frees itself while the loop runs. */
void import_run_abandon(struct import_run *run);
