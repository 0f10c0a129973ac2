/* WebSocket bytes: the opening, frames in pieces, cut off and with each byte changed. */
#include "tests/unit/support/check.h"

#include "wire/http/websocket.h"

#include <stdlib.h>
#include <string.h>

/* The example of RFC 6455, 1.3. */
static struct http_request a_request(void)
{
    return (struct http_request){.method = "GET",
                                 .target = "/v1/stream",
                                 .upgrade = "websocket",
                                 .connection = "keep-alive, upgrade",
                                 .websocket_version = "13",
                                 .websocket_key = "dGhlIHNhbXBsZSBub25jZQ=="};
}

TEST(websocket_opens_as_in_the_rfc)
{
    struct http_request request = a_request();
    struct buf out;
    struct err err;
    buf_init(&out, 0);
    assert_true(websocket_is_wanted(&request));
    assert_int_equal(websocket_put_handshake(&out, &request, "", &err), 0);
    buf_put_char(&out, '\0');
    assert_string_equal(out.data, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
    buf_fini(&out);
}

static void check_no_opening(struct http_request request)
{
    struct buf out;
    struct err err;
    buf_init(&out, 0);
    assert_int_equal(websocket_put_handshake(&out, &request, "", &err), ERR_BAD_REQUEST);
    assert_int_equal(out.size_bytes, 0);
}

TEST(websocket_refuses_other_openings)
{
    struct http_request request = a_request();
    request.websocket_version = "14";
    check_no_opening(request);
    request = a_request();
    request.websocket_key = "dGhlIHNhbXBsZSBub25jZQ=";
    check_no_opening(request);
    request.websocket_key = "dGhlIHNhbXBsZSBub25jZ\"==";
    check_no_opening(request);
    request.websocket_key = NULL;
    check_no_opening(request);
    request = a_request();
    request.connection = "upgraded";
    check_no_opening(request);
    request = a_request();
    request.has_body = true;
    check_no_opening(request);
    request = a_request();
    request.is_http_1_0 = true;
    check_no_opening(request);
    request.upgrade = "websockets, h2c";
    assert_false(websocket_is_wanted(&request));
}

/* "Hel" and "lo" as two frames of a message with a ping between them, then "!" (RFC 6455, 5.7, masked). */
static const unsigned char STREAM[] = {0x02, 0x83, 1, 2, 3, 4, 'H' ^ 1, 'e' ^ 2, 'l' ^ 3, 0x89, 0x81, 0, 0, 0, 0,  '?',
                                       0x80, 0x82, 5, 6, 7, 8, 'l' ^ 5, 'o' ^ 6, 0x82,    0x81, 0,    0, 0, 0, '!'};

struct outcome {
    struct buf in, out;
    bool goes_on;
};

static struct outcome feed(const unsigned char *bytes, size_t size, size_t piece)
{
    struct outcome outcome = {.goes_on = true};
    struct websocket *websocket = websocket_new(100);
    for (size_t at = 0; at < size && outcome.goes_on; at += piece) {
        const size_t part = size - at < piece ? size - at : piece;
        char *block = malloc(part); /* of its own size, so that a read behind its end is seen */
        assert_non_null(block);
        memcpy(block, bytes + at, part);
        outcome.goes_on = websocket_feed(websocket, block, part, &outcome.in, &outcome.out);
        free(block);
    }
    websocket_free(websocket);
    return outcome;
}

static void fini(struct outcome *outcome)
{
    buf_fini(&outcome->in);
    buf_fini(&outcome->out);
}

TEST(websocket_messages_are_a_stream_in_any_pieces)
{
    static const unsigned char PONG[] = {0x8a, 0x01, '?'};
    for (size_t piece = 1; piece <= sizeof STREAM; piece++) {
        struct outcome outcome = feed(STREAM, sizeof STREAM, piece);
        assert_true(outcome.goes_on);
        assert_int_equal(outcome.in.size_bytes, 6);
        assert_memory_equal(outcome.in.data, "Hello!", 6);
        assert_int_equal(outcome.out.size_bytes, sizeof PONG);
        assert_memory_equal(outcome.out.data, PONG, sizeof PONG);
        fini(&outcome);
    }
}

TEST(websocket_stream_with_one_byte_changed_gives_no_more_than_was_sent)
{
    unsigned char bytes[sizeof STREAM];
    memcpy(bytes, STREAM, sizeof bytes);
    for (size_t at = 0; at < sizeof bytes; at++)
        for (unsigned change = 1; change < 256; change++) {
            bytes[at] ^= (unsigned char)change;
            struct outcome whole = feed(bytes, sizeof bytes, sizeof bytes), pieces = feed(bytes, sizeof bytes, 1);
            assert_true(whole.in.size_bytes <= sizeof STREAM);
            assert_int_equal(whole.goes_on, pieces.goes_on);
            assert_int_equal(whole.in.size_bytes, pieces.in.size_bytes);
            if (whole.in.size_bytes > 0)
                assert_memory_equal(whole.in.data, pieces.in.data, whole.in.size_bytes);
            fini(&whole);
            fini(&pieces);
            bytes[at] ^= (unsigned char)change;
        }
}

static void check_closes(const unsigned char *bytes, size_t size, unsigned status)
{
    struct outcome outcome = feed(bytes, size, size);
    assert_false(outcome.goes_on);
    assert_int_equal(outcome.in.size_bytes, 0);
    assert_true(outcome.out.size_bytes >= 2);
    assert_int_equal((unsigned char)outcome.out.data[0], 0x88);
    if (status != 0)
        assert_int_equal((unsigned char)outcome.out.data[2] << 8 | (unsigned char)outcome.out.data[3], status);
    fini(&outcome);
}

TEST(websocket_closes_what_it_does_not_take)
{
    check_closes((const unsigned char *)"\x81\x81\0\0\0\0a", 7, 1003);         /* text */
    check_closes((const unsigned char *)"\x82\xfe\x00\xc8\0\0\0\0a", 9, 1009); /* 200 of 100 bytes */
    check_closes((const unsigned char *)"\x82\x01"
                                        "a",
                 3, 0);                                                       /* not masked */
    check_closes((const unsigned char *)"\x88\x82\0\0\0\0\x03\xe8", 8, 1000); /* a close is answered */
}

TEST(websocket_heads_have_the_shortest_length)
{
    static const struct {
        uint64_t size_bytes;
        unsigned char head[10];
        size_t head_bytes;
    } HEADS[] = {{32, {0x82, 32}, 2},
                 {125, {0x82, 125}, 2},
                 {126, {0x82, 126, 0, 126}, 4},
                 {65535, {0x82, 126, 255, 255}, 4},
                 {65536, {0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}, 10}};
    for (size_t i = 0; i < sizeof HEADS / sizeof *HEADS; i++) {
        struct buf out;
        buf_init(&out, 0);
        websocket_put_head(&out, HEADS[i].size_bytes);
        assert_int_equal(out.size_bytes, HEADS[i].head_bytes);
        assert_memory_equal(out.data, HEADS[i].head, HEADS[i].head_bytes);
        buf_fini(&out);
    }
}

TEST(websocket_close_has_its_status)
{
    struct buf out;
    buf_init(&out, 0);
    websocket_put_close(&out, WEBSOCKET_PROTOCOL_ERROR);
    assert_int_equal(out.size_bytes, 4);
    assert_memory_equal(out.data, "\x88\x02\x03\xea", 4);
    buf_fini(&out);
}
