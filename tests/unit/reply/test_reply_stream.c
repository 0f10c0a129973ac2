#include "wire/operations/reply_cursor.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const char *const TARGETS[] = {
    "/v1/palette?model=arm.glb&t=0:9:600",
    "/v1/palette?model=arm.glb&t=0:9:600&format=bin",
    "/v1/palette?model=arm.glb&t=0:9:600&format=bin&layout=mat3x4&skin=0,0,1&space=mesh",
    "/v1/palette?model=arm.glb&t=0:9:600&layout=mat3x4&from=0.5&to=1.5&speed=2",
    "/v1/palette?model=arm.glb&t=0:9:600&format=bin&root_motion=extract&root=0",
    "/v1/palette?model=arm.glb&t=0:9:600&root_motion=extract&root=0",
    "/v1/pose?model=arm.glb&t=0:9:600&what=local,scene",
    "/v1/pose?model=arm.glb&t=0:9:600&what=local,scene&format=bin&joints=4,1,0",
    "/v1/pose?model=arm.glb&t=0:9:600&what=local&clip=2&format=bin",
    "/v1/mesh?model=arm.glb&t=0:9:600&normals=1&rest=1&indices=1",
    "/v1/mesh?model=arm.glb&t=0:9:600&normals=1&rest=1&indices=1&format=bin&phase=0.25",
};
enum { FRAMEBUFFER_COUNT = sizeof TARGETS / sizeof *TARGETS };

static struct limits limits;

static void parse(struct request *request, const char *target)
{
    const struct request_head head = {.method = "GET", .target = target, .target_bytes = strlen(target)};
    struct err err = {0};
    limits_default(&limits);
    request_init(request);
    if (request_parse(request, &head, &limits, &err) < 0)
        fail_msg("%s: %s", target, err.message);
}

/* The pieces of a stream that has begun, behind the first. Returns how many there were. */
static int gather(struct reply_cursor *stream, struct buf *out)
{
    struct err err = {0};
    int count = 0, rc;
    do {
        struct buf piece;
        buf_init(&piece, 0);
        rc = reply_cursor_next(stream, &piece, &err);
        if (rc < 0)
            fail_msg("%s", err.message);
        assert_true(rc == 0 || piece.size_bytes >= REPLY_PIECE_BYTES);
        assert_true(piece.size_bytes < 2 * REPLY_PIECE_BYTES);
        buf_put(out, piece.data, piece.size_bytes);
        buf_fini(&piece);
        count++;
    } while (rc > 0);
    return count;
}

static void check_same(const char *target)
{
    struct request request;
    struct reply whole, pieces;
    const _Atomic bool is_stopped = false;
    parse(&request, target);
    reply_init(&whole);
    reply_init(&pieces);
    wire_answer(wire_model(), &request, &whole);
    assert_int_equal(whole.code, 0);
    struct reply_cursor *stream = reply_cursor_new(kernel_best(), NULL, &is_stopped);
    if (!reply_cursor_start(stream, wire_model(), NULL, &request, &limits, REPLY_CHUNKED, &pieces))
        fail_msg("%s: is whole: %.*s", target, (int)pieces.message.size_bytes, pieces.message.data);
    assert_int_equal(pieces.status, 200);
    assert_string_equal(pieces.content_type, whole.content_type);
    const size_t first_bytes = pieces.body.size_bytes;
    assert_true(gather(stream, &pieces.body) > 2);
    assert_int_equal(pieces.body.size_bytes, whole.body.size_bytes);
    assert_memory_equal(pieces.body.data, whole.body.data, whole.body.size_bytes);
    assert_true(pieces.rest_bytes ==
                (request.format == FORMAT_JSON ? REPLY_REST_UNKNOWN : whole.body.size_bytes - first_bytes));
    reply_cursor_free(stream);
    reply_fini(&whole);
    reply_fini(&pieces);
    request_fini(&request);
}

TEST(answer_stream_has_the_bytes_of_the_whole)
{
    for (int i = 0; i < FRAMEBUFFER_COUNT; i++)
        check_same(TARGETS[i]);
}

/* Answers with `pieces`; returns whether the answer goes on in pieces. */
static bool start(const char *target, enum reply_pieces pieces, struct reply *reply)
{
    struct request request;
    const _Atomic bool is_stopped = false;
    uint64_t limit_bytes = limits.value[LIMIT_ANSWER_BYTES];
    parse(&request, target);
    if (limit_bytes != 0)
        limits.value[LIMIT_ANSWER_BYTES] = limit_bytes;
    struct reply_cursor *stream = reply_cursor_new(kernel_best(), NULL, &is_stopped);
    reply_init(reply);
    const bool goes_on = reply_cursor_start(stream, wire_model(), NULL, &request, &limits, pieces, reply);
    reply_cursor_free(stream);
    request_fini(&request);
    return goes_on;
}

