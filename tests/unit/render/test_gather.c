/* The rasterizer of heavy meshes: the samples, the surface of each, and its attributes; and its skinning, compared with
 * the evaluator's. */
#include "render/gather/gather.h"
#include "render/gather/gather_skin.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/linear_palette.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 128 };

/* From view space to -1 to 1: SIDE samples a unit, sample (0, 0) from (0, 0) to (1, 1) / SIDE, z from 1 (near) to -1.
 */
static const struct mat4 FLAT = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, 0, -1, -1, 0, 1}};
/* A frustum: w = -z, x and y of -1 to 1 at z = -1, near 0.5, far 8. */
static const struct mat4 DEEP = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -8.5f / 7.5f, -1, 0, 0, -8 / 7.5f, 0}};

static const struct vec3 NORMALS[64] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
static const uint32_t IN_ORDER[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static struct gather_mesh triangles(const struct vec3 *corners, uint32_t count)
{
    return (struct gather_mesh){.positions = corners,
                                .normals = NORMALS,
                                .indices = IN_ORDER,
                                .vertex_count = 3 * count,
                                .index_count = 3 * count,
                                .uv_from_texcoord = {1, 0, 0, 0, 1, 0},
                                .texels = {1, 1}};
}

static void begin(struct gather *gather)
{
    struct err err = {0};
    assert_int_equal(gather_begin(gather, SIDE, SIDE, 64, 64, &err), 0);
}

static void finish(struct gather *gather)
{
    struct err err = {0};
    assert_int_equal(gather_finish(gather, &err), 0);
}

/* Which mesh a sample shows, 1 for the first; 0: none. */
static uint32_t mesh_at(const struct gather *gather, uint32_t x, uint32_t y)
{
    if (x < gather->first_x || y < gather->first_y || x - gather->first_x >= gather->columns ||
        y - gather->first_y >= gather->rows)
        return 0;
    return gather->depth_stencils[(y - gather->first_y) * gather->columns + x - gather->first_x] & 255;
}

static struct gathered_sample sample_at(const struct gather *gather, uint32_t x, uint32_t y)
{
    assert_true(mesh_at(gather, x, y) > 0);
    return gather->samples[(y - gather->first_y) * gather->columns + x - gather->first_x];
}

/* From the octahedron, as shaders/gathered.glsl does it. */
static void direction(uint32_t bits, int x_bits, int y_bits, double out[3])
{
    const uint32_t x_most = (1u << x_bits) - 1, y_most = (1u << y_bits) - 1;
    const double x = 2.0 * (bits & x_most) / x_most - 1, y = 2.0 * (bits >> x_bits & y_most) / y_most - 1;
    const double z = 1 - fabs(x) - fabs(y), t = fmax(-z, 0);
    const double n[3] = {x + (x >= 0 ? -t : t), y + (y >= 0 ? -t : t), z}, length = sqrt(dot3(n, n));
    for (int i = 0; i < 3; i++)
        out[i] = n[i] / length;
}

static void check_direction(uint32_t bits, int x_bits, int y_bits, double x, double y, double z)
{
    double found[3];
    direction(bits, x_bits, y_bits, found);
    CHECK_NEAR(found[0], x, 2e-3);
    CHECK_NEAR(found[1], y, 2e-3);
    CHECK_NEAR(found[2], z, 2e-3);
}

/* Triangles with shared sides show a sample exactly once inside their outline. The centres of samples are on their
 * sides. Small triangles (four samples at a time) and one larger triangle. */
TEST(gather_gives_a_sample_on_a_shared_side_to_one_triangle)
{
    /* a square from 8.5 to 104.5, cut from its middle and twice more; corners are middles of samples */
    const float a = 8.5f / SIDE, b = 104.5f / SIDE, m = 56.5f / SIDE, q = 80.5f / SIDE;
    const struct vec3 parts[5][3] = {{{a, a, 0}, {b, a, 0}, {m, m, 0}},
                                     {{b, a, 0}, {b, b, 0}, {m, m, 0}},
                                     {{b, b, 0}, {a, b, 0}, {m, m, 0}},
                                     {{m, m, 0}, {a, b, 0}, {a, m, 0}},
                                     {{m, m, 0}, {a, m, 0}, {a, a, 0}}};
    const struct vec3 small[3] = {{q, q, 0}, {q + 3.0f / SIDE, q, 0}, {q, q + 3.0f / SIDE, 0}};
    uint8_t times[SIDE][SIDE] = {{0}};
    struct gather gather = {0};
    for (int p = 0; p < 10; p++) { /* each turned as well */
        struct vec3 corners[3];
        for (int i = 0; i < 3; i++)
            corners[i] = parts[p % 5][p < 5 ? i : 2 - i];
        begin(&gather);
        const struct gather_mesh mesh = triangles(corners, 1);
        assert_true(gather_add(&gather, &mesh, &FLAT));
        finish(&gather);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                times[y][x] = (uint8_t)(times[y][x] + mesh_at(&gather, x, y));
    }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) { /* of the outline the left and the upper side are in */
            const int expected = x >= 8 && x < 104 && y > 8 && y <= 104 ? 2 : 0;
            if (times[y][x] != expected)
                fail_msg("sample %d, %d is shown %d times, expected %d", x, y, times[y][x], expected);
        }
    begin(&gather);
    const struct gather_mesh mesh = triangles(small, 1);
    assert_true(gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    int count = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            count += mesh_at(&gather, x, y) != 0;
    assert_int_equal(count, 3); /* below the slope: 2 + 1 of the rows 81 and 82, none of 80, which is the lower side */
    gather_fini(&gather);
}

TEST(gather_shows_what_is_nearest)
{
    const struct vec3 far[6] = {{0, 0, -0.5f}, {1, 0, -0.5f}, {0, 1, -0.5f},
                                {1, 0, -0.5f}, {1, 1, -0.5f}, {0, 1, -0.5f}};
    const struct vec3 near[3] = {{0, 0, 0.5f}, {0.5f, 0, 0.5f}, {0, 0.5f, 0.5f}};
    struct gather gather = {0};
    for (int turn = 0; turn < 2; turn++) {
        begin(&gather);
        const struct gather_mesh meshes[2] = {triangles(far, 2), triangles(near, 1)};
        assert_true(gather_add(&gather, &meshes[turn], &FLAT));
        assert_true(gather_add(&gather, &meshes[1 - turn], &FLAT));
        finish(&gather);
        assert_int_equal(mesh_at(&gather, 10, 10), turn == 0 ? 2 : 1);
        assert_int_equal(mesh_at(&gather, 100, 100), turn == 0 ? 1 : 2);
        const uint32_t near_depth = gather.depth_stencils[10 * SIDE + 10] >> 8;
        const uint32_t far_depth = gather.depth_stencils[100 * SIDE + 100] >> 8;
        CHECK_NEAR(near_depth, 0.25 * (1 << 24), 1100); /* a little farther than they are */
        assert_true(near_depth > 1 << 22);
        CHECK_NEAR(far_depth, 0.75 * (1 << 24), 1100);
    }
    gather_fini(&gather);
}

/* At the same place the later one, as GL_LEQUAL has it. */
TEST(gather_shows_the_later_of_two_at_the_same_place)
{
    const struct vec3 corners[3] = {{0, 0, 0.5f}, {0.5f, 0, 0.25f}, {0, 0.5f, 0.125f}};
    const struct gather_mesh mesh = triangles(corners, 1);
    struct gather gather = {0};
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &FLAT) && gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    assert_int_equal(mesh_at(&gather, 10, 10), 2);
    gather_fini(&gather);
}

