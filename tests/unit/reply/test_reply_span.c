/* Parts of a clip in answers: echoed values and refusals. */
#include "base/bytes.h"
#include "wire/encode/frames.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

static const double TIMES[] = {0, 0.25, -0.25};

/* Frames 10 to 30 of 20 a second: 0.5 s to 1.5 s of "wave". */
static struct request part_request(enum op op)
{
    struct request request = wire_request(op, TIMES, 3);
    request.pose.span =
        (struct request_span){.has_from = true, .has_to = true, .has_fps = true, .from = 10, .to = 30, .fps = 20};
    return request;
}

static void check_frames_are_at(const struct request *request, const double *clip_times)
{
    struct request plain = wire_request(request->op, clip_times, 3);
    plain.pose.wrap = WRAP_CLAMP;
    cJSON *part = wire_answer_json(wire_model(), request), *whole = wire_answer_json(wire_model(), &plain);
    assert_null(cJSON_GetObjectItem(whole, "from"));
    for (int f = 0; f < 3; f++) {
        cJSON *a = wire_at(wire_get(part, "frames"), f), *b = wire_at(wire_get(whole, "frames"), f);
        assert_true(wire_get(a, "time")->valuedouble == TIMES[f]);
        assert_true(wire_get(a, "clip_time")->valuedouble == clip_times[f]);
        cJSON_DeleteItemFromObject(a, "time");
        cJSON_DeleteItemFromObject(b, "time");
        assert_true(cJSON_Compare(a, b, true));
    }
    cJSON_Delete(part);
    cJSON_Delete(whole);
}

TEST(answer_span_of_every_operation)
{
    const enum op ops[] = {OP_PALETTE, OP_POSE, OP_MESH};
    for (int i = 0; i < 3; i++) {
        struct request request = part_request(ops[i]);
        check_frames_are_at(&request, (const double[]){0.5, 0.75, 1.25});
        request.pose.span.has_speed = request.pose.span.has_phase = true;
        request.pose.span.speed = -2;
        request.pose.span.phase = 0.25;
        check_frames_are_at(&request, (const double[]){0.75, 1.25, 1.25});
    }
}

TEST(answer_span_is_told)
{
    struct request request = part_request(OP_POSE);
    cJSON *json = wire_answer_json(wire_model(), &request);
    assert_true(wire_get(json, "from")->valuedouble == 0.5 && wire_get(json, "to")->valuedouble == 1.5);
    assert_true(wire_get(json, "speed")->valuedouble == 1 && wire_get(json, "phase")->valuedouble == 0);
    cJSON_Delete(json);
    request.pose.span = (struct request_span){.has_speed = true, .speed = -0.5};
    json = wire_answer_json(wire_model(), &request);
    assert_true(wire_get(json, "from")->valuedouble == 0 && wire_get(json, "to")->valuedouble == 2);
    assert_true(wire_get(json, "speed")->valuedouble == -0.5);
    cJSON_Delete(json);
}

TEST(answer_span_in_binary)
{
    struct request request = part_request(OP_PALETTE);
    struct reply part, whole;
    request.format = FORMAT_BIN;
    reply_init(&part);
    reply_init(&whole);
    wire_answer(wire_model(), &request, &part);
    assert_int_equal(part.status, 200);
    const char *bytes = part.body.data;
    assert_int_equal(get_u32(bytes + 20), 3);  /* blocks: the span and two skins */
    assert_int_equal(get_u16(bytes + 96), 20); /* kind */
    assert_int_equal(get_u16(bytes + 98), 1);  /* once */
    assert_int_equal(get_u32(bytes + 112), 1);
    assert_int_equal(get_u32(bytes + 116), 32);
    const char *span = bytes + get_u64(bytes + 120);
    assert_int_equal((span - bytes) % 16, 0);
    assert_true(get_f64(span) == 0.5 && get_f64(span + 8) == 1.5 && get_f64(span + 16) == 1 && get_f64(span + 24) == 0);
    assert_true(get_f64(bytes + 96 + 3 * 32 + 16) == 0.25 && get_f64(bytes + 96 + 3 * 32 + 24) == 0.75);
    const struct request plain = {.op = OP_PALETTE,
                                  .model = "arm.glb",
                                  .pose.times_s = (const double[]){0.5, 0.75, 1.25},
                                  .pose.time_count = 3,
                                  .what = WHAT_SCENE,
                                  .format = FORMAT_BIN};
    wire_answer(wire_model(), &plain, &whole);
    const uint64_t a = get_u64(bytes + 32), b = get_u64(whole.body.data + 32);
    assert_true(get_u64(bytes + 48) == part.body.size_bytes);
    assert_int_equal(part.body.size_bytes - a, whole.body.size_bytes - b);
    assert_memory_equal(bytes + a, whole.body.data + b, part.body.size_bytes - a);
    reply_fini(&part);
    reply_fini(&whole);
}

static void check_refused(struct request_span span, bool is_rest, const char *message)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    cJSON *root;
    request.pose.span = span;
    if (is_rest)
        request.pose.clip.kind = SELECT_REST;
    const cJSON *error = wire_answer_error(wire_model(), &request, ERR_BAD_PARAMETER, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, message);
    cJSON_Delete(root);
}

TEST(answer_span_behind_the_end_is_refused)
{
    check_refused((struct request_span){.has_to = true, .to = 2.001}, false,
                  "parameter 'to' is 2.001 s; the clip ends at 2 s");
    check_refused((struct request_span){.has_from = true, .from = 3}, false,
                  "parameter 'from' is 3 s; the clip ends at 2 s");
    check_refused((struct request_span){.has_to = true, .to = 90, .has_fps = true, .fps = 30}, false,
                  "parameter 'to' is frame 90, which is 3 s; the clip ends at 2 s, frame 60");
    check_refused((struct request_span){.has_to = true, .to = 1e300, .has_fps = true, .fps = 1e-300}, false,
                  "parameter 'to' is frame 1e+300, which is inf s; the clip ends at 2 s, frame 2e-300");
    check_refused((struct request_span){.has_to = true, .to = 1}, true, "parameter 'to' is 1 s; the clip ends at 0 s");
}

TEST(answer_span_takes_an_end_that_rounding_moved)
{
    struct request request = wire_request(OP_POSE, TIMES, 1);
    struct clip_span span;
    struct err err;
    request.pose.span = (struct request_span){.has_from = true, .has_to = true, .from = 2.00009, .to = 2.00009};
    assert_int_equal(span_resolve(&request.pose, 2, &span, &err), 0);
    assert_true(span.from_s == 2 && span.to_s == 2);
}
