/* service_batch.c - answers POST /v1/query: it runs the queries one after the other and collects their answers in
 * order.
 *
 * Each query is a call of its own, so its error does not affect the others. Only one runs at a time, and all share the
 * limits of one answer, so memory is bounded as for a single request. A failed query consumes only processor time. The
 * whole batch has a limit on that; otherwise a client could make the server compute the largest answer for each query
 * and discard it. While one query runs, the models of the next few are imported. */
#include "daemon/service/batch_reply.h"
#include "daemon/service/job.h"

#include "base/container_of.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    PREFETCH_MAX = 8,
    NS_PER_MS = 1000000,
    COPY_MAX_BYTES = 262144, /* of an answer that the loop copies: it takes some 100 us */
};

/* A model requested before its query. */
struct prefetch {
    struct cache_waiter waiter;
    struct batch *batch;
};

struct batch {
    struct service *service;
    struct batch *prev, *next; /* of service->batches */
    struct call *call;         /* the client's call */
    struct call item;          /* the current query; it borrows its request from the batch */
    struct batch_reply answer;
    size_t counted_bytes; /* of the answer, in the budget */
    bool has_capacity;    /* a whole answer is counted, however large it is so far */
    uint64_t cpu_ns;      /* processor time of the queries so far */
    uint32_t place;       /* index of the next query */
    uint32_t prefetched;  /* queries whose models were prefetched */
    uint32_t wait_count;  /* pending prefetches */
    struct reply large;   /* the answer of the current query, which a work thread copies */
    struct work work;     /* the copying */
    bool is_running;      /* run() is on the stack */
    bool is_under_way;    /* a query is pending, or its answer is copied */
    bool is_copying;
    struct prefetch prefetches[]; /* [query_count] */
};

/* Ends the batch. All queries are done, and no callback can reach the batch any more. */
static void finish(struct batch *batch)
{
    struct call *call = batch->call;
    if (batch->answer.reply.code == 0)
        batch_reply_end(&batch->answer);
    struct reply reply = batch->answer.reply;
    budget_count(batch->service->budget, &batch->counted_bytes, 0); /* the connection counts it from now on */
    DL_DELETE(batch->service->batches, batch);
    batch->service->call_count--;
    free(batch);
    call->done(call, &reply);
}

static void count_memory(struct batch *batch)
{
    const size_t held_bytes = batch->answer.reply.body.capacity_bytes;
    const uint64_t most = batch->service->config->limits.value[LIMIT_ANSWER_BYTES];
    budget_count(batch->service->budget, &batch->counted_bytes,
                 batch->has_capacity && held_bytes < most ? most : held_bytes);
}

static void put_error(struct batch *batch, const struct err *err)
{
    batch_reply_put_error(&batch->answer, err);
    count_memory(batch);
}

/* --- models ahead of their queries --- */

static void run(struct batch *batch);

/* Nothing to do: the model is in the cache, or the query itself will report the error. */
static void on_prefetched(struct cache_waiter *waiter, struct imported_model *imported __attribute__((unused)),
                          const struct err *err __attribute__((unused)))
{
    struct batch *batch = container_of(waiter, struct prefetch, waiter)->batch;
    batch->wait_count--;
    run(batch);
}

static void prefetch_model(struct batch *batch, uint32_t index)
{
    const struct request_query *query = &batch->call->request.queries[index];
    const struct request_query *before = index > 0 ? query - 1 : NULL;
    const bool is_same = before != NULL && before->err.code == 0 && query->err.code == 0 &&
                         strcmp(before->request.model, query->request.model) == 0;
    if (query->err.code != 0 || is_same)
        return;
    struct prefetch *prefetch = &batch->prefetches[index];
    struct imported_model *imported = NULL;
    struct err err;
    prefetch->batch = batch;
    prefetch->waiter = (struct cache_waiter){.ready = on_prefetched};
    const int rc = cache_get(batch->service->cache, query->request.model, &prefetch->waiter, &imported, &err);
    if (rc == 0)
        batch->wait_count++;
    else if (rc > 0)
        imported_model_unref(imported);
}

/* --- queries --- */

static void copy_large(struct work *work)
{
    struct batch *batch = work->data;
    batch_reply_put(&batch->answer, &batch->large);
    buf_reserve(&batch->answer.reply.body, COPY_MAX_BYTES); /* for the errors of the other queries */
    buf_fini(&batch->large.body);
}

static void on_copied(struct work *work, int status __attribute__((unused)))
{
    struct batch *batch = work->data;
    struct service *service = batch->service;
    batch->is_under_way = batch->is_copying = false;
    reply_fini(&batch->large);
    count_memory(batch);
    stats_set(STAT_ANSWERS_RUNNING, --service->work_count);
    run(batch);
    if (service->is_ending)
        service_release(service);
    else
        service_answer_resume(service);
}

