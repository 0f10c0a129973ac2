/* From packets to requests: an equivalent packet and query give the same request, and invalid packets are refused. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include "base/bytes.h"
#include "wire/packet/packet_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct packet_model MODEL = {.path = "birds/crow.fbx"};

static struct limits limits;

/* A payload under construction. */
struct bytes {
    char data[1024];
    uint32_t size;
};

static void put_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i);
}

static void put_f64(char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, (uint32_t)bits);
    put_u32(at + 4, (uint32_t)(bits >> 32));
}

/* A query that says nothing: clip -2, mesh and root -1. */
static struct bytes a_query(uint32_t size)
{
    struct bytes query = {.size = size};
    limits_default(&limits);
    put_u32(query.data + PACKET_AT_QUERY_clip, (uint32_t)-2);
    put_u32(query.data + PACKET_AT_QUERY_mesh, (uint32_t)-1);
    put_u32(query.data + PACKET_AT_QUERY_root, (uint32_t)-1);
    return query;
}

static void add_time(struct bytes *query, double time_s)
{
    put_f64(query->data + query->size, time_s);
    query->size += 8;
    query->data[PACKET_AT_QUERY_time_count]++;
}

static void add_index(struct bytes *query, uint32_t index)
{
    put_u32(query->data + query->size, index);
    query->size += 4;
    query->data[PACKET_AT_QUERY_index_count]++;
}

static void set_flag(struct bytes *query, uint32_t flag)
{
    put_u32(query->data + PACKET_AT_QUERY_flags, get_u32(query->data + PACKET_AT_QUERY_flags) | flag);
}

static int read_packet(struct request *request, unsigned kind, const struct bytes *payload,
                       const struct packet_model *model, size_t *bad_at, struct err *err)
{
    /* a block of its own, so that a read behind its end is seen */
    char *copy = malloc(payload->size + 1);
    assert_non_null(copy);
    memcpy(copy, payload->data, payload->size);
    const struct packet packet = {.kind = (uint16_t)kind, .payload_bytes = payload->size, .payload = copy};
    const int rc = packet_read_request(request, &packet, model, &limits, bad_at, err);
    free(copy);
    return rc;
}

/* The packet means what the target does. */
static void check_same(unsigned kind, const struct bytes *payload, const char *target)
{
    struct request of_packet = {0}, of_query = parse_request(target);
    struct err err = {0};
    size_t bad_at;
    if (read_packet(&of_packet, kind, payload, &MODEL, &bad_at, &err) < 0)
        fail_msg("%s: the packet: %s", target, err.message);
    assert_int_equal(of_packet.op, of_query.op);
    assert_string_equal(of_packet.canonical, of_query.canonical);
    assert_int_equal(of_packet.pose.time_count, of_query.pose.time_count);
    request_fini(&of_packet);
    request_fini(&of_query);
}

static void check_error(unsigned kind, const struct bytes *payload, int code, size_t bad_at)
{
    struct request request = {0};
    struct err err = {0};
    size_t at = 0;
    const int rc = read_packet(&request, kind, payload, &MODEL, &at, &err);
    if (rc != code || at != bad_at)
        fail_msg("%d at %zu instead of %d at %zu: %s", rc, at, code, bad_at, err.message);
    request_fini(&request);
}

TEST(packet_palette_is_the_request_of_a_query)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    check_same(PACKET_PALETTE, &query, "/v1/palette?model=birds/crow.fbx&format=bin");
    query.data[PACKET_AT_QUERY_clip] = 3;
    memset(query.data + PACKET_AT_QUERY_clip + 1, 0, 3);
    query.data[PACKET_AT_QUERY_wrap] = 2;
    query.data[PACKET_AT_QUERY_layout] = 1;
    query.data[PACKET_AT_QUERY_space] = 2;
    put_u32(query.data + PACKET_AT_QUERY_mesh, 5);
    add_time(&query, 0.1);
    add_time(&query, -7);
    add_time(&query, 1e300);
    add_index(&query, 2);
    add_index(&query, 0);
    check_same(PACKET_PALETTE, &query,
               "/v1/palette?model=birds/crow.fbx&clip=3&wrap=mirror&layout=mat3x4&space=mesh&mesh=5&t=0.1,-7,1e300"
               "&skin=2,0&format=bin");
    set_flag(&query, PACKET_QUERY_JSON);
    check_same(PACKET_PALETTE, &query,
               "/v1/palette?model=birds/crow.fbx&clip=3&wrap=mirror&layout=mat3x4&space=mesh&mesh=5&t=0.1,-7,1e300"
               "&skin=2,0");
}

