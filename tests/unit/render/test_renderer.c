/* Small models drawn in this process, with pixels predicted by hand. Skipped if there is no GL. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include "anim/pose/pose.h"
#include "render/pose/posed_model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIDE = 200 };

static const float RED[4] = {1, 0, 0, 1}, GREEN[4] = {0, 1, 0, 1}, BLUE[4] = {0, 0, 1, 1}, YELLOW[4] = {1, 1, 0, 1};

static struct renderer *renderer(void) { return shared_renderer(); }

/* Draws the finished fixture; 0 with *png filled, or the error. */
static int draw_bytes(const struct fixture *f, double yaw_deg, struct buf *png)
{
    const struct picture_spec picture = {.width = SIDE, .height = SIDE, .yaw_deg = yaw_deg};
    return shared_renderer_draw(f, &picture, 0, png);
}

static struct png_pixels draw(const struct fixture *f, double yaw_deg)
{
    struct buf png;
    struct png_pixels pixels;
    assert_int_equal(draw_bytes(f, yaw_deg, &png), 0);
    png_pixels_init(&pixels, &png);
    assert_int_equal(pixels.width, SIDE);
    assert_int_equal(pixels.height, SIDE);
    buf_fini(&png);
    return pixels;
}

static void check_pixel(const struct png_pixels *p, int x, int y, int r, int g, int b, int a)
{
    const uint8_t *found = p->pixels + 4 * ((size_t)y * p->width + (size_t)x);
    const int expected[4] = {r, g, b, a};
    for (int i = 0; i < 4; i++)
        if (abs(found[i] - expected[i]) > 2)
            fail_msg("pixel %d, %d is %d %d %d %d, expected %d %d %d %d", x, y, found[0], found[1], found[2], found[3],
                     r, g, b, a);
}

/* Adds a square (fixture.h), unlit and of one colour. Returns the mesh's index. */
static uint32_t add_square(struct fixture *f, struct vec3 middle, float half, const float color[4], const float *weight)
{
    struct bake_builder *b = &f->builder;
    const uint32_t mesh = fixture_square(f, middle, half, weight);
    b->primitives[b->primitive_count - 1].material = (int32_t)b->material_count;
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->alpha_mode = color[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE;
    material->flags = MATERIAL_UNLIT;
    memcpy(material->base_color, color, sizeof material->base_color);
    return mesh;
}

/* Joint 0 (node 0) takes bind (x, y) to (100 - 2y, -50 + x); joint 1 (node 1, its child, with an inverse bind
 * matrix that moves by -2) to (98 + y, -45 - x). The squares' corners then reach from (97.75, -50.25) to (102.25,
 * -44.75), 32 pixels a unit in a picture of 200: a scene point is at 100 + 32 (x - 100), 100 - 32 (y + 47.5). */
TEST(renderer_puts_skinned_vertices_where_they_belong)
{
    struct fixture f;
    const float half = 0.70710678f;
    const float root_place[3] = {100, -50, 30}, root_turn[4] = {0, 0, half, half}, root_scale[3] = {1, 2, 1};
    const float child_place[3] = {3, 1, 0}, child_turn[4] = {0, 0, 1, 0}, child_scale[3] = {1, 0.5f, 1};
    const float first[2] = {1, 0}, second[2] = {0, 1}, both[2] = {0.75f, 0.25f};
    const uint32_t joints[2] = {0, 1};
    fixture_init(&f);
    fixture_node(&f, -1, root_place, root_turn, root_scale);
    fixture_node(&f, 0, child_place, child_turn, child_scale);
    fixture_root(&f, 0);
    const int32_t skin = (int32_t)fixture_skin(&f, joints, 2);
    f.builder.joints[1].joint_from_bind.m[12] = -2;
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 0.25f, RED, first), skin);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 0.25f, GREEN, second), skin);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){3, 4, 0}, 0.25f, BLUE, second), skin);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){2, -1, 0}, 0.25f, YELLOW, both), skin);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    check_pixel(&p, 100, 180, 255, 0, 0, 255); /* (100, -50) */
    check_pixel(&p, 113, 180, 255, 0, 0, 255); /* its side is one unit wide */
    check_pixel(&p, 119, 180, 0, 0, 0, 0);
    check_pixel(&p, 36, 20, 0, 255, 0, 255);     /* (98, -45) */
    check_pixel(&p, 164, 116, 0, 0, 255, 255);   /* (102, -48) */
    check_pixel(&p, 124, 108, 255, 255, 0, 255); /* (100.75, -47.75) */
    check_pixel(&p, 132, 108, 255, 255, 0, 255);
    check_pixel(&p, 132, 114, 0, 0, 0, 0); /* it is a quarter unit high */
    check_pixel(&p, 36, 180, 0, 0, 0, 0);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* Joint 1 turns by a quarter around (0, 2); a square of both joints is an eighth turned around that, where linear
 * skinning would shrink it. The scene, at (100, -50), reaches from -0.25 to 2.475 and to 5.25, 32 pixels a unit: a
 * bind point is at 64.4 + 32 x, 180 - 32 y. */