/* Whether adding the answer takes long: it is large, or a large buffer has to grow, which may copy it. */
static bool is_long_to_put(const struct batch *batch, const struct reply *reply)
{
    const struct buf *body = &batch->answer.reply.body;
    const size_t more_bytes = reply->body.size_bytes + sizeof ",\n";
    return more_bytes > COPY_MAX_BYTES ||
           (body->size_bytes > COPY_MAX_BYTES && body->size_bytes + more_bytes > body->capacity_bytes);
}

/* Copying an answer of 25 MB would hold the loop for many milliseconds. */
static void start_copying(struct batch *batch, struct reply *reply)
{
    batch->large = *reply;
    reply_init(reply);
    batch->is_copying = true;
    batch->work.data = batch;
    stats_set(STAT_ANSWERS_RUNNING, ++batch->service->work_count);
    work_start(batch->service->loop, WORK_COMPUTES, &batch->work, copy_large, on_copied);
}

static void on_item(struct call *item, struct reply *reply)
{
    struct batch *batch = container_of(item, struct batch, item);
    batch->cpu_ns += item->cpu_ns;
    batch->has_capacity = item->has_capacity;
    if (!batch->is_running) /* the loop has run in the meantime */
        batch->item.spent_ns = 0;
    if (reply->stale_s > batch->answer.reply.stale_s)
        batch->answer.reply.stale_s = reply->stale_s;
    if (is_long_to_put(batch, reply)) {
        start_copying(batch, reply);
        return;
    }
    batch->is_under_way = false;
    batch_reply_put(&batch->answer, reply);
    count_memory(batch);
    reply_fini(reply);
    run(batch);
}

static void begin_item(struct batch *batch)
{
    struct request_query *query = &batch->call->request.queries[batch->place++];
    if (query->err.code != 0) {
        put_error(batch, &query->err);
        return;
    }
    if (batch->cpu_ns / NS_PER_MS >= batch->answer.left.value[LIMIT_BATCH_CPU_MS]) {
        struct err err;
        err_set(&err, ERR_BATCH_CPU, "the queries before this one took %llu ms of processor time, more than %s ms",
                (unsigned long long)(batch->cpu_ns / NS_PER_MS), LIMIT_TEXT(&batch->answer.left, LIMIT_BATCH_CPU_MS));
        put_error(batch, &err);
        return;
    }
    const double spent_ns = batch->item.spent_ns;
    batch->item = (struct call){.request = query->request,
                                .done = on_item,
                                .left = &batch->answer.left,
                                .has_capacity = batch->has_capacity,
                                .spent_ns = spent_ns};
    batch->is_under_way = true;
    service_find_models(batch->service, &batch->item);
}

/* True when no further query is to begin. */
static bool is_over(const struct batch *batch)
{
    return batch->place == batch->call->request.query_count || batch->call->is_abandoned || batch->service->is_ending;
}

static void free_body(void *body) { buf_fini(body); }

static void run(struct batch *batch)
{
    if (batch->is_running)
        return;
    batch->is_running = true;
    while (!batch->is_under_way && !is_over(batch)) {
        const uint32_t count = batch->call->request.query_count;
        for (; batch->prefetched < count && batch->prefetched < batch->place + PREFETCH_MAX; batch->prefetched++)
            prefetch_model(batch, batch->prefetched);
        begin_item(batch);
    }
    batch->is_running = false;
    if (batch->is_under_way || !is_over(batch))
        return;
    if (batch->wait_count > 0 && !batch->service->is_ending) /* an ended cache calls no callbacks */
        return;
    if (batch->place < batch->call->request.query_count) {
        struct err err;
        service_refuse_late(&err);
        if (batch->answer.reply.body.capacity_bytes > BUDGET_SMALL_BYTES) { /* many batches may end at once */
            work_free(batch->service->loop, &batch->answer.reply.body, sizeof batch->answer.reply.body, free_body);
            buf_init(&batch->answer.reply.body, 0);
        }
        reply_error(&batch->answer.reply, &err, NULL, 0);
    }
    finish(batch);
}

void service_batch_end(struct service *service)
{
    struct batch *batch, *next;
    DL_FOREACH_SAFE(service->batches, batch, next)
    if (!batch->is_under_way)
        run(batch);
}

void service_batch_cancel(struct call *call)
{
    struct batch *batch = call->waiting;
    for (uint32_t i = 0; i < batch->prefetched && !batch->service->is_ending; i++) { /* the cache is freed by then */
        struct cache_waiter *waiter = &batch->prefetches[i].waiter;
        if (waiter->list == NULL)
            continue;
        cache_cancel(waiter);
        batch->wait_count--;
    }
    if (batch->is_under_way && !batch->is_copying)
        service_find_cancel(&batch->item);
    else
        run(batch);
}

void service_batch(struct service *service, struct call *call)
{
    const size_t count = call->request.query_count;
    struct batch *batch = mem_zalloc(1, sizeof *batch + count * sizeof *batch->prefetches);
    DL_APPEND(service->batches, batch);
    service_count_call(service);
    batch->service = service;
    batch->call = call;
    call->waiting = batch;
    batch_reply_init(&batch->answer, &service->config->limits);
    run(batch);
}
