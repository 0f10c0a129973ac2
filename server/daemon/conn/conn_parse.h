/* conn_parse.h - parses large requests in work threads, because a megabyte of JSON takes 25 ms, in which a loop could
 * answer thousands of others. Loop thread only. */
#pragma once

#include "base/err.h"
#include "wire/request/request.h"

#include <stdbool.h>

struct conn;
struct conn_group;
struct conn_parse;

/* True if a thread should parse the body. */
bool conn_parse_is_long(const char *body, size_t body_bytes);

/* The parses of one loop. */
struct conn_parses {
    struct conn_parse *waiting; /* for a thread */
    uint32_t working_count;
};

/* The functions by which a protocol parses its request. */
struct conn_parse_work {
    /* Parses into *request, like request_parse(). Runs in a work thread, while `input` and the data that it points to
     * do not change. */
    int (*parse)(void *input, const struct limits *limits, struct request *request, struct err *err);
    /* Runs on the loop when conn->call.request is parsed, or with the error in *err. Does not run if the connection
     * closes or stops answering. */
    void (*parsed)(struct conn *conn, void *input, int rc, const struct err *err);
    void (*free)(void *input);
};

/* Starts parsing (CONN_PARSING). Takes `input`, which has copies of input_bytes bytes. The connection lives until the
 * work has ended. */
void conn_parse_start(struct conn *conn, const struct conn_parse_work *work, void *input, size_t input_bytes);
