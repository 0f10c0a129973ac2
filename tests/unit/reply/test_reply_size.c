/* The limit on the size of an answer: one that fits is made in every way, one that is a byte too large is refused, and
 * one that is certainly too large is refused before the evaluation. */
#include "wire/operations/reply_cursor.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <stdio.h>
#include <string.h>

static const char LAYERS[] = "{\"model\":\"arm.glb\",\"t\":[0,0.5,1.25],\"layers\":[{\"clip\":0},"
                             "{\"clip\":1,\"weight\":0.5,\"t\":[0,1,2]}]}";

static struct limits limits;

static void parse_body(struct request *request, const char *target, const char *body)
{
    const struct request_head head = {
        .method = body == NULL ? "GET" : "POST",
        .target = target,
        .target_bytes = strlen(target),
        .content_type = "application/json",
        .body = body,
        .body_bytes = body == NULL ? 0 : strlen(body),
    };
    struct err err = {0};
    limits_default(&limits);
    request_init(request);
    if (request_parse(request, &head, &limits, &err) < 0)
        fail_msg("%s: %s", target, err.message);
}

struct outcome {
    int64_t code; /* of the error, which is negative, or the bytes of the answer */
    bool has_evaluated;
};

/* Makes the answer with a limit of limit_bytes. */
static struct outcome outcome_of(const struct model *model, const struct request *request, uint64_t limit_bytes)
{
    struct workspace answer;
    struct reply reply;
    limits.value[LIMIT_ANSWER_BYTES] = limit_bytes;
    workspace_init(&answer);
    reply_init(&reply);
    reply_make(&answer, model, NULL, request, &limits, &reply);
    const struct outcome outcome = {.code = reply.code != 0 ? reply.code : (int64_t)reply.body.size_bytes,
                                    .has_evaluated =
                                        answer.entity.pose.node_capacity != 0 || answer.entity.compiled_count > 0};
    reply_fini(&reply);
    workspace_fini(&answer);
    return outcome;
}

/* Returns the bytes of the answer with a limit of limit_bytes, or the error's code. */
static int64_t size_of_whole(const struct model *model, const struct request *request, uint64_t limit_bytes)
{
    return outcome_of(model, request, limit_bytes).code;
}

static int64_t size_of_pieces(const struct model *model, const struct request *request, uint64_t limit_bytes)
{
    struct reply_cursor *stream = reply_cursor_new(kernel_best(), NULL, NULL);
    struct reply reply;
    struct err err = {0};
    limits.value[LIMIT_ANSWER_BYTES] = limit_bytes;
    reply_init(&reply);
    bool goes_on = reply_cursor_start(stream, model, NULL, request, &limits, REPLY_CHUNKED, &reply);
    int64_t result = reply.code != 0 ? reply.code : (int64_t)reply.body.size_bytes;
    while (goes_on) {
        struct buf piece;
        buf_init(&piece, 0);
        const int rc = reply_cursor_next(stream, &piece, &err);
        assert_true(rc >= 0);
        result += (int64_t)piece.size_bytes;
        buf_fini(&piece);
        goes_on = rc > 0;
    }
    reply_fini(&reply);
    reply_cursor_free(stream);
    return result;
}

/* The exact size, and a byte less. Returns false when the answer is another error. */
static bool check_limit(const char *target, const char *body)
{
    const struct model *model = wire_model();
    struct request request;
    parse_body(&request, target, body);
    const int64_t size = size_of_whole(model, &request, UINT32_MAX);
    const bool is_answered = size > 0;
    if (is_answered && (size_of_whole(model, &request, (uint64_t)size) != size ||
                        size_of_pieces(model, &request, (uint64_t)size) != size ||
                        size_of_whole(model, &request, (uint64_t)size - 1) != ERR_TOO_MANY_FRAMES ||
                        size_of_pieces(model, &request, (uint64_t)size - 1) != ERR_TOO_MANY_FRAMES))
        fail_msg("%s, %lld bytes: %lld %lld %lld %lld", target, (long long)size,
                 (long long)size_of_whole(model, &request, (uint64_t)size),
                 (long long)size_of_pieces(model, &request, (uint64_t)size),
                 (long long)size_of_whole(model, &request, (uint64_t)size - 1),
                 (long long)size_of_pieces(model, &request, (uint64_t)size - 1));
    request_fini(&request);
    return is_answered;
}

static uint32_t choose(uint64_t *state, uint32_t count)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)((*state >> 33) % count);
}

