/* Normals that the importer makes where a file has none. */
#include "import/assimp/assimp.h"
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>

static void check_normal(struct vec3 n, double x, double y, double z)
{
    CHECK_NEAR((double)n.x, x, 1e-6);
    CHECK_NEAR((double)n.y, y, 1e-6);
    CHECK_NEAR((double)n.z, z, 1e-6);
}

/* Corners are shared, and each face is cut along one of its diagonals. */
static const char CUBE[] = "OFF\n8 6 0\n"
                           "-2 -2 2\n2 -2 2\n-2 2 2\n2 2 2\n-2 2 -2\n2 2 -2\n-2 -2 -2\n2 -2 -2\n"
                           "4 0 1 3 2\n4 2 3 5 4\n4 4 5 7 6\n4 6 7 1 0\n4 1 7 5 3\n4 6 0 2 4\n";

TEST(normals_of_a_cube_are_those_of_its_sides)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "cube.off", CUBE);
    assimp_run_import(&run, "cube.off");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.position_count, 24);
    assert_int_equal(run.model.index_count, 36);
    for (uint32_t i = 0; i < 36; i += 3) {
        double sum[3] = {0};
        for (uint32_t c = 0; c < 3; c++) {
            const struct vec3 p = run.model.positions[run.model.indices[i + c]];
            sum[0] += (double)p.x / 6;
            sum[1] += (double)p.y / 6;
            sum[2] += (double)p.z / 6;
        }
        for (uint32_t c = 0; c < 3; c++) /* a side's corners agree in one coordinate, which is its normal's */
            check_normal(run.model.normals[run.model.indices[i + c]], trunc(sum[0] * 1.0001), trunc(sum[1] * 1.0001),
                         trunc(sum[2] * 1.0001));
    }
    assimp_run_fini(&run);
}

/* A strip of two sides that turn by `degrees` at the edge they share. */
static uint32_t vertices_of_fold(double degrees)
{
    struct assimp_run run;
    char file[256];
    const double angle = degrees * acos(-1) / 180;
    snprintf(file, sizeof file,
             "OFF\n6 2 0\n0 0 0\n0 0 1\n1 0 1\n1 0 0\n%.9f %.9f 1\n%.9f %.9f 0\n4 0 1 2 3\n4 3 2 4 5\n", 1 + cos(angle),
             -sin(angle), 1 + cos(angle), -sin(angle));
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "fold.off", file);
    assimp_run_import(&run, "fold.off");
    assert_int_equal(run.rc, 0);
    const uint32_t count = run.model.position_count;
    assimp_run_fini(&run);
    return count;
}

TEST(normals_are_smooth_up_to_fifty_degrees)
{
    assert_int_equal(vertices_of_fold(45), 6);
    assert_int_equal(vertices_of_fold(49), 6);
    assert_int_equal(vertices_of_fold(51), 8);
    assert_int_equal(vertices_of_fold(170), 8);
}

TEST(normals_of_what_has_no_area_are_there)
{
    static const char FLAT[] = "OFF\n4 3 0\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n3 0 1 2\n3 0 1 3\n3 0 3 1\n";
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "flat.off", FLAT);
    assimp_run_import(&run, "flat.off");
    assert_int_equal(run.rc, 0);
    for (uint32_t v = 0; v < run.model.position_count; v++) {
        const struct vec3 n = run.model.normals[v];
        assert_true(n.x == 0 && n.y == 0 && (n.z == 1 || n.z == -1));
    }
    assimp_run_fini(&run);
}

/* A corner of a cube that hangs on a joint. */
static const char SKIN[] =
    "MD5Version 10\ncommandline \"\"\n\nnumJoints 1\nnumMeshes 1\n\njoints {\n\t\"hip\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n\n"
    "mesh {\n\tshader \"\"\n\n\tnumverts 4\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 0 0 ) 1 1\n\tvert 2 ( 0 0 ) 2 1\n"
    "\tvert 3 ( 0 0 ) 3 1\n\n\tnumtris 4\n\ttri 0 0 1 2\n\ttri 1 0 2 3\n\ttri 2 0 3 1\n\ttri 3 1 3 2\n\n"
    "\tnumweights 4\n\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 0 1 ( 1 0 0 )\n\tweight 2 0 1 ( 0 1 0 )\n"
    "\tweight 3 0 1 ( 0 0 1 )\n}\n";

TEST(normals_of_skins_are_smooth)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "tip.md5mesh", SKIN);
    assimp_run_import(&run, "tip.md5mesh");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.position_count, 4);
    for (uint32_t v = 0; v < 4; v++) {
        const struct vec3 n = run.model.normals[v];
        CHECK_NEAR(sqrt((double)(n.x * n.x + n.y * n.y + n.z * n.z)), 1, 1e-6);
        if (run.model.positions[v].x == 0 && run.model.positions[v].y == 0 && run.model.positions[v].z == 0)
            CHECK_NEAR(fabs((double)n.x), 1 / sqrt(3), 1e-6); /* three right angles meet there */
    }
    assimp_run_fini(&run);
}

/* A fold of 90 degrees with smooth normals of its own, in a file of this extension. */
static uint32_t vertices_with_normals(const char *extension)
{
    struct aiVector3D vertices[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}, {1, -1, 1}, {1, -1, 0}};
    struct aiVector3D normals[] = {{0, 1, 0}, {0, 1, 0}, {0.7f, 0.7f, 0}, {0.7f, 0.7f, 0}, {1, 0, 0}, {1, 0, 0}};
    unsigned indices[] = {0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5};
    struct aiFace faces[] = {{3, indices}, {3, indices + 3}, {3, indices + 6}, {3, indices + 9}};
    const struct aiMesh mesh = {
        .mVertices = vertices, .mNormals = normals, .mNumVertices = 6, .mFaces = faces, .mNumFaces = 4};
    struct aiScene scene = {0};
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.file", "");
    struct import import = assimp_run_start(&run, "a.file");
    struct assimp_job job = {.import = &import, .extension = extension, .scene = &scene};
    assert_int_equal(assimp_primitive(&job, 0, &mesh, -1, &run.err), 0);
    const uint32_t count = run.builder.position_count;
    assimp_run_fini(&run);
    return count;
}

TEST(normals_of_a_file_are_kept_but_those_of_blender)
{
    assert_int_equal(vertices_with_normals("ply"), 6);
    assert_int_equal(vertices_with_normals("blend"), 8);
}

TEST(vertices_without_faces_are_points)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "cloud.ply",
                   "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                   "end_header\n0 0 0\n1 0 0\n0 2 0\n");
    assimp_run_import(&run, "cloud.ply");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.primitive_count, 1);
    assert_int_equal(run.model.primitives[0].topology, TOPOLOGY_POINTS);
    assert_int_equal(run.model.primitives[0].index_count, 3);
    assimp_run_fini(&run);
}
