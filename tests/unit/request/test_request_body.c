/* server/wire/request/request.h: JSON bodies, their equivalent GETs, and refused ones. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The body lies in a block of its own size, so that reading past it is seen by ASan. */
static int parse_bytes(struct request *request, const char *target, const char *type, const char *body, size_t size,
                       struct err *err)
{
    struct limits limits;
    limits_default(&limits);
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, body, size);
    request_init(request);
    const struct request_head head = {.method = "POST",
                                      .target = target,
                                      .target_bytes = strlen(target),
                                      .if_none_match = "\"e\"",
                                      .content_type = type,
                                      .body = size == 0 ? NULL : copy,
                                      .body_bytes = size};
    const int rc = request_parse(request, &head, &limits, err);
    memset(copy, 'x', size);
    free(copy);
    return rc;
}

static int parse_body(struct request *request, const char *target, const char *body, struct err *err)
{
    return parse_bytes(request, target, "application/json", body, strlen(body), err);
}

static struct request parse(const char *target, const char *body)
{
    struct request request;
    struct err err = {0};
    if (parse_body(&request, target, body, &err) != 0)
        fail_msg("%s: %s", body, err.message);
    return request;
}

TEST(body_means_what_the_query_means)
{
    static const struct {
        const char *query, *body;
    } rows[] = {
        {"/v1/pose?model=a", "{\"model\":\"a\"}"},
        {"/v1/pose?model=a%2Fb%C3%A4", "{\"model\":\"a\\/b\\u00e4\"}"},
        {"/v1/pose?model=a&clip=3&t=0.1,2,-1e-7", "{\"clip\":3,\"t\":[0.1,2.0,-1e-7],\"model\":\"a\"}"},
        {"/v1/pose?model=a&clip=3&t=1:2:4&t=9", "{\"clip\":\"3\",\"t\":[\"1:2:4\",\"9\"],\"model\":\"a\"}"},
        {"/v1/pose?model=a&clip_name=3&t=0,0.5", "{\"clip_name\":\"3\",\"t\":\"0,0.5\",\"model\":\"a\"}"},
        {"/v1/pose?model=a&joints=1,b&joint_name=c,d&what=local,scene",
         "{\"model\":\"a\",\"joints\":[1,\"b\"],\"joint_name\":[\"c,d\"],\"what\":[\"local\",\"scene\"]}"},
        {"/v1/pose?model=a&subtree=1,b", "{\"model\":\"a\",\"subtree\":[1,\"b\"]}"},
        {"/v1/mesh?model=a&indices=1&normals=0&rest=1",
         "{\"model\":\"a\",\"indices\":true,\"normals\":false,\"rest\":1}"},
        {"/v1/palette?model=a&format=bin&layout=mat3x4&wrap=clamp&speed=-0.5&from=1&to=1000000",
         " {\"model\" : "
         "\"a\",\n\"format\":\"bin\",\"layout\":\"mat3x4\",\"wrap\":\"clamp\",\"speed\":-5e-1,\"from\":1e0,"
         "\"to\":1000000}\r\n"},
        {"/v1/render?model=a&width=256&yaw=30.25&background=ff0000",
         "{\"model\":\"a\",\"width\":2.56e2,\"yaw\":30.25,\"background\":\"ff0000\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[32], expected[PARSE_CANONICAL_SIZE];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(rows[i].query, "?"), rows[i].query);
        parse_canonical(rows[i].query, NULL, expected);
        struct request r = parse(path, rows[i].body);
        if (strcmp(r.canonical, expected) != 0)
            fail_msg("%s is not %s", rows[i].body, rows[i].query);
        assert_null(r.if_none_match); /* of GET and HEAD only */
        request_fini(&r);
    }
}

TEST(body_and_query_add_up)
{
    char expected[PARSE_CANONICAL_SIZE];
    struct err err;
    struct request r = parse("/v1/pose?model=a&clip=b", "{\"t\":[1,2]}");
    parse_canonical("/v1/pose?model=a&clip=b&t=1,2", NULL, expected);
    assert_string_equal(r.canonical, expected);
    request_fini(&r);
    assert_int_equal(parse_body(&r, "/v1/pose?model=a&t=1", "{\"t\":2}", &err), ERR_DUPLICATE_PARAMETER);
    request_fini(&r);
}

static const struct refused {
    const char *path, *body;
    int code;
    const char *part;
} REFUSED[] = {
    {"/v1/pose", "", ERR_BAD_REQUEST, "needs a JSON object"},
    {"/v1/pose", "[]", ERR_BAD_REQUEST, "must be a JSON object"},
    {"/v1/pose", "{\"model\":\"a\"}x", ERR_BAD_REQUEST, "byte 13"},
    {"/v1/pose", "{\"model\":\"a\"}{}", ERR_BAD_REQUEST, "byte 13"},
    {"/v1/pose", "\xef\xbb\xbf{\"model\":\"a\"}", ERR_BAD_REQUEST, "byte 0"},
    {"/v1/pose", "{\"model\":\"\xff\"}", ERR_BAD_REQUEST, "UTF-8"},
    {"/v1/pose", "{\"model\":\"a\\u0000b\"}", ERR_BAD_REQUEST, "NUL"},
    {"/v1/pose", "{\"model\":\"\\uzzzz\"}", ERR_BAD_REQUEST, "four hex digits"},
    {"/v1/pose", "{\"model\":\"\\ud800\"}", ERR_BAD_REQUEST, "not JSON"},
    {"/v1/pose", "{\"model\":\"\\x\"}", ERR_BAD_REQUEST, "backslash"},
    {"/v1/pose", "{\"model\":\"a\tb\"}", ERR_BAD_REQUEST, "control character"},
    {"/v1/pose", "{\"model\":\"a\",\x01\"t\":1}", ERR_BAD_REQUEST, "cannot stand there"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":01}", ERR_BAD_REQUEST, "malformed number"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":1.}", ERR_BAD_REQUEST, "malformed number"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":.5}", ERR_BAD_REQUEST, "cannot stand there"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":1e}", ERR_BAD_REQUEST, "malformed number"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":+1}", ERR_BAD_REQUEST, "cannot stand there"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":NaN}", ERR_BAD_REQUEST, "cannot stand there"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":nan}", ERR_BAD_REQUEST, "not JSON"},
    {"/v1/pose", "{\"model\":\"a\",}", ERR_BAD_REQUEST, "not JSON"},
    {"/v1/pose", "{\"model\":\"a\"]", ERR_BAD_REQUEST, "not JSON"},
    {"/v1/pose", "]", ERR_BAD_REQUEST, "byte 0: a character that cannot stand there"},
    {"/v1/pose", "{\"model\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}", ERR_BAD_REQUEST, "deeper than 16"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":1e999}", ERR_BAD_PARAMETER, "too large for a double"},
    {"/v1/pose", "{\"model\":null}", ERR_BAD_PARAMETER, "is null"},
    {"/v1/pose", "{\"model\":{}}", ERR_BAD_PARAMETER, "an object"},
    {"/v1/pose", "{\"model\":[\"a\"]}", ERR_BAD_PARAMETER, "takes no list"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[]}", ERR_BAD_PARAMETER, "empty list"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[[1]]}", ERR_BAD_PARAMETER, "list within a list"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":true}", ERR_BAD_PARAMETER, "'t'"},
    {"/v1/pose", "{\"model\":\"a\",\"model\":\"a\"}", ERR_DUPLICATE_PARAMETER, "'model'"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":1,\"t\":2}", ERR_DUPLICATE_PARAMETER, "'t'"},
    {"/v1/pose", "{\"Model\":\"a\"}", ERR_UNKNOWN_PARAMETER, "did you mean 'model'?"},
    {"/v1/pose", "{\"model\":\"a\",\"layer\":[]}", ERR_UNKNOWN_PARAMETER, "did you mean 'layers'?"},
    {"/v1/pose", "{\"model\":\"a\",\"weight\":1}", ERR_UNKNOWN_PARAMETER, "a layer"},
    {"/v1/pose", "{\"t\":1}", ERR_MISSING_PARAMETER, "'model'"},
    {"/v1/pose", "{\"model\":\"../a\"}", ERR_BAD_PATH, "'..'"},
    {"/v1/render", "{\"model\":\"a\",\"width\":1.5}", ERR_BAD_PARAMETER, "width"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":{}}", ERR_BAD_PARAMETER, "must be a list of objects"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[]}", ERR_BAD_PARAMETER, "1 to 16"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[1]}", ERR_BAD_PARAMETER, "layers[0] is no object"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{},{\"wieght\":1}]}", ERR_UNKNOWN_PARAMETER,
     "layers[1]: unknown parameter 'wieght'; did you mean 'weight'?"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"model\":\"b\"}]}", ERR_UNKNOWN_PARAMETER, "a layer does not take"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"weight\":-1}]}", ERR_BAD_PARAMETER, "0 to 1000"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"weight\":1.5,\"mode\":\"additive\"}]}", ERR_BAD_PARAMETER,
     "at most 1"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[1,2,3],\"layers\":[{},{\"weight\":[0,1]}]}", ERR_BAD_PARAMETER,
     "layers[1]: parameter 'weight' has 2 numbers for 3 frames; it takes one, or as many"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[1,2,3],\"layers\":[{},{\"weight\":[0,1,1001]}]}", ERR_BAD_PARAMETER,
     "layers[1]: parameter 'weight' is '1001' at place 2; it must be a number from 0 to 1000"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[1,2],\"layers\":[{\"weight\":[0,1e999]}]}", ERR_BAD_PARAMETER,
     "layers[0]: parameter 'weight' is a number too large"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[1,2],\"layers\":[{\"weight\":[0,\"nan\"]}]}", ERR_BAD_PARAMETER,
     "'nan' at place 1"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"weight\":[]}]}", ERR_BAD_PARAMETER, "empty list"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"weight\":[[1]]}]}", ERR_BAD_PARAMETER, "list within a list"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"weight\":null}]}", ERR_BAD_PARAMETER, "is null"},
    {"/v1/pose", "{\"model\":\"a\",\"t\":[1,2],\"layers\":[{\"weight\":[1,1.5],\"mode\":\"additive\"}]}",
     ERR_BAD_PARAMETER, "layers[0]: parameter 'weight' is 1.5 at place 1; of an additive layer it is at most 1"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"mode\":\"add\"}]}", ERR_BAD_PARAMETER,
     "override, additive or replace"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"reference\":{}}]}", ERR_BAD_PARAMETER, "needs mode additive"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":7}]}", ERR_BAD_PARAMETER,
     "must be an object"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{\"t\":[1,2]}}]}",
     ERR_BAD_PARAMETER, "takes one time"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{\"weight\":1}}]}",
     ERR_UNKNOWN_PARAMETER, "layers[0]: reference: a reference does not take 'weight'"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{\"t\":[1,2]}]}", ERR_BAD_PARAMETER, "2 times for 1 frames"},
    {"/v1/pose", "{\"model\":\"a\",\"clip\":0,\"layers\":[{}]}", ERR_BAD_PARAMETER, "stands in the layers"},
    {"/v1/pose", "{\"model\":\"a\",\"speed\":2,\"layers\":[{}]}", ERR_BAD_PARAMETER, "stands in the layers"},
    {"/v1/pose", "{\"model\":\"a\",\"layers\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}", ERR_BAD_PARAMETER,
     "1 to 16"},
    {"/v1/query", "{}", ERR_MISSING_PARAMETER, "'queries'"},
    {"/v1/query", "{\"queries\":[]}", ERR_BAD_PARAMETER, "1 to 256"},
    {"/v1/query", "{\"queries\":[3]}", ERR_BAD_PARAMETER, "queries[0] is no object"},
    {"/v1/query", "{\"queries\":[{}],\"model\":\"a\"}", ERR_UNKNOWN_PARAMETER, "does not take 'model'"},
};

TEST(body_refuses)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        struct request request;
        struct err err = {0};
        const int rc = parse_body(&request, REFUSED[i].path, REFUSED[i].body, &err);
        if (rc != REFUSED[i].code || err.code != rc)
            fail_msg("%s: %d (%s), expected %s", REFUSED[i].body, rc, err.message, err_name(REFUSED[i].code));
        if (strstr(err.message, REFUSED[i].part) == NULL)
            fail_msg("%s: '%s' is not in '%s'", REFUSED[i].body, REFUSED[i].part, err.message);
        request_fini(&request);
    }
}

TEST(body_needs_the_right_type)
{
    static const struct {
        const char *type;
        int code;
    } rows[] = {
        {NULL, 0},
        {"application/json", 0},
        {"Application/JSON; charset=utf-8", 0},
        {"application/json ;a", 0},
        {"application/jsonp", ERR_UNSUPPORTED_MEDIA_TYPE},
        {"application/json, text/plain", ERR_UNSUPPORTED_MEDIA_TYPE},
        {"application/x-www-form-urlencoded", 0},
        {"text/plain", ERR_UNSUPPORTED_MEDIA_TYPE},
    };
    const char *body = "{\"model\":\"a\"}";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request r;
        struct err err = {0};
        assert_int_equal(parse_bytes(&r, "/v1/pose", rows[i].type, body, strlen(body), &err), rows[i].code);
        request_fini(&r);
    }
}

