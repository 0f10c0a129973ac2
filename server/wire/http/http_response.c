#include "wire/http/http_response.h"

#include "base/ascii.h"
#include "base/version.h"
#include "wire/encode/json.h"

#include <stdio.h>
#include <string.h>

/* Reason phrases (RFC 9110, 15) of the statuses in protocol/errors.def and of the service. */
static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } REASONS[] = {
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
        if (REASONS[i].status == status)
            return REASONS[i].reason;
    return "Status"; /* the phrase is arbitrary (RFC 9112, 4) */
}

/* `name` includes the colon and a space. Inline, so that its size is a constant. */
static inline void put_header(struct buf *out, const char *name, const char *value)
{
    buf_put_text(out, name);
    buf_put_text(out, value);
    buf_put(out, "\r\n", 2);
}

static inline void put_number(struct buf *out, const char *name, uint64_t number)
{
    buf_put_text(out, name);
    json_put_uint(out, number);
    buf_put(out, "\r\n", 2);
}

/* Bytes that a UTF-8 name need not escape (RFC 8187, 3.2.1). */
static bool is_attribute_char(char c) { return ascii_is_alnum(c) || (c != '\0' && strchr("!#$&+-.^_`|~", c) != NULL); }

/* Names the download of "robots/run.fbx" "run-posed.glb" (RFC 6266), whatever bytes the name contains. A picture is
 * displayed, not downloaded. */
static void put_disposition(struct buf *out, const struct reply *reply)
{
    const char *path = reply->file_of;
    const bool is_saved = strcmp(reply->file_extension, "glb") == 0 || strcmp(reply->file_extension, "posed") == 0;
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    const size_t name_bytes = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    bool is_plain = true;
    buf_printf(out, "Content-Disposition: %s; filename=\"", is_saved ? "attachment" : "inline");
    for (size_t i = 0; i < name_bytes; i++) {
        const bool is_safe = name[i] >= ' ' && name[i] <= '~' && strchr("\"\\%", name[i]) == NULL;
        buf_put_char(out, is_safe ? name[i] : '_');
        is_plain = is_plain && is_safe;
    }
    const char *word = reply->file_word == NULL ? "" : reply->file_word, *dash = *word == '\0' ? "" : "-";
    buf_printf(out, "%s%s.%s\"", dash, word, reply->file_extension);
    if (!is_plain) {
        buf_put_text(out, "; filename*=UTF-8''");
        for (size_t i = 0; i < name_bytes; i++) {
            if (is_attribute_char(name[i]))
                buf_put_char(out, name[i]);
            else
                buf_printf(out, "%%%02X", (unsigned char)name[i]);
        }
        buf_printf(out, "%s%s.%s", dash, word, reply->file_extension);
    }
    buf_put_text(out, "\r\n");
}

bool http_response_is_chunked(const struct reply *reply)
{
    return reply->rest != NULL && reply->rest_bytes == REPLY_REST_UNKNOWN;
}

size_t http_chunk_head(char out[HTTP_CHUNK_HEAD_SIZE], size_t size_bytes)
{
    return (size_t)snprintf(out, HTTP_CHUNK_HEAD_SIZE, "%zx\r\n", size_bytes);
}

static void put_framing(struct buf *out, const struct reply *reply)
{
    if (http_response_is_chunked(reply))
        put_header(out, "Transfer-Encoding: ", "chunked");
    else
        put_number(out, "Content-Length: ", reply_body_bytes(reply) + (reply->rest == NULL ? 0 : reply->rest_bytes));
}

/* Lists what pages of another origin may read and send (https://fetch.spec.whatwg.org/#http-cors-protocol). */
static void put_cors(const struct http_response *response, struct buf *out)
{
    put_header(out, "Access-Control-Allow-Origin: ", response->cors_origin);
    if (!response->is_preflight) {
        put_header(out, "Access-Control-Expose-Headers: ", "*, ETag, Retry-After, X-Posed-Stale, X-Request-Id");
        return;
    }
    put_header(out, "Access-Control-Allow-Methods: ", "GET, HEAD, POST, PUT, DELETE");
    put_header(
        out, "Access-Control-Allow-Headers: ", "Authorization, Content-Type, If-None-Match, X-Request-Id, traceparent");
    put_header(out, "Access-Control-Max-Age: ", "7200"); /* browsers limit it to less */
}