TEST(packet_pose_is_the_request_of_a_query)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    put_u32(query.data + PACKET_AT_QUERY_clip, (uint32_t)-1);
    query.data[PACKET_AT_QUERY_what] = 3;
    query.data[PACKET_AT_QUERY_layout] = 2;
    add_index(&query, 4);
    check_same(PACKET_POSE, &query,
               "/v1/pose?model=birds/crow.fbx&clip=-&what=local,scene&layout=dualquat&joints=4&format=bin");
    query.data[PACKET_AT_QUERY_what] = 1;
    set_flag(&query, PACKET_QUERY_ROOT_MOTION | PACKET_QUERY_TURN);
    put_u32(query.data + PACKET_AT_QUERY_root, 8);
    check_same(PACKET_POSE, &query,
               "/v1/pose?model=birds/crow.fbx&clip=-&what=local&layout=dualquat&joints=4&format=bin"
               "&root_motion=extract&yaw=1&root=8");
}

TEST(packet_mesh_is_the_request_of_a_query)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    put_u32(query.data + PACKET_AT_QUERY_mesh, 1);
    set_flag(&query, PACKET_QUERY_INDICES | PACKET_QUERY_NORMALS | PACKET_QUERY_REST);
    check_same(PACKET_MESH, &query, "/v1/mesh?model=birds/crow.fbx&mesh=1&indices=1&normals=1&rest=1&format=bin");
    query = a_query(PACKET_AT_QUERY_times);
    set_flag(&query, PACKET_QUERY_GLB | PACKET_QUERY_NO_TEXTURES);
    check_same(PACKET_MESH, &query, "/v1/mesh?model=birds/crow.fbx&format=glb&textures=none");
}

TEST(packet_span_and_range_are_those_of_a_query)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    set_flag(&query, PACKET_QUERY_FROM | PACKET_QUERY_TO | PACKET_QUERY_SPEED | PACKET_QUERY_PHASE);
    put_f64(query.data + PACKET_AT_QUERY_from_s, 0.1);
    put_f64(query.data + PACKET_AT_QUERY_to_s, 1.0 / 3);
    put_f64(query.data + PACKET_AT_QUERY_speed, -2.5);
    put_f64(query.data + PACKET_AT_QUERY_phase, 0.75);
    set_flag(&query, PACKET_QUERY_RANGE);
    add_time(&query, 0.5);
    add_time(&query, 2);
    add_time(&query, 30);
    check_same(PACKET_PALETTE, &query,
               "/v1/palette?model=birds/crow.fbx&from=0.1&to=0.3333333333333333&speed=-2.5&phase=0.75&t=0.5:2:30"
               "&format=bin");
}

static struct bytes a_picture(void)
{
    struct bytes query = a_query(PACKET_AT_RENDER_times);
    put_u32(query.data + PACKET_AT_RENDER_width, 320);
    put_u32(query.data + PACKET_AT_RENDER_height, 200);
    put_f64(query.data + PACKET_AT_RENDER_yaw_deg, -30.25);
    put_f64(query.data + PACKET_AT_RENDER_pitch_deg, 12);
    memcpy(query.data + PACKET_AT_RENDER_background, "\x10\x20\xff\x80", 4);
    return query;
}

TEST(packet_render_is_the_request_of_a_query)
{
    struct bytes query = a_picture();
    add_time(&query, 0.5);
    check_same(PACKET_RENDER, &query,
               "/v1/render?model=birds/crow.fbx&width=320&height=200&yaw=-30.25&pitch=12&background=1020ff80&t=0.5");
    query = a_query(PACKET_AT_RENDER_times);
    check_same(PACKET_RENDER, &query, "/v1/render?model=birds/crow.fbx&yaw=0&pitch=0");
    set_flag(&query, PACKET_QUERY_ROOT_MOTION | PACKET_QUERY_TURN);
    check_same(PACKET_RENDER, &query, "/v1/render?model=birds/crow.fbx&yaw=0&pitch=0&root_motion=extract&root_yaw=1");
}

TEST(packet_generation_is_a_hash)
{
    const struct packet_model model = {.path = "crow.fbx", .hash = HASH};
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    struct request request = {0};
    struct err err;
    size_t bad_at;
    assert_int_equal(read_packet(&request, PACKET_PALETTE, &query, &model, &bad_at, &err), 0);
    assert_string_equal(request.hash, HASH);
    assert_string_equal(request.model, "crow.fbx");
    request_fini(&request);
}

