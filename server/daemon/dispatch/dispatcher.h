/* dispatcher.h - answers the calls of the connections of one loop. Each loop has a dispatcher. It answers from the
 * models that the cache shares with it, and sends every other call to the hub on the main loop.
 *
 * Functions belong to the loop's thread unless they say otherwise. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/dispatch/hub.h"
#include "daemon/service/service.h"
#include "daemon/support/budget.h"

#include <uv.h>

struct dispatcher;
struct prepared_query;
struct query_key;

/* Create dispatchers before the loops run, the main loop's first. All arguments are borrowed. */
struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub);
/* Call it after the loop has ended. NULL is fine. */
void dispatcher_free(struct dispatcher *dispatcher);

/* Sets a function that the dispatcher asks before anything else: answer(user, request, reply) returns true when it has
 * filled the reply. Set it before the first call. */
void dispatcher_ask_first(struct dispatcher *dispatcher,
                          bool (*answer)(void *user, const struct request *request, struct reply *reply), void *user);

/* Answers the call: call->done() runs once, possibly before this returns. */
void dispatcher_handle(struct dispatcher *dispatcher, struct call *call);
/* Cancels a call whose client has disconnected. The work is dropped unless other calls wait for it. `done` still runs,
 * possibly later. */
void dispatcher_cancel(struct dispatcher *dispatcher, struct call *call);
/* Answers a prepared query immediately. True: *reply is what `done` would receive. False: nothing happened, and the
 * query needs dispatcher_handle(). */
bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply);

/* Appends to *out the body of the reply to such a query, which was just answered, at another time; *warning_count is
 * for its packet. False: nothing happened, and the query needs dispatcher_answer_query(). dispatcher_finish_replies()
 * must follow after at most PREPARED_ROW_MAX calls, with the same buffer, before its bytes are read. */
bool dispatcher_append_reply(struct dispatcher *dispatcher, struct prepared_query *query, double time_s,
                             struct buf *out, uint32_t *warning_count);
void dispatcher_finish_replies(struct dispatcher *dispatcher, struct prepared_query *query, struct buf *out);

/* Returns the service, for uploads and other work of the main loop; NULL on other loops. */
struct service *dispatcher_service(const struct dispatcher *dispatcher);
/* Returns the hub, to which connections move when they need the service. */
struct hub *dispatcher_hub(const struct dispatcher *dispatcher);

/* A listener for changes of files whose models were in memory: see struct cache_listener. */
struct change_listener {
    void (*changed)(struct change_listener *listener, const char *path);
    struct change_listener *prev, *next; /* private to the dispatcher */
};
void dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener);

/* Marks the start of a read event: requests from now on may follow a file change that earlier ones did not. */
void dispatcher_begin_read(struct dispatcher *dispatcher);
/* Marks the start of a loop iteration. */
void dispatcher_next_tick(struct dispatcher *dispatcher);

/* Posts a message from any thread, until the dispatcher has ended. Not for the main loop's dispatcher. */
void dispatcher_post(struct dispatcher *dispatcher, struct message *message);

/* Ends the dispatcher of another loop than the main loop. It has no connections any more, and only pending calls. When
 * these are done the dispatcher closes its handles, and its loop ends. */
void dispatcher_end(struct dispatcher *dispatcher);
