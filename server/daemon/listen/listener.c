#include "daemon/listen/listener.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/conn/send_queue.h"
#include "daemon/listen/ports.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/packets/model_watches.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    TICK_MS = 500, /* how precisely timeouts are kept */
    LINGER_MS = 2000,
    STALL_MS = 1000, /* between two ticks: the server was stopped, or the machine is busy */
};

struct listener {
    struct conn_group shared;
    struct ports *ports;
    uv_timer_t tick;
    bool is_expecting; /* connections of other loops */
    uint64_t ticked_ms;
    bool is_patient; /* timeouts were not acted on at the last tick */
    uint64_t drain_deadline_ms;
    void (*drained)(void *user);
    void *user;
};

static void stop_ticking(struct listener *listener)
{
    if (uv_is_closing((uv_handle_t *)&listener->tick))
        return;
    uv_close((uv_handle_t *)&listener->tick, NULL);
    conn_group_stop(&listener->shared);
}

static void finish_drain(struct listener *listener)
{
    void (*drained)(void *) = listener->drained;
    if (drained == NULL || listener->shared.open_count > 0 || listener->is_expecting)
        return;
    listener->drained = NULL;
    stop_ticking(listener);
    drained(listener->user);
}

static void on_conn_closed(struct conn_group *shared) { finish_drain(container_of(shared, struct listener, shared)); }

static void on_tick(uv_timer_t *timer)
{
    struct listener *listener = timer->data;
    const uint64_t now_ms = uv_now(timer->loop);
    /* what came while the server was stopped is read first: the loop runs timers before it looks at sockets */
    listener->is_patient = !listener->is_patient && now_ms - listener->ticked_ms > STALL_MS;
    listener->ticked_ms = now_ms;
    if (!listener->is_patient)
        conn_group_expire(&listener->shared);
    if (listener->drained != NULL && uv_now(timer->loop) >= listener->drain_deadline_ms) {
        log_warn("closing %u connections that did not finish in time", listener->shared.open_count);
        conn_group_close_all(&listener->shared);
        listener->drain_deadline_ms = UINT64_MAX;
    }
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

int listener_new(uv_loop_t *loop, const struct listener_setup *setup, const struct listener *first,
                 struct listener **out, struct err *err)
{
    struct listener *listener = mem_zalloc(1, sizeof *listener);
    listener->shared.loop = loop;
    listener->shared.config = setup->config;
    listener->shared.budget = setup->budget;
    listener->shared.access = setup->access;
    listener->shared.all_open_count = setup->all_open_count;
    listener->shared.closed = on_conn_closed;
    if (getrandom(&listener->shared.next_id, sizeof listener->shared.next_id, 0) < 0)
        listener->shared.next_id = uv_hrtime();
    set_timeouts(&listener->shared.timeouts, &setup->config->limits);
    uv_timer_init(loop, &listener->tick);
    listener->tick.data = listener;
    listener->ports = ports_new(&listener->shared);
    conn_group_start(&listener->shared);
    const int rc = first == NULL ? ports_bind(listener->ports, err) : ports_join(listener->ports, first->ports, err);
    if (rc < 0) {
        listener_free(listener);
        return rc;
    }
    listener->ticked_ms = uv_now(loop);
    uv_timer_start(&listener->tick, on_tick, TICK_MS, TICK_MS);
    *out = listener;
    return 0;
}

void listener_serve(struct listener *listener, struct dispatcher *dispatcher)
{
    listener->shared.dispatcher = dispatcher;
}
struct conn_group *listener_connections(struct listener *listener) { return &listener->shared; }

void listener_expect(struct listener *listener, bool may_come)
{
    listener->is_expecting = may_come;
    finish_drain(listener);
}

void listener_put_addresses(const struct listener *listener, struct buf *out)
{
    ports_put_addresses(listener->ports, out);
}

void listener_drain(struct listener *listener, void (*drained)(void *user), void *user)
{
    const uint64_t length_ms = listener->shared.config->limits.value[LIMIT_DRAIN_TIME_MS];
    listener->drained = drained;
    listener->user = user;
    listener->drain_deadline_ms = uv_now(listener->shared.loop) + length_ms;
    listener->shared.is_draining = true;
    ports_close(listener->ports);
    conn_group_drain(&listener->shared);
    finish_drain(listener);
}

void listener_free(struct listener *listener)
{
    if (listener == NULL)
        return;
    conn_group_close_all(&listener->shared);
    ports_close(listener->ports);
    stop_ticking(listener);
    uv_run(listener->shared.loop, UV_RUN_DEFAULT);
    model_watches_free(listener->shared.watches);
    prepared_queries_free(listener->shared.memo);
    buf_fini(&listener->shared.plain_tags);
    send_queue_thread_end();
    buf_fini(&listener->shared.unwrapped);
    ports_free(listener->ports);
    free(listener);
}