TEST(renderer_turns_what_dual_quaternions_move)
{
    struct fixture f;
    const float half = 0.70710678f;
    const float root_place[3] = {100, -50, 30}, child_place[3] = {2, 2, 0}, child_turn[4] = {0, 0, half, half};
    const float first[2] = {1, 0}, second[2] = {0, 1}, both[2] = {0.5f, 0.5f};
    const uint32_t joints[2] = {0, 1};
    fixture_init(&f);
    fixture_node(&f, -1, root_place, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, child_place, child_turn, FIXTURE_ONE);
    fixture_root(&f, 0);
    const int32_t skin = (int32_t)fixture_skin(&f, joints, 2);
    f.builder.skins[skin].method = METHOD_DUAL_QUATERNION;
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 0.25f, RED, first), skin);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){3, 2, 0}, 0.25f, GREEN, second), skin);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){3, 2, 0}, 0.25f, YELLOW, both), skin);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    check_pixel(&p, 64, 180, 255, 0, 0, 255);
    check_pixel(&p, 64, 20, 0, 255, 0, 255);    /* (0, 5) */
    check_pixel(&p, 132, 48, 255, 255, 0, 255); /* (2.12, 4.12) */
    check_pixel(&p, 141, 48, 255, 255, 0, 255); /* it stands on its corner */
    check_pixel(&p, 139, 55, 0, 0, 0, 0);
    check_pixel(&p, 112, 68, 0, 0, 0, 0); /* (1.5, 3.5): where the linear sum is */
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* The same from behind, mirrored left to right. */
TEST(renderer_turns_the_camera)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){-1, 1, 0}, 0.5f, RED, NULL), -1);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){1, -1, 0}, 0.5f, BLUE, NULL), -1);
    fixture_finish(&f);
    struct png_pixels front = draw(&f, 0), back = draw(&f, 180);
    check_pixel(&front, 50, 50, 255, 0, 0, 255);
    check_pixel(&front, 150, 150, 0, 0, 255, 255);
    check_pixel(&back, 150, 50, 255, 0, 0, 255);
    check_pixel(&back, 50, 150, 0, 0, 255, 255);
    png_pixels_fini(&front);
    png_pixels_fini(&back);
    fixture_fini(&f);
}

TEST(renderer_hides_what_is_behind)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0.1f}, 1, RED, NULL), -1);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, -0.1f}, 1, GREEN, NULL), -1);
    fixture_finish(&f);
    struct png_pixels front = draw(&f, 0), back = draw(&f, 180);
    check_pixel(&front, 100, 100, 255, 0, 0, 255);
    check_pixel(&back, 100, 100, 0, 255, 0, 255);
    png_pixels_fini(&front);
    png_pixels_fini(&back);
    fixture_fini(&f);
}

/* Half red before half green before nothing, in the wrong order in the file: 3/4 opaque, two parts red, one green. */
TEST(renderer_blends_from_far_to_near)
{
    struct fixture f;
    const float half_red[4] = {1, 0, 0, 0.5f}, half_green[4] = {0, 1, 0, 0.5f};
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0.1f}, 1, half_red, NULL), -1);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, -0.1f}, 1, half_green, NULL), -1);
    fixture_finish(&f);
    struct png_pixels front = draw(&f, 0), back = draw(&f, 180);
    check_pixel(&front, 100, 100, 170, 85, 0, 191);
    check_pixel(&back, 100, 100, 85, 170, 0, 191);
    png_pixels_fini(&front);
    png_pixels_fini(&back);
    fixture_fini(&f);
}

