/* Binary crowds (protocol/crowd.md): worked bytes; cut or changed ones are not accepted unchecked. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/record_bytes.h"

#include "wire/request/crowd_request.h"

#include <stdlib.h>
#include <string.h>

static struct limits limits;

/* One entity with a layer that has a mask of one node, in a place, of one model, of which one joint is wanted. */
enum {
    ENTITY = 64,
    LAYER = 88,
    WORLD = 128,
    MODEL = 224,
    MASK = 272,
    NODE = 280,
    WANTED = 288,
    ITEM = 304,
    PATH = 308
};
static const char PATH_TEXT[] = "crow.glb";
enum { SIZE = PATH + sizeof PATH_TEXT - 1 };

static void worked(char bytes[SIZE])
{
    memset(bytes, 0, SIZE);
    memcpy(bytes, "PSDC\1", 5);
    put(bytes + 8, SIZE, 4);
    for (int i = 12; i <= 40; i += 4) /* one of each */
        put(bytes + i, 1, 4);
    put(bytes + 44, sizeof PATH_TEXT - 1, 4);
    put(bytes + ENTITY + 8, 1, 2);
    bytes[ENTITY + 10] = 1;
    put(bytes + LAYER, 3, 4);
    put_f64(bytes + LAYER + 8, 0.25);
    put_f64(bytes + LAYER + 16, 0.5);
    bytes[LAYER + 24] = 2;
    put_f64(bytes + WORLD + 8 * 3, 7);
    for (int i = 0; i < 3; i++)
        put_f64(bytes + WORLD + 8 * 5 * i, i + 1);
    put(bytes + MODEL + 4, sizeof PATH_TEXT - 1, 4);
    put(bytes + MASK + 4, 1, 4);
    put(bytes + NODE, 9, 4);
    put(bytes + NODE + 4, 1, 2);
    put(bytes + WANTED + 4, 2, 4);
    put(bytes + WANTED + 12, 1, 4);
    put(bytes + ITEM, 5, 4);
    memcpy(bytes + PATH, PATH_TEXT, sizeof PATH_TEXT - 1);
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

TEST(crowd_request_of_worked_bytes)
{
    char bytes[SIZE];
    struct crowd_request *crowd;
    size_t bad_at;
    limits_default(&limits);
    worked(bytes);
    assert_int_equal(read_copy(bytes, SIZE, &crowd, &bad_at), 0);
    assert_int_equal(crowd->entity_count, 1);
    assert_int_equal(crowd->entities[0].layout, LAYOUT_MAT3X4);
    assert_int_equal(crowd->entities[0].layer_count, 1);
    assert_int_equal(crowd->entities[0].world, 0);
    assert_int_equal(crowd->layers[0].clip, 3);
    assert_int_equal(crowd->layers[0].clip_model, 0);
    assert_int_equal(crowd->layers[0].wrap, WRAP_MIRROR);
    assert_true(crowd->layers[0].time_s == 0.25 && crowd->layers[0].weight == 0.5);
    assert_true(crowd->worlds[0].m[12] == 7 && crowd->worlds[0].m[0] == 1 && crowd->worlds[0].m[5] == 2 &&
                crowd->worlds[0].m[10] == 3 && crowd->worlds[0].m[15] == 1);
    assert_string_equal(crowd->models[0].path, "crow.glb");
    assert_int_equal(crowd->masks[0].nodes[0].node, 9);
    assert_int_equal(crowd->masks[0].nodes[0].scope, BLEND_SUBTREE);
    assert_int_equal(crowd->wanted_count, 1);
    assert_int_equal(crowd->items[0], 5);
    crowd_request_free(crowd);
}

/* An additive layer, a model of a handle, a content hash, and what has no list at all. */
TEST(crowd_request_of_other_worked_bytes)
{
    char bytes[SIZE];
    struct crowd_request *crowd;
    size_t bad_at;
    limits_default(&limits);
    worked(bytes);
    bytes[ENTITY + 10] = 2;
    put(bytes + ENTITY + 12, UINT32_MAX, 4);
    put(bytes + LAYER, UINT32_MAX, 4);
    put(bytes + LAYER + 4, UINT32_MAX, 4);
    bytes[LAYER + 25] = 1;
    put(bytes + LAYER + 26, 1, 2);
    put(bytes + LAYER + 28, 6, 4);
    put_f64(bytes + LAYER + 32, 1.75);
    for (int i = 0; i < 32; i++)
        bytes[MODEL + 16 + i] = (char)(0xe0 + i);
    put(bytes + WANTED, 1, 2);
    put(bytes + WANTED + 4, 0, 4);
    assert_int_equal(read_copy(bytes, SIZE, &crowd, &bad_at), 0);
    assert_int_equal(crowd->entities[0].layout, LAYOUT_DUALQUAT);
    assert_int_equal(crowd->entities[0].world, -1);
    assert_int_equal(crowd->layers[0].clip, POSE_REST);
    assert_int_equal(crowd->layers[0].mask, -1);
    assert_true(crowd->layers[0].is_additive && crowd->layers[0].reference_time_s == 1.75);
    assert_int_equal(crowd->layers[0].reference_clip, 6);
    assert_int_equal(crowd->layers[0].clip_model, 1);
    assert_string_equal(crowd->models[0].hash, "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    assert_int_equal(crowd->wanted[0].what, CROWD_NODES);
    crowd_request_free(crowd);

    put(bytes + MODEL, 7, 4); /* a handle instead of the path */
    put(bytes + MODEL + 4, 0, 4);
    put(bytes + 44, 0, 4);
    put(bytes + 8, PATH, 4);
    assert_int_equal(read_copy(bytes, PATH, &crowd, &bad_at), 0);
    assert_int_equal(crowd->models[0].handle, 7);
    assert_null(crowd->models[0].path);
    crowd_request_free(crowd);
}

/* Also where the size says how much is there: the records that are counted are not. */
TEST(crowd_request_that_is_cut_is_refused)
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
TEST(crowd_request_that_is_wrong)
{
    enum { VALUE = -1 };
    static const struct {
        int at;
        uint64_t value;
        size_t size_bytes;
        int code, bad_at;
    } CASES[] = {
        {0, 'Q', 1, ERR_BAD_REQUEST, 0},
        {4, 2, 2, ERR_BAD_REQUEST, 4},
        {6, 1, 2, ERR_BAD_REQUEST, 6},
        {8, SIZE + 1, 4, ERR_BAD_REQUEST, 8},
        {16, UINT32_MAX, 4, ERR_BAD_REQUEST, 8},
        {63, 1, 1, ERR_BAD_REQUEST, 63},
        {ENTITY, 1, 2, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 2, 1, 2, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 4, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 4, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 8, 2, 2, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 10, 3, 1, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 11, 1, 1, ERR_BAD_REQUEST, ENTITY + 11},
        {ENTITY + 12, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 12, UINT32_MAX - 1, 4, ERR_BAD_PARAMETER, VALUE},
        {ENTITY + 23, 1, 1, ERR_BAD_REQUEST, ENTITY + 23},
        {LAYER + 4, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {LAYER + 24, 3, 1, ERR_BAD_PARAMETER, VALUE},
        {LAYER + 25, 4, 1, ERR_BAD_PARAMETER, VALUE},
        {LAYER + 26, 2, 2, ERR_BAD_REQUEST, LAYER + 26},
        {LAYER + 26, UINT16_MAX, 2, ERR_BAD_REQUEST, LAYER + 26},
        {LAYER + 28, 1, 4, ERR_BAD_REQUEST, LAYER + 28},
        {LAYER + 39, 1, 1, ERR_BAD_REQUEST, LAYER + 39},
        {MODEL, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {MODEL + 4, sizeof PATH_TEXT, 4, ERR_BAD_REQUEST, MODEL + 4},
        {MODEL + 4, sizeof PATH_TEXT - 2, 4, ERR_BAD_REQUEST, 44},
        {MODEL + 4, 0, 4, ERR_BAD_PARAMETER, VALUE},
        {MODEL + 15, 1, 1, ERR_BAD_REQUEST, MODEL + 15},
        {MASK, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {MASK + 4, 0, 4, ERR_BAD_PARAMETER, VALUE},
        {MASK + 4, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE},
        {NODE + 4, 3, 2, ERR_BAD_PARAMETER, VALUE},
        {NODE + 6, 1, 2, ERR_BAD_REQUEST, NODE + 6},
        {WANTED, 2, 2, ERR_BAD_PARAMETER, VALUE},
        {WANTED, 1, 2, ERR_BAD_PARAMETER, VALUE}, /* nodes with a skin */
        {WANTED + 2, 1, 2, ERR_BAD_REQUEST, WANTED + 2},
        {WANTED + 4, UINT32_MAX, 4, ERR_BAD_PARAMETER, VALUE}, /* all skins with a joint */
        {WANTED + 8, 1, 4, ERR_BAD_PARAMETER, VALUE},
        {WANTED + 12, 2, 4, ERR_BAD_PARAMETER, VALUE},
        {PATH, 0xff, 1, ERR_BAD_PATH, VALUE},
        {PATH, 0, 1, ERR_BAD_PATH, VALUE},
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
TEST(crowd_request_with_one_byte_changed)
{
    static const unsigned char VALUES[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff};
    limits_default(&limits);
    for (size_t at = 0; at < SIZE; at++)
        for (size_t v = 0; v < sizeof VALUES; v++) {
            char bytes[SIZE];
            struct crowd_request *crowd;
            size_t bad_at = 0;
            worked(bytes);
            bytes[at] = (char)VALUES[v];
            const int rc = read_copy(bytes, SIZE, &crowd, &bad_at);
            if (rc < 0) {
                assert_true(bad_at == SIZE_MAX || bad_at <= SIZE);
            } else {
                const struct crowd_entity *entity = &crowd->entities[0];
                assert_true(entity->model < crowd->model_count && entity->wanted < crowd->wanted_count);
                assert_true((uint64_t)entity->first_layer + entity->layer_count <= crowd->layer_count);
                assert_true(entity->world < (int32_t)crowd->world_count);
                assert_true(crowd->layers[0].mask < (int32_t)crowd->mask_count);
                assert_true(crowd->layers[0].clip_model <= crowd->model_count);
            }
            crowd_request_free(crowd);
        }
}
