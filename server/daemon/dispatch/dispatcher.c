#include "daemon/dispatch/dispatcher.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/cache/cache.h"
#include "daemon/service/evaluator.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* A model to answer from. */
struct known_model {
    struct shared_model *shared; /* a reference */
    UT_hash_handle hh;
};

struct dispatcher {
    struct hub *hub;
    uint32_t number;            /* at the hub; 0 is the main loop's */
    struct message_queue queue; /* of the others */
    struct evaluator evaluator;
    struct known_model *models; /* by path */
    uint64_t model_generation;  /* counts up when one of them goes */
    struct change_listener *listeners;
    bool is_asked;                                               /* since the last read event: */
    uint64_t now_ms;                                             /* of cache_now_ms() */
    enum { EVENTS_UNKNOWN, EVENTS_NONE, EVENTS_PENDING } events; /* whether the kernel has some that were not counted */
    uint32_t forwarded_count;                                    /* calls that are not freed */
    bool is_ending;                                              /* dispatcher_end() was called */
    uint64_t used_bytes;                                         /* of the budget, a tick ago */
    uint_fast32_t shortages_told;                                /* of it, when the main loop was woken last */
    struct shutdown_message shutdown;
};

static bool is_main(const struct dispatcher *dispatcher) { return dispatcher->number == 0; }

static void send_to_hub(const struct dispatcher *dispatcher, struct message *message)
{
    if (is_main(dispatcher))
        message->take(message);
    else
        hub_post(dispatcher->hub, message);
}

/* --- models --- */

/* Asks the kernel, and the clock, once a read event. */
static inline bool is_current(struct dispatcher *dispatcher, const struct shared_model *shared)
{
    if (!dispatcher->is_asked) {
        dispatcher->is_asked = true;
        dispatcher->events = EVENTS_UNKNOWN;
        dispatcher->now_ms = cache_now_ms();
    }
    if (dispatcher->events == EVENTS_UNKNOWN && shared->set != NULL)
        dispatcher->events = folder_watch_set_is_quiet(shared->set) ? EVENTS_NONE : EVENTS_PENDING;
    /* after the kernel: the events that it had no longer are in the counts */
    return (shared->set == NULL || dispatcher->events == EVENTS_NONE) &&
           shared_model_is_current(shared, dispatcher->now_ms);
}

/* The model, with the content that the request wants, or NULL: the service has to find it. */
static struct shared_model *find(struct dispatcher *dispatcher, const char *path, const char *hash)
{
    struct known_model *known;
    HASH_FIND_STR(dispatcher->models, path, known);
    if (known == NULL || !is_current(dispatcher, known->shared))
        return NULL;
    return hash == NULL || strcmp(hash, known->shared->imported->hash) == 0 ? known->shared : NULL;
}

static void forget(struct dispatcher *dispatcher, struct known_model *known)
{
    HASH_DEL(dispatcher->models, known);
    dispatcher->model_generation++;
    shared_model_unref(known->shared);
    free(known);
}

/* Takes the reference. */
static void learn(struct dispatcher *dispatcher, struct shared_model *shared)
{
    struct known_model *known;
    HASH_FIND_STR(dispatcher->models, shared->path, known);
    if (known != NULL && known->shared == shared) {
        shared_model_unref(shared);
        return;
    }
    if (known != NULL)
        forget(dispatcher, known);
    known = mem_zalloc(1, sizeof *known);
    known->shared = shared;
    HASH_ADD_KEYPTR(hh, dispatcher->models, shared->path, strlen(shared->path), known);
}

static void take_notice(struct message *message)
{
    struct hub_notice *notice = container_of(message, struct hub_notice, message);
    struct dispatcher *dispatcher = notice->dispatcher;
    struct known_model *known;
    struct change_listener *listener, *next;
    if (notice->invalid == NULL) {
        DL_FOREACH_SAFE(dispatcher->listeners, listener, next)
        listener->changed(listener, notice->path);
    } else {
        HASH_FIND_STR(dispatcher->models, notice->invalid->path, known);
        if (known != NULL && known->shared == notice->invalid)
            forget(dispatcher, known);
        shared_model_unref(notice->invalid);
    }
    free(notice);
}

