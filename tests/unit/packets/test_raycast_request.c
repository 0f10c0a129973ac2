/* Binary raycasts (protocol/hits.md): worked bytes; cut or changed ones are not accepted unchecked. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/record_bytes.h"

#include "wire/request/crowd_request.h"
#include "wire/packet/packet_request.h"
#include "wire/request/request_raycast.h"

#include <stdlib.h>
#include <string.h>

static struct limits limits;

/* One entity that moves between two poses, and a ray, with a crowd of two entities of one model. */
enum {
    TARGET = 64,
    RAY = TARGET + 16,
    CROWD = RAY + 80,
    FIRST = CROWD + 64,
    SECOND = FIRST + 24,
    MODELS = SECOND + 24,
    WANTED = MODELS + 2 * 48,
    PATH = WANTED + 16,
    SIZE = PATH + 2
};

static void worked(char bytes[SIZE])
{
    memset(bytes, 0, SIZE);
    memcpy(bytes, "PSDR\1", 5);
    put(bytes + 8, SIZE, 4);
    put(bytes + 12, 1, 4);
    put(bytes + 16, 1, 4);
    put(bytes + 20, SIZE - CROWD, 4);
    memcpy(bytes + 24, "\2\1\1", 3);
    put(bytes + TARGET + 4, 1, 4);
    put(bytes + TARGET + 8, 0xf0, 4);
    for (int i = 0; i < 3; i++)
        put_f64(bytes + RAY + 8 * i, i + 0.5);
    put_f64(bytes + RAY + 24, 3);
    put_f64(bytes + RAY + 40, -4);
    put_f64(bytes + RAY + 48, 100);
    put_f64(bytes + RAY + 56, 0.25);
    put_f64(bytes + RAY + 64, 0.75);
    put(bytes + RAY + 72, 0x90, 4);
    put(bytes + RAY + 76, UINT32_MAX, 4);
    memcpy(bytes + CROWD, "PSDC\1", 5);
    put(bytes + CROWD + 8, SIZE - CROWD, 4);
    put(bytes + CROWD + 12, 2, 4); /* entities */
    put(bytes + CROWD + 24, 2, 4); /* models: the second is nobody's */
    put(bytes + CROWD + 36, 1, 4); /* things wanted */
    put(bytes + CROWD + 44, SIZE - PATH, 4);
    put(bytes + FIRST + 12, UINT32_MAX, 4);
    put(bytes + SECOND + 12, UINT32_MAX, 4);
    put(bytes + MODELS + 4, 1, 4);
    put(bytes + MODELS + 48 + 4, 1, 4);
    memcpy(bytes + PATH, "ab", 2);
}

/* In memory of its own, so that a byte read behind the end is seen by sanitizers. request_fini() it. */
static int read_copy(const char *bytes, size_t size_bytes, struct request *request, size_t *bad_at)
{
    struct err err;
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    request_init(request);
    request->op = OP_RAYCAST;
    const int rc = request_read_raycast(request, copy, size_bytes, &limits, bad_at, &err);
    free(copy);
    return rc;
}

TEST(raycast_request_of_worked_bytes)
{
    char bytes[SIZE];
    struct request request;
    size_t bad_at;
    limits_default(&limits);
    worked(bytes);
    assert_int_equal(read_copy(bytes, SIZE, &request, &bad_at), 0);
    const struct request_raycast *raycast = request.hits.raycast;
    assert_int_equal(request.hits.fit, VOLUME_SPHERE);
    assert_true(request.hits.is_of_meshes && request.hits.has_all);
    assert_int_equal(raycast->entity_count, 1);
    assert_int_equal(raycast->targets[0].begin, 0);
    assert_int_equal(raycast->targets[0].end, 1);
    assert_int_equal(raycast->targets[0].mask, 0xf0);
    assert_int_equal(raycast->ray_count, 1);
    const struct hit_ray *ray = &raycast->rays[0];
    for (int i = 0; i < 3; i++)
        assert_true(ray->origin[i] == i + 0.5);
    CHECK_NEAR(ray->direction[0], 0.6, 1e-15);
    CHECK_NEAR(ray->direction[1], 0, 0);
    CHECK_NEAR(ray->direction[2], -0.8, 1e-15);
    assert_true(ray->most == 100 && ray->radius == 0.25 && ray->at == 0.75);
    assert_int_equal(ray->mask, 0x90);
    assert_int_equal(ray->ignored, UINT32_MAX);
    assert_int_equal(request.crowd->entity_count, 2);
    assert_string_equal(request.crowd->models[1].path, "b");
    request_fini(&request);
}

