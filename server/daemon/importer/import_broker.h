/* import_broker.h - serves files to one importer process (worker/import_files.h).
 *
 * A work thread opens them, so that a slow disk does not block the loop. Loop thread only. The owner closes the broker,
 * which is freed when closed() runs. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/model/file_access.h"

#include <stdbool.h>
#include <uv.h>

struct import_broker;

enum import_stop {
    IMPORT_STOP_BREACH,      /* the importer sent a request that no correct importer sends, or too many */
    IMPORT_STOP_STARVED,     /* there was no descriptor or no memory for a requested file */
    IMPORT_STOP_UNAVAILABLE, /* the file system failed (err_is_source()) */
};

/* Events for the owner. */
struct import_broker_events {
    /* The broker has stopped answering, because a missing answer would change the model. */
    void (*stopped)(void *context, enum import_stop why);
    /* The broker is freed, after import_broker_close(). */
    void (*closed)(void *context);
};

/* The files that an importer may get. */
struct import_grant {
    int root_fd;
    const char *path;                 /* of its model */
    const struct file_policy *policy; /* determines `access` at the first request for a file */
    struct file_access access;        /* zeroed until then: `own` is NULL */
};

/* Starts a broker. *importer_fd is the importer's end of the socket, which already contains the importer's task; the
 * caller closes it once the process has it. Returns NULL with errno if there is no socket or no descriptor. `files` and
 * `events` are borrowed until closed(). */
struct import_broker *import_broker_start(uv_loop_t *loop, struct import_grant *files, const struct limits *limits,
                                          const struct import_broker_events *events, void *context, int *importer_fd);

/* Fills files->access if it is still empty. Returns 0 or an errno. For work threads, one at a time. */
int import_grant_resolve(struct import_grant *files);

/* True while a file is being opened for the importer. */
bool import_broker_is_working(const struct import_broker *broker);

/* Stops answering and closes the socket; closed() follows. */
void import_broker_close(struct import_broker *broker);