/* --- malformed requests --- */

TEST(packet_query_of_another_size_is_malformed)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    add_time(&query, 0.5);
    add_index(&query, 1);
    const uint32_t size = query.size;
    for (query.size = 0; query.size <= size + 8; query.size++)
        if (query.size != size)
            check_error(PACKET_PALETTE, &query, ERR_BAD_REQUEST, PACKET_AT_HEADER_payload_bytes);
    query.size = size;
    memset(query.data + PACKET_AT_QUERY_time_count, -1, 8); /* 2^32 - 1 times and indices */
    check_error(PACKET_PALETTE, &query, ERR_BAD_REQUEST, PACKET_AT_HEADER_payload_bytes);
}

TEST(packet_fields_that_are_reserved_are_zero)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    query.data[PACKET_AT_QUERY_reserved + 3] = 1;
    check_error(PACKET_PALETTE, &query, ERR_BAD_REQUEST, PACKET_HEADER_BYTES + PACKET_AT_QUERY_reserved + 3);
    query = a_query(PACKET_AT_QUERY_times);
    query.data[PACKET_AT_QUERY_speed + 7] = 1; /* without its flag */
    check_error(PACKET_PALETTE, &query, ERR_BAD_REQUEST, PACKET_HEADER_BYTES + PACKET_AT_QUERY_speed + 7);
    query = a_picture();
    query.data[PACKET_AT_RENDER_reserved] = 1;
    check_error(PACKET_RENDER, &query, ERR_BAD_REQUEST, PACKET_HEADER_BYTES + PACKET_AT_RENDER_reserved);
}

/* --- well-formed but wrong requests --- */

static void check_refused_byte(unsigned kind, size_t at, int value, int code)
{
    struct bytes query = a_query(kind == PACKET_RENDER ? PACKET_AT_RENDER_times : PACKET_AT_QUERY_times);
    query.data[at] = (char)value;
    check_error(kind, &query, code, PACKET_NOT_MALFORMED);
}

TEST(packet_words_out_of_range_are_refused)
{
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_wrap, 3, ERR_BAD_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_layout, 3, ERR_BAD_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_space, 255, ERR_BAD_PARAMETER);
    check_refused_byte(PACKET_POSE, PACKET_AT_QUERY_what, 4, ERR_BAD_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_flags + 3, 1, ERR_UNKNOWN_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_clip, 0xf0, ERR_BAD_PARAMETER); /* -16 */
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_mesh, 0xf0, ERR_BAD_PARAMETER);
}

