/* server/wire/http/http_response.h and reply.h: heads, error bodies, entity tags. */
#include "tests/unit/support/check.h"

#include "wire/http/http_response.h"

#include <string.h>

static const struct http_response PLAIN = {
    .date = "Sat, 31 Jan 2026 12:00:00 GMT", .request_id = "r1", .is_keep_alive = true};

static const char *head_of(const struct reply *reply, const struct http_response *response, struct buf *out)
{
    buf_clear(out);
    http_response_head(reply, response, out);
    buf_put_char(out, '\0');
    return out->data;
}

TEST(http_response_plain)
{
    struct reply reply;
    reply_init(&reply);
    reply.content_type = "image/png";
    reply.cache_control = "no-cache";
    reply.is_vary_accept = true;
    strcpy(reply.etag, "\"abc\"");
    buf_put_text(&reply.body, "12345");
    struct buf out;
    buf_init(&out, 0);
    assert_string_equal(head_of(&reply, &PLAIN, &out),
                        "HTTP/1.1 200 OK\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\nServer: posed/0.2.0\r\n"
                        "Content-Type: image/png\r\nContent-Length: 5\r\nETag: \"abc\"\r\nCache-Control: no-cache\r\n"
                        "Vary: Accept\r\nX-Request-Id: r1\r\nX-Content-Type-Options: nosniff\r\n\r\n");
    assert_true(http_response_has_body(&reply, false));
    assert_false(http_response_has_body(&reply, true));
    reply.status = 304;
    assert_string_equal(head_of(&reply, &PLAIN, &out),
                        "HTTP/1.1 304 Not Modified\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\nServer: posed/0.2.0\r\n"
                        "ETag: \"abc\"\r\nCache-Control: no-cache\r\nVary: Accept\r\nX-Request-Id: r1\r\n"
                        "X-Content-Type-Options: nosniff\r\n\r\n");
    assert_false(http_response_has_body(&reply, false));
    buf_fini(&out);
    reply_fini(&reply);
}

TEST(http_response_that_has_begun_goes_on)
{
    struct http_response begun = PLAIN;
    struct reply reply;
    struct buf out, whole;
    reply_init(&reply);
    buf_init(&out, 0);
    buf_init(&whole, 0);
    begun.has_begun = true;
    buf_put_text(&whole, HTTP_BEGINNING);
    buf_put_text(&whole, head_of(&reply, &begun, &out));
    buf_put_char(&whole, '\0');
    assert_string_equal(whole.data, head_of(&reply, &PLAIN, &out));
    buf_fini(&whole);
    buf_fini(&out);
    reply_fini(&reply);
}

TEST(http_response_echoes_the_trace)
{
    struct http_response traced = PLAIN;
    struct reply reply;
    struct buf out;
    reply_init(&reply);
    buf_init(&out, 0);
    traced.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert_non_null(strstr(head_of(&reply, &traced, &out),
                           "\r\ntraceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"));
    traced.traceparent = "";
    assert_null(strstr(head_of(&reply, &traced, &out), "traceparent"));
    buf_fini(&out);
    reply_fini(&reply);
}

