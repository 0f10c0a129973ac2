/* conn_group.h - the connections of one event loop and what they share: configuration, timeouts, scratch memory.
 *
 * The listener of the loop owns it. Thread of that loop only, except for atomic members. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/config/proxy_policy.h"
#include "daemon/conn/conn_body.h"
#include "daemon/conn/conn_parse.h"
#include "daemon/conn/timeouts.h"
#include "daemon/dispatch/dispatcher.h"
#include "wire/http/access.h"
#include "wire/http/http_response.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

struct address_counts;
struct conn;
struct conn_protocol;
struct model_watches;

enum {
    CONN_READ_BYTES = 65536,     /* the most that one read takes from a socket */
    CONN_RECEIVED_BYTES = 65536, /* of several reads, received before the first of them is parsed */
};

struct conn_group {
    uv_loop_t *loop;
    const struct config *config;
    struct dispatcher *dispatcher;        /* answers requests */
    atomic_uint_fast32_t *all_open_count; /* connections of all loops, including those that move */
    struct address_counts *addresses;     /* of those connections; or NULL: not counted */
    struct prepared_queries *queries;     /* of all connections of the group */
    struct buf spare_body;                /* memory for the body of the next prepared reply */
    struct budget *budget;
    const struct access *access;        /* access rights; see conn_group_use_access() */
    uint64_t access_number;             /* how many replaced the first ones */
    const struct proxy_policy *proxies; /* the trusted proxies */
    struct timeouts timeouts;
    uv_idle_t next_tick;       /* active while conn_group_wake() is to have an effect */
    uv_prepare_t before_wait;  /* before_wait and after_wait send corked replies */
    uv_check_t after_wait;     /* parses what was received, too */
    struct conn *received;     /* connections with bytes in `read_bytes`: see conn_group_run_received() */
    size_t received_bytes;     /* in `read_bytes` */
    struct conn *corked;       /* connections whose replies leave at the end of the tick */
    uint64_t now_ns;           /* the last reading of the clock */
    uint64_t turn_end_ns;      /* end of the connections' share of this turn; 0: the turn has just begun */
    struct conn *next_resting; /* where the next tick begins with resting connections; NULL: at the first */
    uint64_t ended_ns;         /* when the last request ended: conn_count_end() */
    uint64_t corked_ns;        /* since when `corked` has a connection */
    uint64_t cork_count;       /* number of times that corked replies were sent */
    struct conn *first;        /* every open connection */
    uint32_t open_count;       /* their number */
    uint32_t admin_count;      /* how many of them came to --admin */
    uint32_t probed_count;     /* how many of them were probed: see struct conn */
    struct conn_bodies bodies; /* replies that are sent in pieces */
    struct conn_parses parses; /* requests that are parsed by threads */
    uint64_t next_id;          /* for requests without an id; counts up from a random start */
    uint_fast32_t shortages_seen;
    bool is_draining; /* every reply is its connection's last */
    time_t date_s;    /* the time that `date` shows */
    char date[sizeof "Sat, 31 Jan 2026 12:00:00 GMT"];
    void (*closed)(struct conn_group *group);               /* a connection is gone */
    struct buf plain_tags;                                  /* the result of http_plain_tags() */
    char read_bytes[CONN_RECEIVED_BYTES + CONN_READ_BYTES]; /* the bytes of this tick's read events */

    /* The protocols of connections: conn_http.c owns the first; daemon/packets/ owns the other (packets.h) and the
     * members below. Set before the first connection. */
    const struct conn_protocol *http, *packets;
    void (*packets_tick)(struct conn_group *group); /* in the tick after conn_group_wake() */
    struct model_watches *model_watches;
    struct buf unwrapped;  /* the content of WebSocket frames */
    uint32_t stream_count; /* open streams of all connections */
};

/* Starts the group, with `loop` and `config` set, before the first connection. */
void conn_group_start(struct conn_group *group);
/* Stops the group after the last connection; its handles close while the loop runs. May be called again. */
void conn_group_stop(struct conn_group *group);
/* Frees the group's memory after the loop has run empty. */
void conn_group_fini(struct conn_group *group);

/* True if all connections together have used their share of this turn of the loop: the rest has to wait for the next
 * turn, after timers, other sockets and messages. now_ns: of the clock. */
bool conn_group_turn_is_over(struct conn_group *group, uint64_t now_ns);

/* Makes the next tick of the loop resume connections that have used their share of this one, and call
 * packets_tick(). */
void conn_group_wake(struct conn_group *group);

/* A connection that was accepted. */
struct conn_arrival {
    int fd; /* a non-blocking TCP or Unix socket, the connection's from now on */
    bool is_unix;
    bool has_packets; /* it may speak packets as well as HTTP */
    bool is_refused;  /* there are too many connections; it is answered 503 and closed */
    bool is_admin;    /* it came to --admin */
};
/* Adds the connection. Unless it came to --admin, all_open_count counts it until its socket is closed. */
void conn_group_accept(struct conn_group *group, const struct conn_arrival *arrival);

/* Acts on every expired timeout and closes connections whose clients have disconnected. If memory is short, it also
 * closes connections whose clients have not read a reply in time. */
void conn_group_expire(struct conn_group *group);

/* Closes the connection that has been idle longest. If all have a request under way, closes the one whose client has
 * neither sent nor read for longest. False: all wait for the server. */
bool conn_group_end_oldest(struct conn_group *group);

/* Closes the idle connections; the others close after their current replies. Sets group->is_draining. */
void conn_group_drain(struct conn_group *group);

/* Replaces group->access, and ends the connections whose tokens that has revoked. Returns their number. */
uint32_t conn_group_use_access(struct conn_group *group, const struct access *access);

/* Closes every connection at once. */
void conn_group_close_all(struct conn_group *group);
