/* server/wire/optimize/weld.h: the same triangles with fewer vertices. */
#include "wire/optimize/weld.h"

#include "tests/unit/support/check.h"
#include "wire/optimize/quantize.h"

#include <string.h>

enum { SIDE = 12, QUADS = (SIDE - 1) * (SIDE - 1), CORNERS = 6 * QUADS, SPARE = 5 };

/* A sheet whose triangles share no vertex, and vertices that no index names. */
struct soup {
    float rows[2 * (CORNERS + SPARE)];
    uint32_t firsts[CORNERS + SPARE + 1], joints[2 * (CORNERS + SPARE)];
    uint32_t indices[CORNERS];
    struct weld_stream stream;
    struct weld_input input;
};

static void fill(struct soup *soup)
{
    static const int OF_QUAD[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
    uint32_t run = 0;
    for (uint32_t i = 0; i < CORNERS + SPARE; i++) {
        const uint32_t quad = i / 6 % QUADS;
        soup->rows[2 * i] = (float)(quad % (SIDE - 1)) + (float)OF_QUAD[i % 6][0];
        soup->rows[2 * i + 1] = (float)(quad / (SIDE - 1)) + (float)OF_QUAD[i % 6][1];
        soup->firsts[i] = run;
        soup->joints[run++] = soup->rows[2 * i] > 3;
        if (soup->rows[2 * i] > 6)
            soup->joints[run++] = 7;
        if (i < CORNERS)
            soup->indices[i] = i;
    }
    soup->firsts[CORNERS + SPARE] = run;
    soup->stream = (struct weld_stream){soup->rows, 2 * sizeof(float)};
    soup->input = (struct weld_input){.streams = &soup->stream,
                                      .stream_count = 1,
                                      .run_firsts = soup->firsts,
                                      .run_rows = soup->joints,
                                      .run_row_bytes = sizeof *soup->joints,
                                      .indices = soup->indices,
                                      .vertex_count = CORNERS + SPARE,
                                      .index_count = CORNERS,
                                      .is_triangles = true};
}

/* Counts the triangles that have the place of each of the soup's triangles, in the same direction. */
static void check_triangles(const struct soup *soup, const uint32_t *places, const uint32_t *indices)
{
    for (uint32_t t = 0; t < CORNERS; t += 3) {
        uint32_t found = 0;
        for (uint32_t o = 0; o < CORNERS; o += 3)
            for (uint32_t turn = 0; turn < 3; turn++)
                found += places[soup->indices[t]] == indices[o + turn] &&
                         places[soup->indices[t + 1]] == indices[o + (turn + 1) % 3] &&
                         places[soup->indices[t + 2]] == indices[o + (turn + 2) % 3];
        assert_int_equal(found, 1);
    }
}

TEST(weld_makes_equal_vertices_one)
{
    struct soup soup;
    uint32_t places[CORNERS + SPARE], indices[CORNERS];
    fill(&soup);
    assert_int_equal(weld_vertices(&soup.input, places, indices), SIDE * SIDE);
    for (uint32_t a = 0; a < CORNERS; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_equal(places[a] == places[b], memcmp(&soup.rows[2 * a], &soup.rows[2 * b], 8) == 0);
    check_triangles(&soup, places, indices);
}

TEST(weld_compares_runs)
{
    struct soup soup;
    uint32_t places[CORNERS + SPARE], indices[CORNERS];
    fill(&soup);
    soup.joints[soup.firsts[1]] = 99; /* corner 1 of the first triangle has equals elsewhere */
    assert_int_equal(weld_vertices(&soup.input, places, indices), SIDE * SIDE + 1);
    soup.input.run_firsts = NULL;
    assert_int_equal(weld_vertices(&soup.input, places, indices), SIDE * SIDE);
}

TEST(weld_keeps_an_order_that_shows)
{
    struct soup soup;
    uint32_t places[CORNERS + SPARE], indices[CORNERS];
    fill(&soup);
    soup.input.keeps_order = true;
    weld_vertices(&soup.input, places, indices);
    for (uint32_t i = 0; i < CORNERS; i++)
        assert_int_equal(indices[i], places[i]);
    assert_int_equal(indices[0], 0);
    soup.input.is_triangles = false; /* lines and points: any number of indices */
    soup.input.index_count = 5;
    assert_int_equal(weld_vertices(&soup.input, places, indices), 4);
    assert_true(places[CORNERS] == WELDED_AWAY || places[CORNERS] < 4);
    assert_int_equal(places[100], WELDED_AWAY);
}

/* A fan: ordering it takes the square of its triangles. */
TEST(weld_keeps_the_order_of_a_fan)
{
    enum { TRIANGLES = 3000 };
    static float rows[2 * (TRIANGLES + 2)];
    static uint32_t given[3 * TRIANGLES], places[TRIANGLES + 2], indices[3 * TRIANGLES];
    for (uint32_t i = 0; i < TRIANGLES + 2; i++)
        rows[2 * i] = (float)i;
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        const uint32_t mixed = t * 1009 % TRIANGLES; /* no neighbours in a row */
        given[3 * t + 1] = 1 + mixed;
        given[3 * t + 2] = 2 + mixed;
    }
    const struct weld_stream stream = {rows, 2 * sizeof(float)};
    const struct weld_input input = {.streams = &stream,
                                     .stream_count = 1,
                                     .indices = given,
                                     .vertex_count = TRIANGLES + 2,
                                     .index_count = 3 * TRIANGLES,
                                     .is_triangles = true};
    assert_int_equal(weld_vertices(&input, places, indices), TRIANGLES + 2);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
        assert_int_equal(indices[i], places[given[i]]);
}
