/* conn_state.h - what a connection remembers, and the seam between its two halves: conn.c moves bytes, conn_answer.c
 * turns requests into answers. Private to them. */
#pragma once

#include "../wire/http.h"
#include "address.h"
#include "conn.h"
#include "out.h"
#include "upload.h"

enum { CONN_ID_SIZE = 65 };

struct conn {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct conn_shared *shared;
    struct conn *prev, *next;
    struct timeout timeout;
    size_t write_mark; /* unread_by_client() when the write timeout began: less now is progress */
    struct http_parser parser;
    struct call call;
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
};

/* conn_answer.c: hands parser.request, which is whole, to the service; its answer is queued in time. */
void conn_begin_call(struct conn *conn);
/* conn_answer.c: the head of a PUT is there; what is not taken is refused now, before its body. */
void conn_begin_upload(struct conn *conn);
/* conn_answer.c: answers a request that did not arrive as it should; the connection cannot go on. */
void conn_refuse(struct conn *conn, const struct err *err);

/* conn.c: parses, sends and reads on as far as it goes; after an answer was queued. */
void conn_run(struct conn *conn);
/* conn.c: the upload under way will not be whole. */
void conn_drop_upload(struct conn *conn);
/* conn.c: the call that a probe was sent for is over. */
void conn_forget_probe(struct conn *conn);
/* conn.c: frees the connection when it is closed and the service has none of its calls. */
void conn_free_when_done(struct conn *conn);
