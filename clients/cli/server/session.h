/* session.h - the server that posectl uses: a running one (--server, POSED_SERVER), or a private one on a Unix socket.
 * The private one ends with this process, even if it is killed. Several threads may share a session. */
#pragma once

#include "clients/c/posed.h"
#include "clients/cli/server/paths.h"

#include <sys/types.h>

struct session {
    bool is_private;
    bool has_own_parameters; /* --param: parameters that the server may not know */
    bool draws;              /* a private server needs renderers */
    char address[256];
    int reconnect_ms; /* how long to try to reconnect; 0: never. A private server does not come back */
    char token[260];
    pid_t pid;                        /* process id of the private server */
    int log_fd;                       /* the read end of its stderr */
    char folder[4096];                /* absolute: the root of a private server; "" for a running one */
    bool allows_hidden, names_hidden; /* of a private server: --allow-hidden; as in struct paths */
    const char *cache_dir; /* a private server fills it, and keeps its other defaults; NULL: it has no such folder */
};

/* Returns the address of the running server to use, or NULL for a private one. */
const char *session_address(const struct args *args);
/* Starts the session. `paths`: the root of a private server, and whether it serves hidden models. `jobs`: how many
 * renderers and importers it may run at the same time. Returns 0, or -1 after printing the error. */
int session_start(struct session *session, const struct args *args, const struct paths *paths, unsigned jobs);
/* Prints the lines of the private server's log that contain the word. */
void session_show_log(const struct session *session, const char *word);
/* Ends a private server. Accepts a session that did not start, or {0}. */
void session_end(struct session *session);
