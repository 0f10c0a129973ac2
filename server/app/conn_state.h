/* conn_state.h - what a connection remembers, and the seam between its halves: conn.c moves bytes and keeps time and
 * memory in bounds, a language turns bytes into requests and answers into bytes: HTTP (conn_http.c) or packets
 * (conn_packets.c). Private to them. */
#pragma once

#include "../wire/http.h"
#include "address.h"
#include "conn.h"
#include "out.h"
#include "upload.h"

enum { CONN_ID_SIZE = 65 };

/* Where a language stands in what it reads, for the timeouts. */
enum conn_phase {
    CONN_PHASE_HEAD, /* in a request's first part */
    CONN_PHASE_BODY, /* in the rest of it */
    CONN_PHASE_IDLE, /* between requests: closed after a while */
    CONN_PHASE_REST, /* likewise, for as long as the client likes */
};

/* What a connection speaks. All run on the loop thread; but `feed` and `refuse` none sends. */
struct conn_language {
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
    /* The connection closes: nothing more is sent. */
    void (*close)(struct conn *conn);
    /* Frees; the service has none of its calls. */
    void (*fini)(struct conn *conn);
};

extern const struct conn_language CONN_HTTP, CONN_PACKETS;

struct packets;

struct conn {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    const struct conn_language *language; /* NULL: its first byte will tell */
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct conn_shared *shared;
    struct conn *prev, *next;
    struct timeout timeout;
    size_t write_mark; /* unread_by_client() when the write timeout began: less now is progress */
    struct http_parser parser;
    struct packets *packets; /* of CONN_PACKETS, or NULL */
    struct call call;
    uint32_t side_count;   /* calls that the service has beside it: those of streams */
    struct upload *upload; /* where the body of a PUT under way goes, or NULL */
    struct out out;
    const char *in; /* bytes not yet parsed: in shared->read_bytes during a read event, in `unread` between */
    size_t in_bytes;
    struct buf unread;
    size_t counted_bytes;  /* its share of the budget */
    size_t body_mark;      /* bytes of the body since its timeout began */
    uint64_t unsent_ms;    /* since when an answer waits for the client; 0: none does */
    uint64_t start_ns;     /* when the request under way was whole */
    char id[CONN_ID_SIZE]; /* its id */
    char remote[ADDRESS_SIZE];
    bool is_calling; /* the service has the call */
    bool is_running; /* run() is on the stack */
    bool is_resting; /* it had its share of this turn of the loop and has more to parse */
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
/* conn_http.c: counts an answer, of any language. */
void conn_count_answer(const struct reply *reply);
/* conn.c: closes at once. */
void conn_close_now(struct conn *conn);
/* conn.c: the call that a probe was sent for is over. */
void conn_forget_probe(struct conn *conn);
/* conn.c: frees the connection when it is closed and the service has none of its calls. */
void conn_free_when_done(struct conn *conn);
