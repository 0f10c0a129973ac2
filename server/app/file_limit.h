/* file_limit.h - how many files the system lets the daemon open: a connection is one, and so is a model in memory. */
#pragma once

#include "config.h"

struct file_limit {
    uint64_t files, wanted_connections;
};

/* Raises the process's limit as far as it may, and sets config->limits.value[LIMIT_CONNECTIONS], where it is more, and
 * config->models_max to what fits then. Once, at start. */
struct file_limit file_limit_apply(struct config *config);
/* Logs what became of them. */
void file_limit_tell(const struct file_limit *limit, const struct config *config);

/* The arithmetic: shares `files` out between connections and models. Pure. */
void file_limit_share(struct config *config, uint64_t files);
