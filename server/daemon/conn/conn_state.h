/* conn_state.h - what a connection remembers, and the seam between its parts: conn.c moves bytes and keeps time and
 * memory in bounds, conn_shared.c sees to all connections, a language turns bytes into requests and answers into bytes:
 * HTTP (conn_http.c) or packets (conn_packets.c, packets.h). Private to them. */
#pragma once

#include "wire/http/coding.h"
#include "wire/http/http_parser.h"
#include "daemon/config/address.h"
#include "daemon/conn/conn.h"
#include "daemon/conn/conn_body.h"
#include "daemon/dispatch/message_queue.h"
#include "daemon/conn/send_queue.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/upload/upload.h"

enum { CONN_ID_SIZE = 65 };

/* Where a language stands in what it reads, for the timeouts. */
enum conn_phase {
    CONN_PHASE_HEAD, /* in a request's first part */
    CONN_PHASE_BODY, /* in the rest of it */
    CONN_PHASE_IDLE, /* between requests: closed after a while */
    CONN_PHASE_REST, /* likewise, for as long as the client likes */
};

/* What a connection speaks. All run on the loop thread; but `feed` and `refuse` none sends. */
struct conn_protocol {
    /* Reads on in conn->in, of which there is something: at most to the end of one request, which it answers or hands
     * to the service. */
    void (*feed)(struct conn *conn);
    enum conn_phase (*phase)(const struct conn *conn);
    /* Takes what is around the bytes that came off them: *bytes and *size_bytes are what is left. Or NULL. */
    void (*unwrap)(struct conn *conn, const char **bytes, size_t *size_bytes);
    /* Memory that requests and what they left behind take. */
    size_t (*held_bytes)(const struct conn *conn);
    /* Says why the connection ends; is_last is set. */
    void (*refuse)(struct conn *conn, const struct err *err);
    /* The client has shut down its sending side while a call is under way: puts something that shows whether it is
     * gone, if the language has such a thing, or takes it as gone. */
    void (*probe)(struct conn *conn);
    /* The client has shut down its sending side: what went on by itself ends. Or NULL. */
    void (*left)(struct conn *conn);
    /* Everything is sent. */
    void (*sent)(struct conn *conn);
    /* The server is stopping: ends what would go on by itself. True: the connection can be closed now. */
    bool (*drain)(struct conn *conn);
    /* It came here from another loop, as is_moving wanted. Or NULL: none comes. */
    void (*moved)(struct conn *conn);
    /* The connection closes: nothing more is sent. */
    void (*close)(struct conn *conn);
    /* Frees; the service has none of its calls. */
    void (*fini)(struct conn *conn);
};

extern const struct conn_protocol PROTOCOL_HTTP, PROTOCOL_PACKETS;

struct packets;

struct conn {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    const struct conn_protocol *language; /* NULL: its first byte will tell */
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct conn_group *shared;
    struct conn *prev, *next;
    struct conn *gathered_prev, *gathered_next; /* of shared->gathered */
    uint64_t gathered_time;                     /* shared->gathered_times when it came there */
    struct timeout timeout;
    size_t write_mark; /* conn_unacked_bytes() when the write timeout began: less now is progress */
    struct http_parser parser;
    enum coding coding; /* of HTTP: what the client of the request under way likes to get, where there is a choice */
    struct packets *packets; /* of PROTOCOL_PACKETS, or NULL */
    struct call call;
    struct query_hint hint; /* the query it asked last */
    uint32_t side_count;    /* calls that the service has beside it: those of streams; and the body */
    struct conn_body *body; /* of the answer to `call` that is under way in pieces, or NULL */
    struct upload *upload;  /* where the body of a PUT under way goes, or NULL */
    struct send_queue out;
    const char *in; /* bytes not yet parsed: in shared->read_bytes during a read event, in `unread` between */
    size_t in_bytes;
    struct buf unread;
    size_t counted_bytes; /* its share of the budget */
    size_t body_mark;     /* bytes of the body since its timeout began */
    uint64_t unsent_ms;   /* since when an answer waits for the client; 0: none does */
    uint64_t linger_end_ms;
    uint64_t start_ns;     /* when the request under way was whole */
    char id[CONN_ID_SIZE]; /* its id */
    char remote[ADDRESS_SIZE];
    struct message arrival; /* of conn_move.c, like the descriptor */
    int moved_fd;
    bool is_moving;   /* it goes on on the main loop, once what it has answered is sent */
    bool is_unix;     /* conn_move.c: a Unix socket */
    bool is_calling;  /* the service has the call */
    bool is_quick;    /* the last answer took a microsecond or so */
    bool is_running;  /* run() is on the stack */
    bool is_gathered; /* it has answers that leave at the end of the turn */
    bool is_resting;  /* it had its share of this turn of the loop and has more to parse */
    bool is_reading;
    bool is_last;   /* nothing is answered after what is in `out` */
    bool is_eof;    /* the client has shut down its sending side, or is gone */
    bool is_probed; /* and was sent something to find out which */
    bool is_lingering;
    bool is_closing, is_closed;
    bool has_answered; /* at least once */
    bool is_refused;   /* one too many: its first request is told so */
};

/* conn.c: parses, sends and reads on as far as it goes; after an answer was queued. */
void conn_run(struct conn *conn);
/* conn_shared.c: answers a query that was asked before, but for its time, where it can at once: true, and *reply, with
 * memory of the memo in its body, is the caller's to send. Else false, and there is nothing in it. */
struct query_key;
bool conn_answer_prepared(struct conn *conn, struct query_key *key, struct reply *reply);
/* conn_shared.c: the handle of the connection, for its loop. The descriptor is its own from then on. 0, or libuv's
 * negative code: the descriptor is closed, the handle is not. */
int conn_open_socket(struct conn *conn, int fd, bool is_unix);
/* conn_shared.c: among all open connections of its loop, and no more. */
void conn_link(struct conn *conn);
void conn_unlink(struct conn *conn);
/* conn_move.c: off to the main loop; nothing of it is under way. */
void conn_move(struct conn *conn);
/* conn.c: sends what connections have gathered; before the loop waits. */
void conn_group_flush_corked(struct conn_group *shared);
/* conn.c: the body of an upload waits until some of it is stored. */
bool conn_is_upload_full(const struct conn *conn);
/* conn_time.c: begins the time that where it stands has, if it has not begun. */
void conn_arm_timeout(struct conn *conn);
/* conn_time.c: bytes of answers that the client's system has not acknowledged, in libuv's queue or in the kernel's:
 * that one takes megabytes in, and says nothing for long when they leave slowly. */
size_t conn_unacked_bytes(const struct conn *conn);
/* conn_time.c: so much in the time of a timeout is progress: less is a client that holds a connection rather than uses
 * it.
 */
uint64_t conn_progress_bytes(const struct conn *conn);
/* conn.c: tells the client that there are too many. */
void conn_refuse_over_limit(struct conn *conn);
/* conn_http.c: counts an answer, of any language. */
void conn_count_reply(const struct reply *reply);
/* conn.c: closes at once. */
void conn_close(struct conn *conn);
/* conn.c: the call that a probe was sent for is over. */
void conn_clear_probe(struct conn *conn);
/* conn.c: frees the connection when it is closed and the service has none of its calls. */
void conn_free_when_done(struct conn *conn);
