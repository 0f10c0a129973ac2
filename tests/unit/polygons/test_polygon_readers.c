/* PLY and STL from worked bytes: colours, values of corners, and every way to cut or change a small file. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int reader(struct import *import, struct err *err);

/* Reads these bytes into a run that was begun. */
static void read_into(struct assimp_run *run, reader *read, const void *bytes, size_t size_bytes)
{
    struct import import = assimp_run_start(run, "a.file");
    uint8_t *copy = mem_zalloc(size_bytes + 1, 1);
    memcpy(copy, bytes, size_bytes);
    import.bytes = copy;
    import.size_bytes = size_bytes;
    run->rc = read(&import, &run->err);
    free(copy);
}

/* The run is the caller's to end. */
static void read_bytes(struct assimp_run *run, reader *read, const void *bytes, size_t size_bytes)
{
    assimp_run_init(run);
    temp_tree_file(&run->tree, "a.file", "");
    read_into(run, read, bytes, size_bytes);
    if (run->rc == 0)
        assimp_run_finish(run);
}

/* Linear light of a byte of sRGB, by IEC 61966-2-1. */
static double light_of(int srgb)
{
    const double s = srgb / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

/* Whether some vertex has this colour, which is sRGB in these files. */
static bool has_color(const struct model *model, int r, int g, int b)
{
    const int srgb[3] = {r, g, b};
    for (uint32_t v = 0; v < model->color_count; v++) {
        const uint16_t found[3] = {model->colors[v].r, model->colors[v].g, model->colors[v].b};
        int near = 0;
        for (int i = 0; i < 3; i++)
            near += fabs(found[i] - UINT16_MAX * light_of(srgb[i])) <= 1;
        if (near == 3)
            return true;
    }
    return false;
}

/* --- STL --- */

enum { STL_FACETS = 3, STL_BYTES = 84 + 50 * STL_FACETS };

/* Three facets, 1 apart along z, with these words at their ends. */
static void stl_bytes(uint8_t out[STL_BYTES], const char *header, const uint16_t words[STL_FACETS])
{
    static const float FACET[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 3, 0};
    memset(out, 0, STL_BYTES);
    memcpy(out, header, strlen(header));
    out[80] = STL_FACETS;
    for (size_t f = 0; f < STL_FACETS; f++) {
        float values[12];
        memcpy(values, FACET, sizeof values);
        values[5] = values[8] = values[11] = (float)f;
        memcpy(out + 84 + 50 * f, values, sizeof values);
        out[84 + 50 * f + 48] = (uint8_t)words[f];
        out[84 + 50 * f + 49] = (uint8_t)(words[f] >> 8);
    }
}

TEST(stl_colours_of_viscam_have_blue_lowest)
{
    uint8_t bytes[STL_BYTES];
    struct assimp_run run;
    stl_bytes(bytes, "a", (uint16_t[]){0x8000 | 31, 0x8000 | 31 << 10, 31});
    read_bytes(&run, import_stl, bytes, sizeof bytes);
    assert_int_equal(run.rc, 0);
    assert_true(has_color(&run.model, 0, 0, 255));
    assert_true(has_color(&run.model, 255, 0, 0));
    assert_true(has_color(&run.model, 255, 255, 255)); /* not marked: it has none */
    assimp_run_fini(&run);
}

TEST(stl_colours_of_magics_have_red_lowest)
{
    uint8_t bytes[STL_BYTES];
    struct assimp_run run;
    stl_bytes(bytes, "made by COLOR=\x10\x20\x30\xff,", (uint16_t[]){31, 31 << 10, 0x8000});
    read_bytes(&run, import_stl, bytes, sizeof bytes);
    assert_int_equal(run.rc, 0);
    assert_true(has_color(&run.model, 255, 0, 0));
    assert_true(has_color(&run.model, 0, 0, 255));
    assert_true(has_color(&run.model, 0x10, 0x20, 0x30)); /* marked: that of the whole */
    assimp_run_fini(&run);
}

/* The header's grey and its facets with attribute 0 are no colours. */
TEST(stl_colours_of_meshlab_have_red_lowest_where_the_highest_bit_is_set)
{
    static const char HEADER[] = "COLOR=\x7f\x7f\x7f MATERIAL=\x7f\x7f\x7f \x7f\x7f\x7f \x7f\x7f\x7f";
    uint8_t bytes[STL_BYTES];
    struct assimp_run run;
    stl_bytes(bytes, HEADER, (uint16_t[]){0, 0, 0});
    read_bytes(&run, import_stl, bytes, sizeof bytes);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.color_count, 0);
    assimp_run_fini(&run);
    stl_bytes(bytes, HEADER, (uint16_t[]){0x8000 | 31, 0x8000 | 31 << 10, 0});
    read_bytes(&run, import_stl, bytes, sizeof bytes);
    assert_true(has_color(&run.model, 255, 0, 0));
    assert_true(has_color(&run.model, 0, 0, 255));
    assert_true(has_color(&run.model, 255, 255, 255));
    assert_false(has_color(&run.model, 0x7f, 0x7f, 0x7f));
    assimp_run_fini(&run);
}