/* --- answers from memory --- */

/* All that is asked of a model but pictures. */
static bool is_answered_here(enum op op)
{
    return op == OP_MODEL || op == OP_PALETTE || op == OP_POSE || op == OP_MESH || op == OP_BOUNDS || op == OP_KEYS ||
           op == OP_OPEN || op == OP_FIND;
}

static bool answer_here(struct dispatcher *dispatcher, struct call *call, struct reply *reply)
{
    const struct request *request = &call->request;
    struct imported_model *clips[REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX];
    struct shared_model *shared =
        is_answered_here(request->op) ? find(dispatcher, request->model, request->hash) : NULL;
    if (shared == NULL || (request_needs_pixels(request) && !shared->imported->has_pixels))
        return false;
    for (uint32_t i = 0; i < request->source_count; i++) {
        struct shared_model *clip = find(dispatcher, request->sources[i].path, request->sources[i].hash);
        if (clip == NULL)
            return false;
        shared_model_touch(clip, dispatcher->now_ms);
        clips[i] = clip->imported;
        sources[i] = &clip->imported->model;
    }
    const struct evaluation evaluation = {.request = request,
                                          .imported = shared->imported,
                                          .clips = clips,
                                          .sources = sources,
                                          .clip_count = request->source_count};
    double spent_ns = 0;
    if (!evaluator_answer(&dispatcher->evaluator, &evaluation, &spent_ns, reply))
        return false;
    shared_model_touch(shared, dispatcher->now_ms);
    stats_add(STAT_CACHE_HITS, 1 + request->source_count);
    call->origin = MODEL_IN_MEMORY;
    return true;
}

bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply)
{
    /* the model that was found the last time is still known, unless one of them went since */
    const bool is_known = query->shared != NULL && query->model_generation == dispatcher->model_generation;
    struct shared_model *shared = query->shared;
    if (is_known ? !is_current(dispatcher, shared)
                 : (shared = find(dispatcher, query->request.model, query->request.hash)) == NULL)
        return false;
    query->shared = shared;
    query->model_generation = dispatcher->model_generation;
    if (!evaluator_answer_query(&dispatcher->evaluator, query, key, shared->imported, reply))
        return false;
    shared_model_touch(shared, dispatcher->now_ms);
    stats_add(STAT_CACHE_HITS, 1);
    return true;
}

/* --- calls for the service --- */

static void end_when_done(struct dispatcher *dispatcher)
{
    if (dispatcher->is_ending && dispatcher->forwarded_count == 0)
        hub_post(dispatcher->hub, &dispatcher->shutdown.there);
}

static void free_when_done(struct forwarded_call *forwarded)
{
    struct dispatcher *dispatcher = forwarded->dispatcher;
    if (!forwarded->is_back || forwarded->is_cancelling != forwarded->is_cancelled)
        return;
    free(forwarded);
    dispatcher->forwarded_count--;
    end_when_done(dispatcher);
}

static void take_back(struct message *back)
{
    struct forwarded_call *forwarded = container_of(back, struct forwarded_call, back);
    struct call *asked = forwarded->asked;
    for (uint32_t i = 0; i < forwarded->model_count; i++)
        learn(forwarded->dispatcher, forwarded->models[i]);
    forwarded->is_back = true;
    asked->waiting = NULL;
    asked->origin = forwarded->call.origin;
    asked->queue_ns = forwarded->call.queue_ns;
    asked->done(asked, &forwarded->reply);
    budget_count(forwarded->budget, &forwarded->counted_bytes, 0);
    free_when_done(forwarded);
}

static void take_cancelled(struct message *cancelled)
{
    struct forwarded_call *forwarded = container_of(cancelled, struct forwarded_call, cancelled);
    forwarded->is_cancelled = true;
    free_when_done(forwarded);
}