TEST(gather_culls_backs_where_it_is_told)
{
    const struct vec3 corners[3] = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    const bool is_seen[] = {[GATHER_BOTH_SIDES] = true, [GATHER_COUNTERCLOCKWISE] = true, [GATHER_CLOCKWISE] = false};
    struct gather gather = {0};
    for (enum gather_cull seen = GATHER_BOTH_SIDES; seen <= GATHER_CLOCKWISE; seen++) {
        struct gather_mesh mesh = triangles(corners, 1);
        mesh.seen = seen;
        begin(&gather);
        assert_true(gather_add(&gather, &mesh, &FLAT));
        finish(&gather);
        assert_int_equal(mesh_at(&gather, 10, 10), is_seen[seen]);
        assert_int_equal(gather.columns > 0, is_seen[seen]);
    }
    gather_fini(&gather);
}

/* In the middle of the screen between z -1 (u 0) and -4 (u 1), where a straight line on the screen would have 0.5: 1 /
 * z is (1 + 1/4) / 2 there, so z is -1.6, a fifth of the way. Its w is 1.6; w / 4 and w * 3 / 4 weigh colours and
 * normals. */
TEST(gather_interpolates_with_perspective)
{
    const struct vec3 corners[3] = {{-1, -1, -1}, {4, -4, -4}, {0, 1, -1.6f}};
    const struct vec3 normals[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct vec2 texcoords[3] = {{0, 0}, {1, 0}, {0.2f, 5}};
    const struct rgba16 colors[3] = {fixture_color(0, 250, 10, 255), fixture_color(250, 0, 10, 255),
                                     fixture_color(50, 200, 10, 255)};
    struct gather gather = {0};
    struct gather_mesh mesh = triangles(corners, 1);
    mesh.normals = normals;
    mesh.texcoords = texcoords;
    mesh.colors = colors;
    memcpy(mesh.uv_from_texcoord, (const float[]){2, 0, 10, 0, 1, -3}, sizeof mesh.uv_from_texcoord);
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &DEEP));
    finish(&gather);
    const struct gathered_sample s = sample_at(&gather, SIDE / 2, 0); /* half a sample off */
    CHECK_NEAR(s.uv[0], 10 + 2 * 0.2, 0.02);
    CHECK_NEAR(s.uv[1], -3, 0.05);
    CHECK_NEAR(s.color & 255, sqrt(50 * 255), 2); /* square roots */
    CHECK_NEAR(s.color >> 8 & 255, sqrt(200 * 255), 2);
    CHECK_NEAR(s.color >> 16 & 255, sqrt(10 * 255), 0.5);
    const double length = sqrt(0.8 * 0.8 + 0.2 * 0.2);
    double found[3];
    direction(s.normal, 14, 14, found);
    CHECK_NEAR(found[0], 0.8 / length, 0.02);
    CHECK_NEAR(found[1], 0.2 / length, 0.02);
    gather_fini(&gather);
}

