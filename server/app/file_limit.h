/* file_limit.h - how many files the system lets the daemon open: a connection is one, and so is a model in memory. */
#pragma once

#include "config.h"

/* Raises the process's limit as far as it may, and lowers config->limits.value[LIMIT_CONNECTIONS] and
 * config->models_max to what fits then. Logs what became of them. Once, at start. */
void file_limit_apply(struct config *config);

/* The arithmetic: shares `files` out between connections and models. Pure. */
void file_limit_share(struct config *config, uint64_t files);
