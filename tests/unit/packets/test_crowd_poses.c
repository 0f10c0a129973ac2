/* Given poses of binary crowds (protocol/crowd.md): worked bytes, which the C client writes too; cut or changed ones
 * are not accepted unchecked. */
#include "clients/c/posed.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/record_bytes.h"

#include "anim/given/given_pose.h"
#include "wire/request/crowd_request.h"

#include <stdlib.h>
#include <string.h>

static struct limits limits;

/* One entity with a layer that replaces by the second of two poses, of a model with a handle. The first pose turns node
 * 5; the second one has node 2 moved and scaled, and node 9 turned. */
enum { ENTITY = 64, LAYER = 88, MODEL = 128, WANTED = 176, POSES = 192, NODES = 224, NUMBERS = 248, SIZE = 304 };
enum { HEADER_BYTES = 32 }; /* of a packet */
static const float VALUES[14] = {0, 0.6F, 0, 0.8F, 1, 2, 3, 0.5F, 0.25F, 2, 0.8F, 0, 0, -0.6F};

static void worked(char bytes[SIZE])
{
    static const uint32_t PLACES[2][3] = {{0, 1, 0}, {1, 2, 4}}, PARTS[3][2] = {{5, 2}, {2, 1 + 4}, {9, 2}};
    memset(bytes, 0, SIZE);
    memcpy(bytes, "PSDC\1", 5);
    put(bytes + 8, SIZE, 4);
    put(bytes + 12, 1, 4);
    put(bytes + 16, 1, 4);
    put(bytes + 24, 1, 4);
    put(bytes + 36, 1, 4);
    put(bytes + 48, 2, 4);
    put(bytes + 52, 3, 4);
    put(bytes + 56, 14, 4);
    put(bytes + ENTITY + 8, 1, 2);
    put(bytes + ENTITY + 12, UINT32_MAX, 4);
    put(bytes + LAYER, 1, 4);
    put(bytes + LAYER + 4, UINT32_MAX, 4);
    put_f64(bytes + LAYER + 16, 0.75);
    bytes[LAYER + 25] = 2;
    put(bytes + MODEL, 7, 4);
    for (int p = 0; p < 2; p++)
        for (int f = 0; f < 3; f++)
            put(bytes + POSES + 16 * p + 4 * f, PLACES[p][f], 4);
    for (int n = 0; n < 3; n++) {
        put(bytes + NODES + 8 * n, PARTS[n][0], 4);
        put(bytes + NODES + 8 * n + 4, PARTS[n][1], 2);
    }
    for (int i = 0; i < 14; i++) {
        uint32_t bits;
        memcpy(&bits, &VALUES[i], sizeof bits);
        put(bytes + NUMBERS + 4 * i, bits, 4);
    }
}

/* In memory of its own, so that a byte read behind the end is seen by sanitizers. */
static int read_copy(const char *bytes, size_t size_bytes, struct crowd_request **crowd, size_t *bad_at)
{
    struct err err;
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    *crowd = NULL;
    const int rc = crowd_request_read(crowd, copy, size_bytes, &limits, bad_at, &err);
    free(copy);
    return rc;
}

