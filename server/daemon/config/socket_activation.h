/* socket_activation.h - takes listening sockets from a service manager (man 3 sd_listen_fds): LISTEN_FDS, LISTEN_PID,
 * LISTEN_FDNAMES. Start-up only. */
#pragma once

#include "base/err.h"
#include "daemon/config/address.h"
#include "daemon/config/config.h"

#include <sys/un.h>

enum { PASSED_SOCKETS_MAX = 16 };

/* The purpose of a socket. */
enum port_kind { PORT_HTTP, PORT_TCP, PORT_UNIX, PORT_ADMIN /* of the main loop alone */, PORT_KIND_COUNT };

struct passed_socket {
    int fd;
    enum port_kind kind;
    char address[sizeof((struct sockaddr_un *)0)->sun_path + 2]; /* "127.0.0.1:80", "/run/posed.sock", "@abstract" */
};

struct passed_sockets {
    uint32_t count; /* 0: no socket was passed */
    struct passed_socket list[PASSED_SOCKETS_MAX];
};

/* Finds the kinds of `count` sockets. names: LISTEN_FDNAMES, or NULL; is_unix[i]: whether it is a Unix socket. A name
 * "http", "tcp", "unix" or "admin" gives the kind. Among sockets with other names or none, a Unix socket is PORT_UNIX,
 * the first other one PORT_HTTP and the next PORT_TCP. ERR_BAD_PARAMETER names the socket. Pure. */
int socket_activation_kinds(const char *names, const bool is_unix[], uint32_t count, enum port_kind out[],
                            struct err *err);

/* Takes the sockets that the environment passes to this process, checks that each listens, and makes it non-blocking
 * and close-on-exec. get is getenv(); it removes the variables. ERR_BAD_PARAMETER with a sentence for stderr. */
int socket_activation_take(char *(*get)(const char *name), struct passed_sockets *out, struct err *err);

/* Replaces --http, --tcp and --unix by the addresses of the passed sockets, or by "none", because clients can use only
 * these. Among several of one kind it takes the address that most clients can reach. --admin stays unless a socket
 * replaces it. *config borrows from *sockets. */
void socket_activation_apply(const struct passed_sockets *sockets, struct config *config);
