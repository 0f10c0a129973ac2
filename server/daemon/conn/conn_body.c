#include "daemon/conn/conn_body.h"

#include "base/mem.h"
#include "wire/operations/reply_cursor.h"
#include "daemon/threads/work.h"
#include "daemon/conn/conn.h"
#include "daemon/conn/large_request.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <utlist.h>

/* As for replies that are made whole: most threads are kept for files. */
enum { WORKING_MAX = 2 };

struct conn_body {
    struct conn *conn;
    const struct conn_body_framing *framing;
    struct body_stream *rest;
    struct work work;
    struct buf piece;
    int rc; /* of the piece under way */
    struct err err;
    size_t held_bytes;
    uint64_t sent_bytes;
    uint64_t work_ns;  /* time of making it so far */
    uint64_t piece_ns; /* and the piece under way: the thread's */
    bool is_waiting, is_working;
    struct conn_body *prev, *next; /* in the list that waits for a thread */
};

static void start_waiting(struct conn_group *group);

/* May free the connection. */
static void end(struct conn_body *body)
{
    struct conn *conn = body->conn;
    stats_set(STAT_ANSWERS_STREAMING, --conn->group->bodies.open_count);
    body->rest->free(body->rest);
    buf_fini(&body->piece);
    free(body);
    conn->body = NULL;
    large_request_free(conn->group->loop, &conn->call.request);
    conn_release(conn);
}

static void put(struct conn_body *body, bool is_last)
{
    body->sent_bytes += body->piece.size_bytes;
    body->framing->put(body->conn, &body->piece, is_last);
    buf_fini(&body->piece);
}

/* Unlikely: the query was found to be good. */
static void break_off(struct conn_body *body)
{
    stats_add(STAT_ANSWERS_BROKEN, 1);
    log_warn("a reply to %s broke off: %s", body->conn->remote, body->err.message);
    conn_close(body->conn);
}

static void on_made(struct conn_body *body)
{
    struct conn *conn = body->conn;
    body->held_bytes = body->rest->held_bytes(body->rest);
    if (body->rc < 0) {
        break_off(body);
        return;
    }
    put(body, body->rc == 0);
    if (body->rc == 0) {
        body->framing->over(conn, true);
        conn_enter(conn, CONN_READING);
        end(body);
    }
    conn_run(conn);
}

static void on_work(struct work *work)
{
    struct conn_body *body = work->data;
    const uint64_t start_ns = uv_hrtime();
    body->rc = body->rest->next(body->rest, &body->piece, &body->err);
    body->piece_ns = uv_hrtime() - start_ns;
}

static void on_worked(struct work *work, int status)
{
    struct conn_body *body = work->data;
    struct conn *conn = body->conn;
    struct conn_group *group = conn->group;
    body->work_ns += body->piece_ns;
    body->piece_ns = 0;
    group->bodies.working_count--;
    body->is_working = false;
    start_waiting(group);
    if (status < 0)
        body->rc = err_set(&body->err, ERR_INTERNAL, "the work for the reply was cancelled");
    if (conn_is_gone(conn))
        end(body);
    else
        on_made(body);
}

static void start_waiting(struct conn_group *group)
{
    struct conn_bodies *bodies = &group->bodies;
    while (bodies->waiting != NULL && bodies->working_count < WORKING_MAX) {
        struct conn_body *body = bodies->waiting;
        DL_DELETE(bodies->waiting, body);
        body->is_waiting = false;
        body->is_working = true;
        bodies->working_count++;
        body->work.data = body;
        work_start(group->loop, WORK_COMPUTES, &body->work, on_work, on_worked);
    }
}

void conn_body_start(struct conn *conn, struct reply *reply, const struct conn_body_framing *framing)
{
    struct conn_body *body = mem_zalloc(1, sizeof *body);
    body->conn = conn;
    body->framing = framing;
    body->rest = reply->rest;
    reply->rest = NULL;
    body->piece = reply->body;
    buf_init(&reply->body, 0);
    body->held_bytes = body->rest->held_bytes(body->rest);
    body->work_ns = uv_hrtime() - conn->start_ns - conn->call.queue_ns;
    conn->body = body;
    conn->pending_count++;
    conn_enter(conn, CONN_STREAMING);
    stats_set(STAT_ANSWERS_STREAMING, ++conn->group->bodies.open_count);
    stats_add(STAT_ANSWERS_STREAMED, 1);
    put(body, false);
}

void conn_body_resume(struct conn *conn)
{
    struct conn_body *body = conn->body;
    if (body->is_waiting || body->is_working || conn_is_gone(conn))
        return;
    const bool is_used_up = budget_is_used_up(conn->group->budget);
    if (conn->out.unsent_bytes >= (is_used_up ? 1 : REPLY_PIECE_BYTES))
        return;
    buf_init(&body->piece, SIZE_MAX / 4); /* any limit: without memory the reply breaks off, not the server */
    body->is_waiting = true;
    DL_APPEND(conn->group->bodies.waiting, body);
    start_waiting(conn->group);
}

void conn_body_stop(struct conn *conn)
{
    struct conn_body *body = conn->body;
    if (body == NULL)
        return;
    body->rest->is_stopped = true;
    body->framing->over(conn, false);
    if (body->is_working)
        return; /* freed when its thread is done */
    if (body->is_waiting)
        DL_DELETE(conn->group->bodies.waiting, body);
    end(body);
}

size_t conn_body_held_bytes(const struct conn *conn) { return conn->body->held_bytes; }

uint64_t conn_body_work_ns(const struct conn *conn) { return conn->body->work_ns; }

uint64_t conn_body_sent_bytes(const struct conn *conn) { return conn->body->sent_bytes; }