TEST(body_layers)
{
    struct request r = parse("/v1/mesh", "{\"model\":\"a\",\"t\":[1,2],\"wrap\":\"clamp\",\"layers\":["
                                         "{\"clip\":\"walk\",\"t\":[3,4],\"weight\":[0.25,-0],\"except\":[\"x\"]},"
                                         "{\"clip\":1,\"mode\":\"additive\",\"wrap\":\"mirror\",\"t\":5,"
                                         "\"joints\":\"b\",\"subtree\":7,\"reference\":{\"clip\":\"-\",\"t\":0.5}}]}");
    assert_int_equal(r.pose.layer_count, 2);
    const struct request_pose *layer = &r.pose.layers[0];
    assert_string_equal(layer->clip.name, "walk");
    assert_string_equal(layer->model, "a");
    assert_int_equal(layer->time_count, 2);
    CHECK_NEAR(layer->times_s[1], 4, 0);
    assert_int_equal(layer->weight_count, 2);
    CHECK_NEAR(layer->weights[0], 0.25, 0);
    CHECK_NEAR(layer->weights[1], 0, 0);
    assert_false(signbit(layer->weights[1]));
    assert_int_equal(layer->mode, LAYER_OVERRIDE);
    assert_int_equal(layer->wrap, WRAP_CLAMP);
    assert_int_equal(layer->joint_count, 1);
    assert_int_equal(layer->joints[0].scope, BLEND_EXCEPT);
    assert_null(layer->reference);
    layer = &r.pose.layers[1];
    assert_int_equal(layer->clip.index, 1);
    assert_int_equal(layer->time_count, 1);
    assert_int_equal(layer->weight_count, 1);
    CHECK_NEAR(layer->weights[0], 1, 0);
    assert_int_equal(layer->mode, LAYER_ADDITIVE);
    assert_int_equal(layer->wrap, WRAP_MIRROR);
    assert_int_equal(layer->joint_count, 2);
    assert_string_equal(layer->joints[0].name, "b");
    assert_int_equal(layer->joints[0].scope, BLEND_NODE);
    assert_int_equal(layer->joints[1].index, 7);
    assert_int_equal(layer->joints[1].scope, BLEND_SUBTREE);
    assert_int_equal(layer->reference->clip.kind, SELECT_REST);
    CHECK_NEAR(layer->reference->times_s[0], 0.5, 0);
    request_fini(&r);
}

