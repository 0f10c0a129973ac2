/* server/wire/http/http_parser.h: worked requests, the conformance table, limits, and the same result for any division
 * of the bytes. */
#include "tests/unit/support/check.h"

#include "wire/http/http_parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct limits LIMITS;

static struct http_parser parser_of(void)
{
    limits_default(&LIMITS);
    struct http_parser parser;
    http_parser_init(&parser, &LIMITS);
    return parser;
}

/* Each feed gets its bytes in a block of their own size, so that reading past them is seen by ASan. */
static int feed(struct http_parser *parser, const char *bytes, size_t size_bytes, size_t *used_bytes, struct err *err)
{
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = http_parser_feed(parser, copy, size_bytes, used_bytes, err);
    free(copy);
    return rc;
}

#define GET  "GET /v1/palette?model=fox.glb&t=0.5 HTTP/1.1\r\n"
#define HOST "Host: localhost:7878\r\n"

TEST(http_reads_a_request)
{
    static const char text[] =
        GET HOST "Accept: application/json\r\nX-Request-Id: abc-1.2_3\r\nIf-None-Match: \"1\"\r\n"
                 "ACCEPT: */*;q=0.1  \r\n\r\nGET";
    struct http_parser parser = parser_of();
    assert_int_equal(parser.phase, HTTP_PHASE_IDLE);
    struct err err = {0};
    size_t used;
    assert_int_equal(feed(&parser, text, sizeof text - 1, &used, &err), HTTP_COMPLETE);
    assert_int_equal(used, sizeof text - 1 - 3);
    const struct http_request *r = &parser.request;
    assert_string_equal(r->method, "GET");
    assert_string_equal(r->target, "/v1/palette?model=fox.glb&t=0.5");
    assert_int_equal(r->target_bytes, strlen(r->target));
    assert_string_equal(r->host, "localhost:7878");
    assert_string_equal(r->accept, "application/json, */*;q=0.1");
    assert_string_equal(r->if_none_match, "\"1\"");
    assert_string_equal(r->request_id, "abc-1.2_3");
    assert_true(r->is_keep_alive);
    assert_false(r->is_head);
    assert_null(r->body);
    assert_int_equal(parser.phase, HTTP_PHASE_IDLE);
    assert_int_equal(feed(&parser, "GET", 3, &used, &err), HTTP_NEED_MORE);
    assert_int_equal(parser.phase, HTTP_PHASE_HEAD);
    http_parser_fini(&parser);
}

