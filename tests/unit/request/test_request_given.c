/* wire/request/request_given.h: given poses from binary frames and from JSON, before their nodes are looked up. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/record_bytes.h"

#include "anim/given/given_pose.h"
#include "wire/request/request_given.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct limits limits;

/* --- binary frames --- */

/* Two frames of the nodes 7 and 2, of which the second one is sheared, as /v1/pose?what=local answers. */
enum { BLOCKS = 96, TIMES = BLOCKS + 3 * 32, NODES = TIMES + 2 * 16, SHEARED = NODES + 16, FRAMES = SHEARED + 16 };
enum { FRAME_BYTES = 80, SIZE = FRAMES + 2 * FRAME_BYTES };

static void put_block(char *bytes, unsigned kind, bool is_once, unsigned count, unsigned item_bytes, unsigned offset)
{
    put(bytes, kind, 2);
    put(bytes + 2, is_once, 2);
    put(bytes + 8, UINT32_MAX, 4);
    put(bytes + 12, UINT32_MAX, 4);
    put(bytes + 16, count, 4);
    put(bytes + 20, item_bytes, 4);
    put(bytes + 24, offset, 8);
}

static void put_floats(char *bytes, const float *values, int count)
{
    memcpy(bytes, values, (size_t)count * sizeof *values); /* tests run on little-endian machines */
}

static void worked(char bytes[SIZE])
{
    static const float LOCALS[2][10] = {{1, 2, 3, 0, 0.6F, 0, 0.8F, 1, 2, 0.5F}, {4, 5, 6, 0, 0, 1, 0, 2, 2, 2}};
    memset(bytes, 0, SIZE);
    memcpy(bytes, "PSDF\1", 5);
    put(bytes + 8, NODES, 4);
    put(bytes + 12, 2, 2);
    put(bytes + 16, 2, 4);
    put(bytes + 20, 3, 4);
    put(bytes + 32, FRAMES, 8);
    put(bytes + 40, FRAME_BYTES, 8);
    put(bytes + 48, SIZE, 8);
    put_block(bytes + BLOCKS, 16, true, 2, 4, NODES);
    put_block(bytes + BLOCKS + 32, 17, true, 1, 4, SHEARED);
    put_block(bytes + BLOCKS + 64, 3, false, 2, 40, 0);
    for (int f = 0; f < 2; f++) {
        put_f64(bytes + TIMES + 16 * f, 0.25 + f);
        put_f64(bytes + TIMES + 16 * f + 8, 9 - f); /* clip times do not count */
        put_floats(bytes + FRAMES + f * FRAME_BYTES, LOCALS[f], 10);
    }
    put(bytes + NODES, 7, 4);
    put(bytes + NODES + 4, 2, 4);
    put(bytes + SHEARED, 1, 4);
}

/* In memory of its own, so that a byte read behind the end is seen by sanitizers. */
static int read_copy(const char *bytes, size_t size_bytes, struct request_given **given, struct err *err)
{
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = request_given_read_frames(given, copy, size_bytes, &limits, err);
    free(copy);
    return rc;
}

TEST(request_given_of_worked_bytes)
{
    char bytes[SIZE];
    struct request_given *given;
    struct err err;
    limits_default(&limits);
    worked(bytes);
    assert_int_equal(read_copy(bytes, SIZE, &given, &err), 0);
    assert_int_equal(given->node_count, 2);
    assert_int_equal(given->nodes[0].node.kind, SELECT_INDEX);
    assert_int_equal(given->nodes[0].node.index, 7);
    assert_int_equal(given->nodes[0].parts, GIVEN_WHOLE);
    assert_int_equal(given->nodes[1].node.index, 2);
    assert_int_equal(given->nodes[1].parts, 0);
    assert_int_equal(given->weight_count, 0);
    assert_int_equal(given->frame_count, 2);
    assert_int_equal(given->frame_values, 10);
    assert_false(given->is_from_rest);
    CHECK_NEAR(given->times_s[0], 0.25, 0);
    CHECK_NEAR(given->times_s[1], 1.25, 0);
    CHECK_NEAR(given->values[1], 2, 0);
    CHECK_NEAR(given->values[6], (double)0.8F, 0);
    CHECK_NEAR(given->values[10], 4, 0);
    CHECK_NEAR(given->values[19], 2, 0);
    request_given_free(given);
}