/* A back is not drawn where glTF says so, and a mirrored node keeps its front. */
TEST(renderer_culls_backs_of_gltf_only)
{
    for (int is_gltf = 0; is_gltf < 2; is_gltf++)
        for (int is_mirrored = 0; is_mirrored < 2; is_mirrored++) {
            struct fixture f;
            struct buf png;
            fixture_init(&f);
            f.builder.infos[0].format = bake_textz(&f.builder, is_gltf ? "glTF 2.0" : "FBX");
            const uint32_t node = fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 1, RED, NULL), -1);
            f.builder.nodes[node].scale[0] = is_mirrored ? -1 : 1;
            fixture_finish(&f);
            assert_int_equal(draw_bytes(&f, 0, &png), 0);
            buf_fini(&png);
            assert_int_equal(draw_bytes(&f, 180, &png), is_gltf ? ERR_NOTHING_TO_DRAW : 0);
            assert_int_equal(png.size_bytes > 0, !is_gltf);
            buf_fini(&png);
            fixture_fini(&f);
        }
}

/* Texture coordinate (0, 0) is the first pixel of the first row. */
TEST(renderer_lays_textures_the_right_way_up)
{
    struct fixture f;
    const float white[4] = {1, 1, 1, 1};
    static const uint8_t colors[4][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}};
    uint8_t levels[4 * (16 + 4 + 1)] = {0};
    for (int i = 0; i < 16; i++) /* each colour is a quarter of the picture, so that no neighbour shines in */
        memcpy(levels + 4 * i, colors[2 * (i / 8) + i % 4 / 2], 4);
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 1, white, NULL), -1);
    struct bake_builder *b = &f.builder;
    b->primitives[0].flags = PRIMITIVE_TEXCOORDS;
    const struct vec2 texcoords[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    memcpy(bake_add_texcoord(b, 4), texcoords, sizeof texcoords);
    *bake_add_texture(b, 1) =
        (struct texture){.source_width = 4, .source_height = 4, .width = 4, .height = 4, .level_count = 3};
    memcpy(bake_add_pixel_byte(b, sizeof levels), levels, sizeof levels);
    b->materials[0].textures[TEXTURE_BASE_COLOR].texture = 0;
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    check_pixel(&p, 56, 56, 255, 0, 0, 255);
    check_pixel(&p, 144, 56, 0, 255, 0, 255);
    check_pixel(&p, 56, 144, 0, 0, 255, 255);
    check_pixel(&p, 144, 144, 255, 255, 255, 255);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* A square with a texture of black and white squares of one texel, `side` of them along an edge, `times` over it. */
static void add_chessboard(struct fixture *f, uint32_t side, float times, uint32_t mag, uint32_t min)
{
    const float white[4] = {1, 1, 1, 1};
    struct bake_builder *b = &f->builder;
    fixture_mesh_node(f, add_square(f, (struct vec3){0, 0, 0}, 1, white, NULL), -1);
    b->primitives[0].flags = PRIMITIVE_TEXCOORDS;
    const struct vec2 texcoords[4] = {{0, times}, {times, times}, {times, 0}, {0, 0}};
    memcpy(bake_add_texcoord(b, 4), texcoords, sizeof texcoords);
    uint32_t levels = 1;
    for (uint32_t s = side; s > 1; s /= 2)
        levels++;
    *bake_add_texture(b, 1) = (struct texture){.source_width = side,
                                               .source_height = side,
                                               .width = side,
                                               .height = side,
                                               .level_count = levels,
                                               .mag_filter = mag,
                                               .min_filter = min};
    for (uint32_t level = 0; level < levels; level++)
        for (uint32_t y = 0; y < side >> level; y++)
            for (uint32_t x = 0; x < side >> level; x++) {
                /* smaller levels are red, so that it shows which are used */
                const uint8_t value = (x + y) % 2 == 0 ? 255 : 0;
                const uint8_t texel[4] = {level == 0 ? value : 255, level == 0 ? value : 0, level == 0 ? value : 0,
                                          255};
                memcpy(bake_add_pixel_byte(b, 4), texel, 4);
            }
    b->materials[0].textures[TEXTURE_BASE_COLOR].texture = 0;
    fixture_finish(f);
}

/* Counts the pixels of the middle 100 x 100 that are black or white, red, and of any other colour. */
static void count_colors(const struct fixture *f, int *crisp, int *red, int *other)
{
    struct png_pixels p = draw(f, 0);
    *crisp = *red = *other = 0;
    for (int y = 50; y < 150; y++)
        for (int x = 50; x < 150; x++) {
            const uint8_t *c = p.pixels + 4 * ((size_t)y * p.width + (size_t)x);
            const bool is_grey = abs(c[0] - c[1]) <= 2 && abs(c[1] - c[2]) <= 2;
            *crisp += is_grey && (c[0] <= 2 || c[0] >= 253);
            *red += c[0] >= 253 && c[1] <= 2 && c[2] <= 2;
        }
    *other = 10000 - *crisp - *red;
    png_pixels_fini(&p);
}

TEST(renderer_keeps_texels_square_where_the_file_says_so)
{
    int crisp, red, other;
    struct fixture f;
    fixture_init(&f);
    add_chessboard(&f, 8, 1, TEXTURE_MAG_NEAREST, TEXTURE_MIN_LINEAR_MIPMAP_LINEAR);
    count_colors(&f, &crisp, &red, &other);
    fixture_fini(&f);
    /* some 22 pixels a texel: only pixels on an edge may be between black and white */
    assert_true(crisp > 8000);
    assert_int_equal(red, 0);
    fixture_init(&f);
    add_chessboard(&f, 8, 1, TEXTURE_MAG_LINEAR, TEXTURE_MIN_LINEAR_MIPMAP_LINEAR);
    count_colors(&f, &crisp, &red, &other);
    fixture_fini(&f);
    assert_true(crisp < 3000);
    assert_int_equal(red, 0);
}

/* About 4 texels a sample: level 2 or so where there are levels. */
TEST(renderer_minifies_as_the_file_says)
{
    static const struct {
        uint32_t min;
        bool is_level_0;
    } ROWS[] = {{TEXTURE_MIN_LINEAR_MIPMAP_LINEAR, false},
                {TEXTURE_MIN_NEAREST, true},
                {TEXTURE_MIN_LINEAR, true},
                {TEXTURE_MIN_NEAREST_MIPMAP_NEAREST, false},
                {TEXTURE_MIN_LINEAR_MIPMAP_NEAREST, false},
                {TEXTURE_MIN_NEAREST_MIPMAP_LINEAR, false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        int crisp, red, other;
        struct fixture f;
        fixture_init(&f);
        add_chessboard(&f, 64, 23, TEXTURE_MAG_LINEAR, ROWS[i].min);
        count_colors(&f, &crisp, &red, &other);
        fixture_fini(&f);
        if (ROWS[i].is_level_0 ? red > 0 : red != 10000)
            fail_msg("filter %u: %d crisp, %d red, %d other pixels", ROWS[i].min, crisp, red, other);
    }
}

/* A ridge of two faces that share an edge, with the normals that smooth shading would have: straight at the eye. Flat,
 * each half has one colour, and not that of the other. */
TEST(renderer_draws_faces_flat_where_there_are_no_normals)
{
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        struct fixture f;
        fixture_init(&f);
        /* left edge, ridge, ridge, right edge: x = -1, 0, 0, 1 */
        const struct vec3 positions[6] = {{-1, -1, -1}, {0, -1, 0}, {0, 1, 0}, {-1, 1, -1}, {1, -1, -1}, {1, 1, -1}};
        static const uint32_t more[6] = {1, 4, 5, 1, 5, 2};
        const uint32_t mesh = fixture_mesh(&f, positions, 6);
        struct bake_builder *b = &f.builder;
        bake_add_index(b, 6);
        memcpy(b->indices, corners, sizeof corners);
        memcpy(b->indices + 6, more, sizeof more);
        b->primitives[0].topology = TOPOLOGY_TRIANGLES;
        b->primitives[0].index_count = 12;
        b->primitives[0].flags = is_flat ? PRIMITIVE_FLAT : 0;
        fixture_mesh_node(&f, mesh, -1);
        fixture_finish(&f);
        struct png_pixels p = draw(&f, 0);
        const uint8_t *row = p.pixels + 4 * (size_t)100 * p.width;
        const int left = row[4 * 60], left_near = row[4 * 95], right = row[4 * 140], right_near = row[4 * 105];
        if (is_flat) {
            assert_in_range(abs(left - left_near), 0, 6);
            assert_in_range(abs(right - right_near), 0, 6);
            assert_true(abs(left - right) > 20);
        } else {
            assert_true(abs(left_near - right_near) < 6);
        }
        png_pixels_fini(&p);
        fixture_fini(&f);
    }
}

/* A morph target moves the second square from the right of the first to its left; the framing follows. */
TEST(renderer_draws_morphed_vertices)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 0.5f, RED, NULL), -1);
    const uint32_t node = fixture_mesh_node(&f, add_square(&f, (struct vec3){2, 0, 0}, 0.5f, BLUE, NULL), -1);
    struct bake_builder *b = &f.builder;
    *bake_add_morph_target(b, 1) =
        (struct morph_target){.name = {.offset = STR_NONE}, .position_first = 0, .normal_first = UINT32_MAX};
    struct vec3 *deltas = bake_add_morph_delta(b, 4);
    for (int v = 0; v < 4; v++)
        deltas[v] = (struct vec3){-8, 0, 0};
    b->primitives[1].morph_target_count = 1;
    *bake_add_weight(b, 1) = 0.5f;
    b->nodes[node].weight_count = 1;
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    check_pixel(&p, 36, 100, 0, 0, 255, 255);
    check_pixel(&p, 164, 100, 255, 0, 0, 255);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* The same bytes again, whatever was drawn between. */
