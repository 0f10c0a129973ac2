#include "daemon/dispatch/dispatcher.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/dispatch/known_models.h"
#include "daemon/service/batch_reply.h"
#include "daemon/evaluation/evaluator.h"
#include "daemon/evaluation/prepared_queries.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <utlist.h>

struct dispatcher {
    struct hub *hub;
    uint32_t number;            /* index at the hub; 0 is the main loop's */
    struct message_queue queue; /* unused by the main loop's */
    const struct config *config;
    struct evaluator evaluator;
    struct known_models models;
    struct change_listener *listeners;
    bool (*answer)(void *user, const struct request *request,
                   struct reply *reply); /* asked before anything else, or NULL */
    void *user;
    uint32_t forwarded_count;     /* calls that are not yet freed */
    bool is_ending;               /* dispatcher_end() was called */
    uint64_t used_bytes;          /* of the budget, at the last tick */
    uint_fast32_t shortages_told; /* the budget's number of shortages when the main loop was last woken */
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

static void take_notice(struct message *message)
{
    struct hub_notice *notice = container_of(message, struct hub_notice, message);
    struct dispatcher *dispatcher = notice->dispatcher;
    struct change_listener *listener, *next;
    if (notice->invalid == NULL) {
        DL_FOREACH_SAFE(dispatcher->listeners, listener, next)
        listener->changed(listener, notice->path);
    } else {
        known_models_forget(&dispatcher->models, notice->invalid);
        shared_model_unref(notice->invalid);
    }
    free(notice);
}

/* --- answers from memory --- */

/* A request and the models that the loop knows for it. */
struct local_evaluation {
    struct evaluation evaluation;
    struct shared_model *shared;
    struct imported_model *clips[REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX];
};

/* False: this loop does not know all the models. */
static bool find_models(struct dispatcher *dispatcher, const struct request *request, struct local_evaluation *local)
{
    if (!op_has(request->op, OP_ON_LOOP) || request->is_estimate || request->model == NULL)
        return false;
    local->shared = known_models_find(&dispatcher->models, request->model, request->hash);
    if (local->shared == NULL || (request_needs_pixels(request) && !local->shared->imported->has_pixels))
        return false;
    for (uint32_t i = 0; i < request->source_count; i++) {
        const struct request_source *source = &request->sources[i];
        struct shared_model *clip = known_models_find(&dispatcher->models, source->path, source->hash);
        if (clip == NULL)
            return false;
        shared_model_touch(clip, dispatcher->models.now_ms);
        local->clips[i] = clip->imported;
        local->sources[i] = &clip->imported->model;
    }
    local->evaluation = (struct evaluation){.request = request,
                                            .imported = local->shared->imported,
                                            .clips = local->clips,
                                            .sources = local->sources,
                                            .clip_count = request->source_count};
    return true;
}

/* left: limits that a query in a batch may still use, else NULL. */
static bool evaluate(struct dispatcher *dispatcher, struct local_evaluation *local, struct limits *left,
                     double *spent_ns, struct reply *reply)
{
    local->evaluation.left = left;
    if (!evaluator_answer(&dispatcher->evaluator, &local->evaluation, spent_ns, reply))
        return false;
    shared_model_touch(local->shared, dispatcher->models.now_ms);
    stats_add(STAT_CACHE_HITS, 1 + local->evaluation.clip_count);
    return true;
}

/* Whether this loop knows the models of all queries, and their total work fits the limit of one request. */
static bool is_small_batch(struct dispatcher *dispatcher, const struct request *request)
{
    double cost_ns = 0;
    for (uint32_t i = 0; i < request->query_count && cost_ns <= EVALUATION_INLINE_NS; i++) {
        const struct request_query *query = &request->queries[i];
        struct local_evaluation local;
        if (query->err.code == 0) {
            if (!find_models(dispatcher, &query->request, &local))
                return false;
            cost_ns += evaluation_cost_ns(&local.evaluation) + COST_QUERY_NS;
        }
    }
    return cost_ns <= EVALUATION_INLINE_NS;
}

/* Other loops relieve the main loop of batches that they can answer themselves; the service's own way is
 * service_batch.c. */
static bool answer_batch_here(struct dispatcher *dispatcher, const struct request *request, struct reply *reply)
{
    struct batch_reply batch;
    double spent_ns = 0;
    if (is_main(dispatcher) || !is_small_batch(dispatcher, request))
        return false;
    batch_reply_init(&batch, &dispatcher->config->limits);
    for (uint32_t i = 0; i < request->query_count; i++) {
        const struct request_query *query = &request->queries[i];
        struct local_evaluation local;
        struct reply item;
        reply_init(&item);
        if (query->err.code != 0) {
            batch_reply_put_error(&batch, &query->err);
        } else if (!find_models(dispatcher, &query->request, &local) ||
                   !evaluate(dispatcher, &local, &batch.left, &spent_ns, &item)) {
            reply_fini(&batch.reply);
            return false;
        } else {
            batch_reply_put(&batch, &item);
        }
        reply_fini(&item);
    }
    batch_reply_end(&batch);
    *reply = batch.reply;
    return true;
}

static bool answer_here(struct dispatcher *dispatcher, struct call *call, struct reply *reply)
{
    struct local_evaluation local;
    call->spent_ns = 0;
    if (dispatcher->answer != NULL && dispatcher->answer(dispatcher->user, &call->request, reply))
        return true;
    if (op_has(call->request.op, OP_BATCH))
        return answer_batch_here(dispatcher, &call->request, reply);
    if (!find_models(dispatcher, &call->request, &local) || !evaluate(dispatcher, &local, NULL, &call->spent_ns, reply))
        return false;
    call->origin = MODEL_IN_MEMORY;
    return true;
}

/* Returns the query's model, found last time unless a model has been dropped since. NULL: it is no longer known. */
static struct shared_model *find_shared(struct dispatcher *dispatcher, struct prepared_query *query)
{
    const bool is_known = query->shared != NULL && query->model_generation == dispatcher->models.generation;
    struct shared_model *shared = query->shared;
    if (is_known ? !known_models_is_current(&dispatcher->models, shared)
                 : (shared = known_models_find(&dispatcher->models, query->request.model, query->request.hash)) == NULL)
        return NULL;
    query->shared = shared;
    query->model_generation = dispatcher->models.generation;
    return shared;
}

bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply)
{
    struct shared_model *shared = find_shared(dispatcher, query);
    if (shared == NULL || !evaluator_answer_query(&dispatcher->evaluator, query, key, shared->imported, reply))
        return false;
    shared_model_touch(shared, dispatcher->models.now_ms);
    stats_add(STAT_CACHE_HITS, 1);
    return true;
}

