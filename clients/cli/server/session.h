/* session.h - the server that posectl speaks with: a running one (--server, POSED_SERVER), or a private one on a Unix
 * socket, which ends with this process however that ends. Several threads may share a session. */
#pragma once

#include "clients/c/posed.h"
#include "clients/cli/server/paths.h"

#include <sys/types.h>

struct session {
    bool is_private;
    bool has_own_parameters; /* --param: parameters that the server may not know */
    bool draws;              /* a private server needs renderers */
    char address[256];
    int reconnect_ms; /* how long to connect again; 0: never, as with a private server, which does not come back */
    char token[260];
    pid_t pid;                        /* of the private server */
    int log_fd;                       /* its stderr */
    char folder[4096];                /* absolute: the root of a private server; "" for a running one */
    bool allows_hidden, names_hidden; /* of a private server: --allow-hidden; as in struct paths */
    const char *cache_dir; /* of a private server that fills it and is otherwise as others start theirs; NULL: not so */
};

/* The running server that is meant; NULL: a private one. */
const char *session_address(const struct args *args);
/* `paths`: the root of a private server, and whether it answers of hidden models. `jobs`: how many renderers and
 * importers it may run at the same time. Returns 0, or -1 after printing why. */
int session_start(struct session *session, const struct args *args, const struct paths *paths, unsigned jobs);
/* Prints those lines of the private server's log in which the word occurs. */
void session_show_log(const struct session *session, const char *word);
/* Ends a private server. A session that did not start, or is {0}, may be ended too. */
void session_end(struct session *session);
