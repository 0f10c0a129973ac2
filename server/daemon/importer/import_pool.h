/* import_pool.h - runs imports, each in its own process from a fork server, with a bounded queue and a fixed number at
 * a time.
 *
 * A process gets a socket for file requests, a memfd for its result and a pipe as stderr, and nothing else from the
 * daemon. Whatever the process does, its job ends with a model or an error. The pool retries an import once if it hung,
 * or if its fork server ended before the import began. Loop thread only. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/model/file_access.h"
#include "daemon/support/job_queue.h"

#include <stdbool.h>
#include <uv.h>

struct import_pool;

/* Owned by the caller, until done() has run or the job was dropped. */
struct import_job {
    const char *path;                 /* of the model under the root */
    const struct file_access *access; /* of an upload: see import_run.h */
    /* Called at the job's turn. False: not yet; the pool keeps its place until import_pool_go() or import_pool_leave(),
     * which must not be called before this returns. NULL: the import may always begin. */
    bool (*prepare)(struct import_job *job);
    /* Called before the process is started; may be NULL. */
    void (*starting)(struct import_job *job);
    /* Returns true if the job has a waiter. Without a waiter an import continues, because its result is kept, until
     * another job needs its slot. It is then killed, and done() gets ERR_OVERLOADED, which says nothing about the
     * model. */
    bool (*is_wanted)(const struct import_job *job);
    /* Runs once, never before import_pool_submit() returns. The callee takes the reference in *imported; NULL: *err
     * says why. */
    void (*done)(struct import_job *job, struct imported_model *imported, const struct err *err);
    bool is_archive; /* a zip to unpack: done() finds its files in archive_fd (import_outcome_archive()) */
    int archive_fd;  /* taken by the callee of done(); -1 otherwise */
    struct job_queue_entry queued; /* private to the pool */
};

enum { IMPORTER_VERSION_SIZE = 128 }; /* of "import 1 libraries HASH" */

/* Writes the end of the output of `posed-import --version` to *out, from "import" on: equal versions make equal models
 * from the same files. Returns 0 or ERR_INTERNAL. Waits some milliseconds for the program, so call it before the loop
 * runs. */
int import_pool_importer_version(const struct config *config, char out[IMPORTER_VERSION_SIZE], struct err *err);

/* Borrows `root_fd` and `config`. */
struct import_pool *import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd);

/* Queues the job. Returns 0, or ERR_OVERLOADED if the queue is full (it then does not take the job). */
int import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err);

/* Tells the pool that the job has lost its last waiter. True: it was queued and belongs to the owner again; done() does
 * not run. */
bool import_pool_drop(struct import_pool *pool, struct import_job *job);

/* For a job whose prepare() returned false: begin the import, or return the job to its owner without done(). */
void import_pool_go(struct import_pool *pool, struct import_job *job);
void import_pool_leave(struct import_pool *pool, struct import_job *job);

/* Drops all jobs without done() and kills their processes; cleanup ends while the loop runs. */
void import_pool_free(struct import_pool *pool);
