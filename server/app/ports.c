#include "ports.h"

#include "../base/mem.h"
#include "address.h"
#include "log.h"
#include "stats.h"
#include "unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BACKLOG = 511,
    WARN_EVERY_MS = 10000,
    REFUSED_MAX = 64,      /* connections above the limit that still get an answer */
    ACCEPTS_PER_TURN = 16, /* at a port; those that were accepted before have their turn then */
};

enum { PORT_HTTP, PORT_TCP, PORT_UNIX, PORT_COUNT };

struct port {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    struct ports *ports;
    bool is_open;
    bool has_packets; /* beside HTTP */
    bool is_waiting;  /* a connection, for the next turn of the loop; libuv takes no other from the system until then */
    uint32_t accepted_count; /* in this turn */
};

struct ports {
    struct conn_shared *shared;
    struct port list[PORT_COUNT];
    struct unix_socket unix_socket;
    uv_check_t turn;
    uint64_t accept_warned_ms;
};

/* --- accepting --- */

static void on_dropped(uv_handle_t *handle) { free(handle); }

/* Takes the waiting connection and closes it. */
static void drop(uv_loop_t *loop, uv_stream_t *server)
{
    union {
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } *dropped = mem_zalloc(1, sizeof *dropped);
    if (server->type == UV_TCP)
        uv_tcp_init(loop, &dropped->tcp);
    else
        uv_pipe_init(loop, &dropped->pipe, 0);
    uv_accept(server, (uv_stream_t *)dropped);
    uv_close((uv_handle_t *)dropped, on_dropped);
}

/* Once in a while: the same failure comes back at every turn of the loop. */
static void warn_of_accept(struct ports *ports, int status)
{
    const uint64_t now_ms = uv_now(ports->shared->loop);
    if (ports->accept_warned_ms != 0 && now_ms - ports->accept_warned_ms < WARN_EVERY_MS)
        return;
    ports->accept_warned_ms = now_ms;
    log_warn("a connection could not be accepted: %s", uv_strerror(status));
}

static void accept_one(const struct port *port, uv_stream_t *server)
{
    struct conn_shared *shared = port->ports->shared;
    const uint64_t limit = shared->config->limits.value[LIMIT_CONNECTIONS];
    const uint64_t open_count = atomic_load_explicit(shared->all_open_count, memory_order_relaxed);
    stats_add(STAT_CONNECTIONS_ACCEPTED, 1);
    stats_add(STAT_CONNECTIONS_REFUSED, open_count >= limit);
    if (open_count >= limit + REFUSED_MAX) {
        drop(shared->loop, server);
        return;
    }
    conn_accept(shared, server, port->has_packets, open_count >= limit);
}

/* libuv calls as long as there is a connection to accept: a client that opens one after the other must neither keep us
 * from seeing how they end nor take the time of all others. */
static void on_connection(uv_stream_t *server, int status)
{
    struct port *port = server->data;
    if (status < 0)
        warn_of_accept(port->ports, status);
    else if (port->accepted_count == ACCEPTS_PER_TURN)
        port->is_waiting = true;
    else {
        port->accepted_count++;
        accept_one(port, server);
    }
}

static void on_turn(uv_check_t *check)
{
    struct ports *ports = check->data;
    for (int i = 0; i < PORT_COUNT; i++) {
        struct port *port = &ports->list[i];
        const bool is_waiting = port->is_waiting;
        port->accepted_count = is_waiting;
        port->is_waiting = false;
        if (is_waiting && port->is_open)
            accept_one(port, &port->socket.stream);
    }
}

/* --- listening --- */

static void close_port(struct port *port)
{
    if (port->is_open)
        uv_close(&port->socket.handle, NULL);
    port->is_open = false;
}

static int fail(const char *where, int rc, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s", where, uv_strerror(rc));
}

static bool is_shared(const struct port *port) { return port->ports->shared->config->loops > 1; }

/* Where several sockets may listen at an address, another server's could be among them: so it is tried whether it is
 * free for one that shares it with nobody. 0 or libuv's negative code. */
static int try_alone(const struct sockaddr_storage *address)
{
    const int on = 1, size = address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* as libuv does */
    const int rc = bind(fd, (const struct sockaddr *)address, (socklen_t)size) == 0 ? 0 : -errno;
    close(fd);
    return rc;
}

static int share(uv_tcp_t *tcp)
{
    const int on = 1;
    uv_os_fd_t fd;
    const int rc = uv_fileno((uv_handle_t *)tcp, &fd);
    if (rc < 0)
        return rc;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0 ? 0 : -errno;
}

/* 0 or libuv's negative code. */
static int listen_tcp(struct port *port, const struct sockaddr_storage *address)
{
    int rc = uv_tcp_init_ex(port->ports->shared->loop, &port->socket.tcp, address->ss_family);
    if (rc < 0)
        return rc;
    port->socket.handle.data = port;
    port->is_open = true;
    if (is_shared(port))
        rc = share(&port->socket.tcp);
    if (rc == 0)
        rc = uv_tcp_bind(&port->socket.tcp, (const struct sockaddr *)address, 0);
    if (rc == 0)
        rc = uv_listen(&port->socket.stream, BACKLOG, on_connection);
    if (rc < 0)
        close_port(port);
    return rc;
}

