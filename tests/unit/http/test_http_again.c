/* A parser that has read a request reads the next one like a fresh parser, however similar the two are. */
#include "tests/unit/support/check.h"

#include "wire/http/http_parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4096 };

struct result {
    int rc;
    size_t used;
    struct err err;
};

static struct result feed(struct http_parser *parser, const char *bytes, size_t size_bytes)
{
    struct result result = {0};
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    result.rc = http_parser_feed(parser, copy, size_bytes, &result.used, &result.err);
    free(copy);
    return result;
}

static void check_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL && b != NULL)
        assert_string_equal(a, b);
}

static void check_request(const struct http_request *a, const struct http_request *b)
{
    check_text(a->method, b->method);
    check_text(a->target, b->target);
    check_text(a->host, b->host);
    check_text(a->accept, b->accept);
    check_text(a->accept_encoding, b->accept_encoding);
    check_text(a->if_none_match, b->if_none_match);
    check_text(a->content_type, b->content_type);
    check_text(a->authorization, b->authorization);
    check_text(a->origin, b->origin);
    check_text(a->forwarded_for, b->forwarded_for);
    check_text(a->traceparent, b->traceparent);
    check_text(a->connection, b->connection);
    check_text(a->upgrade, b->upgrade);
    check_text(a->request_id, b->request_id);
    assert_int_equal(a->target_bytes, b->target_bytes);
    assert_int_equal(a->body_bytes, b->body_bytes);
    assert_int_equal(a->has_preflight_method, b->has_preflight_method);
    assert_int_equal(a->is_head, b->is_head);
    assert_int_equal(a->is_http_1_0, b->is_http_1_0);
    assert_int_equal(a->is_keep_alive, b->is_keep_alive);
    assert_int_equal(a->has_body, b->has_body);
    assert_ptr_equal(a->body, b->body);
    assert_ptr_equal(a->reservation, b->reservation);
}

/* `second` and the bytes after it, following `first` and alone. */
static void check_after(const char *first, const char *second, size_t second_bytes)
{
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_URL_BYTES] = 80;
    limits.value[LIMIT_HEADER_BYTES] = 120;
    struct http_parser seen, fresh;
    http_parser_init(&seen, &limits);
    http_parser_init(&fresh, &limits);
    assert_int_equal(feed(&seen, first, strlen(first)).rc, HTTP_COMPLETE);
    http_parser_forget(&seen);
    for (size_t at = 0; at < second_bytes;) {
        const struct result a = feed(&seen, second + at, second_bytes - at),
                            b = feed(&fresh, second + at, second_bytes - at);
        assert_int_equal(a.rc, b.rc);
        assert_int_equal(a.used, b.used);
        assert_int_equal(seen.phase, fresh.phase);
        assert_string_equal(a.err.message, b.err.message);
        check_request(&seen.request, &fresh.request);
        if (a.rc != HTTP_COMPLETE)
            break;
        at += a.used;
    }
    http_parser_fini(&seen);
    http_parser_fini(&fresh);
}

#define QUERY_A "GET /v1/palette?model=fox.glb&t="
#define QUERY_B "&clip=0 HTTP/1.1\r\n"
#define LINES   "Host: a\r\nAccept: */*\r\nX-Request-Id: q1\r\n\r\n"
#define MORE    "Host: a\r\nAuthorization: Bearer a\r\nOrigin: b\r\n\r\n"
#define FIRST   QUERY_A "0.5" QUERY_B LINES

TEST(http_again_with_other_times)
{
    static const char *const TIMES[] = {"0.5",
                                        "0.6",
                                        "1",
                                        "0.123456789",
                                        "",
                                        "-1",
                                        "1e-9",
                                        "abc",
                                        "1,2",
                                        "0:1:2",
                                        "%30",
                                        "+1",
                                        "0.5&t=1",
                                        "1 ",
                                        "1#2",
                                        "\x80",
                                        "0000000000000000000000000000000000000000000000000000000000000000000001",
                                        "999999999999999999999999999999999999",
                                        "9999999999999999999999999999"};
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        char second[TEXT_MAX];
        const int size = snprintf(second, sizeof second,
                                  QUERY_A "%s" QUERY_B LINES "%s"
                                          "%s",
                                  TIMES[i], FIRST, QUERY_A "7" QUERY_B LINES);
        check_after(FIRST, second, (size_t)size);
    }
}

