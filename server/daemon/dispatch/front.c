#include "daemon/dispatch/front.h"

#include "base/mem.h"
#include "daemon/service/evaluator.h"
#include "daemon/dispatch/front_parts.h"
#include "daemon/service/query_memo.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* A model that the front may answer from. */
struct lent {
    struct hot *hot; /* a reference */
    UT_hash_handle hh;
};

struct front {
    struct service *service; /* of the main loop, where there is nothing else; else NULL */
    struct desk *desk;
    struct mailbox mailbox;
    struct evaluator evaluator;
    struct lent *lents; /* by path */
    struct cache_listener *listeners;
    bool is_asked, is_quiet;      /* whether the kernel was asked for events at this moment; it had none */
    uint32_t under_way;           /* forwards that are not freed */
    bool is_ending;               /* front_end() was called */
    uint64_t used_bytes;          /* of the budget, a turn ago */
    uint_fast32_t shortages_told; /* of it, when the main loop was woken last */
    struct farewell farewell;
    struct message end; /* the desk's answer to that */
};

#define OF(type, member, message) ((struct type *)(void *)((char *)(message)-offsetof(struct type, member)))

/* --- what is in memory --- */

bool front_answers(enum op op)
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
static bool is_quiet(struct front *front, const struct hot *hot)
{
    if (hot->set == NULL)
        return true;
    if (!front->is_asked)
        front->is_quiet = watch_set_is_quiet(hot->set);
    front->is_asked = true;
    return front->is_quiet;
}

/* The model, with the content that the request wants, as it is now; or NULL. */
static struct hot *find(struct front *front, const char *path, const char *hash, uint64_t now_ms)
{
    struct lent *lent;
    HASH_FIND_STR(front->lents, path, lent);
    /* the kernel first: what it has told is in the counts */
    if (lent == NULL || !is_quiet(front, lent->hot) || !hot_is_good(lent->hot, now_ms))
        return NULL;
    return hash == NULL || strcmp(hash, lent->hot->baked->hash) == 0 ? lent->hot : NULL;
}

static bool answer_here(struct front *front, struct call *call, struct reply *reply)
{
    const struct request *request = &call->request;
    const uint64_t now_ms = cache_now_ms();
    struct baked *clips[REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX];
    struct hot *hot = front_answers(request->op) ? find(front, request->model, request->hash, now_ms) : NULL;
    if (hot == NULL || (request_needs_pixels(request) && !hot->baked->has_pixels))
        return false;
    for (uint32_t i = 0; i < request->source_count; i++) {
        struct hot *clip = find(front, request->sources[i].path, request->sources[i].hash, now_ms);
        if (clip == NULL)
            return false;
        hot_touch(clip, now_ms);
        clips[i] = clip->baked;
        sources[i] = &clip->baked->model;
    }
    const struct evaluation evaluation = {.request = request,
                                          .baked = hot->baked,
                                          .clips = clips,
                                          .sources = sources,
                                          .clip_count = request->source_count};
    if (!evaluator_answer(&front->evaluator, &evaluation, &call->spent_ns, reply))
        return false;
    hot_touch(hot, now_ms);
    stats_add(STAT_CACHE_HITS, 1 + request->source_count);
    reply_end(reply, hot->baked);
    return true;
}

bool front_answer_query(struct front *front, struct query *query, const struct query_key *key, struct reply *reply)
{
    const struct request *request = &query->request;
    if (front->service != NULL)
        return service_answer_query(front->service, query, key, reply);
    const uint64_t now_ms = cache_now_ms();
    struct hot *hot = find(front, request->model, request->hash, now_ms);
    if (hot == NULL || !evaluator_answer_query(&front->evaluator, query, key, hot->baked, reply))
        return false;
    hot_touch(hot, now_ms);
    stats_add(STAT_CACHE_HITS, 1);
    reply_end(reply, hot->baked);
    return true;
}

static void forget(struct front *front, struct lent *lent)
{
    HASH_DEL(front->lents, lent);
    hot_unref(lent->hot);
    free(lent);
}

/* Takes the reference. */
static void learn(struct front *front, struct hot *hot)
{
    struct lent *lent;
    HASH_FIND_STR(front->lents, hot->path, lent);
    if (lent != NULL)
        forget(front, lent);
    lent = mem_zalloc(1, sizeof *lent);
    lent->hot = hot;
    HASH_ADD_KEYPTR(hh, front->lents, hot->path, strlen(hot->path), lent);
}

void front_take_recall(struct message *message)
{
    struct recall *recall = OF(recall, message, message);
    struct lent *lent;
    HASH_FIND_STR(recall->front->lents, recall->hot->path, lent);
    if (lent != NULL && lent->hot == recall->hot)
        forget(recall->front, lent);
    hot_unref(recall->hot);
    free(recall);
}