/* A texture twice as wide as high, three times over the square of SIDE samples. */
TEST(gather_says_how_much_of_a_texture_a_sample_covers)
{
    const struct vec3 corners[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const struct vec2 texcoords[6] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
    struct gather gather = {0};
    struct gather_mesh mesh = triangles(corners, 2);
    mesh.texcoords = texcoords;
    memcpy(mesh.uv_from_texcoord, (const float[]){3, 0, 0, 0, 3, 0}, sizeof mesh.uv_from_texcoord);
    mesh.texels[1] = 0.5f;
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    const struct gathered_sample s = sample_at(&gather, 31, 77);
    const uint32_t footprint = (s.normal >> 28) << 8 | s.color >> 24;
    CHECK_NEAR((footprint - 1) / 128.0 - 24, log2(3.0 / SIDE), 0.02);
    assert_int_equal(s.color & 0xffffff, 0xffffff);
    gather_fini(&gather);
}

/* Vertex normals on the far side, and none. */
TEST(gather_turns_normals_to_the_side_that_is_seen)
{
    const struct vec3 corners[3] = {{0, 0, 0}, {0.5f, 0, 0.5f}, {0, 0.5f, 0}}, none[3] = {{0, 0, 0}};
    const struct vec3 behind[3] = {{0.6f, 0, -0.8f}, {0.6f, 0, -0.8f}, {0.6f, 0, -0.8f}};
    struct gather gather = {0};
    struct gather_mesh mesh = triangles(corners, 1);
    mesh.normals = behind;
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    check_direction(sample_at(&gather, 10, 10).normal, 14, 14, -0.6, 0, 0.8);
    mesh.normals = none;
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    check_direction(sample_at(&gather, 10, 10).normal, 14, 14, -sqrt(0.5), 0, sqrt(0.5)); /* the face's */
    gather_fini(&gather);
}

/* u to the right, v downwards, as textures have it: right and up. Without tangents these are found from the places. */
TEST(gather_finds_the_directions_of_bumps)
{
    const struct vec3 corners[3] = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    const struct vec2 upright[3] = {{0, 1}, {1, 1}, {0, 0}}, mirrored[3] = {{1, 1}, {0, 1}, {1, 0}};
    const struct vec4 tangents[3] = {{0, 0.8f, 0, -1}, {0, 0.8f, 0, -1}, {0, 0.8f, 0, -1}};
    struct gather gather = {0};
    struct gather_mesh mesh = triangles(corners, 1);
    mesh.has_bumps = true;
    for (int round = 0; round < 3; round++) {
        mesh.texcoords = round == 0 ? upright : mirrored;
        mesh.tangents = round == 2 ? tangents : NULL;
        begin(&gather);
        assert_true(gather_add(&gather, &mesh, &FLAT));
        finish(&gather);
        const uint32_t bits = sample_at(&gather, 10, 10).color;
        const double right[] = {1, -1, 0}, up[] = {0, 0, 1};
        check_direction(bits & 0x7fffff, 11, 12, right[round], up[round], 0);
        assert_int_equal(bits >> 23 & 1, round > 0); /* cross(z, -x) is -y; w of the tangents is -1 */
    }
    const struct vec2 nowhere[3] = {{0, 0}, {0, 0}, {0, 0}};
    mesh.texcoords = nowhere;
    mesh.tangents = NULL;
    begin(&gather);
    assert_true(gather_add(&gather, &mesh, &FLAT));
    finish(&gather);
    assert_int_equal(sample_at(&gather, 10, 10).color & 0xffffff, 0xffffff);
    gather_fini(&gather);
}

TEST(gather_leaves_what_reaches_out_of_the_view)
{
    const struct vec3 bad[][3] = {{{0, 0, -1}, {1, 0, 0.1f}, {0, 1, -1}},         /* behind the eye */
                                  {{0, 0, -1}, {1, 0, -0.4f}, {0, 1, -1}},        /* before the near plane */
                                  {{0, 0, -1}, {1, 0, -9}, {0, 1, -1}},           /* behind the far plane */
                                  {{0, 0, -1}, {1e6f, 0, -1}, {0, 1, -1}},        /* far aside */
                                  {{0, 0, -1}, {NAN, 0, -1}, {0, INFINITY, -1}}}; /* nowhere */
    const struct vec3 good[3] = {{-9, -9, -1}, {9, -9, -1}, {0, 9, -1}};
    struct gather gather = {0};
    begin(&gather);
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        const struct gather_mesh mesh = triangles(bad[b], 1);
        assert_false(gather_add(&gather, &mesh, &DEEP));
    }
    const struct gather_mesh mesh = triangles(good, 1);
    assert_true(gather_add(&gather, &mesh, &DEEP)); /* beyond the picture on all sides */
    finish(&gather);
    assert_int_equal(gather.columns, SIDE);
    assert_int_equal(gather.rows, SIDE);
    assert_int_equal(mesh_at(&gather, SIDE / 2, SIDE / 2), 1);
    gather_fini(&gather);
}