/* Also where the size says how much is there. */
TEST(raycast_request_that_is_cut_is_refused)
{
    char bytes[SIZE];
    limits_default(&limits);
    for (int has_size = 0; has_size < 2; has_size++)
        for (size_t size = 0; size < SIZE; size++) {
            struct request request;
            size_t bad_at = 0;
            worked(bytes);
            if (has_size)
                put(bytes + 8, size, 4);
            if (has_size && size > CROWD) /* and that of the crowd */
                put(bytes + 20, size - CROWD, 4);
            if (read_copy(bytes, size, &request, &bad_at) != ERR_BAD_REQUEST)
                fail_msg("%zu bytes of %d are taken for a raycast", size, (int)SIZE);
            assert_true(bad_at <= size);
            request_fini(&request);
        }
}

/* Whatever a byte is changed to: a request all of whose places are there and whose rays can be cast, or an error within
 * the bytes. */
TEST(raycast_request_with_one_byte_changed)
{
    static const unsigned char VALUES[] = {0, 1, 2, 3, 0x7f, 0x80, 0xf0, 0xff};
    limits_default(&limits);
    for (size_t at = 0; at < SIZE; at++)
        for (size_t v = 0; v < sizeof VALUES; v++) {
            char bytes[SIZE];
            struct request request;
            size_t bad_at = 0;
            worked(bytes);
            bytes[at] = (char)VALUES[v];
            if (read_copy(bytes, SIZE, &request, &bad_at) < 0) {
                assert_true(bad_at == SIZE_MAX || bad_at <= SIZE);
            } else {
                const struct raycast_target *target = &request.hits.raycast->targets[0];
                const struct hit_ray *ray = &request.hits.raycast->rays[0];
                assert_true(target->begin < request.crowd->entity_count && target->end >= -1);
                assert_true(target->end < (int64_t)request.crowd->entity_count);
                CHECK_NEAR(dot3(ray->direction, ray->direction), 1, 1e-12);
                assert_true(ray->most >= 0 && ray->radius >= 0 && ray->at >= 0 && ray->at <= 1);
            }
            request_fini(&request);
        }
}

