/* conn_group.h - the connections of one event loop and what they share: configuration, timeouts, scratch memory.
 *
 * The listener of the loop owns it. Thread of that loop only, but for what is atomic. */
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

enum { CONN_READ_BYTES = 65536 };

struct conn_group {
    uv_loop_t *loop;
    const struct config *config;
    struct dispatcher *dispatcher;        /* answers requests */
    atomic_uint_fast32_t *all_open_count; /* connections of all loops, and those that move between two */
    struct address_counts *addresses;     /* of those connections; or NULL: nobody counts */
    struct prepared_queries *queries;     /* of all connections of the group */
    struct buf spare_body;                /* memory for the body of the next prepared reply */
    struct budget *budget;
    const struct access *access;        /* who may ask; see conn_group_revoke() */
    const struct proxy_policy *proxies; /* who is believed about whom */
    struct timeouts timeouts;
    uv_idle_t next_tick;      /* active while conn_group_wake() is to have an effect */
    uv_prepare_t before_wait; /* before_wait and after_wait send what is corked */
    uv_check_t after_wait;
    struct conn *corked;       /* connections whose replies leave at the end of the tick */
    uint64_t now_ns;           /* the clock when it was read last */
    uint64_t turn_end_ns;      /* until when connections have this turn of the loop; 0: it has just begun */
    struct conn *next_resting; /* where the next tick begins to look for those that rest; NULL: at the first */
    uint64_t ended_ns;         /* the clock when a request ended last: conn_count_end() */
    uint64_t corked_ns;        /* since when `corked` has a connection */
    uint64_t cork_count;       /* how often the corked replies were sent */
    struct conn *first;        /* every open connection */
    uint32_t open_count;       /* their number */
    uint32_t admin_count;      /* how many of them came to --admin */
    uint32_t probed_count;     /* how many of them were probed: see struct conn */
    struct conn_bodies bodies; /* replies that are sent in pieces */
    struct conn_parses parses; /* requests that are parsed by threads */
    uint64_t next_id;          /* of requests that bring no id; counts up from a random start */
    uint_fast32_t shortages_seen;
    bool is_draining; /* every reply is its connection's last */
    time_t date_s;    /* the time that `date` shows */
    char date[sizeof "Sat, 31 Jan 2026 12:00:00 GMT"];
    void (*closed)(struct conn_group *group); /* a connection is gone */
    struct buf plain_tags;                    /* the result of http_plain_tags() */
    char read_bytes[CONN_READ_BYTES];         /* what the read event under way has read */

    /* The protocols that connections speak: conn_http.c owns the first; daemon/packets/ owns the other (packets.h),
     * with what follows it. Set before the first connection. */
    const struct conn_protocol *http, *packets;
    void (*packets_tick)(struct conn_group *group); /* in the tick after conn_group_wake() */
    struct model_watches *model_watches;
    struct buf unwrapped;  /* what came in WebSocket frames, without them */
    uint32_t stream_count; /* open streams of all connections */
};

/* Before the first connection, with `loop` and `config` set. */
void conn_group_start(struct conn_group *group);
/* After the last; the handles are closed while the loop runs. May be called again. */
void conn_group_stop(struct conn_group *group);
/* After the loop has run empty. */
void conn_group_fini(struct conn_group *group);

/* All connections together have had their share of this turn of the loop: what is left has to wait for the next, after
 * timers, other sockets and messages. now_ns: of the clock. */
bool conn_group_turn_is_over(struct conn_group *group, uint64_t now_ns);

/* Resumes, in the next tick of the loop, connections that had their share of this one, and calls packets_tick(). */
void conn_group_wake(struct conn_group *group);

/* A connection that was accepted. */
struct conn_arrival {
    int fd; /* a non-blocking TCP or Unix socket, the connection's from now on */
    bool is_unix;
    bool has_packets; /* it may speak packets as well as HTTP */
    bool is_refused;  /* there are too many connections; it is answered 503 and closed */
    bool is_admin;    /* it came to --admin */
};
/* Unless it came to --admin it is counted in all_open_count, until its socket is closed. */
void conn_group_accept(struct conn_group *group, const struct conn_arrival *arrival);

/* Acts on every timeout that has passed and closes connections whose clients are gone. When memory is short it also
 * closes those whose clients have not read a reply in time. */
void conn_group_expire(struct conn_group *group);

/* Closes the connection that has had no request under way for longest; where all have one, the one whose client has
 * sent nothing of it, or read nothing of its answer, for longest. False: all wait for the server. */
bool conn_group_end_oldest(struct conn_group *group);

/* Closes the idle connections; the others close after the replies under way. group->is_draining is set. */
void conn_group_drain(struct conn_group *group);

/* group->access is another one: ends the connections whose tokens it has revoked. Returns how many. */
uint32_t conn_group_revoke(struct conn_group *group);

/* Closes every connection now, whatever it is doing. */
void conn_group_close_all(struct conn_group *group);
