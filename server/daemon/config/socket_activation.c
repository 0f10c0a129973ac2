/* socket_activation.c - reads a service manager's description of passed sockets, and checks each. */
#include "daemon/config/socket_activation.h"

#include "wire/http/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_FD = 3 }; /* SD_LISTEN_FDS_START */

static const char *const KIND_NAMES[PORT_KIND_COUNT] = {
    [PORT_HTTP] = "http", [PORT_TCP] = "tcp", [PORT_UNIX] = "unix", [PORT_ADMIN] = "admin"};

/* --- names --- */

/* PORT_KIND_COUNT: a name without meaning, such as the name of the socket's unit. */
static enum port_kind kind_named(const char *name, size_t size_bytes)
{
    for (enum port_kind kind = 0; kind < PORT_KIND_COUNT; kind++)
        if (strlen(KIND_NAMES[kind]) == size_bytes && memcmp(KIND_NAMES[kind], name, size_bytes) == 0)
            return kind;
    return PORT_KIND_COUNT;
}

static uint32_t names_in(const char *names)
{
    uint32_t count = 1;
    for (const char *at = names; (at = strchr(at, ':')) != NULL; at++)
        count++;
    return count;
}

int socket_activation_kinds(const char *names, const bool is_unix[], uint32_t count, enum port_kind out[],
                            struct err *err)
{
    uint32_t unnamed = 0;
    if (names != NULL && names_in(names) != count)
        return err_set(err, ERR_BAD_PARAMETER, "LISTEN_FDNAMES has %u names for %u sockets", names_in(names), count);
    for (uint32_t i = 0; i < count; i++) {
        const size_t bytes = names == NULL ? 0 : strcspn(names, ":");
        out[i] = names == NULL ? PORT_KIND_COUNT : kind_named(names, bytes);
        if (out[i] != PORT_KIND_COUNT && (out[i] == PORT_UNIX) != is_unix[i])
            return err_set(err, ERR_BAD_PARAMETER, "the socket '%s' of LISTEN_FDS is %s Unix socket",
                           KIND_NAMES[out[i]], is_unix[i] ? "a" : "no");
        if (out[i] == PORT_KIND_COUNT && !is_unix[i] && unnamed == 2)
            return err_set(
                err, ERR_BAD_PARAMETER,
                "what socket %u of LISTEN_FDS is for is not known: name the sockets http, tcp, unix or admin "
                "(FileDescriptorName=)",
                i + 1);
        if (out[i] == PORT_KIND_COUNT)
            out[i] = is_unix[i] ? PORT_UNIX : unnamed++ == 0 ? PORT_HTTP : PORT_TCP;
        if (names != NULL)
            names += bytes + 1;
    }
    return 0;
}

/* --- sockets --- */

static int fail(int fd, const char *what, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "descriptor %d of LISTEN_FDS %s", fd, what);
}

/* Fills in where it listens and of which family it is. */
static int check_socket(int fd, struct passed_socket *out, bool *is_unix, struct err *err)
{
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
    } address = {0};
    socklen_t size = sizeof address;
    int type = 0, is_listening = 0;
    socklen_t type_bytes = sizeof type, listening_bytes = sizeof is_listening;
    out->fd = fd;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes) != 0)
        return fail(fd, errno == EBADF ? "is not open" : "is no socket", err);
    if (getsockname(fd, &address.any, &size) != 0 || type != SOCK_STREAM ||
        (address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6 && address.any.sa_family != AF_UNIX))
        return fail(fd, "is neither a TCP socket nor a Unix stream socket", err);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &listening_bytes) != 0 || !is_listening)
        return fail(fd, "is not a listening socket (Accept=no)", err);
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return fail(fd, strerror(errno), err);
    *is_unix = address.any.sa_family == AF_UNIX;
    if (!*is_unix) {
        address_format(&address.any, out->address);
        return 0;
    }
    const size_t path_bytes =
        size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
    memcpy(out->address, address.local.sun_path, path_bytes);
    out->address[path_bytes] = '\0';
    if (path_bytes > 0 && out->address[0] == '\0')
        out->address[0] = '@';
    return 0;
}

static int read_count(const char *text, uint32_t *count, struct err *err)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        return err_set(err, ERR_BAD_PARAMETER, "LISTEN_FDS='%.40s' is not a number of sockets", text);
    if (value > PASSED_SOCKETS_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "LISTEN_FDS=%lu is more than %d sockets", value, PASSED_SOCKETS_MAX);
    *count = (uint32_t)value;
    return 0;
}

static int take(const char *count_text, const char *names, struct passed_sockets *out, struct err *err)
{
    bool is_unix[PASSED_SOCKETS_MAX];
    enum port_kind kinds[PASSED_SOCKETS_MAX];
    if (read_count(count_text, &out->count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < out->count; i++)
        if (check_socket(FIRST_FD + (int)i, &out->list[i], &is_unix[i], err) < 0)
            return err->code;
    if (out->count == 0 || socket_activation_kinds(names, is_unix, out->count, kinds, err) < 0)
        return out->count == 0 ? 0 : err->code;
    for (uint32_t i = 0; i < out->count; i++)
        out->list[i].kind = kinds[i];
    return 0;
}

int socket_activation_take(char *(*get)(const char *name), struct passed_sockets *out, struct err *err)
{
    const char *pid = get("LISTEN_PID"), *count = get("LISTEN_FDS"), *names = get("LISTEN_FDNAMES");
    char *end = NULL;
    *out = (struct passed_sockets){0};
    /* variables for another process were inherited by mistake */
    const bool is_ours = pid != NULL && count != NULL && strtol(pid, &end, 10) == getpid() && *end == '\0';
    const int rc = is_ours ? take(count, names, out, err) : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return rc;
}

void socket_activation_apply(const struct passed_sockets *sockets, struct config *config)
{
    const char **const places[PORT_KIND_COUNT] = {[PORT_HTTP] = &config->http,
                                                  [PORT_TCP] = &config->tcp,
                                                  [PORT_UNIX] = &config->unix_path,
                                                  [PORT_ADMIN] = &config->admin};
    if (sockets->count == 0)
        return;
    config->passed = sockets;
    config->http = config->tcp = "none";
    config->unix_path = NULL;
    for (uint32_t i = 0; i < sockets->count; i++) {
        const struct passed_socket *socket = &sockets->list[i];
        const char **place = places[socket->kind];
        if (socket->kind == PORT_ADMIN || *place == NULL || strcmp(*place, "none") == 0 || access_is_loopback(*place))
            *place = socket->address;
    }
}