/* Whatever changes the pose changes the hash. */
TEST(body_canonical_covers_layers)
{
    static const char *const ROWS[] = {
        "{\"model\":\"a\"}",
        "{\"model\":\"a\",\"layers\":[{}]}",
        "{\"model\":\"a\",\"layers\":[{},{}]}",
        "{\"model\":\"a\",\"layers\":[{\"clip\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"clip\":1},{}]}",
        "{\"model\":\"a\",\"layers\":[{},{\"clip\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"t\":0}]}",
        "{\"model\":\"a\",\"layers\":[{\"t\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"wrap\":\"clamp\"}]}",
        "{\"model\":\"a\",\"layers\":[{\"wrap\":\"loop\"}],\"wrap\":\"clamp\"}",
        "{\"model\":\"a\",\"layers\":[{}],\"wrap\":\"clamp\"}",
        "{\"model\":\"a\",\"layers\":[{\"from\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"speed\":2}]}",
        "{\"model\":\"a\",\"layers\":[{\"weight\":0.5}]}",
        "{\"model\":\"a\",\"t\":[0,1],\"layers\":[{\"weight\":0.5}]}",
        "{\"model\":\"a\",\"t\":[0,1],\"layers\":[{\"weight\":[0.5,0.5]}]}",
        "{\"model\":\"a\",\"t\":[0,1],\"layers\":[{\"weight\":[0.5,0.25]}]}",
        "{\"model\":\"a\",\"t\":[0,1],\"layers\":[{\"weight\":[0.25,0.5]}]}",
        "{\"model\":\"a\",\"t\":[0,1],\"layers\":[{\"weight\":[0.25,0.5]},{\"weight\":[0.25,0.5]}]}",
        "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\"}]}",
        "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{}}]}",
        "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{\"clip\":\"-\"}}]}",
        "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{\"t\":1}}]}",
        "{\"model\":\"a\",\"layers\":[{\"mode\":\"additive\",\"reference\":{\"t\":1,\"wrap\":\"clamp\"}}]}",
        "{\"model\":\"a\",\"layers\":[{\"joints\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"joint_name\":\"1\"}]}",
        "{\"model\":\"a\",\"layers\":[{\"subtree\":1}]}",
        "{\"model\":\"a\",\"layers\":[{\"except\":1}]}",
    };
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    char canonical[COUNT][24];
    for (int i = 0; i < COUNT; i++) {
        struct request r = parse("/v1/pose", ROWS[i]);
        memcpy(canonical[i], r.canonical, sizeof canonical[i]);
        request_fini(&r);
        for (int j = 0; j < i; j++)
            if (strcmp(canonical[i], canonical[j]) == 0)
                fail_msg("%s and %s have the same hash", ROWS[i], ROWS[j]);
    }
}

