#include "wire/http/http_parser.h"

#include "base/buf.h"
#include "base/mem.h"
#include "wire/http/http_head.h"
#include "wire/http/url.h"

#include <llhttp.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A chunk of one byte takes six; a larger overhead is padding, not a body. */
    BODY_OVERHEAD_MAX = 8,
};

/* --- a head that repeats the previous one except for the number of its time ---
 *
 * Clients that play a clip send such heads in sequence. The results for the previous head still apply: it was accepted,
 * and its lines are already split and parsed. */

/* Zeroed, it has no previous head. */
struct http_repeat {
    bool is_set;
    size_t number_at, number_bytes; /* in the head's bytes; 0 bytes: the heads must be equal */
    struct http_request request;    /* of that head */
};

enum {
    HEAD_MAX = 2048, /* a larger head is not remembered */
    NUMBER_MAX = 40,
};

/* Remembers a complete head without a body, and its request. */
static void note_head(struct http_repeat *again, const struct http_head *head, const struct http_request *request)
{
    const size_t target_at = head->method.size_bytes + 1;
    struct url_time time;
    *again = (struct http_repeat){
        .is_set = head->bytes.size_bytes <= HEAD_MAX, .number_at = head->bytes.size_bytes, .request = *request};
    again->request.is_repeat = true;
    /* verbatim, so no scheme and host were removed */
    const bool is_whole = memcmp(head->bytes.data + target_at, head->target.data, head->target.size_bytes) == 0;
    if (again->is_set && is_whole && url_find_time(head->target.data, head->target.size_bytes, &time)) {
        again->number_at = target_at + time.at;
        again->number_bytes = time.size_bytes;
    }
}