TEST(crowd_poses_of_worked_bytes)
{
    char bytes[SIZE];
    struct crowd_request *crowd;
    size_t bad_at;
    limits_default(&limits);
    worked(bytes);
    assert_int_equal(read_copy(bytes, SIZE, &crowd, &bad_at), 0);
    assert_int_equal(crowd->layers[0].pose, 1);
    assert_int_equal(crowd->layers[0].clip, POSE_REST);
    assert_false(crowd->layers[0].is_additive);
    assert_true(crowd->layers[0].weight == 0.75);
    assert_int_equal(crowd->pose_count, 2);
    assert_int_equal(crowd->poses[0].node_count, 1);
    assert_int_equal(crowd->poses[0].number_count, 4);
    assert_int_equal(crowd->poses[0].nodes[0].node, 5);
    assert_int_equal(crowd->poses[1].node_count, 2);
    assert_int_equal(crowd->poses[1].number_count, 10);
    assert_int_equal(crowd->poses[1].nodes[0].node, 2);
    assert_int_equal(crowd->poses[1].nodes[0].parts, GIVEN_TRANSLATION | GIVEN_SCALE);
    assert_int_equal(crowd->poses[1].nodes[1].parts, GIVEN_ROTATION);
    assert_true(crowd->poses[1].numbers[2] == 3 && crowd->poses[1].numbers[9] == -0.6F);
    crowd_request_free(crowd);
    bytes[LAYER + 25] = 3;
    assert_int_equal(read_copy(bytes, SIZE, &crowd, &bad_at), 0);
    assert_true(crowd->layers[0].is_additive && crowd->layers[0].pose == 1);
    crowd_request_free(crowd);
    /* poses may share nodes and numbers */
    put(bytes + POSES, 1, 4);
    put(bytes + POSES + 4, 2, 4);
    put(bytes + POSES + 8, 4, 4);
    assert_int_equal(read_copy(bytes, SIZE, &crowd, &bad_at), 0);
    assert_ptr_equal(crowd->poses[0].nodes, crowd->poses[1].nodes);
    assert_ptr_equal(crowd->poses[0].numbers, crowd->poses[1].numbers);
    crowd_request_free(crowd);
}

TEST(crowd_poses_of_the_c_client_have_the_worked_bytes)
{
    static const struct posed_given_node TURNED[] = {{5, POSED_ROTATION}},
                                         MOVED[] = {{2, POSED_TRANSLATION | POSED_SCALE}, {9, POSED_ROTATION}};
    const struct posed_given_pose poses[] = {{TURNED, 1, VALUES}, {MOVED, 2, VALUES + 4}};
    const struct posed_model model = {.handle = 7}, *const models[] = {&model};
    struct posed_layer layer;
    posed_layer_init(&layer);
    layer.clip = 1;
    layer.weight = 0.75;
    layer.mode = POSED_REPLACE;
    layer.time_s = 3; /* of clips: without effect */
    layer.wrap = POSED_CLAMP;
    const struct posed_entity entity = {.layers = &layer, .layer_count = 1};
    const struct posed_crowd crowd = {
        .models = models, .entities = &entity, .poses = poses, .model_count = 1, .entity_count = 1, .pose_count = 2};
    char bytes[HEADER_BYTES + SIZE + 16], expected[SIZE];
    worked(expected);
    assert_int_equal(posed_write_crowd(bytes, sizeof bytes, 3, &crowd), HEADER_BYTES + SIZE);
    assert_memory_equal(bytes + HEADER_BYTES, expected, SIZE);
}

TEST(crowd_poses_that_are_cut_are_refused)
{
    char bytes[SIZE];
    limits_default(&limits);
    for (int has_size = 0; has_size < 2; has_size++)
        for (size_t size = 0; size < SIZE; size++) {
            struct crowd_request *crowd;
            size_t bad_at = 0;
            worked(bytes);
            if (has_size)
                put(bytes + 8, size, 4);
            if (read_copy(bytes, size, &crowd, &bad_at) != ERR_BAD_REQUEST)
                fail_msg("%zu bytes of %d are taken for a crowd", size, (int)SIZE);
            assert_null(crowd);
            assert_true(bad_at <= size);
        }
}

