/* import_pool.h - imports, each in a process of its own that a fork server makes: a bounded queue and a fixed number at
 * a time.
 *
 * A process gets a socket for the files it asks for, a memfd for its result and a pipe as stderr, and nothing else of
 * the daemon's. Whatever the process does, its job ends with a model or an error. One that hangs is ended, and one
 * whose fork server ends was not begun; both are tried once more. Loop thread only. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/model/file_access.h"
#include "daemon/support/job_queue.h"

#include <stdbool.h>
#include <uv.h>

struct import_pool;

/* The owner's; it stays until done() has run or the job was dropped. */
struct import_job {
    const char *path;                 /* of the model under the root */
    const struct file_access *access; /* of an upload: see import_run.h */
    /* It is the job's turn. False: not yet; its place is kept until import_pool_go() or import_pool_leave(),
     * which do not come before this returns. NULL: the import may always begin. */
    bool (*prepare)(struct import_job *job);
    /* The process is about to be started; may be NULL. */
    void (*starting)(struct import_job *job);
    /* Whether anyone waits for it. Without a waiter an import goes on, because its result is kept, until another job
     * needs its slot: then it is killed, and done() gets ERR_OVERLOADED, which says nothing about the model. */
    bool (*is_wanted)(const struct import_job *job);
    /* Runs once, never before import_pool_submit() returns. *imported has a reference that is now the callee's;
     * NULL: *err says why. */
    void (*done)(struct import_job *job, struct imported_model *imported, const struct err *err);
    bool is_archive; /* a zip, which is unpacked: done() finds its files in archive_fd (import_outcome_archive()) */
    int archive_fd;  /* then the callee's; -1 otherwise */
    struct job_queue_entry queued; /* private to the pool */
};

enum { IMPORTER_VERSION_SIZE = 128 }; /* of "import 1 libraries HASH" */

/* *out: the end of the line that `posed-import --version` writes, from "import" on: the same one makes the same model
 * of the same files. Returns 0 or ERR_INTERNAL. Waits for the program, some milliseconds: before the loop runs. */
int import_pool_importer_version(const struct config *config, char out[IMPORTER_VERSION_SIZE], struct err *err);

/* `root_fd` is borrowed, `config` as well. */
struct import_pool *import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd);

/* Returns 0, or ERR_OVERLOADED when the queue is full (the job is then not taken). */
int import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err);

/* The job has no waiter left. True: it was queued and is the owner's again; done() does not run. */
bool import_pool_drop(struct import_pool *pool, struct import_job *job);

/* Of a job whose prepare() returned false, later: the import begins, or the job is its owner's again without done(). */
void import_pool_go(struct import_pool *pool, struct import_job *job);
void import_pool_leave(struct import_pool *pool, struct import_job *job);

/* Drops all jobs without done() and kills their processes; the rest ends while the loop runs. */
void import_pool_free(struct import_pool *pool);