TEST(body_queries_fail_alone)
{
    struct request r =
        parse("/v1/query", "{\"queries\":[{\"op\":\"pose\",\"model\":\"a\",\"t\":[1,2]},{\"model\":\"a\"},"
                           "{\"op\":\"render\",\"model\":\"a\"},{\"op\":\"palette\",\"model\":\"b\"},"
                           "{\"op\":\"pose\",\"model\":\"a\",\"format\":\"bin\"},"
                           "{\"op\":\"pose\",\"op\":\"pose\",\"model\":\"a\"},{\"op\":3},"
                           "{\"op\":\"pose\",\"model\":\"a\",\"t\":\"0:9999:1\"},"
                           "{\"op\":\"mesh\",\"model\":\"a\",\"layers\":[{\"x\":1}]},"
                           "{\"op\":\"model\",\"model\":\"c\"}]}");
    static const int CODES[] = {0,
                                ERR_MISSING_PARAMETER,
                                ERR_BAD_PARAMETER,
                                0,
                                ERR_BAD_PARAMETER,
                                ERR_DUPLICATE_PARAMETER,
                                ERR_BAD_PARAMETER,
                                ERR_TOO_MANY_FRAMES,
                                ERR_UNKNOWN_PARAMETER,
                                0};
    assert_int_equal(r.op, OP_QUERY);
    assert_int_equal(r.query_count, sizeof CODES / sizeof *CODES);
    for (uint32_t i = 0; i < r.query_count; i++)
        if (r.queries[i].err.code != CODES[i])
            fail_msg("query %u: %s", i, r.queries[i].err.message);
    assert_int_equal(r.queries[0].request.op, OP_POSE);
    assert_int_equal(r.queries[0].request.pose.time_count, 2);
    assert_int_equal(r.queries[3].request.op, OP_PALETTE);
    assert_string_equal(r.queries[3].request.model, "b");
    request_fini(&r);
}