/* NaN in all numbers of a part gives nothing of it; without blocks of nodes they are numbered. */
TEST(request_given_of_other_worked_bytes)
{
    const float none[4] = {NAN, NAN, NAN, NAN};
    char bytes[SIZE];
    struct request_given *given;
    struct err err;
    limits_default(&limits);
    worked(bytes);
    put(bytes + BLOCKS, 250, 2); /* a kind that nobody knows */
    put(bytes + BLOCKS + 32, 251, 2);
    for (int f = 0; f < 2; f++) {
        put_floats(bytes + FRAMES + f * FRAME_BYTES, none, 3);
        put_floats(bytes + FRAMES + f * FRAME_BYTES + 12, none, 4);
        put_floats(bytes + FRAMES + f * FRAME_BYTES + 68, none, 3);
    }
    assert_int_equal(read_copy(bytes, SIZE, &given, &err), 0);
    assert_int_equal(given->node_count, 2);
    assert_int_equal(given->nodes[0].node.index, 0);
    assert_int_equal(given->nodes[0].parts, GIVEN_SCALE);
    assert_int_equal(given->nodes[1].node.index, 1);
    assert_int_equal(given->nodes[1].parts, GIVEN_TRANSLATION | GIVEN_ROTATION);
    assert_int_equal(given->frame_values, 10);
    CHECK_NEAR(given->values[1], 2, 0);
    CHECK_NEAR(given->values[3], 0, 0);
    request_given_free(given);
}

TEST(request_given_of_bytes_cut_anywhere)
{
    char bytes[SIZE];
    struct request_given *given;
    struct err err;
    limits_default(&limits);
    worked(bytes);
    for (size_t size = 0; size < SIZE; size++) {
        assert_int_equal(read_copy(bytes, size, &given, &err), ERR_BAD_REQUEST);
        assert_null(given);
        assert_non_null(strstr(err.message, "frames: "));
        put(bytes + 48, size < 56 ? SIZE : size, 8); /* the size says so, but the frames do not fit */
        if (size >= 56)
            assert_int_not_equal(read_copy(bytes, size, &given, &err), 0);
        put(bytes + 48, SIZE, 8);
    }
}

static void check(const struct request_given *given)
{
    uint32_t values = given->weight_count;
    for (uint32_t n = 0; n < given->node_count; n++)
        values += given_part_values(given->nodes[n].parts);
    assert_true(given->frame_count >= 1 && given->frame_count <= 2);
    assert_int_equal(given->frame_values, values > 0 ? values : 1);
    for (uint32_t f = 0; f < given->frame_count; f++)
        assert_true(isfinite(given->times_s[f]) && given->times_s[f] >= 0 &&
                    (f == 0 || given->times_s[f] > given->times_s[f - 1]));
}

/* Numbers, unknown kinds and what no reader needs may change; everything else is an error that says which byte. */
TEST(request_given_of_bytes_with_one_changed)
{
    static const unsigned char CHANGES[] = {1, 0x80, 0xff};
    char bytes[SIZE];
    unsigned taken = 0, refused = 0;
    limits_default(&limits);
    for (size_t at = 0; at < SIZE; at++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            struct request_given *given;
            struct err err;
            worked(bytes);
            bytes[at] = (char)(bytes[at] ^ CHANGES[c]);
            const int rc = read_copy(bytes, SIZE, &given, &err);
            if (rc == 0) {
                check(given);
                taken++;
            } else {
                assert_true(rc == ERR_BAD_REQUEST || rc == ERR_BAD_PARAMETER);
                assert_null(given);
                refused++;
            }
            request_given_free(given);
            if (at < 6 || (at >= 12 && at < 14) || (at >= 48 && at < 56))
                assert_int_equal(rc, ERR_BAD_REQUEST);
        }
    assert_true(taken > 300 && refused > 150);
}

