/* ports.c - opens, joins and closes listening sockets. */
#include "daemon/listen/port.h"

#include "base/mem.h"
#include "daemon/config/address.h"
#include "daemon/support/fd.h"
#include "daemon/support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void close_port(struct port *port)
{
    if (port->fd < 0)
        return;
    uv_close((uv_handle_t *)&port->poll, NULL);
    close(port->fd); /* libuv has forgotten it */
    port->fd = -1;
}

static int fail(const char *where, int rc, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s", where, uv_strerror(rc));
}

static bool is_shared(const struct port *port) { return port->ports->group->config->loops > 1 && !port_is_admin(port); }

/* Returns a socket bound to the address, or libuv's negative code. */
static int make_socket(const struct sockaddr_storage *address, bool is_shared_one)
{
    const bool is_ip6 = address->ss_family == AF_INET6;
    const int on = 1, off = 0;
    const socklen_t size = is_ip6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (!is_shared_one || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) &&
        (!is_ip6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
        bind(fd, (const struct sockaddr *)address, size) == 0)
        return fd;
    fd_close(fd); /* keeps errno */
    return -errno;
}

/* One more, which is closed. */
static struct port *add_port(struct ports *ports, enum port_kind kind, const char *passed)
{
    struct port *port = &ports->list[ports->count++];
    *port = (struct port){.ports = ports, .fd = -1, .kind = kind, .passed = passed};
    return port;
}

/* fd: a listening socket, the port's from now on. 0 or libuv's negative code. */
static int open_port(struct port *port, int fd)
{
    const int rc = uv_poll_init(port->ports->group->loop, &port->poll, fd);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    port->poll.data = port;
    port->fd = fd;
    return uv_poll_start(&port->poll, UV_READABLE, port_accept);
}

/* 0 or libuv's negative code. */
static int listen_tcp(struct port *port, const struct sockaddr_storage *address)
{
    const int fd = make_socket(address, is_shared(port));
    if (fd < 0)
        return fd;
    if (listen(fd, PORTS_BACKLOG) == 0)
        return open_port(port, fd);
    fd_close(fd); /* keeps errno */
    return -errno;
}

/* name: the option's. */
/* Whether the system keeps the port for root. */
static bool is_privileged(const struct sockaddr_storage *address)
{
    const bool is_ip6 = address->ss_family == AF_INET6;
    return ntohs(is_ip6 ? ((const struct sockaddr_in6 *)(const void *)address)->sin6_port
                        : ((const struct sockaddr_in *)(const void *)address)->sin_port) < IPPORT_RESERVED;
}

static int bind_tcp(struct port *port, const char *name, const char *text, struct err *err)
{
    struct sockaddr_storage address;
    if (address_parse(text, &address, err) < 0)
        return err_prefix(err, "--%s", name);
    /* where several sockets may listen, another server's could be among them: so this tries one that does not share
     * the address */
    int rc = is_shared(port) ? make_socket(&address, false) : 0;
    if (rc > 0)
        close(rc);
    if (rc >= 0)
        rc = listen_tcp(port, &address);
    if (rc == 0)
        return 0;
    if (rc == UV_EADDRINUSE)
        err_set(err, ERR_BAD_PARAMETER,
                "cannot listen on %s: %s, maybe by another posed; --%s PORT takes another port, --%s 0 any free one",
                text, uv_strerror(rc), name, name);
    else if (rc == UV_EACCES && is_privileged(&address))
        err_set(err, ERR_BAD_PARAMETER,
                "cannot listen on %s: %s, the system keeps it for root; --%s PORT takes a port from %d on", text,
                uv_strerror(rc), name, IPPORT_RESERVED);
    else
        fail(text, rc, err);
    return err_prefix(err, "--%s", name);
}

static int bind_unix(struct port *port, const struct config *config, struct err *err)
{
    struct unix_socket *own = &port->ports->unix_socket;
    unsigned mode = 0;
    (void)unix_socket_mode(config->unix_mode, &mode); /* options_check() has looked at it */
    if (unix_socket_listen(config->unix_path, mode, PORTS_BACKLOG, own, err) < 0)
        return err_prefix(err, "--unix");
    const int fd = own->fd;
    own->fd = -1;
    const int rc = open_port(port, fd);
    return rc == 0 ? 0 : fail(own->path, rc, err);
}

/* Those for --admin, or the others. The descriptors are the first loop's; others duplicate them. */
static int open_passed(struct ports *ports, bool is_for_admin, struct err *err)
{
    const struct passed_sockets *passed = ports->group->config->passed;
    for (uint32_t i = 0; i < passed->count; i++) {
        const struct passed_socket *socket = &passed->list[i];
        if ((socket->kind == PORT_ADMIN) != is_for_admin)
            continue;
        const int rc = open_port(add_port(ports, socket->kind, socket->address), socket->fd);
        if (rc < 0)
            return fail(socket->address, rc, err);
    }
    return 0;
}

