/* server/wire/operations/prepared_reply.h: every answer equals that of reply_make(), byte for byte. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include "wire/operations/prepared_reply.h"

static const double TIMES[] = {0, 0.3, -0.25, 2, 1.9999, 17.125, 1e9};
enum { TIME_COUNT = sizeof TIMES / sizeof *TIMES };

/* One time at a time, as request_set_time() changes it. */
static double time_s;

static struct limits limits;

static struct prepared_reply *prepare(struct workspace *answer, const struct request *request)
{
    limits_default(&limits);
    return prepared_reply_new(answer, wire_model(), request, true, &limits);
}

static void check_same(const struct request *request)
{
    struct workspace answer;
    workspace_init(&answer);
    struct prepared_reply *prepared = prepare(&answer, request);
    struct request other = wire_request(OP_POSE, TIMES, TIME_COUNT);
    assert_non_null(prepared);
    for (int i = 0; i < TIME_COUNT; i++) {
        struct reply expected, reply, between;
        time_s = TIMES[i];
        reply_init(&expected);
        reply_init(&reply);
        reply_init(&between);
        wire_answer(wire_model(), request, &expected);
        const bool is_made = prepared_reply_make(prepared, &answer, wire_model(), &reply);
        assert_int_equal(is_made, expected.code == 0);
        assert_int_equal(reply.code, expected.code);
        assert_int_equal(reply.body.size_bytes, expected.body.size_bytes);
        assert_memory_equal(reply.body.data, expected.body.data, expected.body.size_bytes);
        if (is_made) {
            assert_string_equal(reply.content_type, expected.content_type);
            assert_int_equal(reply.is_vary_accept, expected.is_vary_accept);
            assert_int_equal(reply.status, 200);
        }
        if (is_made && request->format == FORMAT_BIN)
            assert_int_equal(prepared_reply_bytes(prepared), reply.body.size_bytes);
        /* the same working memory serves others meanwhile */
        reply_make(&answer, wire_model(), NULL, &other, &limits, &between);
        reply_fini(&between);
        reply_fini(&expected);
        reply_fini(&reply);
    }
    prepared_reply_free(prepared);
    workspace_fini(&answer);
}

static struct request palette_request(void) { return wire_request(OP_PALETTE, &time_s, 1); }

TEST(answer_prepared_is_the_answer)
{
    static const enum format FORMATS[] = {FORMAT_BIN, FORMAT_JSON};
    static const enum layout LAYOUTS[] = {LAYOUT_MAT4, LAYOUT_MAT3X4};
    static const enum space SPACES[] = {SPACE_SCENE, SPACE_ROOT, SPACE_MESH};
    for (int i = 0; i < 12; i++) {
        struct request request = palette_request();
        request.format = FORMATS[i % 2];
        request.layout = LAYOUTS[i / 2 % 2];
        request.space = SPACES[i / 4];
        check_same(&request);
    }
}

TEST(answer_prepared_of_parts_of_a_clip)
{
    const struct selector skins[] = {wire_index(1), wire_name("arm")};
    struct request request = palette_request();
    request.format = FORMAT_BIN;
    request.skins = skins;
    request.skin_count = 2;
    request.pose.wrap = WRAP_MIRROR;
    request.pose.span = (struct request_span){.has_from = true, .has_speed = true, .from = 0.5, .speed = -2};
    check_same(&request);
    request.pose.clip.kind = SELECT_REST;
    request.pose.span = (struct request_span){0};
    check_same(&request);
}

TEST(answer_prepared_that_fails_says_the_same)
{
    struct request request = palette_request();
    request.format = FORMAT_BIN;
    request.pose.clip = wire_index(3); /* overflows a float */
    check_same(&request);
}

TEST(answer_prepared_is_not_for_everything)
{
    struct workspace answer;
    workspace_init(&answer);
    struct request request = palette_request();
    request.pose.clip = wire_index(99);
    assert_null(prepare(&answer, &request));
    request = palette_request();
    request.layout = LAYOUT_DUALQUAT;
    assert_null(prepare(&answer, &request));
    request = palette_request();
    request.motion.is_extracted = true;
    assert_null(prepare(&answer, &request));
    request = wire_request(OP_PALETTE, TIMES, TIME_COUNT);
    assert_null(prepare(&answer, &request));
    request = wire_request(OP_POSE, &time_s, 1);
    assert_null(prepare(&answer, &request));
    workspace_fini(&answer);
}
