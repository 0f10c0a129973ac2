/* conn.h - one connection: reads requests, has them answered and sends the replies in order.
 *
 * conn.c keeps the state, conn_io.c moves bytes, conn_time.c bounds time; a protocol (conn_http.c, daemon/packets/)
 * turns bytes into requests and replies into bytes. A connection has one request under way at a time. What the client
 * sends meanwhile waits here up to a limit, then in the socket. A client that shuts down its sending side still gets
 * its replies; the call of one that is gone is cancelled. After the last reply the sending side is shut down and the
 * rest of the client's bytes are read and dropped for a while, so that a reset cannot overtake the reply.
 *
 * Thread of the connection's loop only. A connection owns itself: it is freed when its handle is closed and no work
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
 *        |  ^  \----> PARSING --> READING, and what follows there
 *        |  |  \----> STREAMING -> READING
 *        |  +-------> MOVING ----> AWAY --> READING (of another loop), or READING again: it could not move
 *        +----------> LINGERING
 *
 *     any -> CLOSING -> CLOSED */
enum conn_state {
    CONN_REFUSED,   /* there are too many connections: its first bytes are answered 503 */
    CONN_READING,   /* reads a request, or waits for one */
    CONN_PARSING,   /* a work thread parses the request */
    CONN_CALLING,   /* the dispatcher has `call` */
    CONN_STREAMING, /* the reply is made and sent in pieces: `body` */
    CONN_MOVING,    /* continues on the main loop, once what is queued is sent */
    CONN_LINGERING, /* everything is sent and the sending side shut down: what still comes is dropped */
    CONN_AWAY,      /* between two loops: neither has a handle for it */
    CONN_CLOSING,   /* its handle is being closed */
    CONN_CLOSED,    /* its handle is closed, but work still refers to it */
    CONN_STATE_COUNT
};

/* What a protocol does for its connections. NULL where it says "or NULL". Only `feed` and `refuse` may queue replies.
 */
struct conn_protocol {
    /* The connection speaks this protocol from now on. opening: the request that opened a WebSocket for it, or NULL. */
    void (*start)(struct conn *conn, const struct http_request *opening);
    /* Reads conn->in, which is not empty, to the end of one request at most, and answers that or hands it to the
     * dispatcher. */
    void (*feed)(struct conn *conn);
    /* The timeout of what it reads: TIMEOUT_HEADER, _BODY, _IDLE, or _NONE for as long as the client likes. */
    enum timeout_kind (*timeout)(const struct conn *conn);
    /* conn->call is done: queues its reply. If the call is abandoned, only the log hears of it. Takes *reply. */
    void (*reply)(struct conn *conn, struct reply *reply);
    /* Removes the framing around bytes that were just read: *bytes and *size_bytes become what is left. Or NULL. */
    void (*unwrap)(struct conn *conn, const char **bytes, size_t *size_bytes);
    /* Memory that requests and what they left behind take. */
    size_t (*held_bytes)(const struct conn *conn);
    /* Says why the connection ends, and sets is_last. */
    void (*refuse)(struct conn *conn, const struct err *err);
    /* The client has shut down its sending side while a call is under way: queues something that shows whether it is
     * gone, if the protocol has such a thing, or closes the connection. */
    void (*probe)(struct conn *conn);
    /* The client has shut down its sending side: ends what would go on without requests. Or NULL. */
    void (*left)(struct conn *conn);
    /* Everything is sent. Or NULL. */
    void (*sent)(struct conn *conn);
    /* The server is stopping: ends what would go on by itself. True: the connection can be closed now. */
    bool (*drain)(struct conn *conn);
    /* group->access has revoked tokens: ends what goes on by one of them. True: that has ended, or does with its reply.
     * Or NULL. */
    bool (*revoke)(struct conn *conn);
    /* The connection has come here from another loop (CONN_MOVING). NULL: none does. */
    void (*moved)(struct conn *conn);
    /* The connection closes: nothing more is sent. */
    void (*close)(struct conn *conn);
    /* Frees; no work refers to the connection. */
    void (*fini)(struct conn *conn);
};

extern const struct conn_protocol PROTOCOL_HTTP;