/* True for characters of a number, none of which has a meaning in HTTP or a URL. */
static bool is_number_char(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e'; }

/* Replaces the `size_bytes` bytes at `at` of *buf. */
static void replace(struct buf *buf, size_t at, size_t size_bytes, const char *with, size_t with_bytes)
{
    if (with_bytes > size_bytes)
        buf_reserve(buf, with_bytes - size_bytes + 1);
    char *to = buf->data + at;
    if (with_bytes != size_bytes)
        memmove(to + with_bytes, to + size_bytes, buf->size_bytes - at - size_bytes);
    memcpy(to, with, with_bytes);
    buf->size_bytes += with_bytes - size_bytes;
}

/* Returns how many of the bytes repeat the head, and updates *head to them. 0: they differ, or are incomplete. */
static size_t match_head(struct http_repeat *again, struct http_head *head, const char *bytes, size_t size_bytes)
{
    const char *former = head->bytes.data;
    const size_t at = again->number_at, behind = at + again->number_bytes, end_bytes = head->bytes.size_bytes - behind;
    size_t number = 0;
    if (size_bytes < at || memcmp(bytes, former, at) != 0)
        return 0;
    while (again->number_bytes > 0 && number < NUMBER_MAX && at + number < size_bytes &&
           is_number_char(bytes[at + number]))
        number++;
    const size_t target_bytes = head->target.size_bytes - again->number_bytes + number;
    if (size_bytes - at - number < end_bytes || memcmp(bytes + at + number, former + behind, end_bytes) != 0 ||
        target_bytes > head->limits->value[LIMIT_URL_BYTES])
        return 0;
    if (again->number_bytes > 0) {
        const size_t at_target = at - head->method.size_bytes - 1;
        replace(&head->bytes, at, again->number_bytes, bytes + at, number);
        replace(&head->target, at_target, again->number_bytes, bytes + at, number);
        head->target.data[head->target.size_bytes] = '\0';
        again->number_bytes = number;
    }
    return at + number + end_bytes;
}

/* --- parsing --- */

struct http_parser_state {
    const struct limits *limits;
    struct http_head head;
    llhttp_t llhttp; /* reset for each request, so that no state leaks into the next */
    struct buf body;
    uint64_t body_bytes;     /* so far, kept or discarded */
    uint64_t body_raw_bytes; /* so far, including chunk sizes, extensions and trailers */
    uint64_t declared_bytes; /* by Content-Length; otherwise 0 */
    struct http_sink *sink;  /* parser.sink during a body */
    bool is_body_dropped;
    bool is_keep_alive;
    bool is_complete;         /* the last call returned a request */
    struct http_repeat again; /* when set, `head` belongs to the last request, and the next one may repeat it */
    struct err err;           /* of HTTP_PHASE_FAILED */
};

static uint64_t body_limit(const struct http_parser_state *state)
{
    return state->sink != NULL ? state->sink->limit_bytes : state->limits->value[LIMIT_BODY_BYTES];
}

static int body_too_large(struct http_parser_state *state)
{
    return err_set(&state->err, ERR_BODY_TOO_LARGE, "the request body is larger than %s",
                   LIMIT_TEXT(state->limits, state->sink != NULL ? LIMIT_UPLOAD_BYTES : LIMIT_BODY_BYTES));
}

static int on_headers_complete(llhttp_t *llhttp)
{
    struct http_parser_state *state = llhttp->data;
    /* In HTTP/1.0 llhttp lets keep-alive override close. */
    state->is_keep_alive = llhttp_should_keep_alive(llhttp) && !(llhttp->flags & F_CONNECTION_CLOSE);
    state->declared_bytes = llhttp->flags & F_CHUNKED ? 0 : llhttp->content_length;
    return 0;
}

static int on_chunk_header(llhttp_t *llhttp)
{
    struct http_parser_state *state = llhttp->data;
    return llhttp->content_length > body_limit(state) - state->body_bytes ? body_too_large(state) : 0;
}

static int on_body(llhttp_t *llhttp, const char *bytes, size_t size_bytes)
{
    struct http_parser_state *state = llhttp->data;
    if (size_bytes > body_limit(state) - state->body_bytes)
        return body_too_large(state);
    state->body_bytes += size_bytes;
    if (state->sink != NULL)
        return state->sink->take(state->sink, bytes, size_bytes, &state->err) < 0 ? -1 : 0;
    if (!state->is_body_dropped)
        buf_put(&state->body, bytes, size_bytes);
    return buf_failed(&state->body) ? body_too_large(state) : 0;
}

static int on_message_complete(llhttp_t *llhttp)
{
    (void)llhttp;
    return HPE_PAUSED;
}

static const llhttp_settings_t SETTINGS = {
    .on_headers_complete = on_headers_complete,
    .on_chunk_header = on_chunk_header,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void http_parser_init(struct http_parser *parser, const struct limits *limits)
{
    *parser = (struct http_parser){.state = mem_zalloc(1, sizeof *parser->state)};
    parser->state->limits = limits;
    parser->state->head.limits = limits;
    buf_init(&parser->state->body, (size_t)limits->value[LIMIT_BODY_BYTES]);
}

void http_parser_fini(struct http_parser *parser)
{
    if (parser->state == NULL)
        return;
    http_head_fini(&parser->state->head);
    buf_fini(&parser->state->body);
    free(parser->state);
    *parser = (struct http_parser){.phase = HTTP_PHASE_FAILED};
}

/* Drops the returned request. */
static void begin(struct http_parser *parser)
{
    struct http_parser_state *state = parser->state;
    if (!state->again.is_set)
        http_head_clear(&state->head);
    buf_fini(&state->body);
    buf_clear(&state->body);
    state->body_bytes = 0;
    state->body_raw_bytes = 0;
    state->declared_bytes = 0;
    state->is_complete = false;
    state->sink = parser->sink = NULL;
    parser->request = (struct http_request){0};
}

static int fail(struct http_parser *parser, struct err *err)
{
    struct http_parser_state *state = parser->state;
    http_head_fill_request(&state->head, &parser->request);
    parser->phase = HTTP_PHASE_FAILED;
    parser->wants_continue = false;
    if (err != NULL)
        *err = state->err;
    return state->err.code;
}

static int end(struct http_parser *parser)
{
    parser->phase = HTTP_PHASE_IDLE;
    parser->state->is_complete = true;
    return HTTP_COMPLETE;
}

static int complete(struct http_parser *parser)
{
    struct http_parser_state *state = parser->state;
    http_head_fill_request(&state->head, &parser->request);
    parser->request.is_keep_alive = state->is_keep_alive;
    parser->request.has_body = state->declared_bytes > 0 || state->head.transfer_encoding_count > 0;
    parser->request.body = state->body.size_bytes > 0 ? state->body.data : NULL;
    parser->request.body_bytes = state->body.size_bytes;
    return end(parser);
}

/* Completes a request without a body. */
static int complete_head(struct http_parser *parser)
{
    struct http_parser_state *state = parser->state;
    const int rc = complete(parser);
    if (state->is_keep_alive)
        note_head(&state->again, &state->head, &parser->request);
    return rc;
}

/* Whether the next request repeats the previous one at another time; otherwise its head must be parsed. Only the
 * target, which may have moved, differs from the previous request. */
static bool take_again(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes)
{
    struct http_parser_state *state = parser->state;
    *used_bytes = match_head(&state->again, &state->head, bytes, size_bytes);
    if (*used_bytes > 0) {
        parser->request = state->again.request;
        parser->request.target = state->head.target.data;
        parser->request.target_bytes = state->head.target.size_bytes;
        parser->request.number_at = state->again.number_at - state->head.method.size_bytes - 1;
        parser->request.number_bytes = state->again.number_bytes;
        return true;
    }
    state->again.is_set = false;
    http_head_clear(&state->head);
    return false;
}

/* Returns HTTP_NEED_MORE, HTTP_COMPLETE, or an ERR_ that is also in state->err. */
static int execute(struct http_parser_state *state, const char *bytes, size_t size_bytes, size_t *used_bytes)
{
    const llhttp_errno_t rc = llhttp_execute(&state->llhttp, bytes, size_bytes);
    *used_bytes = size_bytes;
    if (rc == HPE_OK)
        return HTTP_NEED_MORE;
    if (rc == HPE_PAUSED) {
        *used_bytes = (size_t)(llhttp_get_error_pos(&state->llhttp) - bytes);
        return HTTP_COMPLETE;
    }
    if (state->err.code != 0)
        return state->err.code;
    if (rc == HPE_INVALID_METHOD)
        return err_set(&state->err, ERR_METHOD_NOT_ALLOWED, "method '%s' is not known here", state->head.method.data);
    return err_set(&state->err, ERR_BAD_REQUEST, "malformed HTTP: %s", llhttp_get_error_reason(&state->llhttp));
}

/* Parses a complete head that follows our own rules: llhttp validates the characters and determines the framing of the
 * body. */
static int execute_head(struct http_parser *parser)
{
    struct http_parser_state *state = parser->state;
    const struct buf *bytes = &state->head.bytes;
    llhttp_init(&state->llhttp, HTTP_REQUEST, &SETTINGS);
    state->llhttp.data = state;
    size_t used_bytes;
    const int rc = execute(state, bytes->data, bytes->size_bytes, &used_bytes);
    if (rc >= 0 && used_bytes != bytes->size_bytes)
        return err_set(&state->err, ERR_BAD_REQUEST, "malformed HTTP: the headers end early");
    const char *method = state->head.method.data;
    state->is_body_dropped = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    return rc;
}

static int feed_body(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes)
{
    struct http_parser_state *state = parser->state;
    *used_bytes = 0;
    if (state->declared_bytes > body_limit(state))
        return body_too_large(state);
    if (size_bytes == 0)
        return HTTP_NEED_MORE;
    parser->wants_continue = false;
    /* exact, so that the result does not depend on how the bytes were split */
    const uint64_t raw_max = BODY_OVERHEAD_MAX * body_limit(state) + state->limits->value[LIMIT_HEADER_BYTES];
    const uint64_t capacity = raw_max - state->body_raw_bytes;
    const size_t part_bytes = size_bytes < capacity ? size_bytes : (size_t)capacity;
    const int rc = execute(state, bytes, part_bytes, used_bytes);
    state->body_raw_bytes += *used_bytes;
    return rc == HTTP_NEED_MORE && part_bytes < size_bytes ? body_too_large(state) : rc;
}

void http_parser_forget(struct http_parser *parser)
{
    if (parser->state->is_complete)
        begin(parser);
}

size_t http_parser_held_bytes(const struct http_parser *parser) { return parser->state->body.capacity_bytes; }

int http_parser_feed(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes,
                     struct err *err)
{
    struct http_parser_state *state = parser->state;
    *used_bytes = 0;
    if (parser->phase == HTTP_PHASE_FAILED)
        return fail(parser, err);
    if (state->is_complete)
        begin(parser);
    int rc;
    if (state->again.is_set && size_bytes > 0 && take_again(parser, bytes, size_bytes, used_bytes))
        return end(parser);
    if (parser->phase != HTTP_PHASE_BODY) {
        rc = http_head_feed(&state->head, bytes, size_bytes, used_bytes, &state->err);
        if (rc == 0) {
            parser->phase = state->head.bytes.size_bytes == 0 ? HTTP_PHASE_IDLE : HTTP_PHASE_HEAD;
            return HTTP_NEED_MORE;
        }
        rc = rc < 0 ? rc : execute_head(parser);
        if (rc != 0)
            return rc < 0 ? fail(parser, err) : complete_head(parser);
        parser->phase = HTTP_PHASE_BODY;
        parser->wants_continue = state->head.is_expecting_continue && !state->head.is_http_1_0;
        if (strcmp(state->head.method.data, "PUT") == 0) {
            http_head_fill_request(&state->head, &parser->request);
            return HTTP_HEAD_DONE;
        }
    }
    size_t body_used_bytes;
    rc = feed_body(parser, bytes + *used_bytes, size_bytes - *used_bytes, &body_used_bytes);
    *used_bytes += body_used_bytes;
    if (rc == HTTP_NEED_MORE)
        return rc;
    return rc < 0 ? fail(parser, err) : complete(parser);
}

int http_parser_set_sink(struct http_parser *parser, struct http_sink *sink, struct err *err)
{
    struct http_parser_state *state = parser->state;
    state->sink = parser->sink = sink;
    if (state->declared_bytes <= body_limit(state))
        return 0;
    body_too_large(state);
    *err = state->err;
    return err->code;
}