TEST(answer_stream_small_and_unwanted_is_whole)
{
    static const struct {
        const char *target;
        enum reply_pieces pieces;
        bool goes_on;
    } ROWS[] = {
        {"/v1/palette?model=arm.glb&t=0:0.1:10", REPLY_CHUNKED, false},
        {"/v1/palette?model=arm.glb&t=0:9:600", REPLY_WHOLE, false},
        {"/v1/palette?model=arm.glb&t=0:9:600", REPLY_SIZED, false},
        {"/v1/palette?model=arm.glb&t=0:9:600&format=bin", REPLY_WHOLE, false},
        {"/v1/palette?model=arm.glb&t=0:9:600&format=bin", REPLY_SIZED, true},
        {"/v1/model?model=arm.glb", REPLY_CHUNKED, false},
        {"/v1/mesh?model=arm.glb&format=glb&t=1", REPLY_CHUNKED, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct reply reply;
        limits = (struct limits){0};
        assert_int_equal(start(ROWS[i].target, ROWS[i].pieces, &reply), ROWS[i].goes_on);
        assert_int_equal(reply.code, 0);
        assert_true(reply.body.size_bytes > 0);
        reply_fini(&reply);
    }
}

/* The error of any frame is reported before the first. Clip 3 overflows late. */
TEST(answer_stream_tells_errors_first)
{
    static const char *const BAD[] = {
        "/v1/palette?model=arm.glb&clip=3&t=0:0.9:8000&wrap=clamp",
        "/v1/palette?model=arm.glb&clip=3&t=0:0.9:8000&wrap=clamp&format=bin",
        "/v1/pose?model=arm.glb&clip=3&t=0:0.9:8000&wrap=clamp",
        "/v1/pose?model=arm.glb&clip=3&t=0:0.9:8000&wrap=clamp&format=bin",
        "/v1/mesh?model=arm.glb&clip=3&t=0:0.9:8000&wrap=clamp",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct reply reply, single;
        limits = (struct limits){0};
        assert_false(start(BAD[i], REPLY_CHUNKED, &reply));
        assert_int_equal(reply.code, ERR_NOT_FINITE);
        limits = (struct limits){0};
        start(BAD[i], REPLY_WHOLE, &single);
        assert_int_equal(single.body.size_bytes, reply.body.size_bytes);
        assert_memory_equal(single.body.data, reply.body.data, reply.body.size_bytes);
        reply_fini(&reply);
        reply_fini(&single);
    }
}

/* The limit on an answer is the same, to the byte where JSON is counted. */
TEST(answer_stream_keeps_the_limit)
{
    static const char *const BOTH[] = {"/v1/palette?model=arm.glb&t=0:9:600",
                                       "/v1/palette?model=arm.glb&t=0:9:600&format=bin"};
    for (size_t i = 0; i < sizeof BOTH / sizeof *BOTH; i++) {
        struct reply reply;
        limits = (struct limits){0};
        start(BOTH[i], REPLY_WHOLE, &reply);
        const uint64_t size_bytes = reply.body.size_bytes;
        reply_fini(&reply);
        limits.value[LIMIT_ANSWER_BYTES] = size_bytes;
        assert_true(start(BOTH[i], REPLY_CHUNKED, &reply));
        reply_fini(&reply);
        limits.value[LIMIT_ANSWER_BYTES] = size_bytes - 1;
        assert_false(start(BOTH[i], REPLY_CHUNKED, &reply));
        assert_int_equal(reply.code, ERR_TOO_MANY_FRAMES);
        reply_fini(&reply);
    }
}

TEST(answer_stream_stops)
{
    struct request request;
    struct reply reply;
    struct buf piece;
    struct err err;
    _Atomic bool is_stopped = false;
    limits = (struct limits){0};
    parse(&request, TARGETS[0]);
    reply_init(&reply);
    buf_init(&piece, 0);
    struct reply_cursor *stream = reply_cursor_new(kernel_best(), NULL, &is_stopped);
    assert_true(reply_cursor_start(stream, wire_model(), NULL, &request, &limits, REPLY_CHUNKED, &reply));
    assert_true(reply_cursor_held_bytes(stream) > 1000);
    assert_int_equal(reply_cursor_next(stream, &piece, &err), 1);
    buf_clear(&piece);
    is_stopped = true;
    assert_true(reply_cursor_next(stream, &piece, &err) < 0);
    reply_cursor_free(stream);
    buf_fini(&piece);
    reply_fini(&reply);
    request_fini(&request);
}
