/* import_broker.h - serves one importer process the files it asks for (worker/import_files.h).
 *
 * A work thread opens them, so that a slow disk does not block the loop. Loop thread only. The owner of a broker closes
 * it; closed() then ends its life. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/model/file_access.h"

#include <stdbool.h>
#include <uv.h>

struct import_broker;

enum import_stop {
    IMPORT_STOP_BREACH,      /* the importer asked for something that no importer of ours asks for, or too often */
    IMPORT_STOP_STARVED,     /* there was no descriptor or no memory for a file that it asked for */
    IMPORT_STOP_UNAVAILABLE, /* the file system failed (err_is_source()) */
};

/* What the owner hears of. */
struct import_broker_events {
    /* Nothing more is answered. Without the file that it asked for the model would be another. */
    void (*stopped)(void *context, enum import_stop why);
    /* After import_broker_close(): the broker is freed. */
    void (*closed)(void *context);
};

/* What an importer may have. */
struct import_grant {
    int root_fd;
    const char *path;                 /* of its model */
    const struct file_policy *policy; /* to find `access` by, when it is asked for the first file */
    struct file_access access;        /* zeroed until then: `own` is NULL */
};

/* *importer_fd, in which what the importer is to do lies already, is the importer's end of the socket, the caller's to
 * close once the process has it. Returns NULL with errno when there is no socket or no descriptor. `files` and `events`
 * are borrowed until closed(). */
struct import_broker *import_broker_start(uv_loop_t *loop, struct import_grant *files, const struct limits *limits,
                                          const struct import_broker_events *events, void *context, int *importer_fd);

/* Fills files->access unless it is there. Returns 0 or an errno. For work threads, one at a time. */
int import_grant_resolve(struct import_grant *files);

/* Whether a file is being opened for the importer. */
bool import_broker_is_working(const struct import_broker *broker);

/* Answers nothing more and closes the socket; closed() follows. */
void import_broker_close(struct import_broker *broker);