/* Every byte of the second request is another, is left out, or is the last that has come. */
TEST(http_again_with_one_other_byte)
{
    static const char BYTES[] = {'0', '9', '.', '-',  'e',  'x',  ' ', '&',   '=',
                                 '?', '#', '%', '\r', '\n', '\0', ':', '\x80'};
    static const char second[] = FIRST FIRST;
    char text[sizeof second];
    for (size_t i = 0; i < sizeof second - 1; i++) {
        for (size_t b = 0; b < sizeof BYTES; b++) {
            memcpy(text, second, sizeof second);
            text[i] = BYTES[b];
            check_after(FIRST, text, sizeof second - 1);
        }
        memcpy(text, second, i);
        memcpy(text + i, second + i + 1, sizeof second - 2 - i);
        check_after(FIRST, text, sizeof second - 2);
        check_after(FIRST, second, i);
    }
}

TEST(http_again_after_other_requests)
{
    static const char *const FIRSTS[] = {
        "GET /healthz HTTP/1.1\r\n" LINES,
        "GET http://a/p?t=5 HTTP/1.1\r\n" LINES,
        "GET http://a?t=5 HTTP/1.1\r\n" LINES,
        "\r\n\r\n" FIRST,
        "HEAD /p?t=5 HTTP/1.1\r\n" LINES,
        "POST /p?t=5 HTTP/1.1\r\nContent-Length: 0\r\n" LINES,
        "GET /p?t=5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "GET /p?t=5 HTTP/1.1\r\nConnection: close\r\n" LINES,
        "GET /p?t=5 HTTP/1.1\r\nExpect: 100-continue\r\n" LINES,
        "OPTIONS * HTTP/1.1\r\n" LINES,
    };
    char second[TEXT_MAX];
    for (size_t i = 0; i < sizeof FIRSTS / sizeof *FIRSTS; i++) {
        check_after(FIRSTS[i], FIRSTS[i], strlen(FIRSTS[i]));
        const int size = snprintf(second, sizeof second, "%s%s%s", FIRSTS[i], FIRST, FIRSTS[i]);
        check_after(FIRSTS[i], second, (size_t)size);
        char *time = strstr(second, "t=5");
        if (time != NULL)
            time[2] = '6';
        check_after(FIRSTS[i], second, (size_t)size);
    }
}

/* In pieces, the parts of one head belong together. */
TEST(http_again_in_pieces)
{
    static const char text[] = FIRST QUERY_A "0.75" QUERY_B LINES QUERY_A "1" QUERY_B LINES;
    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct http_parser parser;
        struct limits limits;
        limits_default(&limits);
        http_parser_init(&parser, &limits);
        static const char *const TARGETS[] = {"/v1/palette?model=fox.glb&t=0.5&clip=0",
                                              "/v1/palette?model=fox.glb&t=0.75&clip=0",
                                              "/v1/palette?model=fox.glb&t=1&clip=0"};
        int count = 0;
        for (size_t at = 0; at < sizeof text - 1;) {
            const size_t left = sizeof text - 1 - at, part = left < piece ? left : piece;
            const struct result result = feed(&parser, text + at, part);
            assert_true(result.rc >= 0);
            at += result.used;
            if (result.rc == HTTP_COMPLETE)
                assert_string_equal(parser.request.target, TARGETS[count++]);
        }
        assert_int_equal(count, 3);
        http_parser_fini(&parser);
    }
}