/* Quotes, escapes and other scripts (RFC 6266, 4.3; RFC 8187, 3.2); never a line break of the model's. */
TEST(http_response_names_the_file)
{
    static const struct {
        const char *path, *header;
    } rows[] = {
        {"robots/run fast.v2.fbx", "filename=\"run fast.v2-posed.glb\"\r\n"},
        {"fox.glb", "filename=\"fox-posed.glb\"\r\n"},
        {"a/.glb", "filename=\".glb-posed.glb\"\r\n"},
        {"none", "filename=\"none-posed.glb\"\r\n"},
        {"\xc3\xbc \"1\".glb", "filename=\"__ _1_-posed.glb\"; filename*=UTF-8''%C3%BC%20%221%22-posed.glb\r\n"},
        {"a\r\nb.glb", "filename=\"a__b-posed.glb\"; filename*=UTF-8''a%0D%0Ab-posed.glb\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply reply;
        struct buf out;
        reply_init(&reply);
        buf_init(&out, 0);
        reply.file_of = rows[i].path;
        reply.file_word = "posed";
        reply.file_extension = "glb";
        static const char START[] = "\r\nContent-Disposition: attachment; ";
        const char *at = strstr(head_of(&reply, &PLAIN, &out), START);
        assert_non_null(at);
        at += sizeof START - 1;
        if (strncmp(at, rows[i].header, strlen(rows[i].header)) != 0)
            fail_msg("%s, not %s", at, rows[i].header);
        reply.status = 304;
        assert_null(strstr(head_of(&reply, &PLAIN, &out), "Content-Disposition"));
        buf_fini(&out);
        reply_fini(&reply);
    }
}

TEST(http_response_tells_what_has_no_partner)
{
    struct reply reply;
    struct buf out;
    struct err err;
    reply_init(&reply);
    buf_init(&out, 0);
    reply.warning_count = 3;
    buf_put_text(&reply.unmatched, "1;names=\"tail\"");
    assert_non_null(
        strstr(head_of(&reply, &PLAIN, &out), "\r\nX-Posed-Warnings: 3\r\nX-Posed-Unmatched: 1;names=\"tail\"\r\n"));
    reply.status = 304;
    assert_null(strstr(head_of(&reply, &PLAIN, &out), "X-Posed"));
    err_set(&err, ERR_CLIP_NOT_FOUND, "no");
    reply_error(&reply, &err, NULL, 0);
    assert_null(strstr(head_of(&reply, &PLAIN, &out), "X-Posed"));
    buf_fini(&out);
    reply_fini(&reply);
}

TEST(http_response_connection)
{
    struct reply reply;
    reply_init(&reply);
    struct buf out;
    buf_init(&out, 0);
    struct http_response response = PLAIN;
    assert_null(strstr(head_of(&reply, &response, &out), "Connection:"));
    response.is_http_1_0 = true;
    assert_non_null(strstr(head_of(&reply, &response, &out), "\r\nConnection: keep-alive\r\n"));
    response.is_keep_alive = false;
    assert_non_null(strstr(head_of(&reply, &response, &out), "\r\nConnection: close\r\n"));
    buf_fini(&out);
}

TEST(reply_error_is_json)
{
    struct reply reply;
    reply_init(&reply);
    buf_put_text(&reply.body, "half an answer");
    struct err err;
    err_set(&err, ERR_CLIP_NOT_FOUND, "no clip '%s' in 'a.glb'", "W\"x");
    const struct reply_candidate candidates[] = {{0, "Walk", 4}, {3, NULL, 0}, {4, "", 0}};
    reply_error(&reply, &err, candidates, 3);
    assert_int_equal(reply.status, 404);
    assert_int_equal(reply.code, ERR_CLIP_NOT_FOUND);
    assert_string_equal(reply.content_type, "application/json");
    buf_put_char(&reply.body, '\0');
    assert_string_equal(reply.body.data,
                        "{\"error\":{\"code\":\"clip_not_found\",\"message\":\"no clip 'W\\\"x' in 'a.glb'\","
                        "\"candidates\":[{\"index\":0,\"name\":\"Walk\"},{\"index\":3,\"name\":null},"
                        "{\"index\":4,\"name\":\"\"}]}}\n");
    reply_fini(&reply);
}

TEST(reply_error_lists_at_most_20)
{
    struct reply_candidate candidates[30];
    for (uint32_t i = 0; i < 30; i++)
        candidates[i] = (struct reply_candidate){100 + i, NULL, 0};
    struct reply reply;
    reply_init(&reply);
    struct err err;
    err_set(&err, ERR_AMBIGUOUS_NAME, "x");
    reply_error(&reply, &err, candidates, 30);
    buf_put_char(&reply.body, '\0');
    assert_non_null(strstr(reply.body.data, "119"));
    assert_null(strstr(reply.body.data, "120"));
    reply_fini(&reply);
}

TEST(reply_error_headers)
{
    struct reply reply;
    reply_init(&reply);
    struct buf out;
    buf_init(&out, 0);
    struct err err;
    err_set(&err, ERR_OVERLOADED, "x");
    reply_error(&reply, &err, NULL, 0);
    assert_non_null(strstr(head_of(&reply, &PLAIN, &out), "HTTP/1.1 503 Service Unavailable\r\n"));
    assert_non_null(strstr(out.data, "\r\nRetry-After: 1\r\n"));
    assert_non_null(strstr(out.data, "\r\nCache-Control: no-store\r\n"));
    err_set(&err, ERR_METHOD_NOT_ALLOWED, "x");
    reply_error(&reply, &err, NULL, 0);
    assert_non_null(strstr(head_of(&reply, &PLAIN, &out), "\r\nAllow: GET, HEAD\r\n"));
    assert_null(strstr(out.data, "Retry-After"));
    buf_fini(&out);
    reply_fini(&reply);
}

/* Every status of the error table has a reason of its own. */
TEST(http_response_knows_every_status)
{
    static const int statuses[] = {
#define X(symbol, number, http, name, text) http,
#include "protocol/errors.def"
#undef X
    };
    struct buf out;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct reply reply;
        reply_init(&reply);
        reply.status = statuses[i];
        assert_null(strstr(head_of(&reply, &PLAIN, &out), " Status\r\n"));
    }
    buf_fini(&out);
}