TEST(packet_takes_only_what_its_operation_takes)
{
    check_refused_byte(PACKET_MESH, PACKET_AT_QUERY_layout, 1, ERR_UNKNOWN_PARAMETER);
    check_refused_byte(PACKET_POSE, PACKET_AT_QUERY_space, 1, ERR_UNKNOWN_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_what, 1, ERR_UNKNOWN_PARAMETER);
    check_refused_byte(PACKET_RENDER, PACKET_AT_QUERY_layout, 1, ERR_UNKNOWN_PARAMETER);
    check_refused_byte(PACKET_PALETTE, PACKET_AT_QUERY_flags, (char)PACKET_QUERY_INDICES, ERR_UNKNOWN_PARAMETER);
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    add_index(&query, 0);
    check_error(PACKET_MESH, &query, ERR_UNKNOWN_PARAMETER, PACKET_NOT_MALFORMED);
    query = a_query(PACKET_AT_QUERY_times);
    set_flag(&query, PACKET_QUERY_TURN); /* without root_motion, as in HTTP */
    check_error(PACKET_PALETTE, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
    query = a_query(PACKET_AT_RENDER_times);
    set_flag(&query, PACKET_QUERY_JSON);
    check_error(PACKET_RENDER, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
}

TEST(packet_numbers_are_finite_and_limited)
{
    static const double BAD[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct bytes query = a_query(PACKET_AT_QUERY_times);
        add_time(&query, BAD[i]);
        check_error(PACKET_PALETTE, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
        query = a_query(PACKET_AT_QUERY_times);
        set_flag(&query, PACKET_QUERY_SPEED);
        put_f64(query.data + PACKET_AT_QUERY_speed, BAD[i]);
        check_error(PACKET_PALETTE, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
    }
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    set_flag(&query, PACKET_QUERY_RANGE);
    check_error(PACKET_PALETTE, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED); /* a range of no numbers */
    add_time(&query, 0);
    add_time(&query, 1e9);
    add_time(&query, 1e9);
    check_error(PACKET_PALETTE, &query, ERR_TOO_MANY_FRAMES, PACKET_NOT_MALFORMED);
    query = a_picture();
    put_u32(query.data + PACKET_AT_RENDER_width, 100000);
    check_error(PACKET_RENDER, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
    query = a_picture();
    put_f64(query.data + PACKET_AT_RENDER_pitch_deg, 91);
    check_error(PACKET_RENDER, &query, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
    query = a_query(PACKET_AT_QUERY_times);
    limits.value[LIMIT_FRAMES] = 1;
    add_time(&query, 0);
    add_time(&query, 0);
    check_error(PACKET_PALETTE, &query, ERR_TOO_MANY_FRAMES, PACKET_NOT_MALFORMED);
}

TEST(packet_without_model_is_refused)
{
    struct bytes query = a_query(PACKET_AT_QUERY_times);
    struct request request = {0};
    struct err err;
    size_t bad_at;
    assert_int_equal(read_packet(&request, PACKET_PALETTE, &query, NULL, &bad_at, &err), ERR_MODEL_NOT_FOUND);
    request_fini(&request);
}

/* --- open, find, call --- */

static struct bytes a_text(size_t fixed, const char *text, size_t size)
{
    struct bytes bytes = {.size = (uint32_t)(fixed + size)};
    limits_default(&limits);
    memcpy(bytes.data + fixed, text, size);
    return bytes;
}

TEST(packet_open_takes_paths_as_http_does)
{
    struct bytes open = a_text(0, "a/\xc3\xa4.glb", 8);
    struct request request = {0};
    struct err err;
    size_t bad_at;
    assert_int_equal(read_packet(&request, PACKET_OPEN, &open, NULL, &bad_at, &err), 0);
    assert_string_equal(request.model, "a/\xc3\xa4.glb");
    assert_int_equal(request.op, OP_OPEN);
    request_fini(&request);
    static const char *const BAD[] = {"", "/etc/passwd", "../x.glb", "a//b", "a/./b", "\xc3.glb"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        open = a_text(0, BAD[i], strlen(BAD[i]));
        check_error(PACKET_OPEN, &open, ERR_BAD_PATH, PACKET_NOT_MALFORMED);
    }
    open = a_text(0, "a\0b", 3);
    check_error(PACKET_OPEN, &open, ERR_BAD_PATH, PACKET_NOT_MALFORMED);
}

TEST(packet_find_names_a_thing)
{
    struct bytes find = a_text(PACKET_AT_FIND_name, "7", 1);
    struct request request = {0};
    struct err err;
    size_t bad_at;
    find.data[PACKET_AT_FIND_what] = FIND_NODE;
    assert_int_equal(read_packet(&request, PACKET_FIND, &find, &MODEL, &bad_at, &err), 0);
    assert_int_equal(request.find, FIND_NODE);
    assert_int_equal(request.found.kind, SELECT_NAME);
    assert_string_equal(request.found.name, "7");
    request_fini(&request);
    find.data[PACKET_AT_FIND_by] = 1; /* and then there is no name */
    check_error(PACKET_FIND, &find, ERR_BAD_REQUEST, PACKET_AT_HEADER_payload_bytes);
    find.size = PACKET_AT_FIND_name;
    find.data[PACKET_AT_FIND_index] = 9;
    assert_int_equal(read_packet(&request, PACKET_FIND, &find, &MODEL, &bad_at, &err), 0);
    assert_int_equal(request.found.index, 9);
    request_fini(&request);
    find.data[PACKET_AT_FIND_what] = 5;
    check_error(PACKET_FIND, &find, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
}

static struct bytes a_call(const char *target, const char *body)
{
    struct bytes call = a_text(PACKET_AT_CALL_target, target, strlen(target));
    memcpy(call.data + call.size, body, strlen(body));
    call.size += (uint32_t)strlen(body);
    call.data[PACKET_AT_CALL_method] = *body != '\0';
    put_u32(call.data + PACKET_AT_CALL_target_bytes, (uint32_t)strlen(target));
    put_u32(call.data + PACKET_AT_CALL_body_bytes, (uint32_t)strlen(body));
    return call;
}

TEST(packet_call_is_a_request_of_http)
{
    struct bytes call = a_call("/v1/pose?joints=a%20b", "");
    check_same(PACKET_CALL, &call, "/v1/pose?model=birds/crow.fbx&joints=a%20b");
    call = a_call("/v1/palette?clip=1", "{\"t\":[0,\"1:2:10\"],\"skin\":0}");
    check_same(PACKET_CALL, &call, "/v1/palette?model=birds/crow.fbx&clip=1&t=0,1:2:10&skin=0");
}

TEST(packet_call_refuses_what_http_refuses)
{
    struct bytes call = a_call("/v1/pose?model=other.glb", ""); /* the handle's is meant */
    check_error(PACKET_CALL, &call, ERR_DUPLICATE_PARAMETER, PACKET_NOT_MALFORMED);
    call = a_call("/v1/version", ""); /* takes no model */
    check_error(PACKET_CALL, &call, ERR_UNKNOWN_PARAMETER, PACKET_NOT_MALFORMED);
    call = a_call("/v1/pos", "");
    check_error(PACKET_CALL, &call, ERR_NOT_FOUND, PACKET_NOT_MALFORMED);
    call = a_call("v1/pose", "");
    check_error(PACKET_CALL, &call, ERR_BAD_REQUEST, PACKET_NOT_MALFORMED);
    call = a_call("/v1/pose?joints=a b", "");
    check_error(PACKET_CALL, &call, ERR_BAD_REQUEST, PACKET_NOT_MALFORMED);
    call = a_call("/v1/pose", "{");
    check_error(PACKET_CALL, &call, ERR_BAD_REQUEST, PACKET_NOT_MALFORMED);
    call = a_call("/v1/models/x.glb", "{}");
    check_error(PACKET_CALL, &call, ERR_METHOD_NOT_ALLOWED, PACKET_NOT_MALFORMED);
    call = a_call("/v1/pose", "");
    call.data[PACKET_AT_CALL_method] = 2;
    check_error(PACKET_CALL, &call, ERR_BAD_PARAMETER, PACKET_NOT_MALFORMED);
    memset(call.data + PACKET_AT_CALL_target_bytes, -1, 8);
    check_error(PACKET_CALL, &call, ERR_BAD_REQUEST, PACKET_AT_HEADER_payload_bytes);
}

/* --- streams --- */

static struct bytes a_stream(void)
{
    struct bytes stream = a_query(PACKET_AT_SUBSCRIBE_indices);
    stream.data[PACKET_AT_SUBSCRIBE_kind] = PACKET_POSE;
    put_f64(stream.data + PACKET_AT_SUBSCRIBE_rate, 30);
    put_f64(stream.data + PACKET_AT_SUBSCRIBE_position_s, 0.5);
    put_f64(stream.data + PACKET_AT_SUBSCRIBE_speed, -2);
    put_u32(stream.data + PACKET_AT_SUBSCRIBE_credit, 3);
    return stream;
}

static int subscribe(const struct bytes *payload, struct request *request, struct packet_subscribe *out, size_t *bad_at)
{
    struct err err;
    const struct packet packet = {.kind = PACKET_SUBSCRIBE, .payload_bytes = payload->size, .payload = payload->data};
    return packet_read_subscribe(request, &packet, &MODEL, &limits, out, bad_at, &err);
}

TEST(packet_subscribe_is_a_request_and_how_it_goes_on)
{
    struct bytes stream = a_stream();
    struct request request = {0};
    struct packet_subscribe how;
    size_t bad_at;
    add_index(&stream, 4);
    assert_int_equal(subscribe(&stream, &request, &how, &bad_at), 0);
    assert_int_equal(request.op, OP_POSE);
    assert_int_equal(request.format, FORMAT_BIN);
    assert_int_equal(request.pose.joints[0].index, 4);
    assert_int_equal(request.pose.time_count, 1);
    assert_true(request.pose.times_s[0] == 0.5);
    assert_true(how.rate == 30 && how.position_s == 0.5 && how.speed == -2 && how.credit == 3 && !how.is_paused);
    request_set_time(&request, 7);
    assert_true(request.pose.times_s[0] == 7);
    request_fini(&request);
}

TEST(packet_subscribe_refuses)
{
    static const struct {
        size_t at;
        double value;
    } NUMBERS[] = {{PACKET_AT_SUBSCRIBE_rate, -1},
                   {PACKET_AT_SUBSCRIBE_rate, 1001},
                   {PACKET_AT_SUBSCRIBE_rate, (double)NAN},
                   {PACKET_AT_SUBSCRIBE_position_s, (double)INFINITY},
                   {PACKET_AT_SUBSCRIBE_speed, -(double)INFINITY}};
    struct request request = {0};
    struct packet_subscribe how;
    size_t bad_at;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        struct bytes stream = a_stream();
        put_f64(stream.data + NUMBERS[i].at, NUMBERS[i].value);
        assert_int_equal(subscribe(&stream, &request, &how, &bad_at), ERR_BAD_PARAMETER);
        assert_int_equal(bad_at, PACKET_NOT_MALFORMED);
    }
    struct bytes stream = a_stream();
    stream.data[PACKET_AT_SUBSCRIBE_kind] = PACKET_RENDER;
    assert_int_equal(subscribe(&stream, &request, &how, &bad_at), ERR_BAD_PARAMETER);
    stream = a_stream();
    set_flag(&stream, PACKET_QUERY_JSON);
    assert_int_equal(subscribe(&stream, &request, &how, &bad_at), ERR_BAD_PARAMETER);
    stream = a_stream();
    add_time(&stream, 1);
    assert_int_equal(subscribe(&stream, &request, &how, &bad_at), ERR_BAD_PARAMETER);
    stream = a_stream();
    stream.size--;
    assert_int_equal(subscribe(&stream, &request, &how, &bad_at), ERR_BAD_REQUEST);
    assert_int_equal(bad_at, PACKET_AT_HEADER_payload_bytes);
    request_fini(&request);
}

TEST(packet_control_takes_what_its_flags_name)
{
    struct bytes bytes = {.size = 32};
    struct packet packet = {.kind = PACKET_CONTROL, .payload_bytes = 32, .payload = bytes.data};
    struct packet_control control;
    struct err err;
    size_t bad_at;
    limits_default(&limits);
    bytes.data[0] = 9;
    bytes.data[PACKET_AT_CONTROL_flags] = PACKET_CONTROL_SEEK | PACKET_CONTROL_PAUSE;
    put_f64(bytes.data + PACKET_AT_CONTROL_position_s, 1.5);
    assert_int_equal(packet_read_control(&packet, &limits, &control, &bad_at, &err), 0);
    assert_true(control.stream == 9 && control.position_s == 1.5);
    bytes.data[PACKET_AT_CONTROL_flags] = PACKET_CONTROL_RESUME;
    assert_int_equal(packet_read_control(&packet, &limits, &control, &bad_at, &err), ERR_BAD_REQUEST);
    assert_int_equal(bad_at, PACKET_HEADER_BYTES + PACKET_AT_CONTROL_position_s + 6);
    bytes.data[PACKET_AT_CONTROL_flags] = PACKET_CONTROL_SEEK | PACKET_CONTROL_PAUSE | PACKET_CONTROL_RESUME;
    assert_int_equal(packet_read_control(&packet, &limits, &control, &bad_at, &err), ERR_BAD_PARAMETER);
    bytes.data[PACKET_AT_CONTROL_flags] = PACKET_CONTROL_SEEK | 64;
    assert_int_equal(packet_read_control(&packet, &limits, &control, &bad_at, &err), ERR_UNKNOWN_PARAMETER);
}

TEST(packet_short_payloads_have_their_size)
{
    char bytes[16] = {5, 0, 0, 0, 2};
    uint32_t stream, number;
    struct err err;
    size_t bad_at;
    struct packet packet = {.kind = PACKET_CREDIT, .payload_bytes = 8, .payload = bytes};
    assert_int_equal(packet_read_numbers(&packet, &stream, &number, &bad_at, &err), 0);
    assert_true(stream == 5 && number == 2);
    packet.payload_bytes = 4;
    assert_int_equal(packet_read_numbers(&packet, &stream, &number, &bad_at, &err), ERR_BAD_REQUEST);
    packet.kind = PACKET_WATCH;
    assert_int_equal(packet_read_numbers(&packet, &stream, &number, &bad_at, &err), ERR_BAD_PARAMETER);
    packet.kind = PACKET_PING;
    assert_int_equal(packet_read_empty(&packet, &bad_at, &err), ERR_BAD_REQUEST);
    packet.payload_bytes = 0;
    assert_int_equal(packet_read_empty(&packet, &bad_at, &err), 0);
}
