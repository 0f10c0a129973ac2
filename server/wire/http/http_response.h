/* http_response.h - writes the head of the HTTP/1.1 response for a struct reply (RFC 9110, 9112).
 *
 * Pure; any thread. It does not copy the body: the caller sends the reply's body or blob after the head when
 * http_response_has_body() is true. */
#pragma once

#include "wire/encode/reply.h"

#include <stdint.h>
#include <string.h>

struct http_response {
    const char *date;        /* "Sat, 31 Jan 2026 12:00:00 GMT": the caller's clock, cached for a second */
    const char *request_id;  /* never NULL */
    const char *traceparent; /* echoed; NULL or empty when the request had none */
    const char *cors_origin; /* for Access-Control-Allow-Origin, or NULL */
    bool is_preflight;       /* the response to a CORS preflight: lists what pages of cors_origin may send */
    bool is_vary_origin;     /* the head depends on the request's Origin */
    bool is_head;            /* the request was HEAD */
    bool is_http_1_0;        /* the request was HTTP/1.0: keep-alive is stated explicitly */
    bool is_keep_alive;
    bool has_begun; /* HTTP_BEGINNING is already sent; the head continues after it */
};

/* The beginning of every head. */
#define HTTP_BEGINNING "HTTP/1.1 "

/* Appends status line, headers and the empty line. Content-Length is the body's size even for HEAD. 204 and 304 have no
 * Content-Length, and a body of unknown size is chunked. */
void http_response_head(const struct reply *reply, const struct http_response *response, struct buf *out);

/* A head that is sent again with another date, ETag and request id. Zeroed, there is none. */
struct http_kept_head {
    struct buf bytes; /* empty: there is none */
    size_t etag_at, etag_bytes, id_at, id_bytes;
    const char *content_type, *cache_control;
    size_t body_bytes;
    uint32_t warning_count;
};

/* Keeps the `size_bytes` bytes at `head`, which http_response_head() made, if they are of a whole and uncoded reply. */
void http_keep_head(struct http_kept_head *kept, const struct reply *reply, const struct http_response *response,
                    const char *head, size_t size_bytes);
/* Appends the kept head if http_response_head() would append the same; otherwise returns false. The reply is to the
 * same query as the kept one, whose answers differ in status, validity, size and warnings at most; and of `response`
 * only date, id, is_keep_alive and has_begun may differ. Whether the reply is to be coded depends on its type and size.
 */
bool http_put_kept_head(const struct http_kept_head *kept, const struct reply *reply,
                        const struct http_response *response, struct buf *out);

/* The body is chunked (RFC 9112, 7.1): each chunk stands between http_chunk_head() and HTTP_CHUNK_END. HTTP_LAST_CHUNK
 * ends the body; a client that does not receive it knows that the body was cut off. */
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

/* True when the If-None-Match value (or NULL) matches `etag`, by weak comparison with lists and "*" (RFC 9110, 13.1.2).
 * A malformed value matches nothing, so the client receives the whole response. */
bool http_etag_matches(const char *if_none_match, const char *etag);

/* True for "*", which matches any representation. */
static inline bool http_etag_is_any(const char *if_none_match)
{
    const char *at = if_none_match == NULL ? "" : if_none_match;
    while (*at == ' ' || *at == '\t')
        at++;
    return *at == '*' && at[1 + strspn(at + 1, " \t")] == '\0';
}