TEST(http_etag_matching)
{
    assert_true(http_etag_matches("\"a\"", "\"a\""));
    assert_true(http_etag_matches("\"x\", W/\"a\"", "\"a\""));
    assert_true(http_etag_matches(" ,\"x,y\",\"a\"", "\"a\""));
    assert_true(http_etag_matches("*", "\"a\""));
    assert_false(http_etag_matches("*", ""));
    assert_false(http_etag_matches(NULL, "\"a\""));
    assert_false(http_etag_matches("", "\"a\""));
    assert_false(http_etag_matches("\"b\"", "\"a\""));
    assert_false(http_etag_matches("a", "\"a\""));
    assert_false(http_etag_matches("\"a", "\"a\""));
    assert_false(http_etag_matches("\"aa\"", "\"a\""));
    assert_true(http_etag_matches(" * ", "\"a\""));
    assert_true(http_etag_matches("\"a\"\t, ,W/\"b\",", "\"a\""));
    assert_true(http_etag_matches("\"\xc3\xa9*!\",\"a\"", "W/\"a\""));
    assert_true(http_etag_is_any("*") && http_etag_is_any("\t* "));
    assert_false(http_etag_is_any(NULL) || http_etag_is_any("\"*\"") || http_etag_is_any("*,*") ||
                 http_etag_is_any(""));
}

TEST(http_etag_grammar)
{
    static const char *const BAD[] = {"\"a\"garbage",    "\"a\"\"b\"", "\"a\" \"b\"", "\"a\", b",
                                      "\"a\",\"b",       "*,\"a\"",    "\"a\",*",     "**",
                                      "w/\"a\"",         "W/ \"a\"",   "W\"a\"",      "\"b c\",\"a\"",
                                      "\"b\x7f\",\"a\"", "\"a\";q=1",  "'a',\"a\"",   "W/,\"a\""};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (http_etag_matches(BAD[i], "\"a\""))
            fail_msg("%s matches", BAD[i]);
}

/* --- a head that is kept --- */

static struct reply kept_reply(void)
{
    struct reply reply;
    reply_init(&reply);
    reply.content_type = "image/png";
    reply.cache_control = "no-cache";
    reply.is_vary_accept = true;
    reply.warning_count = 1;
    strcpy(reply.etag, "\"abc-1\"");
    buf_put_text(&reply.body, "12345");
    return reply;
}