static void put_vary(const struct reply *reply, const struct http_response *response, struct buf *out)
{
    static const char *const FIELDS[] = {
        NULL,     "Accept",         "Accept-Encoding",         "Accept, Accept-Encoding",
        "Origin", "Accept, Origin", "Accept-Encoding, Origin", "Accept, Accept-Encoding, Origin"};
    const char *fields = FIELDS[reply->is_vary_accept + 2 * reply->is_vary_encoding + 4 * response->is_vary_origin];
    if (fields != NULL)
        put_header(out, "Vary: ", fields);
}

static void put_headers_of_success(const struct reply *reply, struct buf *out)
{
    if (reply->warning_count > 0)
        buf_printf(out, "X-Posed-Warnings: %u\r\n", reply->warning_count);
    if (reply->unmatched.size_bytes > 0)
        buf_printf(out, "X-Posed-Unmatched: %.*s\r\n", (int)reply->unmatched.size_bytes, reply->unmatched.data);
    buf_put(out, reply->picture_lines.data, reply->picture_lines.size_bytes);
    if (reply->policy.size_bytes > 0)
        buf_printf(out, "Content-Security-Policy: %.*s\r\n", (int)reply->policy.size_bytes, reply->policy.data);
}

void http_response_head(const struct reply *reply, const struct http_response *response, struct buf *out)
{
    if (!response->has_begun)
        buf_put_text(out, HTTP_BEGINNING);
    json_put_uint(out, (unsigned)reply->status);
    buf_put_char(out, ' ');
    buf_put_text(out, reason_of(reply->status));
    buf_put(out, "\r\n", 2);
    put_header(out, "Date: ", response->date);
    buf_put_text(out, "Server: posed/" POSED_RELEASE "\r\n");
    if (http_response_has_body(reply, false)) {
        if (reply->content_type != NULL)
            put_header(out, "Content-Type: ", reply->content_type);
        if (reply->content_coding != NULL)
            put_header(out, "Content-Encoding: ", reply->content_coding);
        put_framing(out, reply);
        if (reply->file_of != NULL)
            put_disposition(out, reply);
    }
    if (reply->etag[0] != '\0')
        put_header(out, "ETag: ", reply->etag);
    if (reply->cache_control != NULL)
        put_header(out, "Cache-Control: ", reply->cache_control);
    put_vary(reply, response, out);
    if (reply->status == 200)
        put_headers_of_success(reply, out);
    if (reply->stale_s > 0)
        put_number(out, "X-Posed-Stale: ", reply->stale_s);
    if (reply->retry_after_s > 0)
        buf_printf(out, "Retry-After: %d\r\n", reply->retry_after_s);
    if (reply->allow != NULL)
        put_header(out, "Allow: ", reply->allow);
    if (reply->status == 401)
        put_header(out, "WWW-Authenticate: ", "Bearer realm=\"posed\"");
    if (response->cors_origin != NULL)
        put_cors(response, out);
    put_header(out, "X-Request-Id: ", response->request_id);
    if (response->traceparent != NULL && response->traceparent[0] != '\0')
        put_header(out, "traceparent: ", response->traceparent);
    buf_put_text(out, "X-Content-Type-Options: nosniff\r\n");
    if (!response->is_keep_alive)
        put_header(out, "Connection: ", "close");
    else if (response->is_http_1_0)
        put_header(out, "Connection: ", "keep-alive");
    buf_put(out, "\r\n", 2);
}

/* --- a head that is kept --- */

#define DATE_NAME "\r\nDate: "
enum {
    DATE_AT = sizeof HTTP_BEGINNING "200 OK" DATE_NAME - 1,
    DATE_BYTES = sizeof "Sat, 31 Jan 2026 12:00:00 GMT" - 1
};

