/* worker_command.h - the command lines and the environment of the worker programs, from the configuration.
 *
 * A worker gets nothing of the daemon's own environment, which may hold secrets: only LANG=C, PATH, what sanitizers
 * read, and for a renderer what GL drivers and their loaders read. The command owns its strings. Any one thread. */
#pragma once

#include "daemon/config/config.h"

#include <stddef.h>

enum { RENDER_CELLS_A_PICTURE = 64 }; /* a sheet has the time of one picture for so many cells */

/* Options only: what a program is to work on is added by worker_command_add(). */
struct worker_command {
    char **args; /* [0] is the program; NULL behind the last */
    char **env;
    size_t count; /* of args */
};

void worker_command_import(struct worker_command *command, const struct config *config);
/* shader_cache: "NAME=value" for when NAME is not set, or NULL. */
void worker_command_render(struct worker_command *command, const struct config *config, const char *shader_cache);
void worker_command_fini(struct worker_command *command);

/* Appends a copy of the argument. */
void worker_command_add(struct worker_command *command, const char *argument);
