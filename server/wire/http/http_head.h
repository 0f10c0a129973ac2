/* http_head.h - collects the request line and headers of one HTTP request line by line and interprets them.
 *
 * Private to http_parser.c, which then passes the same bytes to llhttp for validation. Pure. */
#pragma once

#include "wire/http/http_parser.h"

#include "base/buf.h"

#include <stdint.h>

enum { HTTP_REQUEST_ID_MAX = 64, HTTP_HEAD_KEPT = 17 };

/* Zeroed except for its limits, it is an empty head. */
struct http_head {
    const struct limits *limits;
    struct buf bytes;          /* the head received so far, verbatim; leading empty lines are dropped */
    size_t line_start;         /* offset in bytes of the unfinished line */
    size_t request_line_bytes; /* with its CRLF; 0 while unfinished */
    uint32_t header_count;
    uint32_t empty_line_count; /* before the request line */
    uint32_t host_count, transfer_encoding_count;
    bool has_host; /* a valid one, from the header or an absolute target */
    bool has_content_length;
    bool is_expecting_continue, is_expecting_more; /* an expectation other than 100-continue */
    bool has_preflight_method;
    const char *reservation; /* as in http_request */
    /* NUL-terminated once received */
    struct buf method, target, host;
    struct buf kept[HTTP_HEAD_KEPT];          /* values of the headers in a table of http_head.c */
    char request_id[HTTP_REQUEST_ID_MAX + 1]; /* "": absent, or not of the accepted form */
    bool is_http_1_0;
};

void http_head_fini(struct http_head *head);
void http_head_clear(struct http_head *head); /* prepares for the next request; keeps small buffers */

/* Consumes bytes up to the end of the head at most. Returns 1 when the head is complete, 0 when it needs more, or a
 * negative code as http_parser_feed() does. */
int http_head_feed(struct http_head *head, const char *bytes, size_t size_bytes, size_t *used_bytes, struct err *err);

/* Points the request's fields at what has been parsed so far. */
void http_head_fill_request(const struct http_head *head, struct http_request *request);
