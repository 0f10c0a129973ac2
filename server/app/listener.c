#include "listener.h"

#include "../base/mem.h"
#include "access_policy.h"
#include "address.h"
#include "conn.h"
#include "log.h"
#include "stats.h"
#include "unix_socket.h"
#include "watches.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    BACKLOG = 511,
    TICK_MS = 500, /* how precisely timeouts are kept */
    LINGER_MS = 2000,
    WARN_EVERY_MS = 10000,
    REFUSED_MAX = 64, /* connections above the limit that still get an answer */
};

enum { PORT_HTTP, PORT_TCP, PORT_UNIX, PORT_COUNT };

struct port {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    struct listener *listener;
    bool is_open;
    bool has_packets; /* beside HTTP */
};

struct listener {
    struct conn_shared shared;
    struct access access;
    struct port ports[PORT_COUNT];
    struct unix_socket unix_socket;
    uv_timer_t tick;
    bool is_stopped; /* accepts no more */
    uint64_t accept_warned_ms;
    uint64_t drain_deadline_ms;
    void (*drained)(void *user);
    void *user;
};

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
static void warn_of_accept(struct listener *listener, int status)
{
    const uint64_t now_ms = uv_now(listener->shared.loop);
    if (listener->accept_warned_ms != 0 && now_ms - listener->accept_warned_ms < WARN_EVERY_MS)
        return;
    listener->accept_warned_ms = now_ms;
    log_warn("a connection could not be accepted: %s", uv_strerror(status));
}

static void on_connection(uv_stream_t *server, int status)
{
    const struct port *port = server->data;
    struct listener *listener = port->listener;
    struct conn_shared *shared = &listener->shared;
    const uint64_t limit = shared->config->limits.value[LIMIT_CONNECTIONS];
    if (status < 0) {
        warn_of_accept(listener, status);
        return;
    }
    stats_add(STAT_CONNECTIONS_ACCEPTED, 1);
    stats_add(STAT_CONNECTIONS_REFUSED, shared->open_count >= limit);
    if (shared->open_count >= limit + REFUSED_MAX) {
        drop(shared->loop, server);
        return;
    }
    conn_accept(shared, server, port->has_packets, shared->open_count >= limit);
}

static void finish_drain(struct listener *listener)
{
    void (*drained)(void *) = listener->drained;
    if (drained == NULL || listener->shared.open_count > 0)
        return;
    listener->drained = NULL;
    uv_close((uv_handle_t *)&listener->tick, NULL);
    conn_shared_stop(&listener->shared);
    drained(listener->user);
}

static void on_conn_closed(struct conn_shared *shared)
{
    finish_drain((struct listener *)((char *)shared - offsetof(struct listener, shared)));
}

static void on_tick(uv_timer_t *timer)
{
    struct listener *listener = timer->data;
    conn_expire(&listener->shared);
    if (listener->drained != NULL && uv_now(timer->loop) >= listener->drain_deadline_ms) {
        log_warn("closing %u connections that did not finish in time", listener->shared.open_count);
        conn_close_all(&listener->shared);
        listener->drain_deadline_ms = UINT64_MAX;
    }
}

static void close_port(struct port *port)
{
    if (port->is_open)
        uv_close(&port->socket.handle, NULL);
    port->is_open = false;
}

/* name: the option's. */
static int bind_tcp(struct port *port, const char *name, const char *text, struct err *err)
{
    struct sockaddr_storage address;
    int rc = address_parse(text, &address, err);
    if (rc < 0)
        return err_prefix(err, "%s", name);
    uv_tcp_init(port->listener->shared.loop, &port->socket.tcp);
    port->socket.handle.data = port;
    port->is_open = true;
    rc = uv_tcp_bind(&port->socket.tcp, (const struct sockaddr *)&address, 0);
    if (rc == 0)
        rc = uv_listen(&port->socket.stream, BACKLOG, on_connection);
    if (rc == 0)
        return 0;
    close_port(port);
    return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s", text, uv_strerror(rc));
}

static int bind_unix(struct port *port, const struct config *config, struct err *err)
{
    struct unix_socket *own = &port->listener->unix_socket;
    unsigned mode = 0;
    (void)unix_socket_mode(config->unix_mode, &mode); /* options_check() has looked at it */
    if (unix_socket_listen(config->unix_path, mode, BACKLOG, own, err) < 0)
        return err->code;
    uv_pipe_init(port->listener->shared.loop, &port->socket.pipe, 0);
    port->socket.handle.data = port;
    port->is_open = true;
    int rc = uv_pipe_open(&port->socket.pipe, own->fd);
    if (rc == 0)
        rc = uv_listen(&port->socket.stream, BACKLOG, on_connection);
    return rc == 0 ? 0 : err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s", own->path, uv_strerror(rc));
}

