/* http_parser.h - HTTP/1.x requests from bytes (RFC 9112), on llhttp in strict mode.
 *
 * Pure: bytes in, struct out; no socket, no clock. One parser per connection, one thread at a time.
 * It stops behind each request, so that the caller answers one at a time, keeps the unread rest of its
 * read buffer and goes on with it later (pipelining with back-pressure).
 *
 * Stricter than llhttp 8: a request line is METHOD SP target SP HTTP/1.0 or 1.1, lines end in CRLF, header
 * lines are not folded, Transfer-Encoding is exactly "chunked" and never beside Content-Length, HTTP/1.1
 * has exactly one Host, which is a host and a port. Whatever could be read in two ways by us and a proxy is an error.
 */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_NEED_MORE = 0, HTTP_COMPLETE = 1, HTTP_HEAD_DONE = 2 };

/* Takes a body piece by piece; the caller's. */
struct http_sink {
    /* 0, or an ERR_ that becomes that of http_parser_feed(). */
    int (*take)(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err);
    uint64_t limit_bytes; /* a longer body is ERR_BODY_TOO_LARGE, before its first byte where its length is declared */
};

/* Where the parser stands, for the caller's timeouts. */
enum http_phase {
    HTTP_PHASE_IDLE,   /* between requests; nothing of the next one has arrived */
    HTTP_PHASE_HEAD,   /* in a request line or headers */
    HTTP_PHASE_BODY,   /* the head is complete (see wants_continue), the body is not */
    HTTP_PHASE_FAILED, /* after an error; the connection cannot be used further */
};

/* A request. Strings are NUL-terminated and live in the parser until the next http_parser_feed() or http_parser_fini().
 */
struct http_request {
    const char *method; /* "GET"; any token */
    const char *target; /* origin form, "/v1/pose?model=a"; "*" for OPTIONS; no scheme, host or fragment */
    size_t target_bytes;
    const char *host;            /* of the target, else of the Host header; NULL when absent (HTTP/1.0) */
    const char *accept;          /* repeated headers joined by ", "; NULL when absent */
    const char *accept_encoding; /* likewise */
    const char *if_none_match;   /* likewise */
    const char *content_type;    /* likewise */
    const char *authorization;   /* likewise */
    const char *origin;          /* likewise */
    const char *forwarded_proto, *forwarded_host, *forwarded_prefix; /* likewise: X-Forwarded-Proto, .. */
    const char *forwarded_for, *forwarded;                           /* likewise: X-Forwarded-For, Forwarded */
    const char *traceparent;                                         /* likewise */
    const char *connection; /* likewise, as are those of a WebSocket's opening: */
    const char *upgrade, *websocket_key, *websocket_version, *websocket_protocol;
    const char *request_id; /* X-Request-Id where it is [A-Za-z0-9._-]{1,64}; else NULL: the caller makes one */
    const char *body;       /* NULL when there is none; that of GET and HEAD is read and dropped */
    size_t body_bytes;
    bool has_body;             /* it came with one, kept or not: Content-Length above 0 or Transfer-Encoding */
    bool has_preflight_method; /* Access-Control-Request-Method is there */
    const char *reservation; /* the name of a header, static, by which a change is meant for a part of what is there, or
                                for a certain state of it; or NULL */
    bool is_head;            /* HEAD: the answer goes without its body */
    bool is_http_1_0;
    bool is_keep_alive; /* false: answer with "Connection: close", then close */
};

struct http_parser {
    enum http_phase phase;       /* read only */
    bool wants_continue;         /* in HTTP_PHASE_BODY: the client waits for "HTTP/1.1 100 Continue"; the caller
                                    sends HTTP_CONTINUE, behind all earlier answers, and clears the flag */
    struct http_request request; /* valid after HTTP_COMPLETE; after an error what was understood so far, for the log:
                                    method, target and request_id may be NULL, is_keep_alive is false */
    struct http_sink *sink;      /* where the body goes, or NULL: request.body. Read only, see http_parser_set_sink() */
    struct http_parser_state *state; /* private to http_parser.c */
};

#define HTTP_CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

/* Keeps a pointer to `limits` (LIMIT_URL_BYTES, LIMIT_HEADER_BYTES, LIMIT_HEADER_COUNT, LIMIT_BODY_BYTES). */
void http_parser_init(struct http_parser *parser, const struct limits *limits);
void http_parser_fini(struct http_parser *parser);

/* The request that was handed out is answered: forgets it and gives back what it took. */
void http_parser_forget(struct http_parser *parser);
/* Memory that the body of the request takes so far. */
size_t http_parser_held_bytes(const struct http_parser *parser);

/* Reads from `size_bytes` bytes; *used_bytes is how many it took, at most to the end of one request.
 * After HTTP_COMPLETE the next call starts the next request, with the bytes that were not taken.
 *
 * HTTP_NEED_MORE  all bytes taken, the request goes on
 * HTTP_HEAD_DONE       of a PUT with a body, once: the head is there, request has its fields, sink and wants_continue
 * may be set; no byte of the body is taken yet HTTP_COMPLETE   parser->request is filled ERR_BAD_REQUEST,
 * ERR_METHOD_NOT_ALLOWED (a method nobody knows), ERR_EXPECTATION_FAILED, ERR_URI_TOO_LONG, ERR_HEADERS_TOO_LARGE,
 * ERR_BODY_TOO_LARGE: answer with it, "Connection: close", and close. Later calls return the same code. */
int http_parser_feed(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes,
                     struct err *err);

/* After HTTP_HEAD_DONE: the body of this request goes to the sink. ERR_BODY_TOO_LARGE when it is declared to be too
 * long. */
int http_parser_set_sink(struct http_parser *parser, struct http_sink *sink, struct err *err);
