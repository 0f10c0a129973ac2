/* dispatcher.h - where the connections of a loop ask: each loop has one, which answers from the models that the cache
 * shares with it and sends every other call to the hub on the main loop.
 *
 * For the thread of its loop only, unless it says otherwise. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/dispatch/hub.h"
#include "daemon/service/service.h"
#include "daemon/support/budget.h"

#include <uv.h>

struct dispatcher;
struct prepared_query;
struct query_key;

/* Before the loops run; the first one is that of the main loop. All are borrowed. */
struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub);
/* After its loop. NULL is fine. */
void dispatcher_free(struct dispatcher *dispatcher);

/* answer(user, request, reply) is asked before anything else: true, it has filled the reply. Before the first call. */
void dispatcher_ask_first(struct dispatcher *dispatcher,
                          bool (*answer)(void *user, const struct request *request, struct reply *reply), void *user);

/* call->done() runs once, perhaps before this returns. */
void dispatcher_handle(struct dispatcher *dispatcher, struct call *call);
/* The client has left: the work is dropped, unless others wait for the same. `done` runs, perhaps later. */
void dispatcher_cancel(struct dispatcher *dispatcher, struct call *call);
/* Answers a prepared query at once: true, with *reply as `done` would get it. False: nothing was done, and it takes
 * dispatcher_handle(). */
bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply);

/* Appends the body of the reply to such a query, which was just answered, at another time to *out; *warning_count is
 * that of its packet. False: nothing was done, and it takes dispatcher_answer_query(). After at most PREPARED_ROW_MAX
 * of them dispatcher_finish_replies() has to follow, with the same buffer, before its bytes are read. */
bool dispatcher_append_reply(struct dispatcher *dispatcher, struct prepared_query *query, double time_s,
                             struct buf *out, uint32_t *warning_count);
void dispatcher_finish_replies(struct dispatcher *dispatcher, struct prepared_query *query, struct buf *out);

/* The service, for what only the main loop does (uploads); NULL on the others. */
struct service *dispatcher_service(const struct dispatcher *dispatcher);
/* The hub, to which connections move that need the service. */
struct hub *dispatcher_hub(const struct dispatcher *dispatcher);

/* Told of models that were in memory and whose files changed: see struct cache_listener. */
struct change_listener {
    void (*changed)(struct change_listener *listener, const char *path);
    struct change_listener *prev, *next; /* private to the dispatcher */
};
void dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener);

/* A read event begins: what is asked from now on may have been asked after a change that was not there before. */
void dispatcher_begin_read(struct dispatcher *dispatcher);
/* A turn of the loop begins. */
void dispatcher_next_tick(struct dispatcher *dispatcher);

/* Any thread, until the dispatcher has ended; not for that of the main loop. */
void dispatcher_post(struct dispatcher *dispatcher, struct message *message);

/* Not for that of the main loop. There are no connections any more, and no calls but those under way: when these are
 * back the dispatcher ends by itself, and with its handles its loop. */
void dispatcher_end(struct dispatcher *dispatcher);