/* The number of a repeat, or NULL: the parser takes the second head for no repeat of the first. */
static void check_number(const char *first, const char *second, const char *number)
{
    struct http_parser parser;
    struct limits limits;
    limits_default(&limits);
    http_parser_init(&parser, &limits);
    assert_int_equal(feed(&parser, first, strlen(first)).rc, HTTP_COMPLETE);
    assert_false(parser.request.is_repeat);
    http_parser_forget(&parser);
    assert_false(parser.request.is_repeat);
    assert_int_equal(feed(&parser, second, strlen(second)).rc, HTTP_COMPLETE);
    const struct http_request *request = &parser.request;
    assert_int_equal(request->is_repeat, number != NULL);
    if (number != NULL) {
        assert_int_equal(request->number_bytes, strlen(number));
        if (request->number_bytes > 0)
            assert_memory_equal(request->target + request->number_at, number, request->number_bytes);
    }
    http_parser_fini(&parser);
}

TEST(http_again_tells_repeats)
{
    check_number(FIRST, FIRST, "0.5");
    check_number(FIRST, QUERY_A "12.125" QUERY_B LINES, "12.125");
    check_number(FIRST, QUERY_A "1" QUERY_B LINES, "1");
    check_number(FIRST, QUERY_A "" QUERY_B LINES, "");
    check_number(FIRST, QUERY_A "1-2" QUERY_B LINES, "1-2");
    check_number("GET /p?t=5 HTTP/1.1\r\n" LINES, "GET /p?t=25 HTTP/1.1\r\n" LINES, "25");
    check_number("GET /p?t=1-2 HTTP/1.1\r\n" LINES, "GET /p?t=1-2 HTTP/1.1\r\n" LINES, "");
    check_number("GET /p?t=1-2 HTTP/1.1\r\n" LINES, "GET /p?t=1 HTTP/1.1\r\n" LINES, NULL);
    check_number("GET /p HTTP/1.1\r\n" LINES, "GET /p HTTP/1.1\r\n" LINES, "");
    check_number("GET http://a/p?t=5 HTTP/1.1\r\n" LINES, "GET http://a/p?t=5 HTTP/1.1\r\n" LINES, "");
    check_number(FIRST, QUERY_A "0.5" QUERY_B MORE, NULL);
    check_number(FIRST, QUERY_A "0.5&t=1" QUERY_B LINES, NULL);
    check_number("GET /p?t=5 HTTP/1.1\r\n" MORE, "GET /p?t=6 HTTP/1.1\r\n" MORE, "6");
    check_number("POST /p?t=5 HTTP/1.1\r\nContent-Length: 1\r\n" LINES "x",
                 "POST /p?t=5 HTTP/1.1\r\nContent-Length: 1\r\n" LINES "x", NULL);
}

/* A longer number may move the target to other memory, whatever its size was. */
TEST(http_again_with_a_target_that_moves)
{
    enum { PADDING_MAX = 300 };
    char padding[PADDING_MAX + 1], first[TEXT_MAX], second[TEXT_MAX], expected[TEXT_MAX];
    struct limits limits;
    limits_default(&limits);
    memset(padding, 'a', sizeof padding);
    padding[PADDING_MAX] = '\0';
    for (int i = 0; i < PADDING_MAX; i++) {
        const char *model = padding + i;
        struct http_parser parser;
        http_parser_init(&parser, &limits);
        snprintf(first, sizeof first, "GET /p?model=%s&t=1 HTTP/1.1\r\n" LINES, model);
        snprintf(second, sizeof second, "GET /p?model=%s&t=1.%030d HTTP/1.1\r\n" LINES, model, 5);
        snprintf(expected, sizeof expected, "/p?model=%s&t=1.%030d", model, 5);
        assert_int_equal(feed(&parser, first, strlen(first)).rc, HTTP_COMPLETE);
        void *between = malloc(64); /* so that memory behind the target is taken */
        assert_int_equal(feed(&parser, second, strlen(second)).rc, HTTP_COMPLETE);
        assert_true(parser.request.is_repeat);
        assert_string_equal(parser.request.target, expected);
        assert_int_equal(parser.request.target_bytes, strlen(expected));
        free(between);
        http_parser_fini(&parser);
    }
}
