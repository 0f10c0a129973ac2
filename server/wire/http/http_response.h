/* http_response.h - the head of an HTTP/1.1 answer from a struct reply (RFC 9110, 9112).
 *
 * Pure; any thread. The body is not copied: the caller sends the reply's body or blob behind the head when
 * http_response_has_body() says so. */
#pragma once

#include "wire/encode/reply.h"

#include <stdint.h>
#include <string.h>

struct http_response {
    const char *date;        /* "Sat, 31 Jan 2026 12:00:00 GMT": the caller's clock, cached for a second */
    const char *request_id;  /* never NULL */
    const char *traceparent; /* echoed; NULL or empty: the request had none */
    const char *cors_origin; /* for Access-Control-Allow-Origin, or NULL */
    bool is_preflight;       /* the answer to a browser's OPTIONS: says what pages of cors_origin may send */
    bool is_vary_origin;     /* the head depends on the request's Origin */
    bool is_head;            /* the request was HEAD */
    bool is_http_1_0;        /* of the request: says keep-alive aloud */
    bool is_keep_alive;
    bool has_begun; /* HTTP_BEGINNING was sent: the head goes on behind it */
};

/* What every head begins with. */
#define HTTP_BEGINNING "HTTP/1.1 "

/* Appends status line, headers and the empty line. Content-Length is the body's size also for HEAD; 204 and
 * 304 have none, and what comes in pieces of unknown size is chunked. */
void http_response_head(const struct reply *reply, const struct http_response *response, struct buf *out);

/* The body is chunked (RFC 9112, 7.1): each piece stands between http_chunk_head() and HTTP_CHUNK_END, and
 * HTTP_LAST_CHUNK behind all; without that the client knows that it was broken off. */
bool http_response_is_chunked(const struct reply *reply);
#define HTTP_CHUNK_END  "\r\n"
#define HTTP_LAST_CHUNK "0\r\n\r\n"
enum { HTTP_CHUNK_HEAD_SIZE = 20 };
/* size_bytes > 0. Returns the length. */
size_t http_chunk_head(char out[HTTP_CHUNK_HEAD_SIZE], size_t size_bytes);

/* False for HEAD, 204 and 304: nothing follows the head. */
static inline bool http_response_has_body(const struct reply *reply, bool is_head)
{
    return !is_head && reply->status != 204 && reply->status != 304;
}

/* True when an If-None-Match header value (or NULL) names `etag`: weak comparison, lists, "*" (RFC 9110, 13.1.2). One
 * that breaks the grammar anywhere names nothing: the client then gets the answer whole. */
bool http_etag_matches(const char *if_none_match, const char *etag);

/* True for "*", which names whatever there is. */
static inline bool http_etag_is_any(const char *if_none_match)
{
    const char *at = if_none_match == NULL ? "" : if_none_match + strspn(if_none_match, " \t");
    return *at == '*' && at[1 + strspn(at + 1, " \t")] == '\0';
}
