/* server/wire/optimize/quantize.h: integers that are as near as their grid says. */
#include "wire/optimize/quantize.h"

#include "tests/unit/support/check.h"

#include "anim/model/mat.h"

enum { COUNT = 300 };

static double number_of(int i) { return sin(i * 12.9898) * 43758.5453 - floor(sin(i * 12.9898) * 43758.5453); }

TEST(quantize_positions_within_half_a_step)
{
    struct vec3 positions[COUNT];
    uint32_t places[COUNT];
    int16_t out[COUNT][4];
    struct box box = BOX_EMPTY;
    for (int v = 0; v < COUNT; v++) {
        positions[v] =
            (struct vec3){(float)(number_of(v) * 3 - 700), (float)(number_of(v + 999) * 40), (float)number_of(v)};
        places[v] = (uint32_t)(COUNT - 1 - v);
        box_add(&box, DOUBLE3(positions[v]));
    }
    for (int bits = 14; bits <= 16; bits++) {
        struct grid grid = grid_make(box.min, box.max, 14);
        grid_refine(&grid, bits);
        quantize_positions(&grid, positions, places, COUNT, out);
        int16_t most = 0;
        for (int v = 0; v < COUNT; v++) {
            const struct vec3 seen = grid_position(&grid, &positions[v]);
            for (int i = 0; i < 3; i++) {
                const int16_t place = out[places[v]][i];
                assert_true(fabs(DOUBLE3(seen)[i] - DOUBLE3(positions[v])[i]) <= 0.51 * grid.step + 4e-5);
                assert_true(fabs(grid.middle[i] + place / 32767.0 * grid.side - DOUBLE3(seen)[i]) < 4e-5);
                most = place > most ? place : (int16_t)(-place > most ? -place : most);
            }
            assert_int_equal(out[places[v]][3], 0);
        }
        assert_int_equal(most, (1 << (bits - 1)) - 1);
    }
}

TEST(quantize_keeps_a_grid_on_which_differences_fit)
{
    static const double MIN[3] = {0, 0, 0}, MAX[3] = {1, 1, 1};
    struct grid fine = grid_make(MIN, MAX, 14), coarse = fine;
    fine.delta = 0.9 * fine.step * INT16_MAX / 4;
    coarse.delta = 0.9 * coarse.step * INT16_MAX;
    grid_refine(&fine, 16);
    grid_refine(&coarse, 16);
    assert_int_equal(fine.bits, 16);
    assert_int_equal(coarse.bits, 14);
    const struct vec3 moved = {(float)coarse.delta, 0, 0};
    assert_true(fabs((double)grid_delta(&coarse, &moved).x - coarse.delta) <= coarse.step);
}

TEST(quantize_leaves_out_what_is_welded_away)
{
    const struct vec3 vectors[] = {{1, -1, 0}, {2, 0.5f, -0.25f}};
    const uint32_t places[] = {WELDED_AWAY, 0};
    const struct grid grid = {.step = 0.5, .bits = 14};
    int16_t deltas[1][4];
    int8_t bytes[1][4];
    quantize_deltas(&grid, vectors, places, 2, deltas);
    quantize_bytes(vectors, places, 2, bytes);
    assert_memory_equal(deltas[0], ((int16_t[4]){4, 1, 0, 0}), sizeof deltas[0]);
    assert_memory_equal(bytes[0], ((int8_t[4]){127, 64, -32, 0}), sizeof bytes[0]);
    quantize_deltas(&grid, NULL, places, 2, deltas);
    assert_memory_equal(deltas[0], ((int16_t[4]){0, 0, 0, 0}), sizeof deltas[0]);
}

TEST(quantize_texcoords_by_their_bits)
{
    struct vec2 texcoords[COUNT];
    uint32_t places[COUNT];
    uint16_t out[COUNT][2];
    for (int v = 0; v < COUNT; v++) {
        texcoords[v] = (struct vec2){(float)number_of(v), v == 0 ? 1 : (float)number_of(v + 7)};
        places[v] = (uint32_t)v;
    }
    quantize_texcoords(texcoords, 12, places, COUNT, out);
    for (int v = 0; v < COUNT; v++)
        assert_true(fabs(out[v][0] / 65535.0 - (double)texcoords[v].x) <= 0.5 / 4095 + 1e-5);
    assert_int_equal(out[0][1], UINT16_MAX);
}

static void check_weights(const float *weights, uint32_t count, int bits, double tolerance)
{
    uint16_t out[COUNT];
    const uint32_t whole = 65535;
    uint32_t sum = 0;
    quantize_weights(weights, count, bits, out);
    for (uint32_t i = 0; i < count; i++) {
        sum += out[i];
        assert_true(fabs(out[i] / (double)whole - (double)weights[i]) <= tolerance);
    }
    assert_int_equal(sum, whole);
}

TEST(quantize_weights_sum_to_all)
{
    static const float SOME[] = {0.5f, 0.3f, 0.15f, 0.05f}, ONE[] = {1};
    float many[200];
    for (int i = 0; i < 200; i++)
        many[i] = 1.0f / 200;
    for (int bits = 8; bits <= 16; bits++) {
        const double step = 1.0 / ((1 << bits) - 1);
        check_weights(SOME, 4, bits, 2 * step);
        check_weights(ONE, 1, bits, 0);
        check_weights(many, 200, bits, 0.25);
    }
}
