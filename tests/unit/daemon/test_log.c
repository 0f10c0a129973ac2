/* Log lines: their form, and that no byte of a request can forge one. */
#include "tests/unit/support/check.h"

#include "daemon/support/log.h"

#include <stdio.h>
#include <string.h>

/* 2026-01-31T12:00:00.123Z: date -ud 2026-01-31T12:00:00Z +%s */
static const int64_t NOON_MS = INT64_C(1769860800123);

static void check_request(enum log_format format, const struct log_request *request, const char *line)
{
    struct buf out;
    buf_init(&out, 0);
    log_put_request(&out, format, NOON_MS, request);
    buf_put_char(&out, '\0');
    assert_string_equal(out.data, line);
    buf_fini(&out);
}

static void check_sentence(enum log_format format, const char *sentence, const char *line)
{
    struct buf out;
    buf_init(&out, 0);
    log_put_sentence(&out, format, NOON_MS, LOG_WARN, sentence);
    buf_put_char(&out, '\0');
    assert_string_equal(out.data, line);
    buf_fini(&out);
}

TEST(log_request_in_both_forms)
{
    const struct log_request request = {.method = "GET",
                                        .path = "/v1/pose?model=a",
                                        .status = 200,
                                        .body_bytes = 16,
                                        .elapsed_ms = 1234.5678,
                                        .id = "abc",
                                        .remote = "127.0.0.1:5000",
                                        .operation = "pose",
                                        .model = "a",
                                        .origin = "import",
                                        .queue_ms = 0.0412,
                                        .work_ms = 1234.5266};
    check_request(
        LOG_TEXT, &request,
        "2026-01-31T12:00:00.123Z info method=GET path=/v1/pose?model=a status=200 bytes=16 ms=1234.568 id=abc "
        "remote=127.0.0.1:5000 code=- operation=pose model=a from=import queue_ms=0.041 work_ms=1234.527\n");
    check_request(LOG_JSON, &request,
                  "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"method\":\"GET\","
                  "\"path\":\"/v1/pose?model=a\",\"status\":200,\"bytes\":16,\"ms\":1234.568,\"id\":\"abc\","
                  "\"remote\":\"127.0.0.1:5000\",\"code\":\"-\",\"operation\":\"pose\",\"model\":\"a\","
                  "\"from\":\"import\",\"queue_ms\":0.041,\"work_ms\":1234.527}\n");
}

TEST(log_request_that_never_arrived)
{
    const struct log_request request = {.status = 503,
                                        .id = "1",
                                        .remote = "-",
                                        .code = "overloaded",
                                        .message = "try \"again\"\nlaterXX",
                                        .message_bytes = strlen("try \"again\"\nlater")};
    check_request(LOG_TEXT, &request,
                  "2026-01-31T12:00:00.123Z warn method=- path=- status=503 bytes=0 ms=0.000 id=1 remote=- "
                  "code=overloaded operation=- model=- from=- queue_ms=0.000 work_ms=0.000 "
                  "message=\"try \\\"again\\\"\\u000alater\"\n");
}

TEST(log_request_of_a_trace)
{
    const struct log_request request = {.method = "GET",
                                        .path = "/",
                                        .status = 404,
                                        .id = "1",
                                        .remote = "203.0.113.9",
                                        .trace = "4bf92f3577b34da6a3ce929d0e0e4736",
                                        .code = "not_found",
                                        .message = "no",
                                        .message_bytes = 2};
    check_request(LOG_TEXT, &request,
                  "2026-01-31T12:00:00.123Z info method=GET path=/ status=404 bytes=0 ms=0.000 id=1 remote=203.0.113.9 "
                  "code=not_found operation=- model=- from=- queue_ms=0.000 work_ms=0.000 "
                  "trace=4bf92f3577b34da6a3ce929d0e0e4736 message=no\n");
}

#define NOTHING_KNOWN " code=- operation=- model=- from=- queue_ms=0.000 work_ms=0.000"
#define NOTHING_KNOWN_JSON                                                                                             \
    ",\"code\":\"-\",\"operation\":\"-\",\"model\":\"-\",\"from\":\"-\",\"queue_ms\":0.000,\"work_ms\":0.000"