/* Returns the offset of the header's value; no value contains the end of a line. */
static size_t value_at(const struct buf *head, const char *name)
{
    const char *line = memmem(head->data, head->size_bytes, name, strlen(name));
    return line == NULL ? 0 : (size_t)(line - head->data) + strlen(name);
}

static bool is_plain(const struct reply *reply, const struct http_response *response)
{
    return reply->status == 200 && reply->code == 0 && reply->content_coding == NULL && reply->rest == NULL &&
           reply->stale_s == 0 && response->is_keep_alive && !response->has_begun;
}

void http_keep_head(struct http_kept_head *kept, const struct reply *reply, const struct http_response *response,
                    const char *head, size_t size_bytes)
{
    buf_clear(&kept->bytes);
    if (!is_plain(reply, response) || response->is_head || reply->etag[0] == '\0')
        return;
    buf_put(&kept->bytes, head, size_bytes);
    kept->etag_at = value_at(&kept->bytes, "\r\nETag: ");
    kept->etag_bytes = strlen(reply->etag);
    kept->id_at = value_at(&kept->bytes, "\r\nX-Request-Id: ");
    kept->id_bytes = strlen(response->request_id);
    kept->content_type = reply->content_type;
    kept->cache_control = reply->cache_control;
    kept->body_bytes = reply_body_bytes(reply);
    kept->warning_count = reply->warning_count;
}

bool http_put_kept_head(const struct http_kept_head *kept, const struct reply *reply,
                        const struct http_response *response, struct buf *out)
{
    if (kept->bytes.size_bytes == 0 || !is_plain(reply, response) || reply->content_type != kept->content_type ||
        reply->cache_control != kept->cache_control || reply_body_bytes(reply) != kept->body_bytes ||
        reply->warning_count != kept->warning_count || strlen(reply->etag) != kept->etag_bytes ||
        strlen(response->request_id) != kept->id_bytes)
        return false;
    char *head = buf_reserve(out, kept->bytes.size_bytes);
    if (head == NULL)
        return false;
    memcpy(head, kept->bytes.data, kept->bytes.size_bytes);
    memcpy(head + DATE_AT, response->date, DATE_BYTES);
    memcpy(head + kept->etag_at, reply->etag, kept->etag_bytes);
    memcpy(head + kept->id_at, response->request_id, kept->id_bytes);
    buf_advance(out, kept->bytes.size_bytes);
    return true;
}

/* --- entity tags --- */

/* Returns the end of the entity tag at `at`, or NULL. A tag is [W/] and a quoted string without quotes, controls and
 * spaces (RFC 9110, 8.8.3). *opaque is the quoted part, which weak comparison compares (8.8.3.2). */
static const char *tag_end(const char *at, const char **opaque)
{
    at += strncmp(at, "W/", 2) == 0 ? 2 : 0;
    *opaque = at;
    if (*at++ != '"')
        return NULL;
    while (*at != '"') {
        const unsigned char c = (unsigned char)*at++;
        if (c <= ' ' || c == 0x7f)
            return NULL;
    }
    return at + 1;
}

bool http_etag_matches(const char *if_none_match, const char *etag)
{
    const char *wanted, *tag;
    const char *wanted_end = if_none_match == NULL ? NULL : tag_end(etag, &wanted);
    bool is_named = false;
    if (wanted_end == NULL)
        return false;
    if (http_etag_is_any(if_none_match))
        return true;
    /* a list whose elements may be empty (5.6.1.2); a malformed list matches nothing */
    for (const char *at = if_none_match;; at++) {
        at += strspn(at, " \t");
        if (*at != ',' && *at != '\0') {
            const char *end = tag_end(at, &tag);
            if (end == NULL)
                return false;
            is_named = is_named ||
                       (end - tag == wanted_end - wanted && memcmp(tag, wanted, (size_t)(wanted_end - wanted)) == 0);
            at = end + strspn(end, " \t");
        }
        if (*at == '\0')
            return is_named;
        if (*at != ',')
            return false;
    }
}