TEST(request_given_limits_of_frames)
{
    char bytes[SIZE];
    struct request_given *given;
    struct err err;
    worked(bytes);
    limits_default(&limits);
    limits.value[LIMIT_GIVEN_VALUES] = 20;
    assert_int_equal(read_copy(bytes, SIZE, &given, &err), 0);
    request_given_free(given);
    limits.value[LIMIT_GIVEN_VALUES] = 19;
    assert_int_equal(read_copy(bytes, SIZE, &given, &err), ERR_TOO_MANY_FRAMES);
    assert_null(given);
    assert_non_null(strstr(err.message, "frame 1"));
    limits_default(&limits);
    limits.value[LIMIT_FRAMES] = 1;
    assert_int_equal(read_copy(bytes, SIZE, &given, &err), ERR_TOO_MANY_FRAMES);
    assert_null(given);
}

/* --- JSON --- */

static int read_json(const char *text, struct request_given **given, struct err *err)
{
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    limits_default(&limits);
    const int rc = request_given_read_json(given, json, &limits, err);
    cJSON_Delete(json);
    return rc;
}

static struct request_given *given_of(const char *text)
{
    struct request_given *given;
    struct err err;
    if (read_json(text, &given, &err) != 0)
        fail_msg("%s: %s", text, err.message);
    return given;
}

TEST(request_given_of_named_nodes)
{
    struct request_given *given =
        given_of("{\"nodes\":{\"a\":{\"scale\":[1,2,3],\"translation\":[4,5,6]},\"b\":{\"degrees\":[0,90,0]}},"
                 "\"relative_to\":\"rest\",\"morphs\":{\"smile\":0.5},\"expressions\":{\"happy\":0.25}}");
    assert_true(given->is_from_rest);
    assert_int_equal(given->node_count, 2);
    assert_string_equal(given->nodes[0].node.name, "a");
    assert_int_equal(given->nodes[0].node.name_bytes, 1);
    assert_int_equal(given->nodes[0].parts, GIVEN_TRANSLATION | GIVEN_SCALE);
    assert_int_equal(given->nodes[1].parts, GIVEN_ROTATION);
    assert_int_equal(given->frame_values, 12);
    static const double VALUES[] = {4, 5, 6, 1, 2, 3, 0, 0.7071067811865476, 0, 0.7071067811865476, 0.5, 0.25};
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(given->values[i], VALUES[i], 1e-15);
    assert_int_equal(given->weight_count, 2);
    assert_string_equal(given->weights[0].name, "smile");
    assert_null(given->weights[0].mesh);
    assert_false(given->weights[0].is_expression);
    assert_string_equal(given->weights[1].name, "happy");
    assert_true(given->weights[1].is_expression);
    assert_int_equal(request_given_names(given), 4);
    request_given_free(given);
}

TEST(request_given_of_frames)
{
    struct request_given *given = given_of(
        "{\"nodes\":[3,\"a\",{\"node\":9}],\"rate\":4,\"morphs\":[{\"target\":\"t\",\"mesh\":\"m\"}],\"frames\":["
        "{\"rotation\":[null,[0,0,0,2],null],\"local\":[[1,2,3,0,0,0,1,1,1,1],null,null],\"morphs\":[0.5]},"
        "{\"rotation\":[null,[0,0,2,0],null],\"local\":[[9,2,3,0,0,0,1,1,1,1],null,null],\"morphs\":[1]}]}");
    assert_int_equal(given->node_count, 3);
    assert_int_equal(given->nodes[0].node.index, 3);
    assert_int_equal(given->nodes[2].node.index, 9);
    assert_int_equal(given->nodes[0].parts, GIVEN_WHOLE);
    assert_int_equal(given->nodes[1].parts, GIVEN_ROTATION);
    assert_int_equal(given->nodes[2].parts, 0);
    assert_int_equal(given->frame_count, 2);
    assert_int_equal(given->frame_values, 15);
    CHECK_NEAR(given->times_s[1], 0.25, 0);
    CHECK_NEAR(given->values[13], 2, 0); /* its length becomes 1 later */
    CHECK_NEAR(given->values[15], 9, 0);
    CHECK_NEAR(given->values[29], 1, 0);
    assert_string_equal(given->weights[0].mesh, "m");
    request_given_free(given);
}

/* A single frame has no duration, whatever its time, so two that differ by it alone are one request. */
TEST(request_given_single_frame_has_no_duration)
{
    struct request_given *late = given_of("{\"nodes\":[3],\"frames\":[{\"time\":2.5,\"rotation\":[[0,0,0,1]]}]}");
    struct request_given *plain = given_of("{\"nodes\":[3],\"rotation\":[[0,0,0,1]]}");
    assert_int_equal(late->frame_count, 1);
    CHECK_NEAR(late->times_s[0], 0, 0);
    assert_true(late->hash == plain->hash);
    request_given_free(late);
    request_given_free(plain);
}