TEST(answer_that_fits_exactly_is_made)
{
    static const char *const OPS[] = {
        "palette?model=arm.glb",
        "palette?model=arm.glb&skin=0,0,1",
        "palette?model=arm.glb&skin=0&layout=mat3x4",
        "palette?model=arm.glb&format=bin",
        "palette?model=arm.glb&skin=0,1,1&format=bin&layout=mat3x4",
        "palette?model=arm.glb&skin=0&layout=dualquat",
        "pose?model=arm.glb",
        "pose?model=arm.glb&what=local",
        "pose?model=arm.glb&what=local,scene&joints=4,1,4",
        "pose?model=arm.glb&what=local,scene&layout=mat3x4&joints=4",
        "pose?model=arm.glb&what=local,scene&format=bin",
        "mesh?model=arm.glb",
        "mesh?model=arm.glb&normals=1&rest=1&indices=1",
        "mesh?model=arm.glb&mesh=1&normals=1&format=bin&indices=1",
        "bounds?model=arm.glb",
        "bounds?model=arm.glb&per=joint&mesh=0",
        "bounds?model=arm.glb&per=joint",
    };
    static const char *const CLIPS[] = {"", "&clip=-", "&clip=0", "&clip=1", "&clip=2", "&clip=3"};
    static const char *const TIMES[] = {"", "&t=0", "&t=0:9:1", "&t=0.123456789,1e-7,-3", "&t=0:3:60", "&t=0:2.5:400"};
    static const char *const EXTRAS[] = {"", "&root_motion=extract&root=0", "&from=0.25&speed=2", "&phase=0.1"};
    enum { COUNT = 600 };
    uint64_t seed = 1;
    int answered = 0;
    for (int i = 0; i < COUNT; i++) {
        char target[256];
        snprintf(target, sizeof target, "/v1/%s%s%s%s", OPS[choose(&seed, sizeof OPS / sizeof *OPS)],
                 CLIPS[choose(&seed, 6)], TIMES[choose(&seed, 6)], EXTRAS[choose(&seed, 4)]);
        answered += check_limit(target, NULL);
    }
    assert_true(answered > COUNT / 3);
    assert_true(check_limit("/v1/palette", LAYERS) && check_limit("/v1/pose", LAYERS) &&
                check_limit("/v1/mesh", LAYERS) && check_limit("/v1/bounds", LAYERS));
    assert_true(check_limit("/v1/palette?model=arm.glb&t=0:9:1000&skin=0,1,0,1,0,1", NULL)); /* in many pieces */
    assert_true(check_limit("/v1/pose?model=arm.glb&t=0:9:600&what=local,scene", NULL));
    assert_true(check_limit("/v1/mesh?model=arm.glb&t=0:9:600&normals=1&rest=1&indices=1", NULL));
    assert_true(check_limit("/v1/bounds?model=arm.glb&over=clip&per=joint", NULL));
}

/* True when the answer is refused as too large by one that never evaluated a pose. */
static bool is_refused_at_once(const struct model *model, const struct request *request, uint64_t limit_bytes)
{
    const struct outcome outcome = outcome_of(model, request, limit_bytes);
    return outcome.code == ERR_TOO_MANY_FRAMES && !outcome.has_evaluated;
}

/* Numbers of one digit are the smallest: here the bound is the size. */
TEST(answer_of_single_digits_a_byte_too_large_is_not_evaluated)
{
    static const char *const TARGETS[] = {
        "/v1/pose?model=a&t=0:9:1",
        "/v1/pose?model=a&t=0:9:1&what=local,scene&layout=mat3x4",
        "/v1/pose?model=a&t=7&what=local&joints=1,0,1",
        "/v1/pose?model=a&t=0:9:1&format=bin",
    };
    struct fixture fixture;
    fixture_init(&fixture);
    const uint32_t root = fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&fixture, (int32_t)root, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&fixture, root);
    fixture_finish(&fixture);
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++) {
        struct request request;
        parse_body(&request, TARGETS[i], NULL);
        const int64_t size = size_of_whole(&fixture.model, &request, UINT32_MAX);
        if (size <= 0)
            fail_msg("%s: %lld", TARGETS[i], (long long)size);
        if (size_of_whole(&fixture.model, &request, (uint64_t)size) != size)
            fail_msg("%s is refused though it fits", TARGETS[i]);
        if (!is_refused_at_once(&fixture.model, &request, (uint64_t)size - 1))
            fail_msg("%s is evaluated", TARGETS[i]);
        request_fini(&request);
    }
    fixture_fini(&fixture);
}

/* Wherever numbers have digits as they come, nothing is evaluated for a limit of a fraction of the answer. */
TEST(answer_much_too_large_is_not_evaluated)
{
    static const struct {
        const char *target, *body;
        int64_t fraction; /* the limit is the answer's size divided by it */
    } ROWS[] = {
        {"/v1/pose?model=arm.glb&t=0:9:10", NULL, 6},
        {"/v1/pose?model=arm.glb&t=0:9:10&what=local", NULL, 5},
        {"/v1/pose?model=arm.glb&t=0:9:10&format=bin&clip=0", NULL, 2},
        {"/v1/mesh?model=arm.glb&t=0:9:10&clip=0", NULL, 5},
        {"/v1/mesh?model=arm.glb&t=0:9:10&normals=1&indices=1&clip=0", NULL, 5},
        {"/v1/mesh?model=arm.glb&format=glb", NULL, 30},
        {"/v1/bounds?model=arm.glb&t=0:9:10&clip=0", NULL, 5},
        {"/v1/bounds?model=arm.glb&t=0:9:10&per=joint&clip=0", NULL, 5},
        {"/v1/bounds?model=arm.glb&over=clip&clip=0", NULL, 2},
        {"/v1/pose", LAYERS, 6},
        {"/v1/bounds", LAYERS, 5},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct request request;
        parse_body(&request, ROWS[i].target, ROWS[i].body);
        const int64_t size = size_of_whole(wire_model(), &request, UINT32_MAX);
        assert_true(size > 0);
        if (!is_refused_at_once(wire_model(), &request, (uint64_t)(size / ROWS[i].fraction)))
            fail_msg("%s, of %lld bytes, is evaluated", ROWS[i].target, (long long)size);
        request_fini(&request);
    }
}