TEST(renderer_is_deterministic)
{
    struct fixture f, other;
    struct buf first, between, second;
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 1, BLUE, NULL), -1);
    f.builder.materials[0].flags = 0;
    fixture_finish(&f);
    fixture_worked(&other);
    assert_int_equal(draw_bytes(&f, 33, &first), 0);
    assert_int_equal(draw_bytes(&other, 0, &between), 0);
    assert_int_equal(draw_bytes(&f, 33, &second), 0);
    assert_int_equal(first.size_bytes, second.size_bytes);
    assert_memory_equal(first.data, second.data, first.size_bytes);
    buf_fini(&first);
    buf_fini(&between);
    buf_fini(&second);
    fixture_fini(&f);
    fixture_fini(&other);
}

TEST(renderer_draws_a_skeleton_without_meshes)
{
    struct fixture f;
    const float tip[3] = {0, 2, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, tip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    const uint8_t *bone = p.pixels + 4 * (SIDE * 150 + SIDE / 2);
    assert_int_equal(bone[3], 255);
    assert_true(bone[0] > 40);
    check_pixel(&p, 40, 100, 0, 0, 0, 0);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

TEST(renderer_says_when_there_is_nothing)
{
    struct fixture f;
    struct buf png;
    const float clear[4] = {1, 1, 1, 0};
    fixture_init(&f);
    fixture_finish(&f);
    assert_int_equal(draw_bytes(&f, 0, &png), ERR_NOTHING_TO_DRAW);
    buf_fini(&png);
    fixture_fini(&f);
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 1, clear, NULL), -1);
    fixture_finish(&f);
    assert_int_equal(draw_bytes(&f, 0, &png), ERR_NOTHING_TO_DRAW);
    buf_fini(&png);
    fixture_fini(&f);
}

