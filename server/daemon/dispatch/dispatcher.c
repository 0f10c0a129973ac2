#include "daemon/dispatch/dispatcher.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/service/evaluator.h"
#include "daemon/dispatch/dispatch_messages.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* A model that the dispatcher may answer from. */
struct known_model {
    struct shared_model *shared; /* a reference */
    UT_hash_handle hh;
};

struct dispatcher {
    struct service *service; /* of the main loop, where there is nothing else; else NULL */
    struct hub *hub;
    struct message_queue mailbox;
    struct evaluator evaluator;
    struct known_model *lents; /* by path */
    struct cache_listener *listeners;
    bool is_asked, is_quiet;      /* whether the kernel was asked for events at this moment; it had none */
    uint32_t under_way;           /* forwards that are not freed */
    bool is_ending;               /* dispatcher_end() was called */
    uint64_t used_bytes;          /* of the budget, a turn ago */
    uint_fast32_t shortages_told; /* of it, when the main loop was woken last */
    struct shutdown_message farewell;
    struct message end; /* the hub's answer to that */
};

/* --- what is in memory --- */

bool dispatcher_answers(enum op op)
{
    switch (op) {
    case OP_MODEL:
    case OP_PALETTE:
    case OP_POSE:
    case OP_MESH:
    case OP_BOUNDS:
    case OP_OPEN:
    case OP_FIND:
        return true;
    default:
        return false;
    }
}

/* Asks the kernel once a moment. */
static bool is_quiet(struct dispatcher *dispatcher, const struct shared_model *shared)
{
    if (shared->set == NULL)
        return true;
    if (!dispatcher->is_asked)
        dispatcher->is_quiet = folder_watch_set_is_quiet(shared->set);
    dispatcher->is_asked = true;
    return dispatcher->is_quiet;
}

/* The model, with the content that the request wants, as it is now; or NULL. */
static struct shared_model *find(struct dispatcher *dispatcher, const char *path, const char *hash, uint64_t now_ms)
{
    struct known_model *lent;
    HASH_FIND_STR(dispatcher->lents, path, lent);
    /* the kernel first: what it has told is in the counts */
    if (lent == NULL || !is_quiet(dispatcher, lent->shared) || !shared_model_is_current(lent->shared, now_ms))
        return NULL;
    return hash == NULL || strcmp(hash, lent->shared->imported->hash) == 0 ? lent->shared : NULL;
}

static bool answer_here(struct dispatcher *dispatcher, struct call *call, struct reply *reply)
{
    const struct request *request = &call->request;
    const uint64_t now_ms = cache_now_ms();
    struct imported_model *clips[REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX];
    struct shared_model *shared =
        dispatcher_answers(request->op) ? find(dispatcher, request->model, request->hash, now_ms) : NULL;
    if (shared == NULL || (request_needs_pixels(request) && !shared->imported->has_pixels))
        return false;
    for (uint32_t i = 0; i < request->source_count; i++) {
        struct shared_model *clip = find(dispatcher, request->sources[i].path, request->sources[i].hash, now_ms);
        if (clip == NULL)
            return false;
        shared_model_touch(clip, now_ms);
        clips[i] = clip->imported;
        sources[i] = &clip->imported->model;
    }
    const struct evaluation evaluation = {.request = request,
                                          .imported = shared->imported,
                                          .clips = clips,
                                          .sources = sources,
                                          .clip_count = request->source_count};
    if (!evaluator_answer(&dispatcher->evaluator, &evaluation, &call->spent_ns, reply))
        return false;
    shared_model_touch(shared, now_ms);
    stats_add(STAT_CACHE_HITS, 1 + request->source_count);
    evaluation_end_reply(reply, shared->imported);
    return true;
}

bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply)
{
    const struct request *request = &query->request;
    if (dispatcher->service != NULL)
        return service_answer_query(dispatcher->service, query, key, reply);
    const uint64_t now_ms = cache_now_ms();
    struct shared_model *shared = find(dispatcher, request->model, request->hash, now_ms);
    if (shared == NULL || !evaluator_answer_query(&dispatcher->evaluator, query, key, shared->imported, reply))
        return false;
    shared_model_touch(shared, now_ms);
    stats_add(STAT_CACHE_HITS, 1);
    evaluation_end_reply(reply, shared->imported);
    return true;
}

static void forget(struct dispatcher *dispatcher, struct known_model *lent)
{
    HASH_DEL(dispatcher->lents, lent);
    shared_model_unref(lent->shared);
    free(lent);
}

/* Takes the reference. */
static void learn(struct dispatcher *dispatcher, struct shared_model *shared)
{
    struct known_model *lent;
    HASH_FIND_STR(dispatcher->lents, shared->path, lent);
    if (lent != NULL)
        forget(dispatcher, lent);
    lent = mem_zalloc(1, sizeof *lent);
    lent->shared = shared;
    HASH_ADD_KEYPTR(hh, dispatcher->lents, shared->path, strlen(shared->path), lent);
}

void dispatcher_take_invalidation(struct message *message)
{
    struct invalidation *recall = container_of(message, struct invalidation, message);
    struct known_model *lent;
    HASH_FIND_STR(recall->dispatcher->lents, recall->shared->path, lent);
    if (lent != NULL && lent->shared == recall->shared)
        forget(recall->dispatcher, lent);
    shared_model_unref(recall->shared);
    free(recall);
}

/* --- what the main loop does --- */

static void say_farewell(struct dispatcher *dispatcher)
{
    if (!dispatcher->is_ending || dispatcher->under_way > 0)
        return;
    dispatcher->farewell =
        (struct shutdown_message){.message.take = hub_take_farewell, .hub = dispatcher->hub, .dispatcher = dispatcher};
    hub_post(dispatcher->hub, &dispatcher->farewell.message);
}