bool dispatcher_append_reply(struct dispatcher *dispatcher, struct prepared_query *query, double time_s,
                             struct buf *out, uint32_t *warning_count)
{
    struct shared_model *shared = find_shared(dispatcher, query);
    if (shared == NULL || !evaluator_append_reply(&dispatcher->evaluator, query, time_s, shared->imported, out))
        return false;
    shared_model_touch(shared, dispatcher->models.now_ms);
    stats_add(STAT_CACHE_HITS, 1);
    *warning_count = shared->imported->model.warning_count;
    return true;
}

void dispatcher_finish_replies(struct dispatcher *dispatcher, struct prepared_query *query, struct buf *out)
{
    evaluator_finish_replies(&dispatcher->evaluator, query, out);
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
        known_models_learn(&forwarded->dispatcher->models, forwarded->models[i]);
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
    forwarded->wants_models = op_has(call->request.op, OP_BATCH | OP_ON_LOOP);
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

/* Once per read event, because a request that is read later in the same tick may follow a change. */
void dispatcher_begin_read(struct dispatcher *dispatcher) { known_models_ask_again(&dispatcher->models); }

/* Wakes the main loop when memory that its work may wait for has become available. */
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
    known_models_ask_again(&dispatcher->models);
}

/* --- life --- */

static void take_end(struct message *back)
{
    struct dispatcher *dispatcher = container_of(back, struct dispatcher, shutdown.back);
    known_models_forget_all(&dispatcher->models);
    message_queue_close(&dispatcher->queue, NULL);
}

struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub)
{
    struct dispatcher *dispatcher = mem_zalloc(1, sizeof *dispatcher);
    dispatcher->hub = hub;
    dispatcher->config = config;
    dispatcher->number = hub_add(hub, dispatcher, &dispatcher->queue, take_notice);
    dispatcher->shutdown = (struct shutdown_message){
        .there.take = hub_take_shutdown, .back.take = take_end, .hub = hub, .from = dispatcher->number};
    if (!is_main(dispatcher))
        message_queue_init(&dispatcher->queue, loop);
    evaluator_init(&dispatcher->evaluator, config, budget, service_retargeted_clips(hub_service(hub)));
    return dispatcher;
}

void dispatcher_ask_first(struct dispatcher *dispatcher,
                          bool (*answer)(void *user, const struct request *request, struct reply *reply), void *user)
{
    dispatcher->answer = answer;
    dispatcher->user = user;
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
    known_models_forget_all(&dispatcher->models);
    evaluator_fini(&dispatcher->evaluator);
    free(dispatcher);
}
