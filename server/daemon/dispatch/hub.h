/* hub.h - the main loop's half of the fronts: has done what they do not do themselves, lends them models, and tells
 * them of changes. Its own loop only, unless it says otherwise. */
#pragma once

#include "daemon/dispatch/message_queue.h"
#include "daemon/service/service.h"

struct conn_group;
struct hub;
struct dispatcher;

/* Before the other loops run. All are borrowed. */
struct hub *hub_new(uv_loop_t *loop, struct service *service, struct conn_group *main_connections);
/* One more dispatcher, with the next number, from 1. */
void hub_add(struct hub *hub, struct dispatcher *dispatcher);
/* ended(user) runs once, when the last dispatcher has ended: nothing comes from one any more. */
void hub_on_end(struct hub *hub, void (*ended)(void *user), void *user);
/* After the loops; the service may be gone. NULL is fine. */
void hub_free(struct hub *hub);

/* Any thread whose dispatcher has not ended. */
void hub_post(struct hub *hub, struct message *message);
void hub_wake(struct hub *hub);
/* Any thread: where connections move to. */
struct conn_group *hub_connections(const struct hub *hub);
