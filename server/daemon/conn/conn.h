/* conn.h - one connection, of HTTP or packets: bytes to requests, requests to the service, answers back in order.
 *
 * Loop thread only. One request of a connection is under way at a time; what the client sends meanwhile waits,
 * up to a limit, and then in its socket. A client that shuts down its sending side still gets its answers; one
 * that is gone abandons the call under way. After the last answer the sending side is shut down and
 * the rest of the client's bytes are read and dropped for a moment, so that a reset cannot overtake the answer. */
#pragma once

#include "wire/http/access.h"
#include "wire/http/http_response.h"
#include "daemon/config/config.h"
#include "daemon/conn/conn_body.h"
#include "daemon/dispatch/dispatcher.h"
#include "daemon/conn/timeouts.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

struct conn;

enum { CONN_READ_BYTES = 65536 };

/* What all connections of one loop share; the listener's. */
struct conn_group {
    uv_loop_t *loop;
    const struct config *config;
    struct dispatcher *dispatcher;        /* who is asked */
    atomic_uint_fast32_t *all_open_count; /* connections of all loops, those that are on their way between two too */
    struct prepared_queries *memo;        /* of the queries of all connections */
    struct budget *budget;
    const struct access *access; /* who may ask */
    struct timeouts timeouts;
    uv_idle_t next_turn;      /* active while connections wait for their next share */
    uv_prepare_t before_wait; /* both send what was gathered */
    uv_check_t after_wait;
    struct conn *gathered;                     /* connections with answers that leave at the end of the turn */
    uint64_t now_ns;                           /* the time that was asked for last */
    uint64_t gathered_ns;                      /* since when there are any */
    uint64_t gathered_times;                   /* how often they were sent */
    struct conn *first;                        /* every open connection */
    uint32_t open_count;                       /* of them */
    uint32_t stream_count;                     /* of all of them */
    struct model_watches *watches;             /* likewise */
    struct conn_bodies bodies;                 /* likewise */
    uint32_t probed_count;                     /* of them those that may be gone */
    uint64_t next_id;                          /* request ids that the server makes: counts up from a random start */
    uint_fast32_t shortages_seen;              /* of the budget */
    bool is_draining;                          /* every answer is its connection's last */
    time_t date_s;                             /* what `date` says */
    char date[HTTP_DATE_SIZE];                 /* of answers of HTTP */
    void (*closed)(struct conn_group *shared); /* an open connection is gone */
    struct buf plain_tags;                     /* of http_plain_tags() */
    struct buf unwrapped;                      /* what a language made of them */
    char read_bytes[CONN_READ_BYTES];          /* of the read event under way */
};

/* Before the first connection, with `loop` set. */
void conn_group_start(struct conn_group *shared);
/* After the last; the handles are closed while the loop runs. Again is fine. */
void conn_group_stop(struct conn_group *shared);

/* Goes on in the next turn of the loop with connections that rest, and with watches. */
void conn_group_wake(struct conn_group *shared);

/* A new connection, counted in all_open_count until its socket is closed. fd: its socket, not blocking, TCP or Unix;
 * its own from then on. has_packets: it may speak packets as well as HTTP. is_refused: there are too many; it is
 * answered 503 and closed. */
void conn_group_accept(struct conn_group *shared, int fd, bool is_unix, bool has_packets, bool is_refused);

/* Acts on every timeout that has passed, closes those found to be gone, and where memory is short those who have not
 * read an answer in time. */
void conn_group_expire(struct conn_group *shared);

/* Closes the idle connections; the others close after the answers under way. shared->is_draining is set. */
void conn_group_drain(struct conn_group *shared);

/* Closes every connection now, whatever it is doing. */
void conn_group_close_all(struct conn_group *shared);
