/* front_parts.h - what goes between fronts and hub. Private to dispatcher.c and hub.c. */
#pragma once

#include "daemon/dispatch/hub.h"
#include "daemon/dispatch/dispatcher.h"
#include "daemon/cache/shared_model.h"
#include "daemon/dispatch/message_queue.h"

/* A call that the main loop answers: made and freed by its dispatcher. Between the two posts it is the hub's; only
 * `cancel` may then be posted. The request of `call` is the client's, who leaves it alone until `done`. */
struct forwarded_call {
    struct message there, back; /* handed over and handed back */
    struct message cancel, cancelled;
    struct dispatcher *dispatcher;
    struct hub *hub;
    struct budget *budget;
    struct call *asked; /* the connection's */
    struct call call;   /* the hub's */
    struct reply reply;
    size_t counted_bytes; /* of it, in the budget, until the connection counts them */
    struct shared_model
        *hots[1 + REQUEST_SOURCES_MAX]; /* what may be answered by the dispatcher from now on; references */
    uint32_t hot_count;
    bool is_answered;                 /* the hub's: `call` is done */
    bool is_back;                     /* the dispatcher's, like the rest */
    bool is_cancelling, is_cancelled; /* the hub was told; it has heard */
};

/* A shared model is over: the dispatcher gives it back. */
struct invalidation {
    struct message message;
    struct dispatcher *dispatcher;
    struct shared_model *shared; /* a reference */
};

/* What the cache tells listeners. */
struct change_notice {
    struct message message;
    struct dispatcher *dispatcher;
    char path[];
};

/* --- dispatcher.c: the messages of the hub --- */
void dispatcher_take_back(struct message *message);      /* forward.back */
void dispatcher_take_cancelled(struct message *message); /* forward.cancelled */
void dispatcher_take_invalidation(struct message *message);
void dispatcher_take_change(struct message *message);
void dispatcher_take_end(struct message *message); /* the last one */

struct message *dispatcher_end_message(struct dispatcher *dispatcher);
/* Whether fronts answer this operation themselves, when the model is in memory. */
bool dispatcher_answers(enum op op);

/* --- hub.c: those of the fronts --- */
void hub_take_forward(struct message *message); /* forward.there */
void hub_take_cancel(struct message *message);  /* forward.cancel */

/* The dispatcher's last message: it waits for nothing any more. */
struct shutdown_message {
    struct message message;
    struct hub *hub;
    struct dispatcher *dispatcher;
};
void hub_take_farewell(struct message *message);
