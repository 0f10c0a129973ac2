/* hub.h - the main loop's counterpart of all dispatchers. It passes their calls to the service, shares models of the
 * cache with them, and notifies them of changes. Functions belong to the main loop's thread unless they say otherwise.
 *
 * Hub and dispatchers exchange messages. The main loop's own dispatcher and the hub handle each other's messages
 * directly. */
#pragma once

#include "daemon/cache/shared_model.h"
#include "daemon/threads/message_queue.h"
#include "daemon/service/service.h"

struct conn_group;
struct hub;

/* Create the hub before the other loops run. All arguments are borrowed. */
struct hub *hub_new(uv_loop_t *loop, struct service *service, struct conn_group *main_connections);
/* Sets a function that runs once, when the dispatchers of all other loops have ended and no more messages arrive. */
void hub_on_end(struct hub *hub, void (*ended)(void *user), void *user);
/* Call it after the loops have ended; the service may be freed already. NULL is fine. */
void hub_free(struct hub *hub);

/* Posts a message from any thread whose dispatcher has not ended. */
void hub_post(struct hub *hub, struct message *message);
/* Wakes the main loop for an iteration; callable like hub_post(). */
void hub_wake(struct hub *hub);
/* Returns the group to which connections move; any thread. */
struct conn_group *hub_connections(const struct hub *hub);
struct service *hub_service(const struct hub *hub);

/* --- for dispatcher.c --- */

/* A call on its way to the service. Its dispatcher makes and frees it. Between `there` and `back` the hub owns it, and
 * the dispatcher may only send `cancel`. The request of `call` belongs to the client, who does not touch it until
 * `done`. */
struct forwarded_call {
    struct message there, back;
    struct message cancel, cancelled;
    struct dispatcher *dispatcher;
    struct hub *hub;
    uint32_t from;      /* index of the dispatcher */
    bool wants_models;  /* the dispatcher wants the models, to answer similar calls itself */
    struct call *asked; /* the client's call */
    struct call call;   /* the hub's call */
    struct reply reply;
    struct budget *budget;
    size_t counted_bytes; /* bytes of the reply that the budget counts here, until the connection counts them */
    struct shared_model *models[1 + REQUEST_SOURCES_MAX]; /* references */
    uint32_t model_count;
    bool is_answered;                 /* set by the hub: `call` is done */
    bool is_back;                     /* this and the following fields are the dispatcher's */
    bool is_cancelling, is_cancelled; /* the hub was told; it has received that */
};
void hub_take_call(struct message *there);
void hub_take_cancel(struct message *cancel);

/* The last message from a dispatcher, which has no pending calls. The hub returns it as the last message. */
struct shutdown_message {
    struct message there, back;
    struct hub *hub;
    uint32_t from;
};
void hub_take_shutdown(struct message *there);

/* A notice of the cache: a model's file changed, or a model is invalid. */
struct hub_notice {
    struct message message;
    struct dispatcher *dispatcher;
    struct shared_model *invalid; /* a reference; NULL: the file at `path` changed */
    char path[];                  /* of the changed file */
};

/* Registers a dispatcher and returns its index. Index 0 is the main loop's, which handles messages directly instead of
 * by the queue. take() handles the notices. */
uint32_t hub_add(struct hub *hub, struct dispatcher *dispatcher, struct message_queue *queue,
                 void (*take)(struct message *notice));
