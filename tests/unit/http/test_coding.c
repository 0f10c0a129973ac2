#include "wire/request/accept.h"
#include "wire/http/reply_compress.h"
#include "wire/http/http_response.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

TEST(coding_is_chosen_by_weight)
{
    static const struct {
        const char *accepts;
        enum coding coding;
    } ROWS[] = {
        {NULL, CODING_NONE},
        {"", CODING_NONE},
        {"gzip", CODING_GZIP},
        {"zstd", CODING_ZSTD},
        {"gzip, deflate, br, zstd", CODING_ZSTD},
        {"gzip;q=1.0, zstd;q=0.9", CODING_GZIP},
        {"gzip;q=0.5,zstd;q=0.5", CODING_ZSTD},
        {"GZip", CODING_GZIP},
        {"x-gzip", CODING_GZIP},
        {"gzip;q=0", CODING_NONE},
        {"gzip;q=0.000, zstd;q=0.001", CODING_ZSTD},
        {"identity", CODING_NONE},
        {"identity, gzip;q=0.9", CODING_NONE},
        {"identity;q=0.5, gzip;q=0.9", CODING_GZIP},
        {"identity;q=0", CODING_NONE},
        {"*", CODING_GZIP},
        {"*;q=0", CODING_NONE},
        {"gzip;q=0, *", CODING_NONE},
        {"br, deflate, compress", CODING_NONE},
        {"gzip;q=1.5", CODING_NONE},
        {"gzip;q=", CODING_NONE},
        {"gzip;q=x", CODING_NONE},
        {" zstd\t; q=0.3 ,, gzip ; q=0.2", CODING_ZSTD},
        {"gzipped, zstandard", CODING_NONE},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (accept_coding(ROWS[i].accepts) != ROWS[i].coding)
            fail_msg("Accept-Encoding: %s gives %s", ROWS[i].accepts, coding_name(accept_coding(ROWS[i].accepts)));
}

static void check_decodes(enum coding coding, const struct buf *coded, const char *body, size_t size_bytes)
{
    struct buf back;
    buf_init(&back, 0);
    char *to = buf_reserve(&back, size_bytes + 1);
    if (coding == CODING_ZSTD) {
        assert_int_equal(ZSTD_decompress(to, size_bytes + 1, coded->data, coded->size_bytes), size_bytes);
    } else {
        z_stream stream = {.next_in = (Bytef *)coded->data,
                           .avail_in = (uInt)coded->size_bytes,
                           .next_out = (Bytef *)to,
                           .avail_out = (uInt)size_bytes + 1};
        assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK); /* a gzip header, not zlib's */
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        assert_int_equal(stream.avail_in, 0);
        assert_int_equal(stream.avail_out, 1);
        inflateEnd(&stream);
    }
    if (size_bytes > 0)
        assert_memory_equal(to, body, size_bytes);
    buf_fini(&back);
}

static void fill(struct buf *body, size_t size_bytes)
{
    buf_clear(body);
    for (unsigned i = 0; body->size_bytes < size_bytes; i++)
        buf_printf(body, "%u.%03u,", i * 7919 % 13, i * 104729 % 1000);
    body->size_bytes = size_bytes;
}

TEST(coding_decodes_to_the_same)
{
    static const size_t SIZES[] = {0, 1, 100, 16383, 16384, 65536, 300001};
    static const size_t STEPS[] = {1000, 16384, 1 << 20};
    struct buf body, coded;
    struct err err;
    buf_init(&body, 0);
    buf_init(&coded, 0);
    for (enum coding coding = CODING_GZIP; coding < CODING_COUNT; coding++)
        for (size_t i = 0; i < 7 * 3; i++) {
            const size_t size_bytes = SIZES[i / 3], step = STEPS[i % 3];
            struct encoder *encoder = encoder_new(coding);
            fill(&body, size_bytes);
            buf_clear(&coded);
            for (size_t at = 0; at < size_bytes; at += step) {
                const size_t part = size_bytes - at < step ? size_bytes - at : step;
                assert_int_equal(encoder_put(encoder, body.data + at, part, false, &coded, &err), 0);
            }
            assert_int_equal(encoder_put(encoder, "", 0, true, &coded, &err), 0);
            check_decodes(coding, &coded, body.data, size_bytes);
            encoder_free(encoder);
        }
    buf_fini(&body);
    buf_fini(&coded);
}