struct packets;

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
    struct conn *corked_prev, *corked_next; /* of group->corked; NULL: it is not in there */
    uint64_t cork_count;                    /* group->cork_count when it came there */
    struct timeout timeout;
    size_t write_mark; /* conn_unacked_bytes() when the write timeout began: less now is progress */
    struct http_parser parser;
    enum coding coding;      /* of HTTP: the one that the client prefers for the reply under way */
    struct packets *packets; /* of packets, or NULL */
    struct call call;
    const struct request *request; /* what the request log names, or NULL: no request was understood */
    struct query_hint hint;        /* the query it asked last */
    struct query_hint place;       /* where the request of `call` is kept for the next time; or none */
    uint32_t pending_count;        /* work that refers to it: calls, streams, the body */
    size_t waiting_bytes;          /* of its call, while that is large and has no answer (budget_request_begins()) */
    size_t parsed_bytes;           /* copies of what a thread parses, while it does; then parts of the request */
    struct conn_body *body;        /* CONN_STREAMING, or until its work ends after that; else NULL */
    struct upload *upload;         /* takes the body of a PUT under way, or NULL */
    struct send_queue out;
    const char *in; /* bytes not yet parsed: in group->read_bytes during a read event, in `unread` between */
    size_t in_bytes;
    struct buf unread;
    size_t counted_bytes; /* its share of the budget */
    size_t body_mark;     /* bytes of the request body since its timeout began */
    uint64_t unsent_ms;   /* since when a reply waits for the client; 0: none does */
    uint64_t linger_end_ms;
    uint64_t start_ns;           /* when the request under way was complete; 0: nobody asked the clock */
    char id[CONN_ID_SIZE];       /* its id */
    char remote[ADDRESS_SIZE];   /* its other end, or who is there by the PROXY header */
    char client[PEER_TEXT_SIZE]; /* who sent the request under way, by the headers of a trusted proxy; or empty */
    char traceparent[TRACEPARENT_SIZE]; /* of the request under way, or of the WebSocket's; or empty */
    struct message arrival;             /* takes it to the main loop, with its descriptor */
    int moved_fd;
    bool is_trusted;     /* the other end, or who is there by the PROXY header, is a trusted proxy */
    bool may_be_proxied; /* nothing has come yet but perhaps the beginning of a PROXY header */
    bool needs_more;     /* the bytes that are there cannot be parsed without those behind them */
    bool has_begun;      /* HTTP_BEGINNING of the reply to `call` is sent */
    bool is_quick;       /* the last reply took a microsecond or so */
    bool is_running;     /* run() is on the stack */
    bool is_resting;     /* is to run in the next tick: it had its share of this one, or has something to send */
    bool is_reading;     /* the loop reads its socket */
    bool is_revoked;     /* the token of the call under way is good no more: its reply is an error, and the last */
    bool is_last;        /* nothing is answered after what is queued and under way */
    bool is_eof;         /* the client has shut down its sending side, or is gone */
    bool is_probed;      /* and was sent something to find out which */
    bool has_answered;   /* at least once */
    bool is_admin;       /* it came to --admin */
    bool is_counted;     /* in group->addresses, under `address` */
    bool is_one_of_many; /* its address has too many: why it is REFUSED */
    struct address_key address;
};

/* --- conn.c --- */

/* Changes the state; see above which changes there are. */
void conn_enter(struct conn *conn, enum conn_state state);
/* A request is being parsed or answered. */
static inline bool conn_is_busy(const struct conn *conn)
{
    return conn->state == CONN_PARSING || conn->state == CONN_CALLING;
}
/* No loop has the connection any more: it only waits to be freed, or to arrive at another loop. */
static inline bool conn_is_gone(const struct conn *conn) { return conn->state >= CONN_AWAY; }
/* A request is complete: nothing is known of it yet. */
void conn_begin_request(struct conn *conn);
/* A request of which so much is held is being received. ERR_OVERLOADED: that is much, and memory is short. */
int conn_check_room(struct conn *conn, size_t held_bytes, struct err *err);
/* Hands conn->call, whose request is complete, to the dispatcher. */
void conn_start_call(struct conn *conn);
/* Answers a prepared query, if it can at once: true, and *reply is the caller's to send. Otherwise false, and *reply is
 * empty. */
bool conn_answer_prepared(struct conn *conn, struct query_key *key, struct reply *reply);
/* reply_fini(), but the memory of a body may be kept for the next one. */
void conn_end_reply(struct conn *conn, struct reply *reply);
void conn_close(struct conn *conn);
/* One less refers to the connection: frees it if it is closed and that was the last. */
void conn_release(struct conn *conn);

/* --- conn_io.c --- */

/* Parses, sends and reads on as far as it goes; to be called after a reply was queued outside of `feed`. */
void conn_run(struct conn *conn);
/* The next bytes of the client may be parsed: there are some, and room for what they are answered by. */
bool conn_can_parse(const struct conn *conn);
/* Sends the corked replies; before the loop waits. */
void conn_group_flush_corked(struct conn_group *group);
void conn_uncork(struct conn *conn);
/* The body of an upload waits until some of it is stored. */
static inline bool conn_is_upload_full(const struct conn *conn)
{
    return conn->upload != NULL && upload_is_full(conn->upload);
}
/* Answers that there are too many connections. */
void conn_refuse_over_limit(struct conn *conn);

/* --- conn_group.c --- */

/* Sends the connection to the main loop; it has nothing under way. */
void conn_move(struct conn *conn);
/* Removes it from the open connections of its group. */
void conn_unlink(struct conn *conn);

/* --- conn_time.c --- */

/* Starts the timeout of what the connection is doing, unless it runs already. */
void conn_arm_timeout(struct conn *conn);
/* Bytes of replies that the client's system has not acknowledged, in libuv's queue or in the kernel's: the kernel takes
 * megabytes in, and says nothing for long when they leave slowly. */
size_t conn_unacked_bytes(const struct conn *conn);
/* The client must send, or take in, so much within a timeout to have made progress. */
uint64_t conn_progress_bytes(const struct conn *conn);

/* How the request log names a request. */
struct conn_log_names {
    const char *method, *path, *id;
    const char *operation, *model; /* where conn->request is NULL; may be NULL */
};
/* Counts a reply. */
void conn_count_reply(const struct reply *reply);
/* The request under way has ended: with a reply that is queued whole, or whose body has ended. operation: where
 * conn->request is NULL, METRIC_OP_NONE or _PACKET. Call it once, before conn_log_reply(). */
void conn_count_end(const struct conn *conn, int operation, int status, uint64_t body_bytes);
/* Writes the line of a reply that is queued whole, or (NULL) whose body has ended. status: 499, nobody was there for
 * it. */
void conn_log_reply(const struct conn *conn, const struct conn_log_names *names, const struct reply *reply, int status,
                    uint64_t body_bytes);