/* name: the option's. */
static int bind_tcp(struct port *port, const char *name, const char *text, struct err *err)
{
    struct sockaddr_storage address;
    if (address_parse(text, &address, err) < 0)
        return err_prefix(err, "%s", name);
    int rc = is_shared(port) ? try_alone(&address) : 0;
    if (rc == 0)
        rc = listen_tcp(port, &address);
    return rc == 0 ? 0 : fail(text, rc, err);
}

/* fd: a listening socket, the port's from now on. */
static int listen_unix(struct port *port, int fd)
{
    uv_pipe_init(port->ports->shared->loop, &port->socket.pipe, 0);
    port->socket.handle.data = port;
    port->is_open = true;
    const int rc = uv_pipe_open(&port->socket.pipe, fd);
    return rc == 0 ? uv_listen(&port->socket.stream, BACKLOG, on_connection) : rc;
}

static int bind_unix(struct port *port, const struct config *config, struct err *err)
{
    struct unix_socket *own = &port->ports->unix_socket;
    unsigned mode = 0;
    (void)unix_socket_mode(config->unix_mode, &mode); /* options_check() has looked at it */
    if (unix_socket_listen(config->unix_path, mode, BACKLOG, own, err) < 0)
        return err->code;
    const int rc = listen_unix(port, own->fd);
    return rc == 0 ? 0 : fail(own->path, rc, err);
}

int ports_bind(struct ports *ports, struct err *err)
{
    const struct config *config = ports->shared->config;
    struct port *list = ports->list;
    if (strcmp(config->http, "none") != 0 && bind_tcp(&list[PORT_HTTP], "http", config->http, err) < 0)
        return err->code;
    if (strcmp(config->tcp, "none") != 0 && bind_tcp(&list[PORT_TCP], "tcp", config->tcp, err) < 0) {
        if (config->tcp != TCP_DEFAULT)
            return err->code;
        log_warn("no binary protocol on TCP: %s; --tcp says where else", err->message);
    }
    return config->unix_path == NULL ? 0 : bind_unix(&list[PORT_UNIX], config, err);
}

/* Listens where the port of another loop does. 0 or libuv's negative code. */
static int join_port(struct port *port, const struct port *first)
{
    struct sockaddr_storage address = {0};
    int size = sizeof address;
    if (first->socket.handle.type == UV_TCP) {
        const int rc = uv_tcp_getsockname(&first->socket.tcp, (struct sockaddr *)&address, &size);
        return rc == 0 ? listen_tcp(port, &address) : rc;
    }
    const int fd = fcntl(first->ports->unix_socket.fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? -errno : listen_unix(port, fd);
}

int ports_join(struct ports *ports, const struct ports *first, struct err *err)
{
    for (int i = 0; i < PORT_COUNT; i++) {
        const int rc = first->list[i].is_open ? join_port(&ports->list[i], &first->list[i]) : 0;
        if (rc < 0)
            return err_set(err, ERR_BAD_PARAMETER, "cannot listen with one more loop: %s", uv_strerror(rc));
    }
    return 0;
}

/* --- life --- */

struct ports *ports_new(struct conn_shared *shared)
{
    struct ports *ports = mem_zalloc(1, sizeof *ports);
    ports->shared = shared;
    ports->turn.data = ports;
    for (int i = 0; i < PORT_COUNT; i++) {
        ports->list[i].ports = ports;
        ports->list[i].has_packets = i != PORT_HTTP;
    }
    uv_check_init(shared->loop, &ports->turn);
    uv_check_start(&ports->turn, on_turn);
    uv_unref((uv_handle_t *)&ports->turn);
    return ports;
}

void ports_put_addresses(const struct ports *ports, struct buf *out)
{
    static const char *const NAMES[] = {[PORT_HTTP] = "http", [PORT_TCP] = "tcp"};
    for (int i = PORT_HTTP; i <= PORT_TCP; i++) {
        struct sockaddr_storage address = {0};
        int size = sizeof address;
        char text[ADDRESS_SIZE];
        if (!ports->list[i].is_open)
            continue;
        uv_tcp_getsockname(&ports->list[i].socket.tcp, (struct sockaddr *)&address, &size);
        address_format((const struct sockaddr *)&address, text);
        buf_printf(out, " %s=%s", NAMES[i], text);
    }
    if (ports->list[PORT_UNIX].is_open)
        buf_printf(out, " unix=%s", ports->unix_socket.path);
}

void ports_close(struct ports *ports)
{
    for (int i = 0; i < PORT_COUNT; i++)
        close_port(&ports->list[i]);
    unix_socket_remove(&ports->unix_socket);
    if (!uv_is_closing((uv_handle_t *)&ports->turn))
        uv_close((uv_handle_t *)&ports->turn, NULL);
}

void ports_free(struct ports *ports) { free(ports); }
