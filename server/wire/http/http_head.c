#include "wire/http/http_head.h"

#include "base/ascii.h"
#include "wire/http/http_target.h"
#include "wire/http/url.h"

enum {
    METHOD_MAX = 24,      /* longer than any registered method (IANA HTTP Method Registry) */
    EMPTY_LINES_MAX = 4,  /* RFC 9112, 2.2: a server should ignore at least one before the request line */
    KEEP_CAPACITY = 4096, /* a larger buffer is freed before the next request */
    VERSION_BYTES = 11,   /* " HTTP/1.1\r\n" */
};

/* The headers that a request keeps, and their fields. */
static const struct {
    const char *name;
    size_t at;
} KEPT[HTTP_HEAD_KEPT] = {
    {"Accept", offsetof(struct http_request, accept)},
    {"Accept-Encoding", offsetof(struct http_request, accept_encoding)},
    {"If-None-Match", offsetof(struct http_request, if_none_match)},
    {"Content-Type", offsetof(struct http_request, content_type)},
    {"Authorization", offsetof(struct http_request, authorization)},
    {"Origin", offsetof(struct http_request, origin)},
    {"X-Forwarded-Proto", offsetof(struct http_request, forwarded_proto)},
    {"X-Forwarded-Host", offsetof(struct http_request, forwarded_host)},
    {"X-Forwarded-Prefix", offsetof(struct http_request, forwarded_prefix)},
    {"X-Forwarded-For", offsetof(struct http_request, forwarded_for)},
    {"Forwarded", offsetof(struct http_request, forwarded)},
    {"traceparent", offsetof(struct http_request, traceparent)},
    {"Connection", offsetof(struct http_request, connection)},
    {"Upgrade", offsetof(struct http_request, upgrade)},
    {"Sec-WebSocket-Key", offsetof(struct http_request, websocket_key)},
    {"Sec-WebSocket-Version", offsetof(struct http_request, websocket_version)},
    {"Sec-WebSocket-Protocol", offsetof(struct http_request, websocket_protocol)},
};

void http_head_fini(struct http_head *head)
{
    buf_fini(&head->bytes);
    buf_fini(&head->method);
    buf_fini(&head->target);
    buf_fini(&head->host);
    for (int i = 0; i < HTTP_HEAD_KEPT; i++)
        buf_fini(&head->kept[i]);
}

static struct buf reuse(struct buf buf)
{
    if (buf.capacity_bytes > KEEP_CAPACITY)
        buf_fini(&buf);
    buf_clear(&buf);
    return buf;
}

void http_head_clear(struct http_head *head)
{
    struct http_head empty = {
        .limits = head->limits,
        .bytes = reuse(head->bytes),
        .method = reuse(head->method),
        .target = reuse(head->target),
        .host = reuse(head->host),
    };
    for (int i = 0; i < HTTP_HEAD_KEPT; i++)
        empty.kept[i] = reuse(head->kept[i]);
    *head = empty;
}

/* A character of a token (RFC 9110, 5.6.2). */
static bool is_token_char(char c) { return ascii_is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL); }

/* Refuses bytes that cannot become a request line immediately instead of at the next line end: a TLS hello may not
 * contain one for long. */
static int check_method_start(const struct http_head *head, struct err *err)
{
    const char *line = head->bytes.data;
    const size_t size_bytes = head->bytes.size_bytes;
    if (line[0] == 0x16)
        return err_set(err, ERR_BAD_REQUEST, "this looks like TLS; the server speaks plain HTTP");
    if (line[0] == '\r' && (size_bytes == 1 || line[1] == '\n'))
        return 0;
    for (size_t i = 0; i < size_bytes && !(line[i] == ' ' && i > 0); i++)
        if (i == METHOD_MAX || !is_token_char(line[i]))
            return err_set(err, ERR_BAD_REQUEST, "the bytes are not HTTP: the request does not begin with a method");
    return 0;
}

static void put_terminated(struct buf *to, const char *text, size_t size_bytes)
{
    buf_put(to, text, size_bytes);
    buf_put_char(to, '\0');
    to->size_bytes--; /* the NUL is not counted */
}