static int bind_ports(struct listener *listener, const struct config *config, struct err *err)
{
    struct port *ports = listener->ports;
    for (int i = 0; i < PORT_COUNT; i++) {
        ports[i].listener = listener;
        ports[i].has_packets = i != PORT_HTTP;
    }
    if (strcmp(config->http, "none") != 0 && bind_tcp(&ports[PORT_HTTP], "http", config->http, err) < 0)
        return err->code;
    if (strcmp(config->tcp, "none") != 0 && bind_tcp(&ports[PORT_TCP], "tcp", config->tcp, err) < 0) {
        if (config->tcp != TCP_DEFAULT)
            return err->code;
        log_warn("no binary protocol on TCP: %s; --tcp says where else", err->message);
    }
    return config->unix_path == NULL ? 0 : bind_unix(&ports[PORT_UNIX], config, err);
}

static void close_ports(struct listener *listener)
{
    for (int i = 0; i < PORT_COUNT; i++)
        close_port(&listener->ports[i]);
    unix_socket_remove(&listener->unix_socket);
}

static void set_timeouts(struct timeouts *timeouts, const struct limits *limits)
{
    timeouts_init(timeouts, (const uint64_t[TIMEOUT_NONE]){
                                [TIMEOUT_FIRST] = limits->value[LIMIT_HEADER_TIME_MS],
                                [TIMEOUT_HEADER] = limits->value[LIMIT_HEADER_TIME_MS],
                                [TIMEOUT_BODY] = limits->value[LIMIT_BODY_TIME_MS],
                                [TIMEOUT_IDLE] = limits->value[LIMIT_IDLE_TIME_MS],
                                [TIMEOUT_WRITE] = limits->value[LIMIT_WRITE_TIME_MS],
                                [TIMEOUT_LINGER] = LINGER_MS,
                            });
}

int listener_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct listener **out,
                 struct err *err)
{
    struct listener *listener = mem_zalloc(1, sizeof *listener);
    listener->shared.loop = loop;
    listener->shared.config = config;
    listener->shared.budget = budget;
    listener->shared.closed = on_conn_closed;
    if (getrandom(&listener->shared.next_id, sizeof listener->shared.next_id, 0) < 0)
        listener->shared.next_id = uv_hrtime();
    set_timeouts(&listener->shared.timeouts, &config->limits);
    uv_timer_init(loop, &listener->tick);
    conn_shared_start(&listener->shared);
    listener->tick.data = listener;
    int rc = access_policy_init(config, &listener->access, err);
    listener->shared.access = &listener->access;
    if (rc == 0)
        rc = bind_ports(listener, config, err);
    if (rc < 0) {
        listener_free(listener);
        return rc;
    }
    uv_timer_start(&listener->tick, on_tick, TICK_MS, TICK_MS);
    *out = listener;
    return 0;
}

void listener_serve(struct listener *listener, struct service *service) { listener->shared.service = service; }

void listener_put_addresses(const struct listener *listener, struct buf *out)
{
    static const char *const NAMES[] = {[PORT_HTTP] = "http", [PORT_TCP] = "tcp"};
    for (int i = PORT_HTTP; i <= PORT_TCP; i++) {
        struct sockaddr_storage address = {0};
        int size = sizeof address;
        char text[ADDRESS_SIZE];
        if (!listener->ports[i].is_open)
            continue;
        uv_tcp_getsockname(&listener->ports[i].socket.tcp, (struct sockaddr *)&address, &size);
        address_format((const struct sockaddr *)&address, text);
        buf_printf(out, " %s=%s", NAMES[i], text);
    }
    if (listener->ports[PORT_UNIX].is_open)
        buf_printf(out, " unix=%s", listener->unix_socket.path);
}

void listener_drain(struct listener *listener, void (*drained)(void *user), void *user)
{
    const uint64_t length_ms = listener->shared.config->limits.value[LIMIT_DRAIN_TIME_MS];
    listener->drained = drained;
    listener->user = user;
    listener->drain_deadline_ms = uv_now(listener->shared.loop) + length_ms;
    listener->shared.is_draining = true;
    close_ports(listener);
    conn_drain(&listener->shared);
    finish_drain(listener);
}

void listener_free(struct listener *listener)
{
    if (listener == NULL)
        return;
    conn_close_all(&listener->shared);
    close_ports(listener);
    if (!uv_is_closing((uv_handle_t *)&listener->tick))
        uv_close((uv_handle_t *)&listener->tick, NULL);
    conn_shared_stop(&listener->shared);
    uv_run(listener->shared.loop, UV_RUN_DEFAULT);
    watches_free(listener->shared.watches);
    buf_fini(&listener->shared.unwrapped);
    access_fini(&listener->access);
    free(listener);
}
