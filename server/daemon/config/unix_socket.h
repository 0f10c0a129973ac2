/* unix_socket.h - makes a listening Unix socket at a path: sets its permissions, replaces the socket of a dead server,
 * and removes it. Start-up and shutdown only. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

struct unix_socket {
    const char *path; /* borrowed */
    int fd;           /* listening; its taker sets this to -1 */
    uint64_t device, inode;
};

/* Converts "/run/posed.sock" to a socket address. ERR_BAD_PARAMETER: it is empty, too long or has a control
 * character. */
int unix_socket_address(const char *path, struct sockaddr_un *out, struct err *err);

/* Makes the socket, with the permissions `mode`, and listens. It first removes the socket of a dead server, but not a
 * socket in use or any other file of that name. ERR_BAD_PARAMETER with a sentence for stderr. */
int unix_socket_listen(const char *path, unsigned mode, int backlog, struct unix_socket *out, struct err *err);

/* Removes the path, if it still leads to this socket. */
void unix_socket_remove(const struct unix_socket *socket);

/* Converts "0660" to 0660. False: it is not an octal mode. */
bool unix_socket_mode(const char *text, unsigned *mode);