TEST(coding_fails_when_the_buffer_is_full)
{
    struct buf out;
    struct err err;
    for (enum coding coding = CODING_GZIP; coding < CODING_COUNT; coding++) {
        struct encoder *encoder = encoder_new(coding);
        buf_init(&out, 100);
        assert_int_equal(encoder_put(encoder, "abc", 3, true, &out, &err), ERR_NO_MEMORY);
        buf_fini(&out);
        encoder_free(encoder);
    }
}

static void make_reply(struct reply *reply, size_t size_bytes)
{
    reply_init(reply);
    reply->content_type = "application/json";
    snprintf(reply->etag, sizeof reply->etag, "\"%016d-%016d-%08d-json\"", 1, 2, 3);
    fill(&reply->body, size_bytes);
}

TEST(coded_reply_small_at_once)
{
    struct reply reply;
    struct buf body;
    buf_init(&body, 0);
    fill(&body, 10000);
    for (enum coding coding = CODING_GZIP; coding < CODING_COUNT; coding++) {
        make_reply(&reply, 10000);
        reply_compress(&reply, coding, false);
        assert_null(reply.rest);
        assert_string_equal(reply.content_coding, coding_name(coding));
        check_decodes(coding, &reply.body, body.data, 10000);
        assert_non_null(strstr(reply.etag, coding_suffix(coding)));
        assert_int_equal(reply.etag[strlen(reply.etag) - 1], '"');
        reply_fini(&reply);
    }
    make_reply(&reply, 10000);
    reply_compress(&reply, CODING_NONE, true);
    assert_null(reply.content_coding);
    assert_int_equal(reply.body.size_bytes, 10000);
    reply_fini(&reply);
    buf_fini(&body);
}

/* A rest of three pieces, the last one empty. */
struct counted_source {
    struct body_stream base;
    int next, freed;
};

static int next_piece(struct body_stream *base, struct buf *out, struct err *err)
{
    struct counted_source *source = (struct counted_source *)base;
    if (base->is_stopped)
        return err_set(err, ERR_INTERNAL, "stopped");
    if (source->next < 2)
        fill(out, 50000);
    return ++source->next < 3;
}

static size_t no_bytes(const struct body_stream *base) { return base == NULL; }
static void count_free(struct body_stream *base) { ((struct counted_source *)base)->freed++; }

static void gather(struct reply *reply, struct buf *out)
{
    struct err err;
    int rc;
    buf_put(out, reply->body.data, reply->body.size_bytes);
    do {
        struct buf piece;
        buf_init(&piece, 0);
        rc = reply->rest->next(reply->rest, &piece, &err);
        assert_true(rc >= 0);
        buf_put(out, piece.data, piece.size_bytes);
        buf_fini(&piece);
    } while (rc > 0);
}

TEST(coded_reply_large_and_in_pieces_as_it_is_taken)
{
    struct buf whole, part, coded;
    buf_init(&whole, 0);
    buf_init(&part, 0);
    buf_init(&coded, 0);
    for (int has_rest = 0; has_rest < 2; has_rest++)
        for (enum coding coding = CODING_GZIP; coding < CODING_COUNT; coding++) {
            struct counted_source source = {.base = {.next = next_piece, .held_bytes = no_bytes, .free = count_free}};
            struct reply reply;
            make_reply(&reply, 200000);
            buf_clear(&whole);
            buf_clear(&coded);
            buf_put(&whole, reply.body.data, reply.body.size_bytes);
            fill(&part, 50000);
            for (int i = 0; i < 2 * has_rest; i++)
                buf_put(&whole, part.data, part.size_bytes);
            if (has_rest) {
                reply.rest = &source.base;
                reply.rest_bytes = REPLY_REST_UNKNOWN;
            }
            reply_compress(&reply, coding, true);
            assert_non_null(reply.rest);
            assert_true(http_response_is_chunked(&reply));
            assert_int_equal(reply.body.size_bytes, 0);
            assert_true(reply.rest->held_bytes(reply.rest) > 200000);
            gather(&reply, &coded);
            check_decodes(coding, &coded, whole.data, whole.size_bytes);
            reply_fini(&reply);
            assert_int_equal(source.freed, has_rest);
        }
    buf_fini(&whole);
    buf_fini(&part);
    buf_fini(&coded);
}