/* What says something else has another hash, and what says the same has the same. */
TEST(request_given_hashes)
{
    static const char *const OTHERS[] = {
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}}}",
        "{\"nodes\":{\"b\":{\"degrees\":[1,2,3]}}}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,4]}}}",
        "{\"nodes\":{\"a\":{\"scale\":[1,2,3]}}}",
        "{\"nodes\":{\"a\":{\"translation\":[1,2,3]}}}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"order\":\"zyx\"}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"relative_to\":\"rest\"}",
        "{\"nodes\":[0],\"degrees\":[[1,2,3]]}",
        "{\"nodes\":[1],\"degrees\":[[1,2,3]]}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"morphs\":{\"m\":0}}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"morphs\":{\"m\":1}}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"expressions\":{\"m\":0}}",
        "{\"morphs\":[\"m\"],\"frames\":[{\"morphs\":[1]},{\"morphs\":[2]}]}",
        "{\"morphs\":[\"m\"],\"frames\":[{\"morphs\":[1]},{\"morphs\":[2]}],\"rate\":10}",
        "{\"morphs\":[{\"target\":\"m\",\"mesh\":\"n\"}],\"frames\":[{\"morphs\":[1]},{\"morphs\":[2]}]}",
        "{\"morphs\":[{\"target\":\"m\",\"mesh\":\"\"}],\"frames\":[{\"morphs\":[1]},{\"morphs\":[2]}]}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"look\":{\"yaw\":1,\"pitch\":2}}",
        "{\"nodes\":{\"a\":{\"degrees\":[1,2,3]}},\"look\":{\"yaw\":2,\"pitch\":1}}",
    };
    enum { COUNT = sizeof OTHERS / sizeof *OTHERS };
    uint64_t hashes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        struct request_given *given = given_of(OTHERS[i]);
        hashes[i] = given->hash;
        request_given_free(given);
        for (int k = 0; k < i; k++)
            if (hashes[i] == hashes[k])
                fail_msg("%s has the hash of %s", OTHERS[i], OTHERS[k]);
    }
    static const char *const SAME[] = {
        "{\"nodes\":[\"a\"],\"degrees\":[[1,2,3]]}", "{\"order\":\"xyz\",\"nodes\":{\"a\":{\"degrees\":[1.0,2e0,3]}}}",
        "{\"nodes\":[\"a\"],\"frames\":[{\"time\":5,\"degrees\":[[1,2,3]]}],\"rate\":7}"};
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        struct request_given *given = given_of(SAME[i]);
        assert_true(given->hash == hashes[0]);
        request_given_free(given);
    }
}

/* Every text that ends early or has another character is refused, or a pose; never more. */
TEST(request_given_of_changed_texts)
{
    static const char TEXT[] =
        "{\"nodes\":[\"a\",{\"node\":1}],\"rate\":2,\"morphs\":[\"m\"],\"relative_to\":\"rest\",\"frames\":["
        "{\"degrees\":[[1,2,3],null],\"scale\":[null,[1,1,1]],\"morphs\":[0.5]},{\"degrees\":"
        "[[4,5,6],null],\"scale\":[null,[2,2,2]],\"morphs\":[1e0]}]}";
    static const char CHANGES[] = "0-9\"[]{}:,nxe";
    limits_default(&limits);
    unsigned taken = 0;
    for (size_t at = 0; at < sizeof TEXT - 1; at++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            char text[sizeof TEXT];
            struct request_given *given = NULL;
            struct err err;
            memcpy(text, TEXT, sizeof text);
            text[at] = CHANGES[c];
            cJSON *json = cJSON_Parse(text);
            if (json == NULL)
                continue;
            const int rc = request_given_read_json(&given, json, &limits, &err);
            assert_true(rc == 0 ? given != NULL : given == NULL && err.message[0] != '\0');
            if (rc == 0) {
                check(given);
                taken++;
            }
            request_given_free(given);
            cJSON_Delete(json);
        }
    assert_true(taken > 100);
}
