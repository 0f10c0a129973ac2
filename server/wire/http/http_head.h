/* http_head.h - the request line and headers of one HTTP request, collected line by line and understood.
 *
 * Private to http_parser.c, which lets llhttp judge the same bytes afterwards. Pure. */
#pragma once

#include "wire/http/http_parser.h"

#include "base/buf.h"

#include <stdint.h>

enum { HTTP_REQUEST_ID_MAX = 64, HTTP_HEAD_KEPT = 17 };

/* Zeroed but for its limits: nothing has come. */
struct http_head {
    const struct limits *limits;
    struct buf bytes;          /* the head so far, as it came; leading empty lines dropped */
    size_t line_start;         /* in bytes: where the unfinished line begins */
    size_t request_line_bytes; /* with its CRLF; 0 while unfinished */
    uint32_t header_count;
    uint32_t empty_line_count; /* before the request line */
    uint32_t host_count, transfer_encoding_count;
    bool has_host; /* a good one, of the header or of an absolute target */
    bool has_content_length;
    bool is_expecting_continue, is_expecting_more; /* than that */
    bool has_preflight_method;
    const char *reservation; /* as http_request has it */
    /* NUL-terminated once seen */
    struct buf method, target, host;
    struct buf kept[HTTP_HEAD_KEPT];          /* of the headers in a table of http_head.c */
    char request_id[HTTP_REQUEST_ID_MAX + 1]; /* "" = none, or not of the accepted form */
    bool is_http_1_0;
};

void http_head_fini(struct http_head *head);
void http_head_clear(struct http_head *head); /* for the next request; keeps small buffers */

/* Takes bytes up to the end of the head at most. Returns 1 when the head is complete, 0 for more, or the
 * negative codes of http_parser_feed(). */
int http_head_feed(struct http_head *head, const char *bytes, size_t size_bytes, size_t *used_bytes, struct err *err);

/* Points the request's fields at what is known by now. */
void http_head_fill_request(const struct http_head *head, struct http_request *request);