/* --- skinning --- */

enum { VERTICES = 4 };

/* Vertices off the origin: without an influence, of one joint, between two, and of one that mirrors. */
struct rig {
    struct primitive primitive;
    struct vec3 positions[VERTICES + 1], normals[VERTICES + 1];
    struct vec4 tangents[VERTICES + 1];
    uint32_t firsts[VERTICES + 2];
    struct influence influences[4];
    struct mat4 palette[3];
    struct model model;
};

static void make_rig(struct rig *rig)
{
    static const struct influence INFLUENCES[] = {{1, 1}, {0, 0.25f}, {1, 0.75f}, {2, 1}};
    const struct trs places[3] = {{{100, -50, 30}, {0, 0, 0.6, 0.8}, {1, 2, 0.5}},
                                  {{3, 1, -7}, {0.48, 0.6, 0, 0.64}, {2, 0.25, 3}},
                                  {{-5, 2, 9}, {0.6, 0, 0.8, 0}, {-1, 2, 1e-3}}};
    *rig = (struct rig){.primitive = {.vertex_first = 1, .vertex_count = VERTICES, .flags = PRIMITIVE_TANGENTS},
                        .firsts = {0, 0, 0, 1, 3, 4}};
    memcpy(rig->influences, INFLUENCES, sizeof INFLUENCES);
    for (int v = 0; v <= VERTICES; v++) {
        rig->positions[v] = (struct vec3){(float)v + 10, 3 - 2 * (float)v, 0.5f * (float)v - 20};
        rig->normals[v] = (struct vec3){0.48f, 0.64f, v % 2 == 0 ? 0.6f : -0.6f};
        rig->tangents[v] = (struct vec4){0.8f, -0.6f, 0, v % 2 == 0 ? 1 : -1};
    }
    for (int j = 0; j < 3; j++) {
        const struct dmat4 m = dmat4_from_trs(&places[j]);
        rig->palette[j] = mat4_from_dmat4(&m);
    }
    rig->model = (struct model){.primitives = &rig->primitive,
                                .primitive_count = 1,
                                .positions = rig->positions,
                                .normals = rig->normals,
                                .tangents = rig->tangents,
                                .influence_firsts = rig->firsts,
                                .influences = rig->influences};
}

