/* worker_command.h - makes the command lines and the environment of the worker programs from the configuration.
 *
 * A worker does not inherit the daemon's environment, which may hold secrets. It gets only LANG=C, PATH, the variables
 * of sanitizers, and for a renderer the variables of GL drivers and their loaders. The command owns its strings. Any
 * one thread. */
#pragma once

#include "daemon/config/config.h"

#include <stddef.h>

enum { RENDER_CELLS_A_PICTURE = 64 }; /* a sheet has the time of one picture for this many cells */

/* The options; worker_command_add() adds the program's work. */
struct worker_command {
    char **args; /* [0] is the program; NULL behind the last */
    char **env;
    size_t count; /* of args */
};

void worker_command_import(struct worker_command *command, const struct config *config);
/* shader_cache: "NAME=value", used if NAME is not set; or NULL. */
void worker_command_render(struct worker_command *command, const struct config *config, const char *shader_cache);
void worker_command_fini(struct worker_command *command);

/* Appends a copy of the argument. */
void worker_command_add(struct worker_command *command, const char *argument);
