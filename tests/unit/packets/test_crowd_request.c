/* Binary crowds (protocol/crowd.md): worked bytes, and that no cut or changed one is believed. */
#include "tests/unit/support/check.h"

#include "wire/crowd/crowd_request.h"

#include <stdlib.h>
#include <string.h>

static struct limits limits;

static void put(char *at, uint64_t value, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        at[i] = (char)(value >> 8 * i);
}

static void put_f64(char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(at, bits, sizeof bits);
}

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

TEST(crowd_request_that_is_cut_is_refused)
{
    char bytes[SIZE];
    worked(bytes);
    limits_default(&limits);
    for (size_t size = 0; size < SIZE; size++) {
        struct crowd_request *crowd;
        size_t bad_at = 0;
        if (read_copy(bytes, size, &crowd, &bad_at) != ERR_BAD_REQUEST)
            fail_msg("%zu bytes of %d are taken for a crowd", size, (int)SIZE);
        crowd_request_free(crowd);
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
            }
            crowd_request_free(crowd);
        }
}
