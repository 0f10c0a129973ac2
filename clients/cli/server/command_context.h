/* command_context.h - what a command works with: the paths of its arguments, a server and a connection to it. One
 * thread. */
#pragma once

#include "clients/cli/server/connection.h"
#include "clients/cli/server/paths.h"

/* {0} is closed. */
struct command_context {
    struct paths paths;
    struct session session;
    struct connection connection;
};

/* The next three return 0, or an exit status after printing the error. The caller calls context_close() in any case. */
/* For any paths. `jobs`: as in session_start(). */
int context_open(struct command_context *context, const struct args *args, unsigned jobs);
/* For at most `count_max` models. */
int context_open_models(struct command_context *context, const struct args *args, size_t count_max, unsigned jobs);
/* For a folder (models), or for no path at all. */
int context_open_server(struct command_context *context, const struct args *args);
void context_close(struct command_context *context);