/* --- what the main loop does --- */

static void say_farewell(struct front *front)
{
    if (!front->is_ending || front->under_way > 0)
        return;
    front->farewell = (struct farewell){.message.take = desk_take_farewell, .desk = front->desk, .front = front};
    desk_post(front->desk, &front->farewell.message);
}

static void free_when_done(struct forward *forward)
{
    struct front *front = forward->front;
    if (!forward->is_back || forward->is_cancelling != forward->is_cancelled)
        return;
    free(forward);
    front->under_way--;
    say_farewell(front);
}

static void forward(struct front *front, struct call *call)
{
    struct forward *forward = mem_zalloc(1, sizeof *forward);
    forward->there.take = desk_take_forward;
    forward->back.take = front_take_back;
    forward->cancel.take = desk_take_cancel;
    forward->cancelled.take = front_take_cancelled;
    forward->front = front;
    forward->desk = front->desk;
    forward->budget = front->evaluator.budget;
    forward->asked = call;
    call->waiting = forward;
    front->under_way++;
    stats_add(STAT_LOOPS_FORWARDED, 1);
    desk_post(front->desk, &forward->there);
}

void front_take_back(struct message *message)
{
    struct forward *forward = OF(forward, back, message);
    for (uint32_t i = 0; i < forward->hot_count; i++)
        learn(forward->front, forward->hots[i]);
    forward->is_back = true;
    forward->asked->waiting = NULL;
    forward->asked->done(forward->asked, &forward->reply);
    budget_count(forward->budget, &forward->counted_bytes, 0);
    free_when_done(forward);
}

void front_take_cancelled(struct message *message)
{
    struct forward *forward = OF(forward, cancelled, message);
    forward->is_cancelled = true;
    free_when_done(forward);
}

void front_handle(struct front *front, struct call *call)
{
    struct reply reply;
    if (front->service != NULL) {
        service_handle(front->service, call);
        return;
    }
    reply_init(&reply);
    if (answer_here(front, call, &reply))
        call->done(call, &reply);
    else
        forward(front, call);
}

void front_cancel(struct front *front, struct call *call)
{
    struct forward *forward = call->waiting;
    if (front->service != NULL) {
        service_cancel(front->service, call);
        return;
    }
    call->is_abandoned = true;
    if (forward->is_cancelling)
        return;
    forward->is_cancelling = true;
    desk_post(front->desk, &forward->cancel);
}

/* --- changes --- */

void front_listen(struct front *front, struct cache_listener *listener)
{
    if (front->service != NULL)
        service_listen(front->service, listener);
    else
        DL_APPEND(front->listeners, listener);
}

void front_take_change(struct message *message)
{
    struct change *change = OF(change, message, message);
    struct cache_listener *listener, *next;
    DL_FOREACH_SAFE(change->front->listeners, listener, next)
    listener->changed(listener, change->path);
    free(change);
}

/* --- turns --- */

void front_next_moment(struct front *front) { front->is_asked = false; }

void front_next_turn(struct front *front)
{
    struct budget *budget = front->evaluator.budget;
    const uint64_t used_bytes = atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
    const uint_fast32_t shortages = atomic_load_explicit(&budget->shortages, memory_order_relaxed);
    if (used_bytes < front->used_bytes && shortages != front->shortages_told && !front->is_ending) {
        front->shortages_told = shortages;
        desk_wake(front->desk);
    }
    front->used_bytes = used_bytes;
    front->is_asked = false;
}

/* --- life --- */

struct front *front_new_main(struct service *service)
{
    struct front *front = mem_zalloc(1, sizeof *front);
    front->service = service;
    return front;
}

struct front *front_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct desk *desk)
{
    struct front *front = mem_zalloc(1, sizeof *front);
    front->desk = desk;
    front->end.take = front_take_end;
    mailbox_init(&front->mailbox, loop);
    evaluator_init(&front->evaluator, config, budget);
    return front;
}

struct service *front_service(const struct front *front) { return front->service; }
struct desk *front_desk(const struct front *front) { return front->desk; }
void front_post(struct front *front, struct message *message) { mailbox_post(&front->mailbox, message); }

void front_end(struct front *front)
{
    front->is_ending = true;
    say_farewell(front);
}

void front_take_end(struct message *message)
{
    struct front *front = OF(front, end, message);
    struct lent *lent, *next;
    HASH_ITER(hh, front->lents, lent, next)
    forget(front, lent);
    mailbox_close(&front->mailbox);
}

struct message *front_end_message(struct front *front) { return &front->end; }

void front_free(struct front *front)
{
    if (front == NULL)
        return;
    if (front->service == NULL)
        evaluator_fini(&front->evaluator);
    free(front);
}
