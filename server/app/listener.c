#include "listener.h"

#include "../base/mem.h"
#include "access_policy.h"
#include "conn.h"
#include "log.h"
#include "stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    BACKLOG = 511,
    TICK_MS = 500, /* how precisely timeouts are kept */
    LINGER_MS = 2000,
    WARN_EVERY_MS = 10000,
    REFUSED_MAX = 64, /* connections above the limit that still get an answer */
};

struct listener {
    struct conn_shared shared;
    struct access access;
    uv_tcp_t tcp;
    uv_timer_t tick;
    bool is_stopped; /* accepts no more */
    uint64_t accept_warned_ms;
    uint64_t drain_deadline_ms;
    void (*drained)(void *user);
    void *user;
};

static void on_dropped(uv_handle_t *handle) { free(handle); }

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
    struct listener *listener = server->data;
    struct conn_shared *shared = &listener->shared;
    const uint64_t limit = shared->config->limits.value[LIMIT_CONNECTIONS];
    if (status < 0) {
        warn_of_accept(listener, status);
        return;
    }
    stats_add(STAT_CONNECTIONS_ACCEPTED, 1);
    stats_add(STAT_CONNECTIONS_REFUSED, shared->open_count >= limit);
    if (shared->open_count >= limit + REFUSED_MAX) {
        uv_tcp_t *dropped = mem_zalloc(1, sizeof *dropped);
        uv_tcp_init(shared->loop, dropped);
        uv_accept(server, (uv_stream_t *)dropped);
        uv_close((uv_handle_t *)dropped, on_dropped);
        return;
    }
    conn_accept(shared, server, shared->open_count >= limit);
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

static int bind_http(struct listener *listener, const char *text, struct err *err)
{
    struct sockaddr_storage address;
    int rc = address_parse(text, &address, err);
    if (rc < 0)
        return err_prefix(err, "http");
    rc = uv_tcp_bind(&listener->tcp, (const struct sockaddr *)&address, 0);
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)&listener->tcp, BACKLOG, on_connection);
    if (rc < 0)
        return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s", text, uv_strerror(rc));
    return 0;
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

int listener_new(uv_loop_t *loop, const struct config *config, struct listener **out, struct err *err)
{
    struct listener *listener = mem_zalloc(1, sizeof *listener);
    listener->shared.loop = loop;
    listener->shared.config = config;
    listener->shared.closed = on_conn_closed;
    if (getrandom(&listener->shared.next_id, sizeof listener->shared.next_id, 0) < 0)
        listener->shared.next_id = uv_hrtime();
    set_timeouts(&listener->shared.timeouts, &config->limits);
    uv_tcp_init(loop, &listener->tcp);
    uv_timer_init(loop, &listener->tick);
    conn_shared_start(&listener->shared);
    listener->tcp.data = listener->tick.data = listener;
    int rc = access_policy_init(config, &listener->access, err);
    listener->shared.access = &listener->access;
    if (rc == 0)
        rc = bind_http(listener, config->http, err);
    if (rc < 0) {
        listener_free(listener);
        return rc;
    }
    uv_timer_start(&listener->tick, on_tick, TICK_MS, TICK_MS);
    *out = listener;
    return 0;
}

void listener_serve(struct listener *listener, struct service *service) { listener->shared.service = service; }

void listener_address(const struct listener *listener, char out[ADDRESS_SIZE])
{
    struct sockaddr_storage address = {0};
    int size = sizeof address;
    uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&address, &size);
    address_format((const struct sockaddr *)&address, out);
}

void listener_drain(struct listener *listener, void (*drained)(void *user), void *user)
{
    const uint64_t length_ms = listener->shared.config->limits.value[LIMIT_DRAIN_TIME_MS];
    listener->drained = drained;
    listener->user = user;
    listener->drain_deadline_ms = uv_now(listener->shared.loop) + length_ms;
    listener->shared.is_draining = true;
    uv_close((uv_handle_t *)&listener->tcp, NULL);
    conn_drain(&listener->shared);
    finish_drain(listener);
}

void listener_free(struct listener *listener)
{
    if (listener == NULL)
        return;
    conn_close_all(&listener->shared);
    if (!uv_is_closing((uv_handle_t *)&listener->tcp))
        uv_close((uv_handle_t *)&listener->tcp, NULL);
    if (!uv_is_closing((uv_handle_t *)&listener->tick))
        uv_close((uv_handle_t *)&listener->tick, NULL);
    conn_shared_stop(&listener->shared);
    uv_run(listener->shared.loop, UV_RUN_DEFAULT);
    access_fini(&listener->access);
    free(listener);
}
