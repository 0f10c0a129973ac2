#include "http_response.h"

#include "../base/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* RFC 9110, 15: of the statuses that protocol/errors.def and the service use. */
static const char *reason_of(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 304:
        return "Not Modified";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 414:
        return "URI Too Long";
    case 415:
        return "Unsupported Media Type";
    case 422:
        return "Unprocessable Content";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    default:
        return "Status"; /* the phrase may be anything (RFC 9112, 4) */
    }
}

void http_date(int64_t unix_s, char out[HTTP_DATE_SIZE])
{
    /* Not strftime: its names follow the locale. */
    static const char DAYS[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char MONTHS[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const int64_t last_s = INT64_C(253402300799); /* the end of the year 9999 */
    const time_t t = (time_t)(unix_s < 0 ? 0 : unix_s > last_s ? last_s : unix_s);
    struct tm tm = {0};
    gmtime_r(&t, &tm);
    char text[64];
    snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", DAYS[tm.tm_wday], tm.tm_mday, MONTHS[tm.tm_mon],
             tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
    memcpy(out, text, HTTP_DATE_SIZE - 1);
    out[HTTP_DATE_SIZE - 1] = '\0';
}

static void put_header(struct buf *out, const char *name, const char *value)
{
    buf_put_text(out, name);
    buf_put(out, ": ", 2);
    buf_put_text(out, value);
    buf_put(out, "\r\n", 2);
}

bool http_response_has_body(const struct reply *reply, bool is_head) { return !is_head && reply->status != 304; }

void http_response_head(const struct reply *reply, const struct http_response *response, struct buf *out)
{
    buf_printf(out, "HTTP/1.1 %d %s\r\n", reply->status, reason_of(reply->status));
    put_header(out, "Date", response->date);
    put_header(out, "Server", "posed/" POSED_VERSION);
    if (reply->status != 304) {
        if (reply->content_type != NULL)
            put_header(out, "Content-Type", reply->content_type);
        buf_printf(out, "Content-Length: %zu\r\n", reply->body.size_bytes);
    }
    if (reply->etag[0] != '\0')
        put_header(out, "ETag", reply->etag);
    if (reply->cache_control != NULL)
        put_header(out, "Cache-Control", reply->cache_control);
    if (reply->is_vary_accept)
        put_header(out, "Vary", "Accept");
    if (reply->retry_after_s > 0)
        buf_printf(out, "Retry-After: %d\r\n", reply->retry_after_s);
    if (reply->allow != NULL)
        put_header(out, "Allow", reply->allow);
    put_header(out, "X-Request-Id", response->request_id);
    put_header(out, "X-Content-Type-Options", "nosniff");
    if (!response->is_keep_alive)
        put_header(out, "Connection", "close");
    else if (response->is_http_1_0)
        put_header(out, "Connection", "keep-alive");
    buf_put(out, "\r\n", 2);
}

/* The opaque part of an entity tag: what weak comparison compares (RFC 9110, 8.8.3.2). */
static const char *skip_weak(const char *tag) { return tag[0] == 'W' && tag[1] == '/' ? tag + 2 : tag; }

bool http_etag_matches(const char *if_none_match, const char *etag)
{
    if (if_none_match == NULL || etag[0] == '\0')
        return false;
    const char *wanted = skip_weak(etag);
    const size_t wanted_bytes = strlen(wanted);
    const char *at = if_none_match + strspn(if_none_match, " \t,");
    if (strcmp(at, "*") == 0)
        return true;
    while (*at != '\0') {
        const char *tag = skip_weak(at);
        const char *end = tag[0] == '"' ? strchr(tag + 1, '"') : NULL;
        if (end == NULL)
            return false; /* not an entity tag: the rest cannot be told apart */
        end++;
        if ((size_t)(end - tag) == wanted_bytes && memcmp(tag, wanted, wanted_bytes) == 0)
            return true;
        at = end + strspn(end, " \t,");
    }
    return false;
}