TEST(log_request_cannot_forge_lines)
{
    const struct log_request request = {
        .method = "GET", .path = "/\r\n2026 \"x\\\xff\xc3\xa4 status=500", .status = 404, .id = "1", .remote = "-"};
    check_request(LOG_TEXT, &request,
                  "2026-01-31T12:00:00.123Z info method=GET path=\"/\\u000d\\u000a2026 \\\"x\\\\\\ufffd\xc3\xa4 "
                  "status=500\" status=404 bytes=0 ms=0.000 id=1 remote=-" NOTHING_KNOWN "\n");
    check_request(LOG_JSON, &request,
                  "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"method\":\"GET\",\"path\":"
                  "\"/\\u000d\\u000a2026 \\\"x\\\\\\ufffd\xc3\xa4 status=500\",\"status\":404,\"bytes\":0,"
                  "\"ms\":0.000,\"id\":\"1\",\"remote\":\"-\"" NOTHING_KNOWN_JSON "}\n");
}

TEST(log_long_path_is_cut)
{
    static char path[9000];
    struct buf out;
    memset(path, 'a', sizeof path - 1);
    buf_init(&out, 0);
    log_put_request(&out, LOG_TEXT, NOON_MS,
                    &(struct log_request){.method = "GET", .path = path, .id = "1", .remote = "-"});
    assert_true(out.size_bytes > 2048 && out.size_bytes < 2300);
    assert_int_equal(out.data[out.size_bytes - 1], '\n');
    buf_fini(&out);
}

TEST(log_sentence_stays_one_line)
{
    check_sentence(LOG_TEXT, "model 'a\nb' \x1b[31m failed \xff",
                   "2026-01-31T12:00:00.123Z warn model 'a\\u000ab' \\u001b[31m failed ?\n");
    check_sentence(LOG_TEXT, "\xc2\x9b \x7f \xe2\x80\xae \xe2\x81\xa9 \xe2\x80\xa9 \xc3\xa4",
                   "2026-01-31T12:00:00.123Z warn \\u009b \\u007f \\u202e \\u2069 \xe2\x80\xa9 \xc3\xa4\n");
    check_sentence(
        LOG_JSON, "\xe2\x80\xae\xc2\x9b\xe2\x80\xa9",
        "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"warn\",\"message\":\"\\u202e\\u009b\xe2\x80\xa9\"}\n");
    check_sentence(
        LOG_JSON, "say \"no\"\n",
        "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"warn\",\"message\":\"say \\\"no\\\"\\u000a\"}\n");
}

/* A word of every length, and one with a blank at every place. */
TEST(log_request_quotes_what_is_no_word)
{
    static const char ODD[] = {' ', '"', '\\', '\x7f', '\x1f'};
    char path[64], line[512];
    for (int length = 1; length < 60; length++) {
        for (int at = -1; at < length; at++) {
            for (int i = 0; i < length; i++)
                path[i] = (char)('a' + i % 26);
            path[length] = '\0';
            if (at >= 0)
                path[at] = ODD[at % 5];
            const struct log_request request = {.method = "GET", .path = path, .id = "i"};
            struct buf out;
            buf_init(&out, 0);
            log_put_request(&out, LOG_TEXT, NOON_MS, &request);
            buf_put_char(&out, '\0');
            snprintf(line, sizeof line, " path=%s status=0 ", path);
            assert_int_equal(strstr(out.data, line) != NULL, at < 0);
            assert_int_equal(strstr(out.data, " path=\"") != NULL, at >= 0);
            buf_fini(&out);
        }
    }
}

/* Several long texts, with and without escapes, have room one after the other. */
TEST(log_request_with_long_texts)
{
    char plain[3001], escaped[3001];
    memset(plain, 'p', sizeof plain);
    memset(escaped, '\x01', sizeof escaped);
    plain[3000] = escaped[3000] = '\0';
    for (int way = 0; way < 32; way++) {
        const char *texts[5];
        for (int i = 0; i < 5; i++)
            texts[i] = (way >> i & 1) != 0 ? escaped : plain;
        const struct log_request request = {.method = texts[0],
                                            .path = texts[1],
                                            .id = texts[2],
                                            .model = texts[3],
                                            .message = texts[4],
                                            .message_bytes = 3000};
        struct buf out;
        buf_init(&out, 0);
        log_put_request(&out, LOG_TEXT, NOON_MS, &request);
        size_t count = 0;
        for (size_t i = 0; i < out.size_bytes; i++)
            count += out.data[i] == 'p' || (i + 6 <= out.size_bytes && memcmp(out.data + i, "\\u0001", 6) == 0);
        assert_in_range(count, 5 * 2048, 5 * 2048 + 8); /* and the p of some names */
        assert_int_equal(out.data[out.size_bytes - 1], '\n');
        buf_fini(&out);
    }
}
