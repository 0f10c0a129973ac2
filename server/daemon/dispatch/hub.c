#include "daemon/dispatch/hub.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/dispatch/dispatch_messages.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct hub {
    struct service *service;
    struct conn_group *main_connections;
    struct message_queue mailbox;
    struct dispatcher *fronts[STATS_THREADS_MAX]; /* NULL: it has ended */
    uint32_t front_count, ended_count;
    struct cache_listener listener;
    struct cache_holder borrower;
    void (*ended)(void *user);
    void *user;
};

void hub_post(struct hub *hub, struct message *message) { message_queue_post(&hub->mailbox, message); }
void hub_wake(struct hub *hub) { message_queue_wake(&hub->mailbox); }
struct conn_group *hub_connections(const struct hub *hub) { return hub->main_connections; }

/* --- calls --- */

static uint32_t number_of(const struct hub *hub, const struct dispatcher *dispatcher)
{
    uint32_t number = 0;
    while (hub->fronts[number] != dispatcher)
        number++;
    return number;
}

/* The next request for these models needs nobody from here. */
static void lend(struct forwarded_call *forward)
{
    const struct request *request = &forward->call.request;
    struct hub *hub = forward->hub;
    const uint64_t holder = UINT64_C(1) << number_of(hub, forward->dispatcher);
    if (!dispatcher_answers(request->op))
        return;
    for (uint32_t i = 0; i <= request->source_count; i++) {
        const char *path = i == 0 ? request->model : request->sources[i - 1].path;
        struct shared_model *shared = service_share(hub->service, path);
        if (shared == NULL)
            continue;
        shared->holders |= holder;
        forward->hots[forward->hot_count++] = shared;
    }
}

static void on_done(struct call *call, struct reply *reply)
{
    struct forwarded_call *forward = container_of(call, struct forwarded_call, call);
    forward->is_answered = true;
    forward->reply = *reply;
    budget_count(forward->budget, &forward->counted_bytes,
                 reply->body.capacity_bytes + (reply->source == NULL ? 0 : reply->source->held_bytes(reply->source)));
    if (reply->code == 0)
        lend(forward);
    dispatcher_post(forward->dispatcher, &forward->back);
}

void hub_take_forward(struct message *message)
{
    struct forwarded_call *forward = container_of(message, struct forwarded_call, there);
    forward->call = (struct call){.request = forward->asked->request,
                                  .lasting = &forward->asked->request,
                                  .pieces = forward->asked->pieces,
                                  .done = on_done};
    service_handle(forward->hub->service, &forward->call);
}

void hub_take_cancel(struct message *message)
{
    struct forwarded_call *forward = container_of(message, struct forwarded_call, cancel);
    if (!forward->is_answered)
        service_cancel(forward->hub->service, &forward->call);
    dispatcher_post(forward->dispatcher, &forward->cancelled);
}

/* --- what the cache tells --- */

static void on_taken_back(struct cache_holder *borrower, struct shared_model *shared)
{
    struct hub *hub = container_of(borrower, struct hub, borrower);
    for (uint32_t i = 0; i < hub->front_count; i++) {
        if (hub->fronts[i] == NULL || (shared->holders >> i & 1) == 0)
            continue;
        struct invalidation *recall = mem_zalloc(1, sizeof *recall);
        recall->message.take = dispatcher_take_invalidation;
        recall->dispatcher = hub->fronts[i];
        recall->shared = shared_model_ref(shared);
        dispatcher_post(recall->dispatcher, &recall->message);
    }
}

static void on_changed(struct cache_listener *listener, const char *path)
{
    struct hub *hub = container_of(listener, struct hub, listener);
    const size_t path_size = strlen(path) + 1;
    for (uint32_t i = 0; i < hub->front_count; i++) {
        if (hub->fronts[i] == NULL)
            continue;
        struct change_notice *change = mem_zalloc(1, sizeof *change + path_size);
        change->message.take = dispatcher_take_change;
        change->dispatcher = hub->fronts[i];
        memcpy(change->path, path, path_size);
        dispatcher_post(change->dispatcher, &change->message);
    }
}

/* --- life --- */

struct hub *hub_new(uv_loop_t *loop, struct service *service, struct conn_group *main_connections)
{
    struct hub *hub = mem_zalloc(1, sizeof *hub);
    hub->service = service;
    hub->main_connections = main_connections;
    hub->listener.changed = on_changed;
    hub->borrower.taken_back = on_taken_back;
    message_queue_init(&hub->mailbox, loop);
    service_listen(service, &hub->listener);
    service_set_holder(service, &hub->borrower);
    return hub;
}

void hub_add(struct hub *hub, struct dispatcher *dispatcher) { hub->fronts[hub->front_count++] = dispatcher; }

void hub_on_end(struct hub *hub, void (*ended)(void *user), void *user)
{
    hub->ended = ended;
    hub->user = user;
}

/* Nothing is posted to the dispatcher behind its end. */
void hub_take_farewell(struct message *message)
{
    struct shutdown_message *farewell = container_of(message, struct shutdown_message, message);
    struct hub *hub = farewell->hub;
    struct dispatcher *dispatcher = farewell->dispatcher;
    hub->fronts[number_of(hub, dispatcher)] = NULL;
    dispatcher_post(dispatcher, dispatcher_end_message(dispatcher));
    if (++hub->ended_count < hub->front_count)
        return;
    message_queue_close(&hub->mailbox);
    hub->ended(hub->user);
}

void hub_free(struct hub *hub) { free(hub); }