static void forward(struct dispatcher *dispatcher, struct call *call)
{
    struct forwarded_call *forwarded = mem_zalloc(1, sizeof *forwarded);
    forwarded->there.take = hub_take_call;
    forwarded->back.take = take_back;
    forwarded->cancel.take = hub_take_cancel;
    forwarded->cancelled.take = take_cancelled;
    forwarded->dispatcher = dispatcher;
    forwarded->hub = dispatcher->hub;
    forwarded->from = dispatcher->number;
    forwarded->wants_models = is_answered_here(call->request.op);
    forwarded->budget = dispatcher->evaluator.budget;
    forwarded->asked = call;
    call->waiting = forwarded;
    dispatcher->forwarded_count++;
    stats_add(STAT_LOOPS_FORWARDED, !is_main(dispatcher));
    send_to_hub(dispatcher, &forwarded->there);
}

void dispatcher_handle(struct dispatcher *dispatcher, struct call *call)
{
    struct reply reply;
    reply_init(&reply);
    if (answer_here(dispatcher, call, &reply))
        call->done(call, &reply);
    else
        forward(dispatcher, call);
}

void dispatcher_cancel(struct dispatcher *dispatcher, struct call *call)
{
    struct forwarded_call *forwarded = call->waiting;
    call->is_abandoned = true;
    if (forwarded->is_cancelling)
        return;
    forwarded->is_cancelling = true;
    send_to_hub(dispatcher, &forwarded->cancel);
}

/* --- ticks --- */

void dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener)
{
    DL_APPEND(dispatcher->listeners, listener);
}

/* The main loop asks the kernel once a tick, as the cache does: with many connections a system call for each read event
 * costs some 4 % of the processor time of a small answer. */
void dispatcher_begin_read(struct dispatcher *dispatcher) { dispatcher->is_asked &= is_main(dispatcher); }

/* The main loop is woken when there is room that its work may have waited for. */
void dispatcher_next_tick(struct dispatcher *dispatcher)
{
    struct budget *budget = dispatcher->evaluator.budget;
    const uint64_t used_bytes = atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
    const uint_fast32_t shortages = atomic_load_explicit(&budget->shortages, memory_order_relaxed);
    if (used_bytes < dispatcher->used_bytes && shortages != dispatcher->shortages_told && !dispatcher->is_ending &&
        !is_main(dispatcher)) {
        dispatcher->shortages_told = shortages;
        hub_wake(dispatcher->hub);
    }
    dispatcher->used_bytes = used_bytes;
    dispatcher->is_asked = false;
}

/* --- life --- */

static void forget_all(struct dispatcher *dispatcher)
{
    struct known_model *known, *next;
    HASH_ITER(hh, dispatcher->models, known, next)
    forget(dispatcher, known);
}

static void take_end(struct message *back)
{
    struct dispatcher *dispatcher = container_of(back, struct dispatcher, shutdown.back);
    forget_all(dispatcher);
    message_queue_close(&dispatcher->queue);
}

struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub)
{
    struct dispatcher *dispatcher = mem_zalloc(1, sizeof *dispatcher);
    dispatcher->hub = hub;
    dispatcher->number = hub_add(hub, dispatcher, &dispatcher->queue, take_notice);
    dispatcher->shutdown = (struct shutdown_message){
        .there.take = hub_take_shutdown, .back.take = take_end, .hub = hub, .from = dispatcher->number};
    if (!is_main(dispatcher))
        message_queue_init(&dispatcher->queue, loop);
    evaluator_init(&dispatcher->evaluator, config, budget);
    return dispatcher;
}

struct hub *dispatcher_hub(const struct dispatcher *dispatcher) { return dispatcher->hub; }

struct service *dispatcher_service(const struct dispatcher *dispatcher)
{
    return is_main(dispatcher) ? hub_service(dispatcher->hub) : NULL;
}

void dispatcher_post(struct dispatcher *dispatcher, struct message *message)
{
    message_queue_post(&dispatcher->queue, message);
}

void dispatcher_end(struct dispatcher *dispatcher)
{
    dispatcher->is_ending = true;
    end_when_done(dispatcher);
}

void dispatcher_free(struct dispatcher *dispatcher)
{
    if (dispatcher == NULL)
        return;
    forget_all(dispatcher);
    evaluator_fini(&dispatcher->evaluator);
    free(dispatcher);
}
