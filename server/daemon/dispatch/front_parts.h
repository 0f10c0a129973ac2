/* front_parts.h - what goes between fronts and desk. Private to front.c and desk.c. */
#pragma once

#include "daemon/dispatch/desk.h"
#include "daemon/dispatch/front.h"
#include "daemon/cache/hot.h"
#include "daemon/dispatch/mailbox.h"

/* A call that the main loop answers: made and freed by its front. Between the two posts it is the desk's; only `cancel`
 * may then be posted. The request of `call` is the client's, who leaves it alone until `done`. */
struct forward {
    struct message there, back; /* handed over and handed back */
    struct message cancel, cancelled;
    struct front *front;
    struct desk *desk;
    struct budget *budget;
    struct call *asked; /* the connection's */
    struct call call;   /* the desk's */
    struct reply reply;
    size_t counted_bytes;                      /* of it, in the budget, until the connection counts them */
    struct hot *hots[1 + REQUEST_SOURCES_MAX]; /* what may be answered by the front from now on; references */
    uint32_t hot_count;
    bool is_answered;                 /* the desk's: `call` is done */
    bool is_back;                     /* the front's, like the rest */
    bool is_cancelling, is_cancelled; /* the desk was told; it has heard */
};

/* A hot model is over: the front gives it back. */
struct recall {
    struct message message;
    struct front *front;
    struct hot *hot; /* a reference */
};

/* What the cache tells listeners. */
struct change {
    struct message message;
    struct front *front;
    char path[];
};

/* --- front.c: the messages of the desk --- */
void front_take_back(struct message *message);      /* forward.back */
void front_take_cancelled(struct message *message); /* forward.cancelled */
void front_take_recall(struct message *message);
void front_take_change(struct message *message);
void front_take_end(struct message *message); /* the last one */

struct message *front_end_message(struct front *front);
/* Whether fronts answer this operation themselves, when the model is in memory. */
bool front_answers(enum op op);

/* --- desk.c: those of the fronts --- */
void desk_take_forward(struct message *message); /* forward.there */
void desk_take_cancel(struct message *message);  /* forward.cancel */

/* The front's last message: it waits for nothing any more. */
struct farewell {
    struct message message;
    struct desk *desk;
    struct front *front;
};
void desk_take_farewell(struct message *message);
