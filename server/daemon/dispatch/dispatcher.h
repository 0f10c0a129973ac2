/* dispatcher.h - where the connections of a loop ask: on the main loop the service itself. On every other loop a
 * dispatcher, which answers what is in memory by itself, and has the rest done on the main loop.
 *
 * Each is for the thread of its loop only. The main loop's half of all fronts is the hub (hub.h). */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/cache/cache.h"
#include "daemon/config/config.h"
#include "daemon/dispatch/message_queue.h"
#include "daemon/service/service.h"

#include <uv.h>

struct hub;
struct dispatcher;

/* The main loop's. */
struct dispatcher *dispatcher_new_main(struct service *service);
/* That of another loop, which does not run yet. All are borrowed. */
struct dispatcher *dispatcher_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct hub *hub);
/* After its loop. NULL is fine. */
void dispatcher_free(struct dispatcher *dispatcher);

/* As service_handle() and service_cancel() are; `done` of a cancelled call may come later. */
void dispatcher_handle(struct dispatcher *dispatcher, struct call *call);
void dispatcher_cancel(struct dispatcher *dispatcher, struct call *call);
/* As service_answer_query() is. */
bool dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query, const struct query_key *key,
                             struct reply *reply);

/* The service, for what only the main loop does (uploads); NULL on the others. */
struct service *dispatcher_service(const struct dispatcher *dispatcher);
/* The hub, to which connections move that want that; NULL on the main loop. */
struct hub *dispatcher_hub(const struct dispatcher *dispatcher);

/* As cache_listen() is; what is told comes a moment later. */
void dispatcher_listen(struct dispatcher *dispatcher, struct cache_listener *listener);

/* A read event or a turn of the loop begins: what is asked from now on may have been asked after a change that was not
 * there before. */
void dispatcher_begin_read(struct dispatcher *dispatcher);
/* Once a turn: the main loop is told when there is room for which it may have waited. */
void dispatcher_next_tick(struct dispatcher *dispatcher);

/* Any thread, until the dispatcher has ended. */
void dispatcher_post(struct dispatcher *dispatcher, struct message *message);

/* There are no connections any more, and no calls but those under way: when these are back the dispatcher ends by
 * itself, and with its handles its loop. */
void dispatcher_end(struct dispatcher *dispatcher);