TEST(body_limits)
{
    struct request r;
    struct err err = {0};
    const size_t count = 70000;
    char *body = malloc(2 * count + 64);
    assert_non_null(body);
    size_t at = (size_t)sprintf(body, "{\"model\":\"a\",\"t\":[1");
    for (size_t i = 0; i < count; i++, at += 2)
        memcpy(body + at, ",1", 2);
    memcpy(body + at, "]}", 3);
    assert_int_equal(parse_body(&r, "/v1/pose", body, &err), ERR_BODY_TOO_LARGE);
    request_fini(&r);
    free(body);
}

static const char WHOLE[] = "{\"model\":\"a/b\\u00e4\",\"t\":[1,-2.5e1,\"0:1:2\"],\"what\":\"local\",\"layers\":["
                            "{\"clip\":\"w\",\"weight\":0.5},{\"mode\":\"additive\",\"subtree\":[1,\"x\"],"
                            "\"reference\":{\"clip\":\"-\"}}]}";

TEST(body_cut_anywhere_is_refused)
{
    for (size_t size = 0; size < sizeof WHOLE - 1; size++) {
        struct request r;
        struct err err = {0};
        if (parse_bytes(&r, "/v1/pose", NULL, WHOLE, size, &err) != ERR_BAD_REQUEST)
            fail_msg("the first %zu bytes: %s", size, err.message);
        request_fini(&r);
    }
}