/* What a job could get wrong is an error, and the next job works. */
TEST(renderer_refuses_bad_jobs)
{
    struct fixture f;
    struct buf png;
    struct err err = {0};
    static struct render_work work;
    work = (struct render_work){.job = {.picture = {.width = 9, .height = 9},
                                        .width = 9,
                                        .height = 9,
                                        .cell_count = 1,
                                        .drawn_count = 1,
                                        .model_key = UINT64_MAX,
                                        .model_bytes = 64},
                                .cells = {{.clip = POSE_REST}}};
    const int fd = memfd_create("test", MFD_CLOEXEC);
    buf_init(&png, 0);
    assert_int_equal(renderer_draw(renderer(), &work, fd, NULL, &png, NULL, &err), ERR_INTERNAL); /* an empty file */
    assert_int_equal(ftruncate(fd, 4096), 0);
    work.job.model_bytes = 4096;
    assert_int_equal(renderer_draw(renderer(), &work, fd, NULL, &png, NULL, &err), ERR_BAD_BAKE);
#define REFUSED(field, value)                                                                                          \
    do {                                                                                                               \
        const struct render_work kept = work;                                                                          \
        work.field = (value);                                                                                          \
        assert_int_equal(renderer_draw(renderer(), &work, fd, NULL, &png, NULL, &err), ERR_BAD_PARAMETER);             \
        work = kept;                                                                                                   \
    } while (0)
    REFUSED(job.picture.width, 0);
    REFUSED(job.picture.height, 10); /* a cell larger than the picture */
    REFUSED(job.width, 8);
    REFUSED(job.width, 1 << 20);
    REFUSED(cells[0].begin_s, (double)INFINITY);
    REFUSED(cells[0].end_s, (double)NAN);
    REFUSED(job.picture.pitch_deg, (double)NAN);
    REFUSED(job.cell_count, 0);
    REFUSED(job.cell_count, RENDER_CELLS_MAX + 1);
    REFUSED(job.drawn_count, 0);
    REFUSED(job.drawn_count, 2);
    REFUSED(job.first_drawn, 1);
    REFUSED(job.blend.layer_count, RENDER_LAYERS_MAX + 1);
    REFUSED(cells[0].clip_time_s, (double)NAN);
    REFUSED(cells[0].yaw_deg, (double)INFINITY);
    REFUSED(cells[0].x, 1);
    REFUSED(cells[0].y, UINT32_MAX);
    work.job.picture.given =
        (struct picture_camera){.kind = PICTURE_CAMERA_PERSPECTIVE,
                                .view_from_scene = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1},
                                .fx = 10,
                                .fy = 10,
                                .near = 1,
                                .far = 10};
    assert_int_equal(renderer_draw(renderer(), &work, fd, NULL, &png, NULL, &err), ERR_BAD_BAKE); /* as before */
    REFUSED(job.picture.given.kind, PICTURE_CAMERA_ORTHOGRAPHIC + 1);
    REFUSED(job.picture.given.fx, 0);
    REFUSED(job.picture.given.fy, (double)NAN);
    REFUSED(job.picture.given.cx, (double)INFINITY);
    REFUSED(job.picture.given.cy, (double)NAN);
    REFUSED(job.picture.given.near, -1);
    REFUSED(job.picture.given.near, 10);
    REFUSED(job.picture.given.far, (double)INFINITY);
    REFUSED(job.picture.given.view_from_scene[0], 2);
    REFUSED(job.picture.given.view_from_scene[3], 1e-9);
    REFUSED(job.picture.given.view_from_scene[14], (double)NAN);
    REFUSED(job.picture.camera, 1);
    REFUSED(job.picture.flags, PICTURE_ORTHO);
    REFUSED(job.picture.target_kind, PICTURE_TARGET_POINT);
#undef REFUSED
    close(fd);
    fixture_init(&f);
    fixture_mesh_node(&f, add_square(&f, (struct vec3){0, 0, 0}, 1, RED, NULL), -1);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, 0);
    check_pixel(&p, 100, 100, 255, 0, 0, 255);
    png_pixels_fini(&p);
    struct posed_model posed = {.draws = NULL};
    const struct picture_spec picture = {.width = 9, .height = 9};
    const struct pose_view view = {.picture = &picture, .clip = POSE_REST, .root = f.model.node_count + 1};
    assert_int_equal(posed_model_pose(&posed, &f.model, NULL, &view, &err), ERR_BAD_PARAMETER);
    posed_model_fini(&posed);
    fixture_fini(&f);
}
