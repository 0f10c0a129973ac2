#include "daemon/dispatch/hub.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/cache/cache.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)CONFIG_LOOPS_MAX <= (int)SHARED_MODEL_HOLDERS_MAX, "every loop for clients holds models");

struct hub_member {
    struct dispatcher *dispatcher; /* NULL after it has ended */
    struct message_queue *queue;   /* NULL: it handles messages directly */
    void (*take_notice)(struct message *notice);
};

struct hub {
    uv_loop_t *loop;
    struct service *service;
    struct conn_group *main_connections;
    struct message_queue queue; /* from members with a queue of their own */
    struct hub_member members[STATS_THREADS_MAX];
    uint32_t member_count; /* the first is the main loop's */
    uint32_t queue_count;  /* members with a queue that have not ended */
    struct cache_listener listener;
    void (*ended)(void *user);
    void *user;
};

void hub_post(struct hub *hub, struct message *message) { message_queue_post(&hub->queue, message); }
void hub_wake(struct hub *hub) { message_queue_wake(&hub->queue); }
struct conn_group *hub_connections(const struct hub *hub) { return hub->main_connections; }
struct service *hub_service(const struct hub *hub) { return hub->service; }

static void deliver(const struct hub *hub, uint32_t to, struct message *message)
{
    struct message_queue *queue = hub->members[to].queue;
    if (queue == NULL)
        message->take(message);
    else
        message_queue_post(queue, message);
}

/* --- calls --- */

static void share_model(struct forwarded_call *forwarded, const char *path)
{
    if (forwarded->model_count == sizeof forwarded->models / sizeof forwarded->models[0])
        return;
    struct shared_model *shared = cache_share(service_cache(forwarded->hub->service), path);
    if (shared == NULL)
        return;
    shared->holders |= UINT64_C(1) << forwarded->from;
    forwarded->models[forwarded->model_count++] = shared;
}

static void share_models(struct forwarded_call *forwarded, const struct request *request)
{
    if (request->model != NULL)
        share_model(forwarded, request->model);
    for (uint32_t i = 0; i < request->source_count; i++)
        share_model(forwarded, request->sources[i].path);
}

/* Shares the models of a call, so that the dispatcher can answer the next such call alone. */
static void share_models_of_call(struct forwarded_call *forwarded)
{
    const struct request *request = &forwarded->call.request;
    const char *last = ""; /* consecutive queries often use the same model */
    if (!op_has(request->op, OP_BATCH))
        share_models(forwarded, request);
    for (uint32_t i = 0; i < request->query_count; i++) {
        const struct request_query *query = &request->queries[i];
        if (query->err.code != 0 || query->request.model == NULL || strcmp(query->request.model, last) == 0)
            continue;
        last = query->request.model;
        share_models(forwarded, &query->request);
    }
}

static void on_done(struct call *call, struct reply *reply)
{
    struct forwarded_call *forwarded = container_of(call, struct forwarded_call, call);
    forwarded->is_answered = true;
    forwarded->reply = *reply;
    budget_count(forwarded->budget, &forwarded->counted_bytes,
                 reply->body.capacity_bytes + (reply->rest == NULL ? 0 : reply->rest->held_bytes(reply->rest)));
    if (reply->code == 0 && forwarded->wants_models && forwarded->from < SHARED_MODEL_HOLDERS_MAX)
        share_models_of_call(forwarded);
    deliver(forwarded->hub, forwarded->from, &forwarded->back);
}

void hub_take_call(struct message *there)
{
    struct forwarded_call *forwarded = container_of(there, struct forwarded_call, there);
    forwarded->call = (struct call){.request = forwarded->asked->request,
                                    .lasting = &forwarded->asked->request,
                                    .pieces = forwarded->asked->pieces,
                                    .upload = forwarded->asked->upload,
                                    .spent_ns = forwarded->asked->spent_ns,
                                    .done = on_done};
    service_handle(forwarded->hub->service, &forwarded->call);
}

void hub_take_cancel(struct message *cancel)
{
    struct forwarded_call *forwarded = container_of(cancel, struct forwarded_call, cancel);
    if (!forwarded->is_answered)
        service_cancel(&forwarded->call);
    deliver(forwarded->hub, forwarded->from, &forwarded->cancelled);
}

/* --- notices of the cache --- */

static void notify(const struct hub *hub, uint32_t to, struct shared_model *invalid, const char *path)
{
    const struct hub_member *member = &hub->members[to];
    const size_t path_size = strlen(path) + 1;
    if (member->dispatcher == NULL)
        return;
    struct hub_notice *notice = mem_zalloc(1, sizeof *notice + path_size);
    notice->message.take = member->take_notice;
    notice->dispatcher = member->dispatcher;
    notice->invalid = invalid == NULL ? NULL : shared_model_ref(invalid);
    memcpy(notice->path, path, path_size);
    deliver(hub, to, &notice->message);
}

static void on_invalidated(struct cache_listener *listener, struct shared_model *shared)
{
    const struct hub *hub = container_of(listener, struct hub, listener);
    for (uint32_t i = 0; i < hub->member_count && i < SHARED_MODEL_HOLDERS_MAX; i++)
        if ((shared->holders >> i & 1) != 0)
            notify(hub, i, shared, "");
}

static void on_changed(struct cache_listener *listener, const char *path)
{
    const struct hub *hub = container_of(listener, struct hub, listener);
    for (uint32_t i = 0; i < hub->member_count; i++)
        notify(hub, i, NULL, path);
}

/* --- life --- */

struct hub *hub_new(uv_loop_t *loop, struct service *service, struct conn_group *main_connections)
{
    struct hub *hub = mem_zalloc(1, sizeof *hub);
    hub->service = service;
    hub->main_connections = main_connections;
    hub->listener.changed = on_changed;
    hub->listener.invalidated = on_invalidated;
    hub->loop = loop;
    cache_listen(service_cache(service), &hub->listener);
    return hub;
}

uint32_t hub_add(struct hub *hub, struct dispatcher *dispatcher, struct message_queue *queue,
                 void (*take)(struct message *notice))
{
    const bool is_main = hub->member_count == 0;
    if (!is_main && hub->queue_count++ == 0)
        message_queue_init(&hub->queue, hub->loop);
    hub->members[hub->member_count] =
        (struct hub_member){.dispatcher = dispatcher, .queue = is_main ? NULL : queue, .take_notice = take};
    return hub->member_count++;
}

void hub_on_end(struct hub *hub, void (*ended)(void *user), void *user)
{
    hub->ended = ended;
    hub->user = user;
}

/* This is the last message to the dispatcher. */
void hub_take_shutdown(struct message *there)
{
    struct shutdown_message *shutdown = container_of(there, struct shutdown_message, there);
    struct hub *hub = shutdown->hub;
    hub->members[shutdown->from].dispatcher = NULL;
    deliver(hub, shutdown->from, &shutdown->back);
    if (--hub->queue_count > 0)
        return;
    message_queue_close(&hub->queue, NULL);
    hub->ended(hub->user);
}

void hub_free(struct hub *hub) { free(hub); }