/* Whether the kept head of `first` serves for the second; if so, it is what http_response_head() makes. */
static bool serves(const struct reply *first, const struct http_response *first_response, const struct reply *second,
                   const struct http_response *second_response)
{
    struct http_kept_head kept = {0};
    struct buf out, made;
    buf_init(&out, 0);
    buf_init(&made, 0);
    http_response_head(first, first_response, &made);
    http_keep_head(&kept, first, first_response, made.data, made.size_bytes);
    buf_put_text(&out, "before");
    const bool is_served = http_put_kept_head(&kept, second, second_response, &out);
    buf_clear(&made);
    buf_put_text(&made, "before");
    if (is_served)
        http_response_head(second, second_response, &made);
    assert_int_equal(out.size_bytes, made.size_bytes);
    assert_memory_equal(out.data, made.data, made.size_bytes);
    buf_fini(&kept.bytes);
    buf_fini(&out);
    buf_fini(&made);
    return is_served;
}

TEST(http_response_kept_with_another_date_tag_and_id)
{
    const struct http_response later = {
        .date = "Sun, 01 Feb 2026 00:00:01 GMT", .request_id = "r2", .is_keep_alive = true, .traceparent = NULL};
    struct reply first = kept_reply(), second = kept_reply();
    assert_true(serves(&first, &PLAIN, &second, &PLAIN));
    strcpy(second.etag, "\"abc-2\"");
    second.body.data[0] = 'x';
    assert_true(serves(&first, &PLAIN, &second, &later));
    reply_fini(&first);
    reply_fini(&second);
}

TEST(http_response_kept_for_no_other_reply)
{
    struct reply first = kept_reply(), second = kept_reply();
#define DIFFERS(change, restore)                                                                                       \
    change;                                                                                                            \
    assert_false(serves(&first, &PLAIN, &second, &PLAIN));                                                             \
    restore
    DIFFERS(second.status = 304, second.status = 200);
    DIFFERS(second.code = -1, second.code = 0);
    DIFFERS(second.content_type = "text/plain", second.content_type = first.content_type);
    DIFFERS(second.content_coding = "gzip", second.content_coding = NULL);
    DIFFERS(second.cache_control = NULL, second.cache_control = first.cache_control);
    DIFFERS(second.stale_s = 1, second.stale_s = 0);
    DIFFERS(second.warning_count = 2, second.warning_count = 1);
    DIFFERS(second.body.size_bytes--, second.body.size_bytes++);
    DIFFERS(strcpy(second.etag, "\"abc-10\""), strcpy(second.etag, first.etag));
    DIFFERS(second.etag[0] = '\0', strcpy(second.etag, first.etag));
#undef DIFFERS
    assert_true(serves(&first, &PLAIN, &second, &PLAIN));
    reply_fini(&first);
    reply_fini(&second);
}

TEST(http_response_kept_for_no_other_connection)
{
    struct http_response other = PLAIN;
    struct reply reply = kept_reply();
    other.is_keep_alive = false;
    assert_false(serves(&reply, &PLAIN, &reply, &other));
    other = PLAIN;
    other.has_begun = true;
    assert_false(serves(&reply, &PLAIN, &reply, &other));
    other = PLAIN;
    other.request_id = "r10";
    assert_false(serves(&reply, &PLAIN, &reply, &other));
    reply_fini(&reply);
}

TEST(http_response_that_cannot_be_kept)
{
    struct http_response first = PLAIN;
    struct reply reply = kept_reply();
    first.is_head = true;
    assert_false(serves(&reply, &first, &reply, &PLAIN));
    first = PLAIN;
    first.has_begun = true;
    assert_false(serves(&reply, &first, &reply, &PLAIN));
    reply.status = 404;
    assert_false(serves(&reply, &PLAIN, &reply, &PLAIN));
    reply.status = 200;
    reply.etag[0] = '\0';
    assert_false(serves(&reply, &PLAIN, &reply, &PLAIN));
    reply_fini(&reply);
}