static void free_when_done(struct forwarded_call *forward)
{
    struct dispatcher *dispatcher = forward->dispatcher;
    if (!forward->is_back || forward->is_cancelling != forward->is_cancelled)
        return;
    free(forward);
    dispatcher->under_way--;
    say_farewell(dispatcher);
}

static void forward(struct dispatcher *dispatcher, struct call *call)
{
    struct forwarded_call *forward = mem_zalloc(1, sizeof *forward);
    forward->there.take = hub_take_forward;
    forward->back.take = dispatcher_take_back;
    forward->cancel.take = hub_take_cancel;
    forward->cancelled.take = dispatcher_take_cancelled;
    forward->dispatcher = dispatcher;
    forward->hub = dispatcher->hub;
    forward->budget = dispatcher->evaluator.budget;
    forward->asked = call;
    call->waiting = forward;
    dispatcher->under_way++;
    stats_add(STAT_LOOPS_FORWARDED, 1);
    hub_post(dispatcher->hub, &forward->there);
}

void dispatcher_take_back(struct message *message)
{
    struct forwarded_call *forward = container_of(message, struct forwarded_call, back);
    for (uint32_t i = 0; i < forward->hot_count; i++)
        learn(forward->dispatcher, forward->hots[i]);
    forward->is_back = true;
    forward->asked->waiting = NULL;
    forward->asked->done(forward->asked, &forward->reply);
    budget_count(forward->budget, &forward->counted_bytes, 0);
    free_when_done(forward);
}

void dispatcher_take_cancelled(struct message *message)
{
    struct forwarded_call *forward = container_of(message, struct forwarded_call, cancelled);
    forward->is_cancelled = true;
    free_when_done(forward);
}

void dispatcher_handle(struct dispatcher *dispatcher, struct call *call)
{
    struct reply reply;
    if (dispatcher->service != NULL) {
        service_handle(dispatcher->service, call);
        return;
    }
    reply_init(&reply);
    if (answer_here(dispatcher, call, &reply))
        call->done(call, &reply);
    else
        forward(dispatcher, call);
}

void dispatcher_cancel(struct dispatcher *dispatcher, struct call *call)
{
    struct forwarded_call *forward = call->waiting;
    if (dispatcher->service != NULL) {
        service_cancel(dispatcher->service, call);
        return;
    }
    call->is_abandoned = true;
    if (forward->is_cancelling)
        return;
    forward->is_cancelling = true;
    hub_post(dispatcher->hub, &forward->cancel);
}

/* --- changes --- */

void dispatcher_listen(struct dispatcher *dispatcher, struct cache_listener *listener)
{
    if (dispatcher->service != NULL)
        service_listen(dispatcher->service, listener);
    else
        DL_APPEND(dispatcher->listeners, listener);
}

void dispatcher_take_change(struct message *message)
{
    struct change_notice *change = container_of(message, struct change_notice, message);
    struct cache_listener *listener, *next;
    DL_FOREACH_SAFE(change->dispatcher->listeners, listener, next)
    listener->changed(listener, change->path);
    free(change);
}

/* --- turns --- */

void dispatcher_begin_read(struct dispatcher *dispatcher) { dispatcher->is_asked = false; }

void dispatcher_next_tick(struct dispatcher *dispatcher)
{
    struct budget *budget = dispatcher->evaluator.budget;
    const uint64_t used_bytes = atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
    const uint_fast32_t shortages = atomic_load_explicit(&budget->shortages, memory_order_relaxed);
    if (used_bytes < dispatcher->used_bytes && shortages != dispatcher->shortages_told && !dispatcher->is_ending) {
        dispatcher->shortages_told = shortages;
        hub_wake(dispatcher->hub);
    }
    dispatcher->used_bytes = used_bytes;
    dispatcher->is_asked = false;
}

/* --- life --- */

struct dispatcher *dispatcher_new_main(struct service *service)
{
    struct dispatcher *dispatcher = mem_zalloc(1, sizeof *dispatcher);
    dispatcher->service = service;
    return dispatcher;
}

struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub)
{
    struct dispatcher *dispatcher = mem_zalloc(1, sizeof *dispatcher);
    dispatcher->hub = hub;
    dispatcher->end.take = dispatcher_take_end;
    message_queue_init(&dispatcher->mailbox, loop);
    evaluator_init(&dispatcher->evaluator, config, budget);
    return dispatcher;
}

struct service *dispatcher_service(const struct dispatcher *dispatcher) { return dispatcher->service; }
struct hub *dispatcher_hub(const struct dispatcher *dispatcher) { return dispatcher->hub; }
void dispatcher_post(struct dispatcher *dispatcher, struct message *message)
{
    message_queue_post(&dispatcher->mailbox, message);
}

void dispatcher_end(struct dispatcher *dispatcher)
{
    dispatcher->is_ending = true;
    say_farewell(dispatcher);
}

void dispatcher_take_end(struct message *message)
{
    struct dispatcher *dispatcher = container_of(message, struct dispatcher, end);
    struct known_model *lent, *next;
    HASH_ITER(hh, dispatcher->lents, lent, next)
    forget(dispatcher, lent);
    message_queue_close(&dispatcher->mailbox);
}

struct message *dispatcher_end_message(struct dispatcher *dispatcher) { return &dispatcher->end; }

void dispatcher_free(struct dispatcher *dispatcher)
{
    if (dispatcher == NULL)
        return;
    if (dispatcher->service == NULL)
        evaluator_fini(&dispatcher->evaluator);
    free(dispatcher);
}
