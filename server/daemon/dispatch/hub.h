/* hub.h - the main loop's end of all dispatchers: has the service answer their calls, shares models of the cache with
 * them, and tells them of changes. For the main loop's thread, unless it says otherwise.
 *
 * Hub and dispatchers send each other messages, which between the hub and the main loop's own dispatcher are taken at
 * once. */
#pragma once

#include "daemon/cache/shared_model.h"
#include "daemon/threads/message_queue.h"
#include "daemon/service/service.h"

struct conn_group;
struct hub;

/* Before the other loops run. All are borrowed. */
struct hub *hub_new(uv_loop_t *loop, struct service *service, struct conn_group *main_connections);
/* ended(user) runs once, when the last dispatcher of another loop has ended: no message comes from one any more. */
void hub_on_end(struct hub *hub, void (*ended)(void *user), void *user);
/* After the loops; the service may be gone. NULL is fine. */
void hub_free(struct hub *hub);

/* Any thread whose dispatcher has not ended. */
void hub_post(struct hub *hub, struct message *message);
/* Likewise: the main loop takes a turn, if only for that. */
void hub_wake(struct hub *hub);
/* Any thread: where connections move to. */
struct conn_group *hub_connections(const struct hub *hub);
struct service *hub_service(const struct hub *hub);

/* --- for dispatcher.c --- */

/* A call on its way to the service: made and freed by its dispatcher. Between `there` and `back` it is the hub's; only
 * `cancel` may then be sent. The request of `call` is the client's, who leaves it alone until `done`. */
struct forwarded_call {
    struct message there, back;
    struct message cancel, cancelled;
    struct dispatcher *dispatcher;
    struct hub *hub;
    uint32_t from;      /* the dispatcher's number */
    bool wants_models;  /* that the next call like it can be answered from */
    struct call *asked; /* the client's */
    struct call call;   /* the hub's */
    struct reply reply;
    struct budget *budget;
    size_t counted_bytes;                                 /* of the reply, in it, until the connection counts them */
    struct shared_model *models[1 + REQUEST_SOURCES_MAX]; /* references */
    uint32_t model_count;
    bool is_answered;                 /* the hub's: `call` is done */
    bool is_back;                     /* the dispatcher's, as is the rest */
    bool is_cancelling, is_cancelled; /* the hub was told; it has heard */
};
void hub_take_call(struct message *there);
void hub_take_cancel(struct message *cancel);

/* The last message from a dispatcher, which waits for nothing any more; it comes back as the last one to it. */
struct shutdown_message {
    struct message there, back;
    struct hub *hub;
    uint32_t from;
};
void hub_take_shutdown(struct message *there);

/* What the cache tells: a model changed, or is invalid. */
struct hub_notice {
    struct message message;
    struct dispatcher *dispatcher;
    struct shared_model *invalid; /* a reference; NULL: a change */
    char path[];                  /* of a change */
};

/* One more dispatcher; returns its number. 0: it is the main loop's, and takes messages at once instead of by the
 * queue. take() takes the notices. */
uint32_t hub_add(struct hub *hub, struct dispatcher *dispatcher, struct message_queue *queue,
                 void (*take)(struct message *notice));