static bool has_passed_admin(const struct config *config)
{
    for (uint32_t i = 0; config->passed != NULL && i < config->passed->count; i++)
        if (config->passed->list[i].kind == PORT_ADMIN)
            return true;
    return false;
}

bool ports_want_admin(const struct config *config)
{
    return strcmp(config->admin, "none") != 0 || has_passed_admin(config);
}

int ports_bind_admin(struct ports *ports, struct err *err)
{
    const struct config *config = ports->group->config;
    if (has_passed_admin(config))
        return open_passed(ports, true, err);
    return bind_tcp(add_port(ports, PORT_ADMIN, NULL), "admin", config->admin, err);
}

int ports_bind(struct ports *ports, struct err *err)
{
    const struct config *config = ports->group->config;
    if (config->passed != NULL) {
        log_info("listening on %u sockets that were passed, not on --http, --tcp and --unix", config->passed->count);
        return open_passed(ports, false, err);
    }
    if (strcmp(config->http, "none") != 0 && bind_tcp(add_port(ports, PORT_HTTP, NULL), "http", config->http, err) < 0)
        return err->code;
    if (strcmp(config->tcp, "none") != 0 && bind_tcp(add_port(ports, PORT_TCP, NULL), "tcp", config->tcp, err) < 0) {
        if (config->tcp != TCP_DEFAULT)
            return err->code;
        log_warn("no binary protocol on TCP, and who asks %s asks the other server: %s", config->tcp, err->message);
    }
    return config->unix_path == NULL ? 0 : bind_unix(add_port(ports, PORT_UNIX, NULL), config, err);
}

static int socket_address(const struct port *port, struct sockaddr_storage *out)
{
    socklen_t size = sizeof *out;
    *out = (struct sockaddr_storage){0};
    return getsockname(port->fd, (struct sockaddr *)out, &size) == 0 ? 0 : -errno;
}

/* Listens where the port of another loop does. 0 or libuv's negative code. */
static int join_port(struct port *port, const struct port *first)
{
    struct sockaddr_storage address;
    const int rc = socket_address(first, &address);
    if (rc < 0)
        return rc;
    if (first->kind != PORT_UNIX && first->passed == NULL)
        return listen_tcp(port, &address);
    const int fd = fcntl(first->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? -errno : open_port(port, fd);
}

int ports_join(struct ports *ports, const struct ports *first, struct err *err)
{
    for (uint32_t i = 0; i < first->count; i++) {
        const struct port *other = &first->list[i];
        if (other->fd < 0)
            continue;
        const int rc = join_port(add_port(ports, other->kind, other->passed), other);
        if (rc < 0)
            return err_set(err, ERR_BAD_PARAMETER, "cannot listen with one more loop: %s", uv_strerror(rc));
    }
    return 0;
}

/* --- life --- */

struct ports *ports_new(struct conn_group *group)
{
    struct ports *ports = mem_zalloc(1, sizeof *ports);
    ports->group = group;
    ports->unix_socket.fd = -1;
    uv_timer_init(group->loop, &ports->pause);
    ports->pause.data = ports;
    return ports;
}

void ports_put_addresses(const struct ports *ports, struct buf *out)
{
    static const char *const NAMES[PORT_KIND_COUNT] = {
        [PORT_HTTP] = "http", [PORT_TCP] = "tcp", [PORT_UNIX] = "unix", [PORT_ADMIN] = "admin"};
    for (uint32_t i = 0; i < ports->count; i++) {
        const struct port *port = &ports->list[i];
        struct sockaddr_storage address;
        char text[ADDRESS_SIZE];
        if (port->fd < 0 || socket_address(port, &address) < 0)
            continue;
        address_format((const struct sockaddr *)&address, text);
        buf_printf(out, " %s=%s", NAMES[port->kind],
                   port->passed != NULL      ? port->passed
                   : port->kind == PORT_UNIX ? ports->unix_socket.path
                                             : text);
    }
}

void ports_close(struct ports *ports)
{
    for (uint32_t i = 0; i < ports->count; i++)
        close_port(&ports->list[i]);
    unix_socket_remove(&ports->unix_socket);
    if (!uv_is_closing((uv_handle_t *)&ports->pause))
        uv_close((uv_handle_t *)&ports->pause, NULL);
}

void ports_free(struct ports *ports) { free(ports); }
