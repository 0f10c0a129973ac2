#include "daemon/dispatch/desk.h"

#include "base/mem.h"
#include "daemon/dispatch/front_parts.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct desk {
    struct service *service;
    struct conn_shared *main_connections;
    struct mailbox mailbox;
    struct front *fronts[STATS_THREADS_MAX]; /* NULL: it has ended */
    uint32_t front_count, ended_count;
    struct cache_listener listener;
    struct cache_borrower borrower;
    void (*ended)(void *user);
    void *user;
};

#define OF(type, member, message) ((struct type *)(void *)((char *)(message)-offsetof(struct type, member)))

void desk_post(struct desk *desk, struct message *message) { mailbox_post(&desk->mailbox, message); }
void desk_wake(struct desk *desk) { mailbox_wake(&desk->mailbox); }
struct conn_shared *desk_connections(const struct desk *desk) { return desk->main_connections; }

/* --- calls --- */

static uint32_t number_of(const struct desk *desk, const struct front *front)
{
    uint32_t number = 0;
    while (desk->fronts[number] != front)
        number++;
    return number;
}

/* The next request for these models needs nobody from here. */
static void lend(struct forward *forward)
{
    const struct request *request = &forward->call.request;
    struct desk *desk = forward->desk;
    const uint64_t holder = UINT64_C(1) << number_of(desk, forward->front);
    if (!front_answers(request->op))
        return;
    for (uint32_t i = 0; i <= request->source_count; i++) {
        const char *path = i == 0 ? request->model : request->sources[i - 1].path;
        struct hot *hot = service_lend(desk->service, path);
        if (hot == NULL)
            continue;
        hot->holders |= holder;
        forward->hots[forward->hot_count++] = hot;
    }
}

static void on_done(struct call *call, struct reply *reply)
{
    struct forward *forward = OF(forward, call, call);
    forward->is_answered = true;
    forward->reply = *reply;
    budget_count(forward->budget, &forward->counted_bytes,
                 reply->body.capacity_bytes + (reply->source == NULL ? 0 : reply->source->held_bytes(reply->source)));
    if (reply->code == 0)
        lend(forward);
    front_post(forward->front, &forward->back);
}

void desk_take_forward(struct message *message)
{
    struct forward *forward = OF(forward, there, message);
    forward->call = (struct call){.request = forward->asked->request,
                                  .lasting = &forward->asked->request,
                                  .pieces = forward->asked->pieces,
                                  .done = on_done};
    service_handle(forward->desk->service, &forward->call);
}

void desk_take_cancel(struct message *message)
{
    struct forward *forward = OF(forward, cancel, message);
    if (!forward->is_answered)
        service_cancel(forward->desk->service, &forward->call);
    front_post(forward->front, &forward->cancelled);
}

/* --- what the cache tells --- */

static void on_taken_back(struct cache_borrower *borrower, struct hot *hot)
{
    struct desk *desk = OF(desk, borrower, borrower);
    for (uint32_t i = 0; i < desk->front_count; i++) {
        if (desk->fronts[i] == NULL || (hot->holders >> i & 1) == 0)
            continue;
        struct recall *recall = mem_zalloc(1, sizeof *recall);
        recall->message.take = front_take_recall;
        recall->front = desk->fronts[i];
        recall->hot = hot_ref(hot);
        front_post(recall->front, &recall->message);
    }
}

static void on_changed(struct cache_listener *listener, const char *path)
{
    struct desk *desk = OF(desk, listener, listener);
    const size_t path_size = strlen(path) + 1;
    for (uint32_t i = 0; i < desk->front_count; i++) {
        if (desk->fronts[i] == NULL)
            continue;
        struct change *change = mem_zalloc(1, sizeof *change + path_size);
        change->message.take = front_take_change;
        change->front = desk->fronts[i];
        memcpy(change->path, path, path_size);
        front_post(change->front, &change->message);
    }
}

/* --- life --- */

struct desk *desk_new(uv_loop_t *loop, struct service *service, struct conn_shared *main_connections)
{
    struct desk *desk = mem_zalloc(1, sizeof *desk);
    desk->service = service;
    desk->main_connections = main_connections;
    desk->listener.changed = on_changed;
    desk->borrower.taken_back = on_taken_back;
    mailbox_init(&desk->mailbox, loop);
    service_listen(service, &desk->listener);
    service_lend_to(service, &desk->borrower);
    return desk;
}

void desk_add(struct desk *desk, struct front *front) { desk->fronts[desk->front_count++] = front; }

void desk_on_end(struct desk *desk, void (*ended)(void *user), void *user)
{
    desk->ended = ended;
    desk->user = user;
}

/* Nothing is posted to the front behind its end. */
void desk_take_farewell(struct message *message)
{
    struct farewell *farewell = OF(farewell, message, message);
    struct desk *desk = farewell->desk;
    struct front *front = farewell->front;
    desk->fronts[number_of(desk, front)] = NULL;
    front_post(front, front_end_message(front));
    if (++desk->ended_count < desk->front_count)
        return;
    mailbox_close(&desk->mailbox);
    desk->ended(desk->user);
}

void desk_free(struct desk *desk) { free(desk); }
