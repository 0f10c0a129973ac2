/* desk.h - the main loop's half of the fronts: has done what they do not do themselves, lends them models, and tells
 * them of changes. Its own loop only, unless it says otherwise. */
#pragma once

#include "daemon/dispatch/mailbox.h"
#include "daemon/service/service.h"

struct conn_shared;
struct desk;
struct front;

/* Before the other loops run. All are borrowed. */
struct desk *desk_new(uv_loop_t *loop, struct service *service, struct conn_shared *main_connections);
/* One more front, with the next number, from 1. */
void desk_add(struct desk *desk, struct front *front);
/* ended(user) runs once, when the last front has ended: nothing comes from one any more. */
void desk_on_end(struct desk *desk, void (*ended)(void *user), void *user);
/* After the loops; the service may be gone. NULL is fine. */
void desk_free(struct desk *desk);

/* Any thread whose front has not ended. */
void desk_post(struct desk *desk, struct message *message);
void desk_wake(struct desk *desk);
/* Any thread: where connections move to. */
struct conn_shared *desk_connections(const struct desk *desk);