TEST(coded_reply_needs_chunks_when_large)
{
    struct reply reply;
    make_reply(&reply, 200000);
    reply_compress(&reply, CODING_GZIP, false);
    assert_null(reply.content_coding);
    assert_int_equal(reply.body.size_bytes, 200000);
    assert_null(strstr(reply.etag, "gzip"));
    reply_fini(&reply);
}

TEST(coded_reply_stops_what_it_wraps)
{
    struct counted_source source = {.base = {.next = next_piece, .held_bytes = no_bytes, .free = count_free}};
    struct reply reply;
    struct buf piece;
    struct err err;
    make_reply(&reply, 10);
    reply.rest = &source.base;
    reply.rest_bytes = REPLY_REST_UNKNOWN;
    reply_compress(&reply, CODING_ZSTD, true);
    reply.rest->is_stopped = true;
    buf_init(&piece, 0);
    assert_true(reply.rest->next(reply.rest, &piece, &err) < 0);
    buf_fini(&piece);
    reply_fini(&reply);
    assert_int_equal(source.freed, 1);
}

TEST(coded_reply_what_is_worth_it)
{
    static const struct {
        int status;
        const char *type;
        size_t size_bytes;
        bool is_json, is_codable;
    } ROWS[] = {
        {200, "application/json", 8192, true, true},
        {200, "application/json", 8191, true, false},
        {200, "text/html; charset=utf-8", 20000, false, true},
        {200, "text/javascript; charset=utf-8", 1024, false, true},
        {200, "text/javascript; charset=utf-8", 1023, false, false},
        {200, "image/png", 20000, false, false},
        {200, "model/gltf-binary", 20000, false, false},
        {200, "application/vnd.posed.frames", 20000, false, false},
        {200, NULL, 20000, false, false},
        {404, "application/json", 9000, false, true},
        {304, NULL, 0, true, false},
        {204, NULL, 0, false, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct reply reply;
        reply_init(&reply);
        fill(&reply.body, ROWS[i].size_bytes);
        reply.status = ROWS[i].status;
        reply.content_type = ROWS[i].type;
        reply.is_json = ROWS[i].is_json;
        assert_int_equal(reply_is_compressible(&reply, 8192), ROWS[i].is_codable);
        reply_fini(&reply);
    }
}

TEST(coding_tags_lead_back)
{
    struct reply reply;
    struct buf plain;
    char header[200];
    make_reply(&reply, 0);
    char tag[sizeof reply.etag];
    memcpy(tag, reply.etag, sizeof tag);
    buf_init(&plain, 0);
    assert_false(coding_strip_etags(NULL, CODING_GZIP, &plain));
    assert_false(coding_strip_etags(tag, CODING_GZIP, &plain));
    reply_compress_etag(&reply, CODING_GZIP);
    assert_false(http_etag_matches(reply.etag, tag));
    snprintf(header, sizeof header, "\"x\", W/%s", reply.etag);
    assert_false(coding_strip_etags(header, CODING_NONE, &plain));
    assert_false(coding_strip_etags(header, CODING_ZSTD, &plain)); /* who takes zstd now has no use for that copy */
    assert_true(coding_strip_etags(header, CODING_GZIP, &plain));
    assert_true(http_etag_matches(plain.data, tag));
    assert_int_equal(strlen(plain.data), strlen(header) - strlen(coding_suffix(CODING_GZIP)));
    buf_fini(&plain);
    reply_fini(&reply);
}