static int set_target(struct http_head *head, const char *target, size_t size_bytes, struct err *err)
{
    struct http_target parts;
    if (http_target_parse(target, size_bytes, strcmp(head->method.data, "OPTIONS") == 0, &parts, err) < 0)
        return err->code;
    if (parts.host != NULL) /* replaces the Host header (RFC 9112, 3.2.2) */
        put_terminated(&head->host, parts.host, parts.host_bytes);
    head->has_host = parts.host != NULL;
    if (parts.is_root)
        buf_put_char(&head->target, '/');
    put_terminated(&head->target, parts.path, parts.path_bytes);
    if (head->target.size_bytes > head->limits->value[LIMIT_URL_BYTES])
        return err_set(err, ERR_URI_TOO_LONG, "the request target has %zu bytes, more than %s", head->target.size_bytes,
                       LIMIT_TEXT(head->limits, LIMIT_URL_BYTES));
    return 0;
}

/* METHOD SP target SP HTTP/1.0|1.1 CRLF, with single spaces. */
static int take_request_line(struct http_head *head, const char *line, size_t size_bytes, struct err *err)
{
    const char *space = memchr(line, ' ', size_bytes);
    if (space == NULL)
        return err_set(err, ERR_BAD_REQUEST, "the request line is not METHOD TARGET HTTP/1.1");
    put_terminated(&head->method, line, (size_t)(space - line));
    const char *target = space + 1;
    const char *version = line + (size_bytes < VERSION_BYTES ? 0 : size_bytes - VERSION_BYTES);
    if (version <= target || memcmp(version, " HTTP/", 6) != 0)
        return err_set(err, ERR_BAD_REQUEST, "the request line does not end in HTTP/1.1");
    if (memcmp(version + 6, "1.1", 3) != 0 && memcmp(version + 6, "1.0", 3) != 0)
        return err_set(err, ERR_BAD_REQUEST, "HTTP version %.3s is not spoken here, only 1.1 and 1.0", version + 6);
    head->is_http_1_0 = version[8] == '0';
    if (strcmp(head->method.data, "CONNECT") == 0)
        return err_set(err, ERR_METHOD_NOT_ALLOWED, "this server is no proxy: CONNECT is not allowed");
    return set_target(head, target, (size_t)(version - target), err);
}

/* Joins the lists of repeated headers to one list (RFC 9110, 5.3). */
static void join(struct buf *to, const char *value, size_t size_bytes)
{
    if (to->size_bytes > 0)
        buf_put_text(to, ", ");
    put_terminated(to, value, size_bytes);
}

static int take_host(struct http_head *head, const char *value, size_t size_bytes, struct err *err)
{
    if (++head->host_count > 1)
        return err_set(err, ERR_BAD_REQUEST, "the request has more than one Host header");
    if (size_bytes > 0 && !http_host_is_good(value, size_bytes))
        return err_set(err, ERR_BAD_REQUEST, "the Host header is not a host and port");
    if (!head->has_host)
        put_terminated(&head->host, value, size_bytes);
    head->has_host = true;
    return 0;
}

static int take_content_length(struct http_head *head, const char *value, size_t size_bytes, struct err *err)
{
    if (head->has_content_length)
        return err_set(err, ERR_BAD_REQUEST, "the request has more than one Content-Length header");
    head->has_content_length = true;
    bool is_number = size_bytes > 0;
    for (size_t i = 0; i < size_bytes; i++)
        is_number = is_number && ascii_is_digit(value[i]);
    if (!is_number)
        return err_set(err, ERR_BAD_REQUEST, "Content-Length is not a number");
    return 0;
}

static int take_transfer_encoding(struct http_head *head, const char *value, size_t size_bytes, struct err *err)
{
    if (++head->transfer_encoding_count > 1 || size_bytes != 7 || strncasecmp(value, "chunked", 7) != 0)
        return err_set(err, ERR_BAD_REQUEST, "Transfer-Encoding is not exactly 'chunked'");
    return 0;
}

static void take_request_id(struct http_head *head, const char *value, size_t size_bytes)
{
    bool is_good = size_bytes >= 1 && size_bytes <= HTTP_REQUEST_ID_MAX;
    for (size_t i = 0; i < size_bytes && is_good; i++)
        is_good = ascii_is_alnum(value[i]) || value[i] == '.' || value[i] == '_' || value[i] == '-';
    if (!is_good)
        return;
    memcpy(head->request_id, value, size_bytes);
    head->request_id[size_bytes] = '\0';
}