TEST(stl_normals_of_the_file_are_kept)
{
    uint8_t bytes[STL_BYTES];
    struct assimp_run run;
    stl_bytes(bytes, "a", (uint16_t[]){0, 0, 0});
    static const float TILTED[3] = {0, 3, 4};
    memcpy(bytes + 84, TILTED, sizeof TILTED);
    read_bytes(&run, import_stl, bytes, sizeof bytes);
    assert_int_equal(run.rc, 0);
    for (uint32_t v = 0; v < run.model.position_count; v++) {
        const bool is_first = run.model.positions[v].z == 0;
        CHECK_NEAR((double)run.model.normals[v].y, is_first ? 0.6 : 0, 1e-6); /* the others' is 0: made */
        CHECK_NEAR((double)run.model.normals[v].z, is_first ? 0.8 : 1, 1e-6);
    }
    assimp_run_fini(&run);
}

/* --- PLY --- */

static const char WEDGES[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
    "property list uchar int vertex_index\nproperty list uchar float texcoord\nproperty uchar red\nproperty uchar "
    "green\n"
    "property uchar blue\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1 255 0 0\n"
    "3 0 2 3 6 0.5 0 1 1 0 0.25 0 255 0\n";

TEST(ply_corners_have_texture_coordinates_and_colours_of_their_face)
{
    struct assimp_run run;
    read_bytes(&run, import_ply, WEDGES, sizeof WEDGES - 1);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.position_count, 6); /* both faces meet in two points, and share no corner */
    assert_true(has_color(&run.model, 255, 0, 0) && has_color(&run.model, 0, 255, 0));
    bool has_corner = false;
    for (uint32_t v = 0; v < 6; v++)
        has_corner |= run.model.positions[v].x == 0 && run.model.positions[v].y == 1 && run.model.texcoords[v].x == 0 &&
                      run.model.texcoords[v].y == 0.75f; /* rows go down */
    assert_true(has_corner);
    assimp_run_fini(&run);
}

TEST(ply_colours_are_shares_of_their_type)
{
    static const char TEXT[] =
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
        "property ushort red\nproperty float green\nproperty double blue\nend_header\n0 0 0 65535 1 0.2\n1 0 0 0 0 0\n";
    struct assimp_run run;
    read_bytes(&run, import_ply, TEXT, sizeof TEXT - 1);
    assert_int_equal(run.rc, 0);
    assert_true(has_color(&run.model, 255, 255, 51));
    assimp_run_fini(&run);
}

TEST(ply_seams_are_smooth_and_folds_are_not)
{
    /* Two triangles in a plane and one at a right angle to it; every corner is a point of its own. */
    static const char TEXT[] = "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty "
                               "float z\nelement face 3\n"
                               "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 0 0\n1 1 "
                               "0\n0 1 0.1\n1 0 0\n1 0 -1\n"
                               "1 1 0\n3 0 1 2\n3 3 4 5\n3 6 7 8\n";
    struct assimp_run run;
    uint32_t at_origin = 0;
    read_bytes(&run, import_ply, TEXT, sizeof TEXT - 1);
    assert_int_equal(run.rc, 0);
    for (uint32_t v = 0; v < run.model.position_count; v++) {
        const struct vec3 at = run.model.positions[v], normal = run.model.normals[v];
        at_origin += at.x == 0 && at.y == 0;
        if (at.x == 1 && at.z < 0)
            CHECK_NEAR(fabs((double)normal.x), 1, 1e-6);
    }
    assert_int_equal(at_origin, 1);
    assimp_run_fini(&run);
}

/* --- damage --- */

/* One of many readings in one run: read, and finished or refused with a reason. */
static void check_one(struct assimp_run *run, reader *read, const uint8_t *bytes, size_t size_bytes)
{
    run->err = (struct err){0};
    read_into(run, read, bytes, size_bytes);
    assimp_run_end_one(run);
}

static void check_damage(reader *read, const void *bytes, size_t size_bytes)
{
    uint8_t *copy = mem_alloc(size_bytes);
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.file", "");
    for (size_t size = 0; size < size_bytes; size++)
        check_one(&run, read, bytes, size);
    for (size_t i = 0; i < size_bytes; i++)
        for (int change = 0; change < 3; change++) {
            memcpy(copy, bytes, size_bytes);
            copy[i] = change == 0 ? 0xff : change == 1 ? 0 : (uint8_t)(copy[i] ^ 1);
            check_one(&run, read, copy, size_bytes);
        }
    assimp_run_fini(&run);
    free(copy);
}

TEST(every_cut_and_change_of_a_small_file_has_an_answer)
{
    uint8_t stl[STL_BYTES];
    stl_bytes(stl, "a", (uint16_t[]){0x8000, 0, 0});
    check_damage(import_stl, stl, sizeof stl);
    static const char SOLID[] =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
        "endfacet\nendsolid a\n";
    check_damage(import_stl, SOLID, sizeof SOLID - 1);
    check_damage(import_ply, WEDGES, sizeof WEDGES - 1);
    static const char BINARY[] =
        "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty short x\nproperty char y\n"
        "property int z\nend_header\n\0\1\2\0\0\0\3";
    check_damage(import_ply, BINARY, sizeof BINARY - 1);
    static const char X3D[] =
        "<X3D><Scene><Transform DEF='a' scale='1 2 3'><Shape><IndexedFaceSet coordIndex='0 1 2 -1'>"
        "<Coordinate point='0 0 0 1 0 0 0 1 0'/></IndexedFaceSet></Shape></Transform>"
        "<Group USE='a'/></Scene></X3D>";
    check_damage(import_x3d, X3D, sizeof X3D - 1);
}
