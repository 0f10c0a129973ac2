/* conn.h - one connection: reads requests, passes them to the dispatcher and sends the replies in order.
 *
 * conn.c keeps the state, conn_io.c moves bytes, conn_time.c bounds time; a protocol (conn_http.c, daemon/packets/)
 * turns bytes into requests and replies into bytes. A connection has one request under way at a time. Further bytes of
 * the client wait here up to a limit, then in the socket. A client that shuts down its sending side still gets its
 * replies; if the client has disconnected, its call is cancelled. After the last reply the connection shuts down its
 * sending side, and reads and drops the client's remaining bytes for a while, so that a reset cannot overtake the
 * reply.
 *
 * Thread of the connection's loop only. A connection owns itself: it frees itself when its handle is closed and no work
 * refers to it any more. */
#pragma once

#include "daemon/config/address.h"
#include "daemon/conn/address_counts.h"
#include "daemon/conn/conn_body.h"
#include "daemon/conn/conn_group.h"
#include "daemon/conn/conn_parse.h"
#include "daemon/conn/send_queue.h"
#include "daemon/threads/message_queue.h"
#include "daemon/evaluation/prepared_queries.h"
#include "daemon/upload/upload.h"
#include "wire/http/coding.h"
#include "wire/http/http_parser.h"
#include "wire/proxy/peer_address.h"
#include "wire/proxy/trace_context.h"

enum { CONN_ID_SIZE = 65 };

/* What a connection is doing. conn_enter() makes every change and checks it against this table:
 *
 *     REFUSED ------> LINGERING <-----------+
 *                                           |
 *     READING ------> CALLING ---> READING, LINGERING (a WebSocket was closed meanwhile: its call is cancelled)
 *        |  ^  \----> PARSING --> READING, and from there as above
 *        |  |  \----> STREAMING -> READING
 *        |  +-------> MOVING ----> AWAY --> READING (of another loop), or READING again: it could not move
 *        +----------> LINGERING
 *
 *     any -> CLOSING -> CLOSED */
enum conn_state {
    CONN_REFUSED,   /* there are too many connections: it answers 503 to the first bytes */
    CONN_READING,   /* reads a request, or waits for one */
    CONN_PARSING,   /* a work thread parses the request */
    CONN_CALLING,   /* the dispatcher has `call` */
    CONN_STREAMING, /* the reply is streamed: `body` */
    CONN_MOVING,    /* continues on the main loop, once the queue is sent */
    CONN_LINGERING, /* everything is sent and the sending side shut down: it drops further bytes */
    CONN_AWAY,      /* between two loops: neither has a handle for it */
    CONN_CLOSING,   /* its handle is being closed */
    CONN_CLOSED,    /* its handle is closed, but work still refers to it */
    CONN_STATE_COUNT
};

/* The functions of a protocol for its connections. Those marked "or NULL" are optional. Only `feed` and `refuse` may
 * queue replies. */
struct conn_protocol {
    /* The connection speaks this protocol from now on. opening: the request that opened a WebSocket for it, or NULL. */
    void (*start)(struct conn *conn, const struct http_request *opening);
    /* Parses conn->in, which is not empty, to the end of at most one request, and answers it or hands it to the
     * dispatcher. */
    void (*feed)(struct conn *conn);
    /* Returns the timeout of the current read: TIMEOUT_HEADER, _BODY, _IDLE, or _NONE for no limit. */
    enum timeout_kind (*timeout)(const struct conn *conn);
    /* Queues the reply to conn->call, which is done. If the call is abandoned, only logs it. Takes *reply. */
    void (*reply)(struct conn *conn, struct reply *reply);
    /* Removes the framing around newly read bytes: *bytes and *size_bytes become the content. Or NULL. */
    void (*unwrap)(struct conn *conn, const char **bytes, size_t *size_bytes);
    /* Returns the memory that requests and their remaining state take. */
    size_t (*held_bytes)(const struct conn *conn);
    /* Queues a reply that says why the connection ends, and sets is_last. */
    void (*refuse)(struct conn *conn, const struct err *err);
    /* Called when the client has shut down its sending side during a call: queues bytes that reveal whether the client
     * has disconnected, if the protocol can do that, or closes the connection. */
    void (*probe)(struct conn *conn);
    /* Called when the client has shut down its sending side: ends activities that continue without requests. Or
     * NULL. */
    void (*left)(struct conn *conn);
    /* Called when everything is sent. Or NULL. */
    void (*sent)(struct conn *conn);
    /* Called when the server stops: ends activities that continue by themselves. True: the connection can be closed
     * now. */
    bool (*drain)(struct conn *conn);
    /* Called when group->access has revoked tokens: ends activities of such a token. Returns true if there were any
     * that have ended or will end with their reply. Or NULL. */
    bool (*revoke)(struct conn *conn);
    /* Called when the connection has arrived from another loop (CONN_MOVING). NULL: connections never move. */
    void (*moved)(struct conn *conn);
    /* Called when the connection closes: it sends nothing more. */
    void (*close)(struct conn *conn);
    /* Frees the protocol's state; no work refers to the connection. */
    void (*fini)(struct conn *conn);
};