/* Any byte changed to any other: an error with a sentence, or a request that can be used. */
TEST(body_with_a_changed_byte_is_read_or_refused)
{
    char body[sizeof WHOLE];
    for (size_t i = 0; i < sizeof WHOLE - 1; i++)
        for (int c = 0; c < 256; c++) {
            struct request r;
            struct err err = {0};
            memcpy(body, WHOLE, sizeof body);
            body[i] = (char)c;
            const int rc = parse_bytes(&r, "/v1/pose", NULL, body, sizeof WHOLE - 1, &err);
            assert_true(rc == 0 ? strlen(r.canonical) == 16 : rc == err.code && err.message[0] != '\0');
            request_fini(&r);
        }
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(request_layers_have_clips_of_different_files)
{
    struct request r =
        parse("/v1/pose", "{\"model\":\"a\",\"clip_file\":\"b\",\"layers\":[{},{\"clip_file\":\"c\"},"
                          "{\"clip_file\":\"a\",\"mode\":\"additive\",\"reference\":{}},"
                          "{\"clip_file\":\"c\",\"mode\":\"additive\",\"reference\":{\"clip_file\":\"d\"}}]}");
    static const char *const PATHS[] = {"b", "c", "a", "d"};
    const uint32_t sources[] = {1, 2, 3, 2};
    assert_int_equal(r.source_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(r.sources[i].path, PATHS[i]);
        assert_int_equal(r.pose.layers[i].clip_source, sources[i]);
    }
    assert_int_equal(r.pose.clip_source, 1);
    assert_ptr_equal(r.pose.layers[0].clip_file, r.pose.clip_file); /* its own is said by another pointer */
    assert_ptr_equal(r.pose.layers[2].reference->clip_file, r.pose.layers[2].clip_file);
    assert_int_equal(r.pose.layers[2].reference->clip_source, 3);
    assert_int_equal(r.pose.layers[3].reference->clip_source, 4);
    request_fini(&r);
}

TEST(request_layers_with_hashes_of_their_files)
{
    struct request r = parse("/v1/pose", "{\"model\":\"a\",\"hash\":\"" HASH "\",\"layers\":[{\"clip_file\":\"c\"},"
                                         "{\"clip_file\":\"c\",\"clip_hash\":\"" HASH "\"}]}");
    assert_int_equal(r.source_count, 1);
    assert_string_equal(r.sources[0].hash, HASH);
    assert_true(request_names_content(&r));
    char named[24];
    memcpy(named, r.canonical, sizeof named);
    request_fini(&r);
    r = parse("/v1/pose", "{\"model\":\"a\",\"hash\":\"" HASH "\",\"layers\":[{\"clip_file\":\"c\"},"
                          "{\"clip_file\":\"c\"}]}");
    assert_false(request_names_content(&r));
    assert_string_not_equal(r.canonical, named);
    request_fini(&r);
}

TEST(request_clip_files_that_are_refused)
{
    static const char *const BODIES[][2] = {
        {"{\"model\":\"a\",\"clip_hash\":\"" HASH "\"}", "'clip_hash' needs 'clip_file'"},
        {"{\"model\":\"a\",\"clip_file\":\"b\",\"layers\":[{\"clip_hash\":\"" HASH "\"}]}", "layers[0]"},
        {"{\"model\":\"a\",\"layers\":[{\"clip_file\":\"b\",\"clip_hash\":\"12\"}]}", "64 hex digits"},
        {"{\"model\":\"a\",\"layers\":[{\"clip_file\":\"b\",\"clip_hash\":\"" HASH
         "\"},{\"clip_file\":\"b\",\"clip_hash\":\"f" HASH "\"}]}",
         "64 hex digits"},
        {"{\"model\":\"a\",\"layers\":[{\"clip_file\":\"b\",\"clip_hash\":\"" HASH
         "\"},{\"clip_file\":\"b\",\"clip_hash\":\"10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}]"
         "}",
         "'clip_hash' says of 'b'"},
        {"{\"model\":\"a\",\"layers\":[{\"clip_file\":\"../b\"}]}", "layers[0]"},
    };
    struct request r;
    struct err err;
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
        assert_true(parse_body(&r, "/v1/pose", BODIES[i][0], &err) < 0);
        if (strstr(err.message, BODIES[i][1]) == NULL)
            fail_msg("'%s' should say '%s'", err.message, BODIES[i][1]);
        request_fini(&r);
    }
}

/* 16 files are taken, 17 are not. */
TEST(request_clip_files_have_a_limit)
{
    for (int count = 16; count <= 17; count++) {
        char body[4096] = "{\"model\":\"a\",\"layers\":[";
        size_t at = strlen(body);
        for (int i = 0; i < count; i++)
            at += (size_t)snprintf(body + at, sizeof body - at,
                                   i % 2 == 0 ? "%s{\"mode\":\"additive\",\"clip_file\":\"%d\""
                                              : "%s,\"reference\":{\"clip_file\":\"%d\"}}",
                                   i % 2 == 0 && i > 0 ? "," : "", i);
        snprintf(body + at, sizeof body - at, count % 2 == 0 ? "]}" : "}]}");
        struct request r;
        struct err err = {0};
        const int rc = parse_body(&r, "/v1/pose", body, &err);
        if (rc != (count == 16 ? 0 : ERR_BAD_PARAMETER))
            fail_msg("%d files: %s", count, err.message);
        request_fini(&r);
    }
}
