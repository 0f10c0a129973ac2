#include "wire/http/http_head.h"

#include "wire/http/http_host.h"

#include <string.h>
#include <strings.h>

enum {
    METHOD_MAX = 24,      /* longer than any registered method (IANA HTTP Method Registry) */
    EMPTY_LINES_MAX = 4,  /* RFC 9112, 2.2: a server should ignore at least one before the request line */
    KEEP_CAPACITY = 4096, /* a larger buffer is not kept for the next request */
    VERSION_BYTES = 11,   /* " HTTP/1.1\r\n" */
};

void http_head_init(struct http_head *head, const struct limits *limits)
{
    *head = (struct http_head){.limits = limits};
}

void http_head_fini(struct http_head *head)
{
    buf_fini(&head->bytes);
    buf_fini(&head->method);
    buf_fini(&head->target);
    buf_fini(&head->host);
    buf_fini(&head->accept);
    buf_fini(&head->accept_encoding);
    buf_fini(&head->if_none_match);
    buf_fini(&head->content_type);
    buf_fini(&head->authorization);
    buf_fini(&head->origin);
    buf_fini(&head->connection);
    buf_fini(&head->upgrade);
    buf_fini(&head->websocket_key);
    buf_fini(&head->websocket_version);
    buf_fini(&head->websocket_protocol);
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
    *head = (struct http_head){
        .limits = head->limits,
        .bytes = reuse(head->bytes),
        .method = reuse(head->method),
        .target = reuse(head->target),
        .host = reuse(head->host),
        .accept = reuse(head->accept),
        .accept_encoding = reuse(head->accept_encoding),
        .if_none_match = reuse(head->if_none_match),
        .content_type = reuse(head->content_type),
        .authorization = reuse(head->authorization),
        .origin = reuse(head->origin),
        .connection = reuse(head->connection),
        .upgrade = reuse(head->upgrade),
        .websocket_key = reuse(head->websocket_key),
        .websocket_version = reuse(head->websocket_version),
        .websocket_protocol = reuse(head->websocket_protocol),
    };
}

/* A character of a token (RFC 9110, 5.6.2). */
static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

/* Bytes that cannot become a request line are refused at once, not when a line end happens to come: a TLS
 * hello has none for long. */
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
    to->size_bytes--; /* the NUL stays behind the end */
}

/* The host of an absolute target stands for that of the Host header (RFC 9112, 3.2.2). */
static int set_authority(struct http_head *head, const char *text, size_t size_bytes, struct err *err)
{
    if (!http_host_is_good(text, size_bytes))
        return err_set(err, ERR_BAD_REQUEST, "the request target's host is not a host and port");
    put_terminated(&head->host, text, size_bytes);
    head->has_host = true;
    return 0;
}

/* Cuts "http://host" off (RFC 9112, 3.2.2) and leaves a path that begins with '/'. */
static int set_target(struct http_head *head, const char *target, size_t size_bytes, struct err *err)
{
    for (size_t i = 0; i < size_bytes; i++) {
        if (target[i] == '#')
            return err_set(err, ERR_BAD_REQUEST, "the request target has a fragment; write '#' as %%23");
        if (!is_visible(target[i]))
            return err_set(err, ERR_BAD_REQUEST,
                           "byte %zu of the request target must be percent-encoded (space, control or not ASCII)", i);
    }
    const size_t scheme_bytes = size_bytes >= 7 && strncasecmp(target, "http://", 7) == 0    ? 7
                                : size_bytes >= 8 && strncasecmp(target, "https://", 8) == 0 ? 8
                                                                                             : 0;
    const char *end = target + size_bytes;
    if (scheme_bytes > 0) {
        const char *host = target += scheme_bytes;
        while (target < end && *target != '/' && *target != '?')
            target++;
        if (set_authority(head, host, (size_t)(target - host), err) < 0)
            return err->code;
        if (target == end || *target == '?')
            buf_put_char(&head->target, '/');
    } else if (size_bytes == 1 && target[0] == '*' && strcmp(head->method.data, "OPTIONS") == 0) {
        /* the asterisk form */
    } else if (size_bytes == 0 || target[0] != '/') {
        return err_set(err, ERR_BAD_REQUEST, "the request target does not begin with '/'");
    }
    put_terminated(&head->target, target, (size_t)(end - target));
    if (head->target.size_bytes > head->limits->value[LIMIT_URL_BYTES])
        return err_set(err, ERR_URI_TOO_LONG, "the request target has %zu bytes, more than %s", head->target.size_bytes,
                       LIMIT_TEXT(head->limits, LIMIT_URL_BYTES));
    return 0;
}

/* METHOD SP target SP HTTP/1.0|1.1 CRLF, each space single. */
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

/* Lists that come in several headers are one list (RFC 9110, 5.3). */
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
        is_number = is_number && value[i] >= '0' && value[i] <= '9';
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
        is_good = (value[i] >= 'a' && value[i] <= 'z') || (value[i] >= 'A' && value[i] <= 'Z') ||
                  (value[i] >= '0' && value[i] <= '9') || value[i] == '.' || value[i] == '_' || value[i] == '-';
    if (!is_good)
        return;
    memcpy(head->request_id, value, size_bytes);
    head->request_id[size_bytes] = '\0';
}

