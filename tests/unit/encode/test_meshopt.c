/* server/wire/encode/meshopt.h: streams decoded by the decoders, with the beginning that the extension defines. */
#include "wire/encode/meshopt.h"

#include "tests/unit/support/check.h"

#include <math.h>
#include <meshoptimizer.h>

enum { VERTICES = 500, INDICES = 3 * 400 };

/* Every float of its own; 12 bytes an element. */
static void fill_vertices(float vertices[3 * VERTICES])
{
    for (int i = 0; i < 3 * VERTICES; i++)
        vertices[i] = (float)i / 8;
}

/* Strips that continue each other, and some unrelated triangles. */
static void fill_indices(uint32_t indices[INDICES])
{
    for (uint32_t i = 0; i < INDICES; i++)
        indices[i] = i % 60 < 50 ? (i / 3 + (i * 7 + i / 3) % 3) % VERTICES : i * 37 % VERTICES;
}

TEST(meshopt_attributes_are_the_same_bits)
{
    float vertices[3 * VERTICES], decoded[3 * VERTICES];
    fill_vertices(vertices);
    struct buf out = {0};
    meshopt_pack(MESHOPT_ATTRIBUTES, vertices, VERTICES, 3 * sizeof(float), &out);
    assert_false(buf_failed(&out));
    assert_true(out.size_bytes < sizeof vertices);
    assert_int_equal((uint8_t)out.data[0], 0xa0);
    assert_int_equal(
        meshopt_decodeVertexBuffer(decoded, VERTICES, 3 * sizeof(float), (unsigned char *)out.data, out.size_bytes), 0);
    assert_memory_equal(decoded, vertices, sizeof vertices);
    buf_fini(&out);
}

TEST(meshopt_triangles_turn_the_same_way_round)
{
    uint32_t indices[INDICES], decoded[INDICES];
    fill_indices(indices);
    struct buf out = {0};
    meshopt_pack(MESHOPT_TRIANGLES, indices, INDICES, sizeof *indices, &out);
    assert_int_equal((uint8_t)out.data[0], 0xe1);
    assert_int_equal(
        meshopt_decodeIndexBuffer(decoded, INDICES, sizeof *indices, (unsigned char *)out.data, out.size_bytes), 0);
    for (int t = 0; t < INDICES; t += 3) {
        int turn = 0;
        while (turn < 3 && (decoded[t] != indices[t + turn] || decoded[t + 1] != indices[t + (turn + 1) % 3] ||
                            decoded[t + 2] != indices[t + (turn + 2) % 3]))
            turn++;
        assert_true(turn < 3);
    }
    buf_fini(&out);
}

TEST(meshopt_other_indices_keep_their_order)
{
    uint32_t indices[INDICES], decoded[INDICES];
    fill_indices(indices);
    indices[5] = UINT32_MAX; /* the stream has room for the greatest possible differences */
    indices[6] = 0;
    struct buf out = {0};
    meshopt_pack(MESHOPT_INDICES, indices, INDICES - 1, sizeof *indices, &out);
    assert_int_equal((uint8_t)out.data[0], 0xd1);
    assert_int_equal(
        meshopt_decodeIndexSequence(decoded, INDICES - 1, sizeof *indices, (unsigned char *)out.data, out.size_bytes),
        0);
    assert_memory_equal(decoded, indices, (INDICES - 1) * sizeof *indices);
    buf_fini(&out);
}

TEST(meshopt_without_memory_fails)
{
    float vertices[3 * VERTICES];
    fill_vertices(vertices);
    struct buf out = {.limit_bytes = 100};
    meshopt_pack(MESHOPT_ATTRIBUTES, vertices, VERTICES, 3 * sizeof(float), &out);
    assert_true(buf_failed(&out));
    buf_fini(&out);
}

TEST(meshopt_short_indices_are_the_same)
{
    uint32_t indices[INDICES];
    uint16_t shorts[INDICES], decoded[INDICES];
    fill_indices(indices);
    for (int i = 0; i < INDICES; i++)
        shorts[i] = (uint16_t)indices[i];
    struct buf out = {0};
    meshopt_pack(MESHOPT_INDICES, shorts, INDICES, sizeof *shorts, &out);
    assert_int_equal(
        meshopt_decodeIndexSequence(decoded, INDICES, sizeof *decoded, (unsigned char *)out.data, out.size_bytes), 0);
    assert_memory_equal(decoded, shorts, sizeof shorts);
    buf_fini(&out);
}

TEST(meshopt_filtered_numbers_are_near)
{
    enum { COUNT = 301, WIDTH = 3 };
    float numbers[WIDTH * COUNT];
    uint32_t words[WIDTH * COUNT];
    for (int i = 0; i < WIDTH * COUNT; i++)
        numbers[i] = i % 50 == 0 ? 0 : (float)(i * 37 % 101 - 50) * (i % 7 == 0 ? 1e-6f : 3.7f);
    for (int bits = 8; bits <= 24; bits += 4) {
        meshopt_filter_floats(numbers, COUNT, WIDTH, bits, words);
        meshopt_unfilter(MESHOPT_EXPONENTIAL, words, COUNT, WIDTH * sizeof *words);
        for (int i = 0; i < COUNT; i++) {
            const float *row = numbers + (size_t)i * WIDTH;
            const float most = fmaxf(fabsf(row[0]), fmaxf(fabsf(row[1]), fabsf(row[2])));
            for (int c = 0; c < WIDTH; c++) {
                float seen;
                memcpy(&seen, &words[i * WIDTH + c], sizeof seen);
                assert_true(fabsf(seen - row[c]) <= most * ldexpf(1, 1 - bits) * 1.01f);
            }
        }
    }
}

TEST(meshopt_filtered_directions_are_near)
{
    enum { COUNT = 100 };
    float vectors[4 * COUNT];
    int8_t bytes[4 * COUNT];
    int16_t shorts[4 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double a = i * 0.7, b = cos(i * 1.3);
        const double vector[4] = {cos(a) * sqrt(1 - b * b), sin(a) * sqrt(1 - b * b), b, i % 2 == 0 ? 1 : -1};
        for (int c = 0; c < 4; c++)
            vectors[4 * i + c] = (float)vector[c];
    }
    meshopt_filter_vectors(vectors, COUNT, bytes);
    meshopt_unfilter(MESHOPT_OCTAHEDRAL, bytes, COUNT, 4);
    for (int i = 0; i < 4 * COUNT; i++)
        assert_true(fabsf((float)bytes[i] / 127 - vectors[i]) < 0.02f);
    for (int i = 0; i < COUNT; i++) /* to unit quaternions */
        for (int c = 0; c < 4; c++)
            vectors[4 * i + c] *= 0.70710678f;
    meshopt_filter_quaternions(vectors, COUNT, shorts);
    meshopt_unfilter(MESHOPT_QUATERNION, shorts, COUNT, 8);
    for (int i = 0; i < COUNT; i++) {
        const float sign = (float)shorts[4 * i + 3] * vectors[4 * i + 3] < 0 ? -1 : 1;
        for (int c = 0; c < 4; c++)
            assert_true(fabsf(sign * (float)shorts[4 * i + c] / 32767 - vectors[4 * i + c]) < 6e-5f);
    }
}