/* One row per request: what it is, its bytes, the code, and a part of the message (or of the target). */
static const struct row {
    const char *what, *bytes;
    int code; /* HTTP_COMPLETE, HTTP_NEED_MORE or ERR_ */
    const char *part;
} ROWS[] = {
    {"plain", "GET / HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "/"},
    {"absolute form", "GET http://x:1/a?b=c HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "/a?b=c"},
    {"absolute form, no path", "GET HTTP://x HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "/"},
    {"absolute form, only query", "GET https://x?a=1 HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "/?a=1"},
    {"expectations of 1.0", "GET / HTTP/1.0\r\nExpect: miracles\r\n\r\n", HTTP_COMPLETE, "/"},
    {"expectation, twice", "GET / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nexpect: ,100-continue,\r\n\r\n",
     HTTP_COMPLETE, "/"},
    {"asterisk", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "*"},
    {"empty lines first", "\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", HTTP_COMPLETE, "/"},
    {"get with body", "GET / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", HTTP_COMPLETE, "/"},
    {"get with chunked body", "GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
     HTTP_COMPLETE, "/"},
    {"upgrade is ignored", "GET / HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n", HTTP_COMPLETE, "/"},
    {"upgrade with body", "POST / HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\na",
     HTTP_COMPLETE, "/"},
    {"empty header value", "GET / HTTP/1.1\r\n" HOST "X-Request-Id:\r\n\r\n", HTTP_COMPLETE, "/"},
    {"1.0 without host", "GET / HTTP/1.0\r\n\r\n", HTTP_COMPLETE, "/"},

    {"CL and TE", "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     ERR_BAD_REQUEST, "both Content-Length and Transfer-Encoding"},
    {"TE and CL", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
     ERR_BAD_REQUEST, "both Content-Length and Transfer-Encoding"},
    {"two CL", "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", ERR_BAD_REQUEST,
     "more than one Content-Length"},
    {"two equal CL", "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcdef", ERR_BAD_REQUEST,
     "more than one Content-Length"},
    {"CL list", "POST / HTTP/1.1\r\n" HOST "Content-Length: 5, 5\r\n\r\nabcde", ERR_BAD_REQUEST,
     "Content-Length is not a number"},
    {"CL sign", "POST / HTTP/1.1\r\n" HOST "Content-Length: +5\r\n\r\nabcde", ERR_BAD_REQUEST,
     "Content-Length is not a number"},
    {"CL empty", "POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n", ERR_BAD_REQUEST,
     "Content-Length is not a number"},
    {"CL overflow", "POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551617\r\n\r\na", ERR_BAD_REQUEST,
     "malformed"},
    {"TE identity", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n\r\n", ERR_BAD_REQUEST,
     "exactly 'chunked'"},
    {"TE gzip, chunked", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", ERR_BAD_REQUEST,
     "exactly 'chunked'"},
    {"TE twice", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
     ERR_BAD_REQUEST, "exactly 'chunked'"},
    {"TE in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", ERR_BAD_REQUEST, "HTTP/1.0 has no"},
    {"space before colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", ERR_BAD_REQUEST, ""},
    {"space before colon, other header", "GET / HTTP/1.1\r\n" HOST "Foo : a\r\n\r\n", ERR_BAD_REQUEST, "malformed"},
    {"bare LF request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", ERR_BAD_REQUEST, "CRLF"},
    {"bare LF header", "GET / HTTP/1.1\r\nHost: a\n\r\n", ERR_BAD_REQUEST, "CRLF"},
    {"bare LF end", "GET / HTTP/1.1\r\nHost: a\r\n\n", ERR_BAD_REQUEST, "CRLF"},
    {"CR only behind an empty header", "GET / HTTP/1.1\r\n" HOST "X:\rContent-Length: 5\r\n\r\n", ERR_BAD_REQUEST,
     "malformed"},
    {"CR inside a value", "GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n", ERR_BAD_REQUEST, "malformed"},
    {"chunk not ended by CRLF", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n0\r\n\r\n",
     ERR_BAD_REQUEST, "malformed"},
    {"chunk size not hex", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nzz\r\n", ERR_BAD_REQUEST,
     "malformed"},
    {"chunk size overflow", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc",
     ERR_BAD_REQUEST, "malformed"},
    {"expectation", "POST / HTTP/1.1\r\n" HOST "Expect: miracles\r\nContent-Length: 1\r\n\r\na", ERR_EXPECTATION_FAILED,
     "no expectation but"},
    {"expectation beside the one",
     "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue, miracles\r\nContent-Length: 1\r\n\r\n", ERR_EXPECTATION_FAILED,
     "no expectation but"},
    {"expectation in two headers", "POST / HTTP/1.1\r\n" HOST "Expect: x\r\nExpect: 100-continue\r\n\r\n",
     ERR_EXPECTATION_FAILED, "no expectation but"},
    {"folded header", "GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n", ERR_BAD_REQUEST, "folded"},
    {"folded empty header", "GET / HTTP/1.1\r\n" HOST "X:\r\n\tb\r\n\r\n", ERR_BAD_REQUEST, "folded"},
    {"no host", "GET / HTTP/1.1\r\n\r\n", ERR_BAD_REQUEST, "no Host"},
    {"two hosts", "GET / HTTP/1.1\r\n" HOST HOST "\r\n", ERR_BAD_REQUEST, "more than one Host"},
    {"bad host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", ERR_BAD_REQUEST, "not a host"},
    {"host and port of a target", "GET http://a:b/ HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "target's host"},
    {"user of a target", "GET http://a@b/ HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "target's host"},
    {"no host in a target", "GET http:///a HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "target's host"},
    {"host beside that of a target", "GET http://a/ HTTP/1.1\r\nHost: a:b\r\n\r\n", ERR_BAD_REQUEST, "Host header"},
    {"header without colon", "GET / HTTP/1.1\r\n" HOST "nonsense\r\n\r\n", ERR_BAD_REQUEST, "no colon"},
    {"header without name", "GET / HTTP/1.1\r\n" HOST ": a\r\n\r\n", ERR_BAD_REQUEST, "no name"},
    {"fragment", "GET /a#b HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "fragment"},
    {"space in target", "GET /a b HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "percent-encoded"},
    {"two spaces", "GET  / HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "percent-encoded"},
    {"two spaces before the version", "GET /  HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "percent-encoded"},
    {"space behind the version", "GET / HTTP/1.1 \r\n" HOST "\r\n", ERR_BAD_REQUEST, "does not end in HTTP/1.1"},
    {"raw UTF-8", "GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "percent-encoded"},
    {"relative target", "GET a HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "begin with '/'"},
    {"asterisk of GET", "GET * HTTP/1.1\r\n" HOST "\r\n", ERR_BAD_REQUEST, "begin with '/'"},
    {"HTTP/0.9", "GET /\r\n\r\n", ERR_BAD_REQUEST, "HTTP/1.1"},
    {"HTTP/1.2", "GET / HTTP/1.2\r\n" HOST "\r\n", ERR_BAD_REQUEST, "version 1.2"},
    {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ERR_BAD_REQUEST, "version 2.0"},
    {"RTSP", "GET / RTSP/1.0\r\n\r\n", ERR_BAD_REQUEST, "HTTP/1.1"},
    {"TLS hello", "\x16\x03\x01\x02", ERR_BAD_REQUEST, "TLS"},
    {"garbage", "\xff\xfe", ERR_BAD_REQUEST, "not HTTP"},
    {"no method for long", "abcdefghijklmnopqrstuvwxyz", ERR_BAD_REQUEST, "not HTTP"},
    {"unknown method", "FOO / HTTP/1.1\r\n" HOST "\r\n", ERR_METHOD_NOT_ALLOWED, "'FOO'"},
    {"lower-case method", "get / HTTP/1.1\r\n" HOST "\r\n", ERR_METHOD_NOT_ALLOWED, "'get'"},
    {"connect", "CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n", ERR_METHOD_NOT_ALLOWED, "CONNECT"},
    {"empty lines only", "\r\n\r\n\r\n\r\n\r\n\r\n", ERR_BAD_REQUEST, "empty lines"},
    {"body too large", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1048577\r\n\r\n", ERR_BODY_TOO_LARGE, "1048576"},
    {"chunk too large", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n100001\r\n", ERR_BODY_TOO_LARGE,
     "1048576"},
    {"CL waits for body", "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nabc", HTTP_NEED_MORE, ""},
};

static void check_row(const struct row *row, int rc, const struct http_parser *parser, const struct err *err)
{
    if (rc != row->code)
        fail_msg("%s: code %d, expected %d: %s", row->what, rc, row->code, rc < 0 ? err->message : "");
    if (rc < 0) {
        assert_int_equal(err->code, rc);
        assert_int_equal(parser->phase, HTTP_PHASE_FAILED);
        assert_false(parser->request.is_keep_alive);
    }
    if (rc < 0 && strstr(err->message, row->part) == NULL)
        fail_msg("%s: '%s' is not in '%s'", row->what, row->part, err->message);
    if (rc == HTTP_COMPLETE)
        assert_string_equal(parser->request.target, row->part);
}

TEST(http_conformance)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct http_parser parser = parser_of();
        struct err err = {0};
        size_t used;
        const int rc = feed(&parser, ROWS[i].bytes, strlen(ROWS[i].bytes), &used, &err);
        check_row(&ROWS[i], rc, &parser, &err);
        if (rc >= 0)
            assert_int_equal(used, strlen(ROWS[i].bytes));
        else
            assert_int_equal(feed(&parser, "GET", 3, &used, &err), rc);
        http_parser_fini(&parser);
    }
}

TEST(http_byte_by_byte_is_the_same)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct http_parser parser = parser_of();
        struct err err = {0};
        const size_t size = strlen(ROWS[i].bytes);
        int rc = HTTP_NEED_MORE;
        for (size_t at = 0; at < size && rc == HTTP_NEED_MORE; at++) {
            size_t used;
            rc = feed(&parser, ROWS[i].bytes + at, 1, &used, &err);
            if (rc == HTTP_COMPLETE)
                assert_int_equal(at, size - 1);
        }
        check_row(&ROWS[i], rc, &parser, &err);
        http_parser_fini(&parser);
    }
}

TEST(http_every_truncation_needs_more)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS && ROWS[i].code == HTTP_COMPLETE; i++)
        for (size_t size = 0; size < strlen(ROWS[i].bytes); size++) {
            struct http_parser parser = parser_of();
            struct err err = {0};
            size_t used;
            assert_int_equal(feed(&parser, ROWS[i].bytes, size, &used, &err), HTTP_NEED_MORE);
            assert_int_equal(used, size);
            http_parser_fini(&parser);
        }
}

TEST(http_every_one_byte_change_is_an_answer)
{
    static const char text[] = "POST /a?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n"
                               "Connection: close\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n";
    const size_t body = (size_t)(strstr(text, "abc") - text);
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (int value = 0; value < 256; value++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)value;
            struct http_parser parser = parser_of();
            struct err err = {0};
            size_t used;
            const int rc = feed(&parser, changed, sizeof text - 1, &used, &err);
            assert_true(used <= sizeof text - 1);
            assert_true(rc == HTTP_COMPLETE || rc == HTTP_NEED_MORE || (rc < 0 && err.code == rc && err.message[0]));
            if (value == 0 && (at < body || at >= body + 3)) /* a NUL is nowhere good but in the body */
                assert_int_not_equal(rc, HTTP_COMPLETE);
            http_parser_fini(&parser);
        }
}

TEST(http_nul_is_refused)
{
    static const char *const texts[] = {"GET /\1 HTTP/1.1\r\n" HOST "\r\n", "GET / HTTP/1.1\r\n" HOST "X: a\1b\r\n\r\n",
                                        "GET / HTTP/1.1\r\nHost: a\1\r\n\r\n", "G\1T / HTTP/1.1\r\n" HOST "\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[128];
        const size_t size = strlen(texts[i]);
        memcpy(text, texts[i], size);
        *(char *)memchr(text, 1, size) = '\0';
        struct http_parser parser = parser_of();
        size_t used;
        assert_int_equal(feed(&parser, text, size, &used, NULL), ERR_BAD_REQUEST);
        http_parser_fini(&parser);
    }
}

TEST(http_pipelined)
{
    static const char text[] = "GET /1 HTTP/1.1\r\n" HOST "X-Request-Id: one\r\n\r\n"
                               "POST /2 HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"
                               "POST /3 HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                               "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: 1\r\n\r\n"
                               "HEAD /4 HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n";
    struct http_parser parser = parser_of();
    const char *at = text;
    for (int i = 1; i <= 4; i++) {
        size_t used;
        assert_int_equal(feed(&parser, at, strlen(at), &used, NULL), HTTP_COMPLETE);
        at += used;
        const struct http_request *r = &parser.request;
        assert_int_equal(r->target[1], '0' + i);
        assert_int_equal(r->body_bytes, i == 2 || i == 3 ? 5 : 0);
        if (i == 1)
            assert_string_equal(r->request_id, "one");
        else
            assert_null(r->request_id);
        if (i == 2)
            assert_memory_equal(r->body, "hello", 5);
        if (i == 3)
            assert_memory_equal(r->body, "abcde", 5);
        assert_int_equal(r->is_head, i == 4);
        assert_int_equal(r->is_keep_alive, i != 4);
    }
    assert_int_equal(*at, '\0');
    http_parser_fini(&parser);
}

TEST(http_keep_alive)
{
    static const struct {
        const char *bytes;
        bool is_keep_alive;
    } rows[] = {
        {"GET / HTTP/1.1\r\n" HOST "\r\n", true},
        {"GET / HTTP/1.1\r\n" HOST "Connection: Close\r\n\r\n", false},
        {"GET / HTTP/1.1\r\n" HOST "Connection: foo, close\r\n\r\n", false},
        {"GET / HTTP/1.1\r\n" HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n", false},
        {"GET / HTTP/1.0\r\n\r\n", false},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_parser parser = parser_of();
        size_t used;
        assert_int_equal(feed(&parser, rows[i].bytes, strlen(rows[i].bytes), &used, NULL), HTTP_COMPLETE);
        assert_int_equal(parser.request.is_keep_alive, rows[i].is_keep_alive);
        http_parser_fini(&parser);
    }
}

TEST(http_request_id_is_checked)
{
    char longest[65], longer[66];
    memset(longest, 'a', sizeof longest);
    memset(longer, 'a', sizeof longer);
    longest[64] = longer[65] = '\0';
    const struct {
        const char *value;
        bool is_taken;
    } rows[] = {{longest, true}, {longer, false}, {"Az09._-", true}, {"a b", false}, {"a\"", false}, {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "GET / HTTP/1.1\r\n" HOST "X-Request-Id: %s\r\n\r\n", rows[i].value);
        struct http_parser parser = parser_of();
        size_t used;
        assert_int_equal(feed(&parser, text, strlen(text), &used, NULL), HTTP_COMPLETE);
        if (rows[i].is_taken)
            assert_string_equal(parser.request.request_id, rows[i].value);
        else
            assert_null(parser.request.request_id);
        http_parser_fini(&parser);
    }
}

TEST(http_expect_continue)
{
    static const char head[] = "POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
    struct http_parser parser = parser_of();
    size_t used;
    assert_int_equal(feed(&parser, head, sizeof head - 1, &used, NULL), HTTP_NEED_MORE);
    assert_int_equal(parser.phase, HTTP_PHASE_BODY);
    assert_true(parser.wants_continue);
    assert_int_equal(feed(&parser, "a", 1, &used, NULL), HTTP_NEED_MORE);
    assert_false(parser.wants_continue);
    assert_int_equal(feed(&parser, "b", 1, &used, NULL), HTTP_COMPLETE);
    assert_memory_equal(parser.request.body, "ab", 2);
    http_parser_fini(&parser);
}

/* Requests whose one part has exactly the limit and one byte more. */
static int of_size(size_t target_bytes, size_t header_bytes, size_t header_count)
{
    char *text = malloc(target_bytes + header_bytes + 16 * header_count + 256);
    assert_non_null(text);
    char *p = text + sprintf(text, "GET /");
    memset(p, 'a', target_bytes - 1);
    p += target_bytes - 1;
    p += sprintf(p, " HTTP/1.1\r\nHost: a\r\n"); /* 9 bytes of headers */
    for (size_t i = 1; i < header_count; i++)
        p += sprintf(p, "X: a\r\n");
    if (header_bytes > 0) {
        p += sprintf(p, "X: ");
        memset(p, 'a', header_bytes - 9 - 5);
        p += header_bytes - 9 - 5;
        p += sprintf(p, "\r\n");
    }
    p += sprintf(p, "\r\n");
    struct http_parser parser = parser_of();
    struct http_parser slow = parser_of();
    size_t used;
    const int rc = feed(&parser, text, (size_t)(p - text), &used, NULL);
    int slow_rc = HTTP_NEED_MORE;
    for (char *c = text; c < p && slow_rc == HTTP_NEED_MORE; c++)
        slow_rc = feed(&slow, c, 1, &used, NULL);
    assert_int_equal(rc, slow_rc);
    http_parser_fini(&parser);
    http_parser_fini(&slow);
    free(text);
    return rc;
}

TEST(http_limits)
{
    assert_int_equal(of_size(8192, 0, 1), HTTP_COMPLETE);
    assert_int_equal(of_size(8193, 0, 1), ERR_URI_TOO_LONG);
    assert_int_equal(of_size(100000, 0, 1), ERR_URI_TOO_LONG);
    assert_int_equal(of_size(1, 8192, 1), HTTP_COMPLETE);
    assert_int_equal(of_size(1, 8193, 1), ERR_HEADERS_TOO_LARGE);
    assert_int_equal(of_size(8192, 8192, 1), HTTP_COMPLETE);
    assert_int_equal(of_size(1, 0, 100), HTTP_COMPLETE);
    assert_int_equal(of_size(1, 0, 101), ERR_HEADERS_TOO_LARGE);
}

TEST(http_chunk_padding_is_limited)
{
    struct http_parser parser = parser_of();
    static const char head[] = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1;";
    static char padding[65536];
    memset(padding, 'a', sizeof padding);
    size_t used;
    int rc = feed(&parser, head, sizeof head - 1, &used, NULL);
    for (int i = 0; i < 200 && rc == HTTP_NEED_MORE; i++)
        rc = feed(&parser, padding, sizeof padding, &used, NULL);
    assert_int_equal(rc, ERR_BODY_TOO_LARGE);
    http_parser_fini(&parser);
}

/* All bytes of a body of the limit's size, in chunks of one byte, fit. */
TEST(http_one_byte_chunks)
{
    struct http_parser parser = parser_of();
    LIMITS.value[LIMIT_BODY_BYTES] = 1000;
    static const char head[] = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
    size_t used;
    assert_int_equal(feed(&parser, head, sizeof head - 1, &used, NULL), HTTP_NEED_MORE);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(feed(&parser, "1\r\nx\r\n", 6, &used, NULL), HTTP_NEED_MORE);
    assert_int_equal(feed(&parser, "1\r\n", 3, &used, NULL), ERR_BODY_TOO_LARGE);
    http_parser_fini(&parser);
}

struct collector {
    struct http_sink sink;
    char bytes[64];
    size_t size_bytes;
};

static int collect(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err)
{
    struct collector *to = (struct collector *)sink;
    if (to->size_bytes + size_bytes > 20)
        return err_set(err, ERR_OVERLOADED, "the disk is full");
    memcpy(to->bytes + to->size_bytes, bytes, size_bytes);
    to->size_bytes += size_bytes;
    return 0;
}

TEST(http_put_goes_to_a_sink)
{
    static const char BYTES[] = "PUT /v1/models/a.glb HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789"
                                "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_BODY_BYTES] = 4; /* not that of a sink */
    for (size_t piece = 1; piece < sizeof BYTES; piece++) {
        struct http_parser parser;
        struct collector collector = {.sink = {collect, 10}};
        int heads = 0, completes = 0;
        http_parser_init(&parser, &limits);
        for (size_t at = 0; at < sizeof BYTES - 1;) {
            const size_t left = sizeof BYTES - 1 - at;
            size_t used = 0;
            struct err err;
            const int rc = http_parser_feed(&parser, BYTES + at, left < piece ? left : piece, &used, &err);
            assert_true(rc >= 0);
            at += used;
            if (rc == HTTP_HEAD_DONE) {
                heads++;
                assert_string_equal(parser.request.target, "/v1/models/a.glb");
                assert_int_equal(collector.size_bytes, 0);
                assert_int_equal(http_parser_set_sink(&parser, &collector.sink, &err), 0);
            } else if (rc == HTTP_COMPLETE && completes++ == 0) {
                assert_ptr_equal(parser.sink, &collector.sink);
                assert_null(parser.request.body);
            }
        }
        assert_int_equal(heads, 1);
        assert_int_equal(completes, 2);
        assert_null(parser.sink);
        assert_memory_equal(collector.bytes, "0123456789", 10);
        http_parser_fini(&parser);
    }
}

/* What the request ends with when its sink takes `limit` bytes by declaration and fails after 20. */
static int put_outcome(const char *framing, uint64_t limit)
{
    char text[256];
    snprintf(text, sizeof text, "PUT /a HTTP/1.1\r\nHost: a\r\n%s", framing);
    struct limits limits;
    limits_default(&limits);
    struct http_parser parser;
    struct collector collector = {.sink = {collect, limit}};
    struct err err;
    http_parser_init(&parser, &limits);
    int rc = HTTP_NEED_MORE;
    for (size_t at = 0, used; at < strlen(text) && (rc == HTTP_NEED_MORE); at += used) {
        rc = http_parser_feed(&parser, text + at, strlen(text) - at, &used, &err);
        if (rc == HTTP_HEAD_DONE)
            rc = http_parser_set_sink(&parser, &collector.sink, &err);
    }
    http_parser_fini(&parser);
    return rc;
}

TEST(http_put_ends)
{
    assert_int_equal(put_outcome("Content-Length: 3\r\n\r\nabc", 3), HTTP_COMPLETE);
    assert_int_equal(put_outcome("Content-Length: 4\r\n\r\nabc", 3), ERR_BODY_TOO_LARGE);
    assert_int_equal(put_outcome("Content-Length: 0\r\n\r\n", 3), HTTP_COMPLETE); /* without HTTP_HEAD_DONE: no body */
    assert_int_equal(put_outcome("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 3), HTTP_COMPLETE);
    assert_int_equal(put_outcome("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", 3),
                     ERR_BODY_TOO_LARGE);
    assert_int_equal(put_outcome("Content-Length: 21\r\n\r\n012345678901234567890", 30), ERR_OVERLOADED);
}

static int code_of_host(bool is_in_target, const char *host, const char *expected)
{
    struct http_parser parser = parser_of();
    struct err err = {0};
    char text[256];
    size_t used;
    snprintf(text, sizeof text, "GET %s%s/ HTTP/1.1\r\nHost: %s\r\n\r\n", is_in_target ? "http://" : "",
             is_in_target ? host : "", is_in_target ? "other" : host);
    const int rc = feed(&parser, text, strlen(text), &used, &err);
    if (rc == HTTP_COMPLETE)
        assert_string_equal(parser.request.host, expected);
    http_parser_fini(&parser);
    return rc;
}

TEST(http_host_is_a_host_and_a_port)
{
    static const char *const GOOD[] = {"a",
                                       "a:0",
                                       "a:80",
                                       "a:65535",
                                       "a:00080",
                                       "a:",
                                       "a.example.:1",
                                       "127.0.0.1:8",
                                       "[::1]",
                                       "[::1]:80",
                                       "[::1]:",
                                       "[2001:db8::7]:443",
                                       "[::ffff:1.2.3.4]:1",
                                       "a_b-c~d",
                                       "a%2Fb",
                                       "a!$&'()*+;=b"};
    static const char *const BAD[] = {
        "a:b",     "a:8x",    "a:+80",    "a:-1",        "a: 80", "a:65536",    "a:18446744073709551696",
        "a:80:80", ":80",     ":",        "a::80",       "::1",   "::1:80",     "[::1",
        "[::1]80", "[::1]:x", "[]",       "[::1]:65536", "[::g]", "[::1%25lo]", "[1]",
        "[v1.a]",  "a]",      "[::1]]:1", "a b",         "a,b",   "a@b",        "u:p@b:80",
        "a\\b",    "a%",      "a%4",      "a%zz",        "a\"b",  "a<b>",       "a^b",
        "a`b",     "a|b",     "a{b}",     "a\x7f"};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_int_equal(code_of_host(false, GOOD[i], GOOD[i]), HTTP_COMPLETE);
        assert_int_equal(code_of_host(true, GOOD[i], GOOD[i]), HTTP_COMPLETE);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(code_of_host(false, BAD[i], ""), ERR_BAD_REQUEST);
        assert_int_equal(code_of_host(true, BAD[i], ""), ERR_BAD_REQUEST);
    }
    assert_int_equal(code_of_host(false, "", ""), HTTP_COMPLETE); /* of a target without a host */
}

TEST(http_says_that_there_was_a_body)
{
    static const struct {
        const char *head;
        bool has_body;
    } rows[] = {{"\r\n", false},
                {"Content-Length: 0\r\n\r\n", false},
                {"Content-Length: 3\r\n\r\nabc", true},
                {"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
                {"Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\nabc", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_parser parser = parser_of();
        struct err err = {0};
        char text[256];
        size_t used;
        snprintf(text, sizeof text, "GET / HTTP/1.1\r\n" HOST "%s", rows[i].head);
        assert_int_equal(feed(&parser, text, strlen(text), &used, &err), HTTP_COMPLETE);
        assert_int_equal(used, strlen(text));
        assert_int_equal(parser.request.has_body, rows[i].has_body);
        http_parser_fini(&parser);
    }
}
