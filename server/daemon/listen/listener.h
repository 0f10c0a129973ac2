/* listener.h - what one loop serves: its ports and the connections that came there, whose number and time it keeps in
 * bounds, until it drains them. For the thread of its loop, once that runs. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/config.h"
#include "daemon/conn/conn.h"

#include <uv.h>

struct listener;

/* What those of all loops share; borrowed. */
struct listener_setup {
    const struct config *config;
    struct budget *budget;
    const struct access *access;
    atomic_uint_fast32_t *all_open_count;
};

/* Opens the ports; connections wait until the loop runs. first: NULL, and this is the first of them, or that one: this
 * one listens where it does. Errors as ports_bind() has them. */
int listener_new(uv_loop_t *loop, const struct listener_setup *setup, const struct listener *first,
                 struct listener **out, struct err *err);

/* Who is asked; before the loop runs. */
void listener_serve(struct listener *listener, struct dispatcher *dispatcher);
/* Its connections; for hub_new(). */
struct conn_group *listener_connections(struct listener *listener);

/* See ports_put_addresses(). */
void listener_put_addresses(const struct listener *listener, struct buf *out);

/* Stops accepting, closes idle connections, lets answers under way finish for LIMIT_DRAIN_TIME_MS and calls
 * drained(user) once, when no connection is left, and listener_expect(listener, false) was called if one may come. */
void listener_drain(struct listener *listener, void (*drained)(void *user), void *user);
/* Connections may come from other loops (conn_move.c), or cannot any more. */
void listener_expect(struct listener *listener, bool may_come);

/* After the loop has become empty, or when it never ran with connections: closes what is open and runs the loop
 * until that is gone. NULL is fine. */
void listener_free(struct listener *listener);