extern const struct conn_protocol PROTOCOL_HTTP;

/* After a request that was answered by the prepared query of `hint`: see http_begin.h. */
struct http_reuse {
    bool is_allowed;            /* the request passed access control */
    uint64_t access_number;     /* of the group, when it did */
    struct http_kept_head head; /* of its response, if it was a repeat itself */
};

struct packets;

/* What still comes from the client. */
enum conn_input {
    INPUT_OPEN,
    INPUT_ENDED,  /* nothing: it has shut down its sending side, or disconnected */
    INPUT_PROBED, /* nothing, and probe bytes were sent to find out which */
};

/* Whether the connection counts in group->addresses, under `address`. */
enum conn_count {
    COUNT_NONE, /* no: it came over a Unix socket, to --admin, or from a trusted proxy */
    COUNT_TAKEN,
    COUNT_EXCEEDED, /* yes, and it is REFUSED because its address has too many */
};

struct conn {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    enum conn_state state;
    const struct conn_protocol *protocol; /* NULL: the first byte will tell */
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct conn_group *group;
    struct conn *prev, *next;
    struct conn *received_prev, *received_next; /* of group->received; NULL: not in the list */
    struct conn *corked_prev, *corked_next;     /* of group->corked; likewise */
    uint64_t cork_count;                        /* group->cork_count when it joined the list */
    struct timeout timeout;
    size_t write_mark; /* conn_unacked_bytes() when the write timeout began; a smaller value now means progress */
    struct http_parser parser;
    enum coding coding;      /* HTTP: the coding that the client prefers for the current response */
    struct packets *packets; /* of packets, or NULL */
    struct call call;
    const struct request *request; /* for the request log; NULL: no valid request */
    struct query_hint hint;        /* its last query */
    struct http_reuse reuse;       /* HTTP: what a repeat of the last request need not decide again */
    struct query_hint place;       /* where to keep the request of `call` for reuse; or none */
    uint32_t pending_count;        /* references by work: calls, streams, the body */
    size_t waiting_bytes;          /* of its call, while it is large and unanswered (budget_request_begins()) */
    size_t parsed_bytes;           /* of copies for a parsing thread; once it is parsed, of the request's parts */
    struct conn_body *body;        /* in CONN_STREAMING, or until its work ends after that; else NULL */
    struct upload *upload;         /* takes the body of a PUT under way, or NULL */
    struct send_queue out;
    const char *in; /* bytes not yet parsed: in group->read_bytes during a tick, in `unread` between */
    size_t in_bytes;
    struct buf unread;
    size_t counted_bytes; /* its share of the budget */
    size_t body_mark;     /* bytes of the request body since its timeout began */
    uint64_t unsent_ms;   /* since when a reply waits for the client; 0: no reply waits */
    uint64_t linger_end_ms;
    uint64_t start_ns;           /* when the current request was complete; 0: the clock was not read */
    char id[CONN_ID_SIZE];       /* its id */
    char remote[ADDRESS_SIZE];   /* the address of the peer, or of the client in the PROXY header */
    char client[PEER_TEXT_SIZE]; /* the sender of the current request by the headers of a trusted proxy; or empty */
    char traceparent[TRACEPARENT_SIZE]; /* of the request under way, or of the WebSocket's; or empty */
    struct message arrival;             /* moves it to the main loop, with its descriptor */
    int moved_fd;
    enum conn_input input;
    enum conn_count count;
    bool is_trusted;     /* the peer, or the client in the PROXY header, is a trusted proxy */
    bool may_be_proxied; /* no bytes have arrived yet, except perhaps part of a PROXY header */
    bool needs_more;     /* the available bytes cannot be parsed without more */
    bool has_begun;      /* HTTP_BEGINNING of the response to `call` is sent */
    bool is_quick;       /* the last reply took a microsecond or so */
    bool is_running;     /* run() is on the stack */
    bool is_resting;     /* has to run in the next tick: it has used its share of this one, or has something to send */
    bool is_reading;     /* the loop reads its socket */
    bool has_read_much;  /* the rest of what its client sends waits for the next turn */
    uint8_t full_reads;  /* reads of a full buffer in a row */
    bool is_revoked;     /* the token of the current call was revoked: its reply is an error, and the last */
    bool is_last;        /* no further requests are answered after the queued and current ones */
    bool has_answered;   /* at least once */
    bool is_admin;       /* it came to --admin */
    struct address_key address;
};