TEST(gather_skins_as_the_evaluator_does)
{
    struct rig rig;
    struct vec3 positions[VERTICES], normals[VERTICES], expected[VERTICES], turned[VERTICES];
    struct vec4 tangents[VERTICES], along[VERTICES];
    make_rig(&rig);
    gather_skin(&rig.model, 0, rig.palette, rig.positions + 1, rig.normals + 1,
                &(struct gather_skinned){positions, normals, tangents});
    skin_positions(&rig.model, 0, LINEAR(rig.palette), rig.positions + 1, expected);
    skin_normals(&rig.model, 0, LINEAR(rig.palette), rig.normals + 1, turned);
    skin_tangents(&rig.model, 0, LINEAR(rig.palette), along);
    for (int v = 0; v < VERTICES; v++) {
        const double t[3] = {(double)tangents[v].x, (double)tangents[v].y, (double)tangents[v].z};
        const double length = sqrt(dot3(t, t));
        CHECK_NEAR(positions[v].x, expected[v].x, 1e-4);
        CHECK_NEAR(positions[v].y, expected[v].y, 1e-4);
        CHECK_NEAR(positions[v].z, expected[v].z, 1e-4);
        CHECK_NEAR(normals[v].x, turned[v].x, 1e-5);
        CHECK_NEAR(normals[v].y, turned[v].y, 1e-5);
        CHECK_NEAR(normals[v].z, turned[v].z, 1e-5);
        CHECK_NEAR(t[0] / length, along[v].x, 1e-5);
        CHECK_NEAR(t[1] / length, along[v].y, 1e-5);
        CHECK_NEAR(t[2] / length, along[v].z, 1e-5);
        CHECK_NEAR(tangents[v].w, along[v].w, 0);
    }
}
