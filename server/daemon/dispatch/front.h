/* front.h - where the connections of a loop ask: on the main loop the service itself. On every other loop a front,
 * which answers what is in memory by itself, and has the rest done on the main loop.
 *
 * Each is for the thread of its loop only. The main loop's half of all fronts is the desk (desk.h). */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/cache/cache.h"
#include "daemon/config/config.h"
#include "daemon/dispatch/mailbox.h"
#include "daemon/service/service.h"

#include <uv.h>

struct desk;
struct front;

/* The main loop's. */
struct front *front_new_main(struct service *service);
/* That of another loop, which does not run yet. All are borrowed. */
struct front *front_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct desk *desk);
/* After its loop. NULL is fine. */
void front_free(struct front *front);

/* As service_handle() and service_cancel() are; `done` of a cancelled call may come later. */
void front_handle(struct front *front, struct call *call);
void front_cancel(struct front *front, struct call *call);
/* As service_answer_query() is. */
bool front_answer_query(struct front *front, struct query *query, const struct query_key *key, struct reply *reply);

/* The service, for what only the main loop does (uploads); NULL on the others. */
struct service *front_service(const struct front *front);
/* The desk, to which connections move that want that; NULL on the main loop. */
struct desk *front_desk(const struct front *front);

/* As cache_listen() is; what is told comes a moment later. */
void front_listen(struct front *front, struct cache_listener *listener);

/* A read event or a turn of the loop begins: what is asked from now on may have been asked after a change that was not
 * there before. */
void front_next_moment(struct front *front);
/* Once a turn: the main loop is told when there is room for which it may have waited. */
void front_next_turn(struct front *front);

/* Any thread, until the front has ended. */
void front_post(struct front *front, struct message *message);

/* There are no connections any more, and no calls but those under way: when these are back the front ends by itself,
 * and with its handles its loop. */
void front_end(struct front *front);