/* Headers that make a request conditional or partial. A server that ignores them would change the file against the
 * client's intent (RFC 9110, 13.1 and 14.5). */
static const char *reservation_of(const char *name, size_t name_bytes)
{
    static const char *const NAMES[] = {"Content-Range", "If-Match", "If-None-Match", "If-Unmodified-Since"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (url_is_word(name, name_bytes, NAMES[i]))
            return NAMES[i];
    return NULL;
}

/* Parses a list; the only expectation defined is 100-continue (RFC 9110, 10.1.1). */
static void take_expectations(struct http_head *head, const char *value, size_t size_bytes)
{
    for (size_t at = 0; at < size_bytes;) {
        const char *comma = memchr(value + at, ',', size_bytes - at);
        const size_t end = comma == NULL ? size_bytes : (size_t)(comma - value);
        size_t from = at, to = end;
        while (from < to && (value[from] == ' ' || value[from] == '\t'))
            from++;
        while (to > from && (value[to - 1] == ' ' || value[to - 1] == '\t'))
            to--;
        if (url_is_word(value + from, to - from, "100-continue"))
            head->is_expecting_continue = true;
        else if (to > from)
            head->is_expecting_more = true;
        at = end + 1;
    }
}

/* Stores the headers that a request uses. */
static int take_field(struct http_head *head, const char *name, size_t name_bytes, const char *value,
                      size_t value_bytes, struct err *err)
{
    if (head->reservation == NULL)
        head->reservation = reservation_of(name, name_bytes);
    for (int i = 0; i < HTTP_HEAD_KEPT; i++)
        if (url_is_word(name, name_bytes, KEPT[i].name)) {
            join(&head->kept[i], value, value_bytes);
            return 0;
        }
    if (url_is_word(name, name_bytes, "Host"))
        return take_host(head, value, value_bytes, err);
    if (url_is_word(name, name_bytes, "Content-Length"))
        return take_content_length(head, value, value_bytes, err);
    if (url_is_word(name, name_bytes, "Transfer-Encoding"))
        return take_transfer_encoding(head, value, value_bytes, err);
    if (url_is_word(name, name_bytes, "Access-Control-Request-Method"))
        head->has_preflight_method = true;
    else if (url_is_word(name, name_bytes, "X-Request-Id"))
        take_request_id(head, value, value_bytes);
    else if (url_is_word(name, name_bytes, "Expect"))
        take_expectations(head, value, value_bytes);
    return 0;
}

/* llhttp validates the field name. */
static int take_header(struct http_head *head, const char *line, size_t size_bytes, struct err *err)
{
    if (line[0] == ' ' || line[0] == '\t')
        return err_set(err, ERR_BAD_REQUEST, "header %u is folded over two lines", head->header_count);
    if (++head->header_count > head->limits->value[LIMIT_HEADER_COUNT])
        return err_set(err, ERR_HEADERS_TOO_LARGE, "the request has more than %llu headers",
                       (unsigned long long)head->limits->value[LIMIT_HEADER_COUNT]);
    const char *colon = memchr(line, ':', size_bytes);
    if (colon == NULL || colon == line)
        return err_set(err, ERR_BAD_REQUEST, "header %u has no %s", head->header_count,
                       colon == NULL ? "colon" : "name");
    const size_t name_bytes = (size_t)(colon - line);
    const char *value = colon + 1, *end = line + size_bytes - 2;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return take_field(head, line, name_bytes, value, (size_t)(end - value), err);
}

/* Checks that need all headers. */
static int check_complete(const struct http_head *head, struct err *err)
{
    if (head->host_count == 0 && !head->is_http_1_0)
        return err_set(err, ERR_BAD_REQUEST, "the request has no Host header");
    if (head->transfer_encoding_count > 0 && head->has_content_length)
        return err_set(err, ERR_BAD_REQUEST, "the request has both Content-Length and Transfer-Encoding");
    if (head->transfer_encoding_count > 0 && head->is_http_1_0)
        return err_set(err, ERR_BAD_REQUEST, "HTTP/1.0 has no Transfer-Encoding");
    if (head->is_expecting_more && !head->is_http_1_0) /* HTTP/1.0 has no Expect (RFC 9110, 10.1.1) */
        return err_set(err, ERR_EXPECTATION_FAILED, "the server meets no expectation but 'Expect: 100-continue'");
    return 1;
}

/* Handles the complete line at line_start. Returns 1 for the empty line after the headers. */
static int take_line(struct http_head *head, struct err *err)
{
    const char *line = head->bytes.data + head->line_start;
    const size_t size_bytes = head->bytes.size_bytes - head->line_start;
    if (size_bytes < 2 || line[size_bytes - 2] != '\r')
        return err_set(err, ERR_BAD_REQUEST, "a line of the request head does not end in CRLF");
    const bool is_empty = size_bytes == 2;
    if (head->request_line_bytes == 0 && is_empty) {
        buf_clear(&head->bytes);
        if (++head->empty_line_count > EMPTY_LINES_MAX)
            return err_set(err, ERR_BAD_REQUEST, "empty lines instead of a request");
        return 0;
    }
    head->line_start = head->bytes.size_bytes;
    if (head->request_line_bytes == 0) {
        head->request_line_bytes = size_bytes;
        return take_request_line(head, line, size_bytes, err);
    }
    return is_empty ? check_complete(head, err) : take_header(head, line, size_bytes, err);
}

/* Returns how many bytes the current part of the head may still have. */
static size_t capacity_bytes(const struct http_head *head)
{
    const uint64_t *limit = head->limits->value;
    const uint64_t end = head->request_line_bytes == 0 ? limit[LIMIT_URL_BYTES] + METHOD_MAX + 1 + VERSION_BYTES
                                                       : limit[LIMIT_HEADER_BYTES] + head->request_line_bytes + 2;
    return end > head->bytes.size_bytes ? (size_t)(end - head->bytes.size_bytes) : 0;
}

static int too_large(const struct http_head *head, struct err *err)
{
    if (head->request_line_bytes == 0)
        return err_set(err, ERR_URI_TOO_LONG, "the request target is longer than %s",
                       LIMIT_TEXT(head->limits, LIMIT_URL_BYTES));
    return err_set(err, ERR_HEADERS_TOO_LARGE, "the request headers are larger than %s",
                   LIMIT_TEXT(head->limits, LIMIT_HEADER_BYTES));
}

int http_head_feed(struct http_head *head, const char *bytes, size_t size_bytes, size_t *used_bytes, struct err *err)
{
    *used_bytes = 0;
    while (*used_bytes < size_bytes) {
        const char *from = bytes + *used_bytes;
        const char *newline = memchr(from, '\n', size_bytes - *used_bytes);
        const size_t part_bytes = newline == NULL ? size_bytes - *used_bytes : (size_t)(newline - from) + 1;
        const size_t capacity = capacity_bytes(head);
        const size_t taken_bytes = part_bytes < capacity ? part_bytes : capacity;
        buf_put(&head->bytes, from, taken_bytes);
        *used_bytes += taken_bytes;
        int rc = head->request_line_bytes == 0 ? check_method_start(head, err) : 0;
        if (rc == 0 && taken_bytes < part_bytes)
            rc = too_large(head, err);
        if (rc == 0 && newline != NULL)
            rc = take_line(head, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static const char *text_of(const struct buf *buf) { return buf->size_bytes > 0 ? buf->data : NULL; }

void http_head_fill_request(const struct http_head *head, struct http_request *request)
{
    request->method = text_of(&head->method);
    request->target = text_of(&head->target);
    request->target_bytes = head->target.size_bytes;
    request->host = head->has_host ? head->host.data : NULL;
    for (int i = 0; i < HTTP_HEAD_KEPT; i++)
        *(const char **)(void *)((char *)request + KEPT[i].at) = text_of(&head->kept[i]);
    request->has_preflight_method = head->has_preflight_method;
    request->reservation = head->reservation;
    request->request_id = head->request_id[0] != '\0' ? head->request_id : NULL;
    request->is_head = request->method != NULL && strcmp(request->method, "HEAD") == 0;
    request->is_http_1_0 = head->is_http_1_0;
}