/* --- conn.c --- */

/* Changes the state; the table above has the allowed changes. */
void conn_enter(struct conn *conn, enum conn_state state);
/* True while a request is parsed or answered. */
static inline bool conn_is_busy(const struct conn *conn)
{
    return conn->state == CONN_PARSING || conn->state == CONN_CALLING;
}
/* True if no loop has the connection any more: it only waits to be freed, or to arrive at another loop. */
static inline bool conn_is_gone(const struct conn *conn) { return conn->state >= CONN_AWAY; }
/* Resets the state of the request when a new one is complete. */
void conn_begin_request(struct conn *conn);
/* Checks a request that is still arriving, with this many bytes so far. ERR_OVERLOADED: it is large, and memory is
 * short. */
int conn_check_capacity(struct conn *conn, size_t held_bytes, struct err *err);
/* Hands conn->call, whose request is complete, to the dispatcher. */
void conn_start_call(struct conn *conn);
/* Answers a prepared query if that is possible at once: returns true, and the caller sends *reply. Otherwise returns
 * false with an empty *reply. */
bool conn_answer_prepared(struct conn *conn, struct query_key *key, struct reply *reply);
/* The same for the query of `hint` at another time; of the key it reads the time and the tags. */
bool conn_answer_again(struct conn *conn, const struct query_key *key, struct reply *reply);
/* Does reply_fini(), but may keep the memory of a body for the next reply. */
void conn_end_reply(struct conn *conn, struct reply *reply);
void conn_close(struct conn *conn);
/* Drops a reference by work, and frees the connection if it is closed and this was the last. */
void conn_release(struct conn *conn);

/* --- conn_io.c --- */

/* Parses, sends and reads as far as possible; call it after queueing a reply outside of `feed`. */
void conn_run(struct conn *conn);
/* True if there are unparsed bytes of the client, and room for their answers. */
bool conn_can_parse(const struct conn *conn);
/* Runs the connections that received bytes in this tick. All are read before the first is parsed, so that one question
 * to the kernel shows the file changes before each of their requests: see dispatcher_begin_read(). */
void conn_group_run_received(struct conn_group *group);
/* Sends the corked replies, before the loop waits. */
void conn_group_flush_corked(struct conn_group *group);
/* Takes the connection out of both lists. */
void conn_unqueue(struct conn *conn);
/* True if the body of an upload has to wait until part of it is stored. */
static inline bool conn_is_upload_full(const struct conn *conn)
{
    return conn->upload != NULL && upload_is_full(conn->upload);
}
/* Answers that there are too many connections. */
void conn_refuse_over_limit(struct conn *conn);

/* --- conn_group.c --- */

/* Moves the connection, which has nothing under way, to the main loop. */
void conn_move(struct conn *conn);
/* Removes it from the open connections of its group. */
void conn_unlink(struct conn *conn);

/* --- conn_time.c --- */

/* Starts the timeout of the connection's current activity, unless it already runs. */
void conn_arm_timeout(struct conn *conn);
/* Returns the bytes of replies that the client's system has not acknowledged, in libuv's queue or the kernel's. libuv's
 * queue alone does not show progress, because the kernel buffers megabytes that leave slowly. */
size_t conn_unacked_bytes(const struct conn *conn);
/* Returns the bytes that the client must send or receive within a timeout to count as progress. */
uint64_t conn_progress_bytes(const struct conn *conn);

/* The names of a request in the request log. */
struct conn_log_names {
    const char *method, *path, *id;
    const char *operation, *model; /* used if conn->request is NULL; may be NULL */
};
/* Counts a reply. */
void conn_count_reply(const struct reply *reply);
/* Counts the end of the current request, whose reply is completely queued or whose body has ended. operation:
 * METRIC_OP_NONE or _PACKET if conn->request is NULL. Call it once, before conn_log_reply(). */
void conn_count_end(const struct conn *conn, int operation, int status, uint64_t body_bytes);
/* Logs a reply that is completely queued, or (reply NULL) one whose body has ended. status 499: the client had left. */
void conn_log_reply(const struct conn *conn, const struct conn_log_names *names, const struct reply *reply, int status,
                    uint64_t body_bytes);
