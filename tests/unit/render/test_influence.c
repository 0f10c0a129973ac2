#include "render/pose/influence.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <stdlib.h>

/* Four vertices, two triangles, joints 0 and 2 of the skin being the same node:
 *   vertex 0: joint 0 by 0.3, joint 1 by 0.4, joint 2 by 0.3    vertex 1: joint 1
 *   vertex 2: joint 0 and joint 1 by a half                      vertex 3: no influences, which is joint 0 */
static struct draw build(struct fixture *f)
{
    static const struct vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const uint32_t nodes[3] = {1, 2, 1}, corners[6] = {0, 1, 2, 2, 3, 0};
    static const struct influence influences[6] = {{0, 0.3f}, {1, 0.4f}, {2, 0.3f}, {1, 1}, {0, 0.5f}, {1, 0.5f}};
    static const uint32_t ends[4] = {3, 4, 6, 6};
    fixture_init(f);
    struct bake_builder *b = &f->builder;
    const uint32_t mesh = fixture_mesh(f, positions, 4);
    fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, 0, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, 1, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    b->nodes[0].mesh = (int32_t)mesh;
    b->nodes[0].skin = (int32_t)fixture_skin(f, nodes, 3);
    bake_add_index(b, 2);
    for (int i = 0; i < 6; i++) {
        b->indices[i] = corners[i];
        *bake_add_influence(b, 1) = influences[i];
    }
    for (int v = 0; v < 4; v++)
        b->influence_firsts[v + 1] = ends[v];
    b->primitives[0].topology = TOPOLOGY_TRIANGLES;
    b->primitives[0].index_count = 6;
    fixture_finish(f);
    return f->model.draws[0];
}

TEST(influence_weights_are_sums_by_node)
{
    struct fixture f;
    const struct draw draw = build(&f);
    static const double expected[4] = {0.6, 0, 0.5, 1};
    for (uint32_t v = 0; v < 4; v++) {
        CHECK_NEAR((double)influence_weight(&f.model, &draw, v, 1), expected[v], 1e-6);
        CHECK_NEAR((double)influence_weight(&f.model, &draw, v, 2), 1 - expected[v], 1e-6);
        CHECK_NEAR((double)influence_weight(&f.model, &draw, v, 0), 0, 0);
    }
    fixture_fini(&f);
}

TEST(influence_finds_what_moves_most)
{
    struct fixture f;
    struct err err = {0};
    const struct draw draw = build(&f);
    uint32_t *nodes = influence_nodes(&f.model, &draw, false, &err);
    assert_non_null(nodes);
    assert_int_equal(nodes[0], 1);
    assert_int_equal(nodes[1], 2);
    assert_int_equal(nodes[2], 1); /* of equals the first */
    assert_int_equal(nodes[3], 1);
    assert_int_equal(influence_element_count(&f.model.primitives[0]), 2);
    free(nodes);
    nodes = influence_nodes(&f.model, &draw, true, &err);
    assert_non_null(nodes);
    assert_int_equal(nodes[0], 2); /* 0.6 + 0 + 0.5 against 0.4 + 1 + 0.5 */
    assert_int_equal(nodes[1], 1);
    free(nodes);
    fixture_fini(&f);
}

/* As protocol/http.md says it: the factor's inverse finds the number again. */
TEST(influence_id_colors_can_be_read_back)
{
    assert_int_equal(influence_id_color(0), 0x9E3779);
    for (uint32_t node = 0; node < 100000; node += 7) {
        const uint64_t color = influence_id_color(node);
        assert_int_equal(color * 0xB382C9 % (1 << 24), node + 1);
    }
}

TEST(influence_colors_of_neighbours_differ)
{
    for (uint32_t node = 0; node < 200; node++) {
        const struct rgba8 a = influence_color(node), b = influence_color(node + 1);
        const int difference = abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
        if (difference < 100)
            fail_msg("nodes %u and %u differ by %d", node, node + 1, difference);
        assert_int_equal(a.a, 255);
    }
}
