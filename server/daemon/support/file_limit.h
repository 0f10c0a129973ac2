/* file_limit.h - adapts the configuration to the number of files that the daemon may open. Connections, models in
 * memory, event loops, work threads and worker processes all use descriptors; if there are few, it reduces each of
 * these. Start-up only. */
#pragma once

#include "base/err.h"
#include "daemon/config/config.h"

struct file_limit {
    uint64_t files;
    struct config wanted;
};

/* Raises the process's limit as far as possible, and lowers the numbers in config to fit: see file_limit_share(). Call
 * it once, at start. */
int file_limit_apply(struct config *config, struct file_limit *out, struct err *err);
/* Logs the result. */
void file_limit_tell(const struct file_limit *limit, const struct config *config);

/* Distributes `files`: sets models_max, refused_max, work_threads and file_threads, and lowers LIMIT_CONNECTIONS,
 * LIMIT_UPLOADS, loops, import_workers and render_workers if they do not fit. ERR_BAD_PARAMETER: too few for one of
 * each. Pure. */
int file_limit_share(struct config *config, uint64_t files, struct err *err);
