#include "render/pose/depth_order.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/linear_palette.h"

#include <math.h>
#include <string.h>

enum { TRIANGLES = 5, VERTICES = 3 * TRIANGLES };

/* Triangles that face the eye; vertices of the even ones follow joint 1 for a quarter. Joint 0 turns z around and
 * stretches it, joint 1 moves by 100: the depth of an even triangle at z is 0.75 * (10 - 2 z) + 0.25 * (z + 100). */
struct scene_of_five {
    struct vec3 points[VERTICES];
    uint32_t indices[VERTICES], firsts[VERTICES + 1];
    struct influence influences[2 * VERTICES];
    struct primitive primitive;
    struct mat4 palette[2];
    struct model model;
};

static void make_five(struct scene_of_five *five, const float z[TRIANGLES])
{
    uint32_t used = 0;
    memset(five, 0, sizeof *five);
    for (uint32_t v = 0; v < VERTICES; v++) {
        five->points[v] = (struct vec3){(float)(v % 3 == 1), (float)(v % 3 == 2), z[v / 3]};
        five->indices[v] = v;
        five->firsts[v] = used;
        if (v / 3 % 2 == 0) {
            five->influences[used++] = (struct influence){0, 0.75f};
            five->influences[used++] = (struct influence){1, 0.25f};
        }
    }
    five->firsts[VERTICES] = used;
    five->palette[0] = (struct mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -2, 0, 0, 0, 10, 1}};
    five->palette[1] = (struct mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 100, 1}};
    five->primitive = (struct primitive){.vertex_count = VERTICES, .index_count = VERTICES};
    five->model = (struct model){.primitives = &five->primitive,
                                 .positions = five->points,
                                 .indices = five->indices,
                                 .influence_firsts = five->firsts,
                                 .influences = five->influences};
}

static void check_order(bool is_near_first, const float z[TRIANGLES], const uint32_t expected[TRIANGLES])
{
    struct scene_of_five five;
    struct depth_order order = {0};
    struct err err = {0};
    make_five(&five, z);
    const int rc = depth_order_sort(&order, &five.model, 0, LINEAR(five.palette), five.points, !is_near_first, &err);
    assert_int_equal(rc, 0);
    assert_int_equal(order.index_count, VERTICES);
    for (uint32_t i = 0; i < VERTICES; i++)
        assert_int_equal(order.indices[i], 3 * expected[i / 3] + i % 3);
    depth_order_fini(&order);
}

/* Depths: 32.5, 8, 31.25, 4, 27.5. The greatest z is nearest: the camera looks along -z. */
TEST(triangles_are_ordered_as_they_are_skinned)
{
    static const float z[TRIANGLES] = {0, 1, 1, 3, 4};
    check_order(true, z, (const uint32_t[TRIANGLES]){0, 2, 4, 1, 3});
    check_order(false, z, (const uint32_t[TRIANGLES]){3, 1, 4, 2, 0});
}

TEST(triangles_of_one_depth_keep_the_order_of_the_file)
{
    static const float z[TRIANGLES] = {2, 7, 2, 7, 2};
    check_order(true, z, (const uint32_t[TRIANGLES]){0, 2, 4, 1, 3});
    check_order(false, z, (const uint32_t[TRIANGLES]){1, 3, 0, 2, 4});
}

/* NaN and infinity get some place, and each item occurs once. */
TEST(depths_that_are_no_numbers_are_drawn_somewhere)
{
    static const float depths[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct scene_of_five five;
        struct depth_order order = {0};
        struct err err = {0};
        uint32_t seen[TRIANGLES] = {0};
        make_five(&five, (const float[TRIANGLES]){1, depths[d], 2, 5, depths[d]});
        assert_int_equal(depth_order_sort(&order, &five.model, 0, LINEAR(five.palette), five.points, false, &err), 0);
        for (uint32_t i = 0; i < VERTICES; i++)
            seen[order.indices[i] / 3]++;
        for (uint32_t t = 0; t < TRIANGLES; t++)
            assert_int_equal(seen[t], 3);
        depth_order_fini(&order);
    }
}
