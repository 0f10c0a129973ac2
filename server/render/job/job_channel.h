/* job_channel.h - the worker's end of the socket: jobs in, results out (worker/render_job.h). Blocking; one thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "worker/render_job.h"

#include <stdbool.h>

/* The file descriptors of a job. */
struct job_fds {
    int model;                       /* -1: none */
    int sources[RENDER_FDS_MAX - 1]; /* followed by the environment's, where the job has one */
    uint32_t source_count;
    bool has_more; /* more than a job may have; the others are closed */
};
void job_fds_close(struct job_fds *fds);

/* Waits for a job. Returns 1 with *work and *fds, which the caller closes; 0 when posed has closed its end; or
 * ERR_INTERNAL when the bytes are not a job. */
int job_receive(int socket, struct render_work *work, struct job_fds *fds, struct err *err);

/* Sends the answer to a job: `outcome` (code 0 = success), the picture and the notes beside it, which both may be NULL.
 * message: the text of a successful result (the renderer's name), or NULL. Returns 0 or ERR_INTERNAL. */
int job_answer(int socket, uint64_t job_id, const struct err *outcome, const struct buf *png,
               const struct render_notes *notes, const char *message, struct err *err);