/* One field changed: the error, and of a broken form the byte. */
TEST(raycast_request_that_is_wrong)
{
    enum { VALUE = -1 };
    const uint64_t far = 0x7fe0000000000000, negative = 0xbff0000000000000, infinite = 0x7ff0000000000000,
                   nan_bits = 0x7ff8000000000000, two = 0x4000000000000000;
    const struct {
        int at;
        uint64_t value;
        size_t size_bytes;
        int code, bad_at;
    } CASES[] = {
        {0, 'Q', 1, ERR_BAD_REQUEST, 0},
        {4, 2, 2, ERR_BAD_REQUEST, 4},
        {6, 1, 2, ERR_BAD_REQUEST, 6},
        {8, SIZE - 1, 4, ERR_BAD_REQUEST, 8},
        {12, 2, 4, ERR_BAD_REQUEST, 8},
        {16, UINT32_MAX, 4, ERR_BAD_REQUEST, 8},
        {20, SIZE - CROWD - 1, 4, ERR_BAD_REQUEST, 8},
        {24, 3, 1, ERR_BAD_PARAMETER, VALUE},
        {25, 2, 1, ERR_BAD_PARAMETER, VALUE},
        {26, 2, 1, ERR_BAD_PARAMETER, VALUE},
        {27, 1, 1, ERR_BAD_REQUEST, 27},
        {63, 1, 1, ERR_BAD_REQUEST, 63},
        {TARGET, 2, 4, ERR_BAD_PARAMETER, VALUE},
        {TARGET + 4, 2, 4, ERR_BAD_PARAMETER, VALUE},
        {TARGET + 4, UINT32_MAX - 1, 4, ERR_BAD_PARAMETER, VALUE},
        {TARGET + 12, 1, 4, ERR_BAD_REQUEST, TARGET + 12},
        {RAY, nan_bits, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 16, far, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 24, infinite, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 48, negative, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 48, nan_bits, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 48, infinite, 8, 0, VALUE}, /* without end */
        {RAY + 56, negative, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 56, infinite, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 64, negative, 8, ERR_BAD_PARAMETER, VALUE},
        {RAY + 64, two, 8, ERR_BAD_PARAMETER, VALUE},
        {CROWD, 'Q', 1, ERR_BAD_REQUEST, CROWD},
        {CROWD + 8, 1, 4, ERR_BAD_REQUEST, CROWD + 8},
        {FIRST + 11, 1, 1, ERR_BAD_REQUEST, FIRST + 11},
        {SECOND, 1, 2, ERR_BAD_PARAMETER, VALUE}, /* poses of two models */
        {SECOND, 2, 2, ERR_BAD_PARAMETER, VALUE},
        {PATH, 0xff, 1, ERR_BAD_PATH, VALUE},
    };
    limits_default(&limits);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char bytes[SIZE];
        struct request request;
        size_t bad_at = 0;
        worked(bytes);
        put(bytes + CASES[i].at, CASES[i].value, CASES[i].size_bytes);
        const int rc = read_copy(bytes, SIZE, &request, &bad_at);
        const size_t expected = CASES[i].bad_at == VALUE ? SIZE_MAX : (size_t)CASES[i].bad_at;
        if (rc != CASES[i].code || bad_at != expected)
            fail_msg("%llx at byte %d: error %d at %zu", (unsigned long long)CASES[i].value, CASES[i].at, rc, bad_at);
        request_fini(&request);
    }
}

TEST(raycast_request_whose_direction_is_0)
{
    char bytes[SIZE];
    struct request request;
    size_t bad_at;
    limits_default(&limits);
    worked(bytes);
    memset(bytes + RAY + 24, 0, 24);
    assert_int_equal(read_copy(bytes, SIZE, &request, &bad_at), ERR_BAD_PARAMETER);
    request_fini(&request);
}

/* The offset of the wrong byte is in the packet. For a payload that ends too early it is the payload's size, as with
 * other kinds. */
TEST(raycast_packet_that_is_cut)
{
    char bytes[SIZE];
    limits_default(&limits);
    for (uint32_t size = 0; size < SIZE; size++)
        for (int is_crowd = 0; is_crowd < 2; is_crowd++) {
            struct packet packet = {.kind = is_crowd ? PACKET_CROWD : PACKET_RAYCAST, .payload_bytes = size};
            struct request request = {0};
            struct err err;
            size_t bad_at = 0;
            worked(bytes);
            packet.payload = is_crowd ? bytes + CROWD : bytes;
            if (is_crowd && size >= SIZE - CROWD)
                continue;
            const int rc = is_crowd ? packet_read_crowd(&request, &packet, &limits, &bad_at, &err)
                                    : packet_read_raycast(&request, &packet, &limits, &bad_at, &err);
            assert_int_equal(rc, ERR_BAD_REQUEST);
            assert_true(bad_at < PACKET_HEADER_BYTES + size);
            if (size >= 64)
                assert_int_equal(bad_at, PACKET_HEADER_BYTES + 8);
            else if (size >= 4) /* less is no magic */
                assert_int_equal(bad_at, PACKET_AT_HEADER_payload_bytes);
            request_fini(&request);
        }
}
