/* Corners to vertices: equal ones become one, however many differ at one point. */
#include "tests/unit/support/check.h"

#include "import/mesh/mesh_writer.h"

#include <string.h>

/* A fan of triangles about point 0, with normal `n` at each corner. */
static void add_triangle(struct mesh_writer *writer, uint32_t n)
{
    for (uint32_t corner = 0; corner < 3; corner++) {
        const struct mesh_vertex vertex = {.point = corner == 0 ? 0 : n % 5 + corner, .normal = {(float)n, 1, 0}};
        mesh_writer_corner(writer, &vertex);
    }
    mesh_writer_close(writer);
}

TEST(mesh_writer_welds_equal_corners_only)
{
    enum { NORMALS = 3000, TIMES = 3 };
    static const double POINTS[7][3] = {{0, 0, 0},  {1, 0, 0},  {1, 1, 0},  {0, 1, 0},
                                        {-1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
    struct mesh_writer writer = {.points = POINTS};
    mesh_writer_start(&writer, 3 * NORMALS * TIMES);
    for (uint32_t i = 0; i < NORMALS * TIMES; i++)
        add_triangle(&writer, i % NORMALS);
    assert_int_equal(writer.vertex_count, 3 * NORMALS);
    assert_int_equal(writer.index_count, 3 * NORMALS * TIMES);
    for (uint32_t i = 0; i < writer.index_count; i++) {
        const uint32_t n = i / 3 % NORMALS;
        const struct mesh_vertex *vertex = &writer.vertices[writer.indices[i]];
        assert_int_equal(writer.indices[i], 3 * n + i % 3);
        assert_int_equal(vertex->point, i % 3 == 0 ? 0 : n % 5 + i % 3);
        CHECK_NEAR((double)vertex->normal.x, (double)n, 0);
    }
    mesh_writer_fini(&writer);
}