/* Who leaves them unread does to a file what its client wants not to be done (RFC 9110, 13.1 and 14.5). */
static const char *reservation_of(const char *name, size_t name_bytes)
{
    static const char *const NAMES[] = {"Content-Range", "If-Match", "If-None-Match", "If-Unmodified-Since"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (name_bytes == strlen(NAMES[i]) && strncasecmp(name, NAMES[i], name_bytes) == 0)
            return NAMES[i];
    return NULL;
}

/* Picks the interesting ones. */
static int take_field(struct http_head *head, const char *name, size_t name_bytes, const char *value,
                      size_t value_bytes, struct err *err)
{
#define IS(word) (name_bytes == sizeof word - 1 && strncasecmp(name, word, sizeof word - 1) == 0)
    if (head->reservation == NULL)
        head->reservation = reservation_of(name, name_bytes);
    if (IS("Host"))
        return take_host(head, value, value_bytes, err);
    if (IS("Content-Length"))
        return take_content_length(head, value, value_bytes, err);
    if (IS("Transfer-Encoding"))
        return take_transfer_encoding(head, value, value_bytes, err);
    if (IS("Accept"))
        join(&head->accept, value, value_bytes);
    else if (IS("Accept-Encoding"))
        join(&head->accept_encoding, value, value_bytes);
    else if (IS("If-None-Match"))
        join(&head->if_none_match, value, value_bytes);
    else if (IS("Content-Type"))
        join(&head->content_type, value, value_bytes);
    else if (IS("Authorization"))
        join(&head->authorization, value, value_bytes);
    else if (IS("Origin"))
        join(&head->origin, value, value_bytes);
    else if (IS("Connection"))
        join(&head->connection, value, value_bytes);
    else if (IS("Upgrade"))
        join(&head->upgrade, value, value_bytes);
    else if (IS("Sec-WebSocket-Key"))
        join(&head->websocket_key, value, value_bytes);
    else if (IS("Sec-WebSocket-Version"))
        join(&head->websocket_version, value, value_bytes);
    else if (IS("Sec-WebSocket-Protocol"))
        join(&head->websocket_protocol, value, value_bytes);
    else if (IS("Access-Control-Request-Method"))
        head->has_preflight_method = true;
    else if (IS("X-Request-Id"))
        take_request_id(head, value, value_bytes);
    else if (IS("Expect") && value_bytes == 12 && strncasecmp(value, "100-continue", 12) == 0)
        head->is_expecting_continue = true;
#undef IS
    return 0;
}

/* Whether the field's name is well-formed is llhttp's to say. */
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

/* The rules that need all headers. */
static int check_complete(const struct http_head *head, struct err *err)
{
    if (head->host_count == 0 && !head->is_http_1_0)
        return err_set(err, ERR_BAD_REQUEST, "the request has no Host header");
    if (head->transfer_encoding_count > 0 && head->has_content_length)
        return err_set(err, ERR_BAD_REQUEST, "the request has both Content-Length and Transfer-Encoding");
    if (head->transfer_encoding_count > 0 && head->is_http_1_0)
        return err_set(err, ERR_BAD_REQUEST, "HTTP/1.0 has no Transfer-Encoding");
    return 1;
}

/* A whole line is at line_start: 1 when it was the empty one behind the headers. */
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

/* How many more bytes the part of the head that is being read may have. */
static size_t room_bytes(const struct http_head *head)
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
        const size_t room = room_bytes(head);
        const size_t taken_bytes = part_bytes < room ? part_bytes : room;
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

bool http_head_is_empty(const struct http_head *head) { return head->bytes.size_bytes == 0; }

static const char *text_of(const struct buf *buf) { return buf->size_bytes > 0 ? buf->data : NULL; }

void http_head_fill_request(const struct http_head *head, struct http_request *request)
{
    request->method = text_of(&head->method);
    request->target = text_of(&head->target);
    request->target_bytes = head->target.size_bytes;
    request->host = head->has_host ? head->host.data : NULL;
    request->accept = text_of(&head->accept);
    request->accept_encoding = text_of(&head->accept_encoding);
    request->if_none_match = text_of(&head->if_none_match);
    request->content_type = text_of(&head->content_type);
    request->authorization = text_of(&head->authorization);
    request->origin = text_of(&head->origin);
    request->connection = text_of(&head->connection);
    request->upgrade = text_of(&head->upgrade);
    request->websocket_key = text_of(&head->websocket_key);
    request->websocket_version = text_of(&head->websocket_version);
    request->websocket_protocol = text_of(&head->websocket_protocol);
    request->has_preflight_method = head->has_preflight_method;
    request->reservation = head->reservation;
    request->request_id = head->request_id[0] != '\0' ? head->request_id : NULL;
    request->is_head = request->method != NULL && strcmp(request->method, "HEAD") == 0;
    request->is_http_1_0 = head->is_http_1_0;
}
