/* http_parser.h - parses HTTP/1.x requests from bytes (RFC 9112), on llhttp in strict mode.
 *
 * Pure: bytes in, struct out; no socket, no clock. Each connection has its own parser, used by one thread at a time.
 * The parser stops after each request. The caller can then answer one request at a time and feed the unread rest of its
 * read buffer later (pipelining with back-pressure).
 *
 * It is stricter than llhttp 8: a request line is METHOD SP target SP HTTP/1.0 or 1.1, lines end in CRLF, header lines
 * are not folded, Transfer-Encoding is exactly "chunked" and never accompanies Content-Length, and HTTP/1.1 has exactly
 * one Host with a host and an optional port. Anything that we and a proxy could interpret differently is an error. */
#pragma once

#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_NEED_MORE = 0, HTTP_COMPLETE = 1, HTTP_HEAD_DONE = 2 };

/* Receives a body piece by piece. The caller owns it. */
struct http_sink {
    /* Returns 0, or an ERR_ that http_parser_feed() then returns. */
    int (*take)(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err);
    uint64_t limit_bytes; /* a longer body is ERR_BODY_TOO_LARGE, before its first byte if its length is declared */
};

/* The parser's position in a request, for the caller's timeouts. */
enum http_phase {
    HTTP_PHASE_IDLE,   /* between requests; no byte of the next one has arrived */
    HTTP_PHASE_HEAD,   /* in a request line or headers */
    HTTP_PHASE_BODY,   /* the head is complete (see wants_continue), the body is not */
    HTTP_PHASE_FAILED, /* after an error; the connection is unusable */
};

/* A request. Strings are NUL-terminated and live in the parser until the next http_parser_feed() or http_parser_fini().
 */
struct http_request {
    const char *method; /* "GET"; any token */
    const char *target; /* origin form, "/v1/pose?model=a"; "*" for OPTIONS; without scheme, host and fragment */
    size_t target_bytes;
    const char *host;            /* from the target, else from the Host header; NULL when absent (HTTP/1.0) */
    const char *accept;          /* repeated headers joined by ", "; NULL when absent */
    const char *accept_encoding; /* likewise */
    const char *if_none_match;   /* likewise */
    const char *content_type;    /* likewise */
    const char *authorization;   /* likewise */
    const char *origin;          /* likewise */
    const char *forwarded_proto, *forwarded_host, *forwarded_prefix; /* likewise: X-Forwarded-Proto and so on */
    const char *forwarded_for, *forwarded;                           /* likewise: X-Forwarded-For, Forwarded */
    const char *traceparent;                                         /* likewise */
    const char *connection; /* likewise, as are the headers of a WebSocket handshake: */
    const char *upgrade, *websocket_key, *websocket_version, *websocket_protocol;
    const char *request_id; /* X-Request-Id if it matches [A-Za-z0-9._-]{1,64}; else NULL: the caller makes one */
    const char *body;       /* NULL when absent; the body of GET and HEAD is read and discarded */
    size_t body_bytes;
    bool has_body;             /* the request had a body, kept or not: Content-Length above 0 or Transfer-Encoding */
    bool has_preflight_method; /* Access-Control-Request-Method is present */
    const char *reservation;   /* name of a header that restricts a change to a part or a certain state of the resource;
                                  static, or NULL */
    bool is_head;              /* HEAD: the response has no body */
    bool is_http_1_0;
    bool is_keep_alive; /* false: answer with "Connection: close", then close */
    bool is_repeat;     /* its head equals that of the previous request of this parser, except for the number below */
    size_t number_at, number_bytes; /* the value of `t` in its target, of a repeat; 0 bytes: there is none to replace */
};

struct http_parser {
    enum http_phase phase;       /* read only */
    bool wants_continue;         /* in HTTP_PHASE_BODY: the client waits for "HTTP/1.1 100 Continue". The caller sends
                                    HTTP_CONTINUE after all earlier responses and clears the flag */
    struct http_request request; /* valid after HTTP_COMPLETE. After an error it holds what was parsed so far, for the
                                    log: method, target and request_id may be NULL, is_keep_alive is false */
    struct http_sink *sink;      /* receives the body; NULL: request.body does. Read only, see http_parser_set_sink() */
    struct http_parser_state *state; /* private to http_parser.c */
};

#define HTTP_CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

/* Keeps a pointer to `limits` (LIMIT_URL_BYTES, LIMIT_HEADER_BYTES, LIMIT_HEADER_COUNT, LIMIT_BODY_BYTES). */
void http_parser_init(struct http_parser *parser, const struct limits *limits);
void http_parser_fini(struct http_parser *parser);

/* Drops the current request once it is answered, and releases its memory. */
void http_parser_forget(struct http_parser *parser);
/* Memory that the body of the request holds so far. */
size_t http_parser_held_bytes(const struct http_parser *parser);

/* Reads from `size_bytes` bytes, at most to the end of one request; *used_bytes is how many bytes it consumed. After
 * HTTP_COMPLETE the next call starts the next request with the remaining bytes. Returns
 *
 * - HTTP_NEED_MORE: all bytes are consumed and the request is incomplete.
 * - HTTP_HEAD_DONE: once, for a PUT with a body. The head is parsed, the fields of `request` are set, and the caller
 * may set sink and wants_continue. No byte of the body is consumed yet.
 * - HTTP_COMPLETE: parser->request is filled.
 * - ERR_BAD_REQUEST, ERR_METHOD_NOT_ALLOWED (an unknown method), ERR_EXPECTATION_FAILED, ERR_URI_TOO_LONG,
 * ERR_HEADERS_TOO_LARGE, ERR_BODY_TOO_LARGE: the caller answers with it and "Connection: close", and closes. Later
 * calls return the same code. */
int http_parser_feed(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes,
                     struct err *err);

/* Directs the body of this request to the sink, after HTTP_HEAD_DONE. ERR_BODY_TOO_LARGE when the declared length
 * exceeds the sink's limit. */
int http_parser_set_sink(struct http_parser *parser, struct http_sink *sink, struct err *err);
