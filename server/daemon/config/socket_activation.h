/* socket_activation.h - listening sockets that a service manager passes (man 3 sd_listen_fds): LISTEN_FDS,
 * LISTEN_PID, LISTEN_FDNAMES. Start-up only. */
#pragma once

#include "base/err.h"
#include "daemon/config/address.h"
#include "daemon/config/config.h"

#include <sys/un.h>

enum { PASSED_SOCKETS_MAX = 16 };

/* What a socket is for. */
enum port_kind { PORT_HTTP, PORT_TCP, PORT_UNIX, PORT_ADMIN /* of the main loop alone */, PORT_KIND_COUNT };

struct passed_socket {
    int fd;
    enum port_kind kind;
    char address[sizeof((struct sockaddr_un *)0)->sun_path + 2]; /* "127.0.0.1:80", "/run/posed.sock", "@abstract" */
};

struct passed_sockets {
    uint32_t count; /* 0: none was passed */
    struct passed_socket list[PASSED_SOCKETS_MAX];
};

/* The kinds of `count` sockets. names: LISTEN_FDNAMES, or NULL; is_unix[i]: of which family each is. A socket named
 * "http", "tcp", "unix" or "admin" is for that. Of those with other names or none, a Unix socket is PORT_UNIX, the
 * first other one PORT_HTTP and the next PORT_TCP. ERR_BAD_PARAMETER names the socket. Pure. */
int socket_activation_kinds(const char *names, const bool is_unix[], uint32_t count, enum port_kind out[],
                            struct err *err);

/* Takes the sockets that the environment passes to this process: each listens, is non-blocking, and is closed in
 * programs that this one starts. get is getenv(); the variables are removed. ERR_BAD_PARAMETER with a sentence for
 * stderr. */
int socket_activation_take(char *(*get)(const char *name), struct passed_sockets *out, struct err *err);

/* The passed sockets are all there is for clients: --http, --tcp and --unix become what they are, "none" where there is
 * none. Of several of one kind, the one that most can reach. --admin stays unless a socket is for it. *config borrows
 * from *sockets. */
void socket_activation_apply(const struct passed_sockets *sockets, struct config *config);