/* One field changed: the error, and of a broken form the byte. */
TEST(crowd_poses_that_are_wrong)
{
    enum { VALUE = -1 };
    static const struct {
        int at;
        uint64_t value;
        size_t size_bytes;
        int code, bad_at;
    } CASES[] = {
        {48, UINT32_MAX, 4, ERR_BAD_REQUEST, 8},
        {52, UINT32_MAX, 4, ERR_BAD_REQUEST, 8},
        {56, UINT32_MAX, 4, ERR_BAD_REQUEST, 8},
        {60, 1, 4, ERR_BAD_REQUEST, 60},
        {LAYER, 2, 4, ERR_BAD_PARAMETER, VALUE},
        {LAYER, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {LAYER, UINT32_C(0x80000000), 4, ERR_BAD_PARAMETER, VALUE},
        {LAYER + 8, 1, 8, ERR_BAD_REQUEST, LAYER + 8},
        {LAYER + 24, 1, 1, ERR_BAD_REQUEST, LAYER + 24},
        {LAYER + 25, 4, 1, ERR_BAD_PARAMETER, VALUE},
        {LAYER + 26, 1, 2, ERR_BAD_REQUEST, LAYER + 26},
        {LAYER + 28, 1, 4, ERR_BAD_REQUEST, LAYER + 28},
        {LAYER + 32, 1, 8, ERR_BAD_REQUEST, LAYER + 32},
        {POSES, 3, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 4, 0, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 4, 4, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 4, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 4, 3, 4, ERR_BAD_PARAMETER, VALUE}, /* nodes 5, 2, 9 */
        {POSES + 8, 11, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 8, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {POSES + 12, 1, 1, ERR_BAD_REQUEST, POSES + 12},
        {NODES + 4, 0, 2, ERR_BAD_PARAMETER, VALUE},
        {NODES + 4, 8, 2, ERR_BAD_PARAMETER, VALUE},
        {NODES + 6, 1, 2, ERR_BAD_REQUEST, NODES + 6},
        {NODES + 16, 2, 4, ERR_BAD_PARAMETER, VALUE}, /* the same node twice */
        {NODES + 20, 7, 2, ERR_BAD_PARAMETER, VALUE}, /* more numbers than there are */
    };
    limits_default(&limits);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char bytes[SIZE];
        struct crowd_request *crowd;
        size_t bad_at = 0;
        worked(bytes);
        put(bytes + CASES[i].at, CASES[i].value, CASES[i].size_bytes);
        const int rc = read_copy(bytes, SIZE, &crowd, &bad_at);
        const size_t expected = CASES[i].bad_at == VALUE ? SIZE_MAX : (size_t)CASES[i].bad_at;
        if (rc != CASES[i].code || bad_at != expected)
            fail_msg("%llu at byte %d: error %d at %zu", (unsigned long long)CASES[i].value, CASES[i].at, rc, bad_at);
        assert_null(crowd);
    }
}

/* Whatever a byte is changed to: a request all of whose places are there, or an error within the bytes. */
TEST(crowd_poses_with_one_byte_changed)
{
    static const unsigned char CHANGES[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff};
    limits_default(&limits);
    for (size_t at = 0; at < SIZE; at++)
        for (size_t v = 0; v < sizeof CHANGES; v++) {
            char bytes[SIZE];
            struct crowd_request *crowd;
            size_t bad_at = 0;
            worked(bytes);
            bytes[at] = (char)CHANGES[v];
            const int rc = read_copy(bytes, SIZE, &crowd, &bad_at);
            assert_true(rc == 0 || bad_at == SIZE_MAX || bad_at <= SIZE);
            for (uint32_t p = 0; rc == 0 && p < crowd->pose_count; p++) {
                const struct crowd_pose *pose = &crowd->poses[p];
                uint32_t numbers = 0;
                assert_true(pose->nodes >= crowd->pose_nodes &&
                            pose->nodes + pose->node_count <= crowd->pose_nodes + crowd->pose_node_count);
                for (uint32_t n = 0; n < pose->node_count; n++)
                    numbers += given_part_values(pose->nodes[n].parts);
                assert_int_equal(numbers, pose->number_count);
                assert_true(pose->numbers >= crowd->pose_numbers &&
                            pose->numbers + numbers <= crowd->pose_numbers + crowd->pose_number_count);
            }
            crowd_request_free(crowd);
        }
}
