/* conn_parse.h - large requests are parsed by work threads: a megabyte of JSON takes 25 ms, in which a loop answers
 * thousands of others. Loop thread only. */
#pragma once

#include "base/err.h"
#include "wire/request/request.h"

#include <stdbool.h>

struct conn;
struct conn_group;
struct conn_parse;

/* Whether a body is to be parsed by a thread. */
bool conn_parse_is_long(const char *body, size_t body_bytes);

/* Those of one loop. */
struct conn_parses {
    struct conn_parse *waiting; /* for a thread */
    uint32_t working_count;
};

/* What a protocol has read of a request, and what it does with it. */
struct conn_parse_work {
    /* Parses into *request, as request_parse() does. In a work thread, while `input` and what it points to stay as they
     * are. */
    int (*parse)(void *input, const struct limits *limits, struct request *request, struct err *err);
    /* On the loop: conn->call.request is parsed, or *err says why it is not. Not if the connection closes, or answers
     * no more. */
    void (*parsed)(struct conn *conn, void *input, int rc, const struct err *err);
    void (*free)(void *input);
};

/* Takes `input`, which has copies of so many bytes (CONN_PARSING). The connection is not freed before the work has
 * ended. */
void conn_parse_start(struct conn *conn, const struct conn_parse_work *work, void *input, size_t input_bytes);
