#include "daemon/conn/conn_parse.h"

#include "base/mem.h"
#include "daemon/conn/conn.h"
#include "daemon/conn/large_request.h"
#include "daemon/threads/work.h"
#include "wire/request/crowd_request.h"
#include "wire/request/request_raycast.h"

#include <stdlib.h>
#include <utlist.h>

/* As for replies in pieces: most threads are kept for files. */
enum { WORKING_MAX = 2 };

struct conn_parse {
    struct conn *conn;
    const struct conn_parse_work *steps;
    void *input;
    struct work work;
    int rc;
    struct err err;
    struct conn_parse *prev, *next; /* in the list that waits for a thread */
};

bool conn_parse_is_long(const char *body, size_t body_bytes)
{
    const bool is_binary = crowd_is_binary(body, body_bytes) || raycast_is_binary(body, body_bytes);
    return body_bytes > (is_binary ? (size_t)LARGE_BINARY_BYTES : (size_t)LARGE_JSON_BYTES);
}

static void start_waiting(struct conn_group *group);

/* May free the connection. */
static void end(struct conn_parse *parse)
{
    struct conn *conn = parse->conn;
    parse->steps->free(parse->input);
    free(parse);
    conn_release(conn);
}

static void on_work(struct work *work)
{
    struct conn_parse *parse = work->data;
    struct conn *conn = parse->conn;
    parse->rc = parse->steps->parse(parse->input, &conn->group->config->limits, &conn->call.request, &parse->err);
}

static void on_worked(struct work *work, int status)
{
    struct conn_parse *parse = work->data;
    struct conn *conn = parse->conn;
    conn->group->parses.working_count--;
    start_waiting(conn->group);
    if (status < 0)
        parse->rc = err_set(&parse->err, ERR_INTERNAL, "the work for the request was cancelled");
    const bool is_open = conn->state == CONN_PARSING;
    conn->parsed_bytes = 0;
    if (is_open)
        conn_enter(conn, CONN_READING);
    if (is_open && !conn->is_last)
        parse->steps->parsed(conn, parse->input, parse->rc, &parse->err);
    else
        large_request_free(conn->group->loop, &conn->call.request);
    conn_run(conn);
    end(parse);
}

static void start_waiting(struct conn_group *group)
{
    struct conn_parses *parses = &group->parses;
    while (parses->waiting != NULL && parses->working_count < WORKING_MAX) {
        struct conn_parse *parse = parses->waiting;
        DL_DELETE(parses->waiting, parse);
        if (parse->conn->state != CONN_PARSING) { /* it was closed meanwhile */
            large_request_free(group->loop, &parse->conn->call.request);
            end(parse);
            continue;
        }
        parse->work.data = parse;
        parses->working_count++;
        work_start(group->loop, WORK_COMPUTES, &parse->work, on_work, on_worked);
    }
}

void conn_parse_start(struct conn *conn, const struct conn_parse_work *work, void *input, size_t input_bytes)
{
    struct conn_parse *parse = mem_zalloc(1, sizeof *parse);
    *parse = (struct conn_parse){.conn = conn, .steps = work, .input = input};
    request_init(&conn->call.request);
    conn->parsed_bytes = input_bytes;
    conn->pending_count++;
    conn_enter(conn, CONN_PARSING);
    DL_APPEND(conn->group->parses.waiting, parse);
    start_waiting(conn->group);
}
