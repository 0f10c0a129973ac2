/* file_limit.h - how many files the system lets the daemon open. Connections, models in memory, event loops, work
 * threads and worker processes all use descriptors; where there are few, each of these is reduced. Start-up only. */
#pragma once

#include "base/err.h"
#include "daemon/config/config.h"

struct file_limit {
    uint64_t files;
    struct config wanted;
};

/* Raises the process's limit as far as it may, and lowers what config asks for to what fits then: see
 * file_limit_share(). Once, at start. */
int file_limit_apply(struct config *config, struct file_limit *out, struct err *err);
/* Logs what became of it. */
void file_limit_tell(const struct file_limit *limit, const struct config *config);

/* The arithmetic: shares `files` out. Sets models_max, refused_max, work_threads and file_threads, and lowers
 * LIMIT_CONNECTIONS, LIMIT_UPLOADS, loops, import_workers and render_workers where they are more than fits.
 * ERR_BAD_PARAMETER: it is too little for one of each. Pure. */
int file_limit_share(struct config *config, uint64_t files, struct err *err);
