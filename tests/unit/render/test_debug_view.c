/* Views of small models drawn in this process, with pixels predicted by hand. Skipped if there is no GL. */
#include "base/picture/view.h"
#include "render/pose/influence.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIDE = 200 };

/* joint: 0, or 1 + the node. */
static int draw_bytes(const struct fixture *f, enum view view, uint32_t joint, struct buf *png)
{
    const struct picture_spec picture = {.width = SIDE, .height = SIDE, .view = view};
    return shared_renderer_draw(f, &picture, joint, png);
}

static struct png_pixels draw(const struct fixture *f, enum view view, uint32_t joint)
{
    struct buf png;
    struct png_pixels pixels;
    assert_int_equal(draw_bytes(f, view, joint, &png), 0);
    png_pixels_init(&pixels, &png);
    buf_fini(&png);
    return pixels;
}

static const uint8_t *pixel_at(const struct png_pixels *p, int x, int y)
{
    return p->pixels + 4 * ((size_t)y * p->width + (size_t)x);
}

static void check_pixel(const struct png_pixels *p, int x, int y, const double rgb[3], int tolerance)
{
    const uint8_t *found = pixel_at(p, x, y);
    for (int i = 0; i < 3; i++)
        if (fabs(found[i] - rgb[i]) > tolerance + 0.5 || found[3] != 255)
            fail_msg("pixel %d, %d is %d %d %d %d, expected %.1f %.1f %.1f 255", x, y, found[0], found[1], found[2],
                     found[3], rgb[0], rgb[1], rgb[2]);
}

/* The rig of test_renderer.c, turned, stretched and away from the origin: the squares stand at the pixels RED, GREEN,
 * BLUE and YELLOW, and follow node 0, node 1, node 1, and node 0 by three quarters. */
enum { RED_X = 100, RED_Y = 180, GREEN_X = 36, GREEN_Y = 20, YELLOW_X = 124, YELLOW_Y = 108 };
static void build_rig(struct fixture *f)
{
    const float half = 0.70710678f;
    const float root_place[3] = {100, -50, 30}, root_turn[4] = {0, 0, half, half}, root_scale[3] = {1, 2, 1};
    const float child_place[3] = {3, 1, 0}, child_turn[4] = {0, 0, 1, 0}, child_scale[3] = {1, 0.5f, 1};
    const float first[2] = {1, 0}, second[2] = {0, 1}, both[2] = {0.75f, 0.25f};
    const uint32_t joints[2] = {0, 1};
    fixture_init(f);
    fixture_node(f, -1, root_place, root_turn, root_scale);
    fixture_node(f, 0, child_place, child_turn, child_scale);
    fixture_root(f, 0);
    const int32_t skin = (int32_t)fixture_skin(f, joints, 2);
    f->builder.joints[1].joint_from_bind.m[12] = -2;
    fixture_mesh_node(f, fixture_square(f, (struct vec3){0, 0, 0}, 0.25f, first), skin);
    fixture_mesh_node(f, fixture_square(f, (struct vec3){0, 0, 0}, 0.25f, second), skin);
    fixture_mesh_node(f, fixture_square(f, (struct vec3){3, 4, 0}, 0.25f, second), skin);
    fixture_mesh_node(f, fixture_square(f, (struct vec3){2, -1, 0}, 0.25f, both), skin);
    fixture_finish(f);
}

/* What view.frag leaves of a colour on a surface that looks straight at +z. */
static void dim(const double rgb[3], double out[3])
{
    const double form = 0.70 + 0.30 * 0.8 / sqrt(0.3 * 0.3 + 0.5 * 0.5 + 0.8 * 0.8);
    for (int i = 0; i < 3; i++)
        out[i] = form * rgb[i];
}

TEST(view_weights_of_a_joint_are_heat)
{
    static const double NONE[3] = {68, 1, 84}, QUARTER[3] = {59, 82, 139}, ALL[3] = {253, 231, 37};
    struct fixture f;
    double none[3], quarter[3], all[3];
    dim(NONE, none);
    dim(QUARTER, quarter);
    dim(ALL, all);
    build_rig(&f);
    struct png_pixels p = draw(&f, VIEW_WEIGHTS, 1 + 1);
    check_pixel(&p, RED_X, RED_Y, none, 1);
    check_pixel(&p, GREEN_X, GREEN_Y, all, 1);
    check_pixel(&p, YELLOW_X, YELLOW_Y, quarter, 1);
    png_pixels_fini(&p);
    struct buf png;
    assert_int_equal(draw_bytes(&f, VIEW_WEIGHTS, f.model.node_count + 1, &png), ERR_BAD_PARAMETER);
    buf_fini(&png);
    fixture_fini(&f);
}

TEST(view_weights_without_a_joint_are_colours_of_joints)
{
    struct fixture f;
    build_rig(&f);
    struct png_pixels p = draw(&f, VIEW_WEIGHTS, 0);
    for (uint32_t node = 0; node < 2; node++) {
        const struct rgba8 color = influence_color(node);
        double dimmed[3];
        dim((const double[3]){color.r, color.g, color.b}, dimmed);
        check_pixel(&p, node == 0 ? YELLOW_X : GREEN_X, node == 0 ? YELLOW_Y : GREEN_Y, dimmed, 1);
    }
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* Every pixel is a number or nothing: nothing is smoothed. */
TEST(view_joints_are_exact_numbers)
{
    struct fixture f;
    build_rig(&f);
    struct png_pixels p = draw(&f, VIEW_JOINTS, 0);
    size_t counts[3] = {0};
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const uint8_t *c = p.pixels + 4 * i;
        const uint64_t color = (uint64_t)c[0] << 16 | (uint64_t)c[1] << 8 | c[2];
        const uint64_t number = color * 0xB382C9 % (1 << 24);
        assert_int_equal(c[3], number == 0 ? 0 : 255);
        assert_in_range(number, 0, 2);
        counts[number]++;
    }
    const uint8_t *red = pixel_at(&p, RED_X, RED_Y), *green = pixel_at(&p, GREEN_X, GREEN_Y);
    assert_int_equal(red[0] << 16 | red[1] << 8 | red[2], 0x9E3779);
    assert_int_equal(green[0] << 16 | green[1] << 8 | green[2], 2 * 0x9E3779 % (1 << 24));
    /* red: 0.5 x 1 units of 32 pixels, yellow: its sides are means of both joints'; green and blue: 0.5 x 0.5 each */
    assert_in_range(counts[1], 500, 1500);
    assert_in_range(counts[2], 400, 700);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* A square turned by 45 degrees about y, then stretched by 3 along z, somewhere else: its normal is
 * (sin 45, 0, cos 45 / 3) made one long, not where its points went. */
TEST(view_normals_are_those_of_the_turned_and_stretched_surface)
{
    struct fixture f;
    const float place[3] = {-20, 7, 400}, wide[3] = {1, 1, 3}, turn[4] = {0, 0.38268343f, 0, 0.92387953f};
    fixture_init(&f);
    const uint32_t mesh = fixture_square(&f, (struct vec3){0, 0, 0}, 1, NULL);
    fixture_node(&f, -1, place, FIXTURE_NO_TURN, wide);
    fixture_node(&f, 0, FIXTURE_ZERO, turn, FIXTURE_ONE);
    f.builder.nodes[1].mesh = (int32_t)mesh;
    fixture_root(&f, 0);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, VIEW_NORMALS, 0);
    const double length = sqrt(0.5 + 0.5 / 9), n[3] = {sqrt(0.5) / length, 0, sqrt(0.5) / 3 / length};
    check_pixel(&p, 100, 100, (const double[3]){127.5 + 127.5 * n[0], 127.5, 127.5 + 127.5 * n[2]}, 1);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* A normal texture that leans by 0.6 towards growing u, to the right. */
TEST(view_normals_have_what_normal_textures_add)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, fixture_square(&f, (struct vec3){-3, 8, 2}, 1, NULL), -1);
    struct bake_builder *b = &f.builder;
    const struct vec2 texcoords[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    memcpy(bake_add_texcoord(b, 4), texcoords, sizeof texcoords);
    b->primitives[0].flags = PRIMITIVE_TEXCOORDS;
    b->primitives[0].material = 0;
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->textures[TEXTURE_NORMAL].texture = 0;
    *bake_add_texture(b, 1) = (struct texture){
        .source_width = 4, .source_height = 4, .width = 4, .height = 4, .level_count = 3, .content = TEXTURE_DATA};
    uint8_t *texels = bake_add_pixel_byte(b, 4 * (16 + 4 + 1));
    for (int i = 0; i < 16 + 4 + 1; i++)
        memcpy(texels + 4 * i, (const uint8_t[4]){204, 128, 230, 255}, 4);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, VIEW_NORMALS, 0);
    check_pixel(&p, 100, 100, (const double[3]){204, 128, 230}, 1);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* Three squares at even distances have even greys, whatever perspective does to GL's depth. */
TEST(view_depth_is_linear)
{
    struct fixture f;
    const float place[3] = {50, -3, 1000};
    fixture_init(&f);
    const uint32_t node = fixture_node(&f, -1, place, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, node);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t mesh = fixture_square(&f, (struct vec3){4 * ((float)i - 1), 0, -5 * (float)i}, 1, NULL);
        fixture_node(&f, (int32_t)node, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        f.builder.nodes[1 + i].mesh = (int32_t)mesh;
    }
    fixture_finish(&f);
    struct png_pixels p = draw(&f, VIEW_DEPTH, 0);
    int greys[3] = {-1, -1, -1}, found = 0;
    for (int x = 0; x < SIDE; x++) {
        const uint8_t *c = pixel_at(&p, x, 100), *next = pixel_at(&p, x + 1 < SIDE ? x + 1 : x, 100);
        if (c[3] == 255 && next[3] == 255 && (found == 0 || abs(greys[found - 1] - c[0]) > 20))
            greys[found++] = c[0];
        assert_in_range(found, 0, 3);
        assert_true(c[3] == 0 || (c[0] == c[1] && c[1] == c[2]));
    }
    assert_int_equal(found, 3);
    assert_in_range(greys[0], 247, 255);
    assert_in_range(greys[2], 0, 8);
    assert_in_range(greys[1], (greys[0] + greys[2]) / 2 - 1, (greys[0] + greys[2]) / 2 + 2);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* A square is two triangles: dark at its sides and its diagonal, light between. Surfaces behind it are hidden. */
TEST(view_wireframe_has_edges_and_hides_what_is_behind)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, fixture_square(&f, (struct vec3){9, 4, 0}, 1, NULL), -1);
    fixture_mesh_node(&f, fixture_square(&f, (struct vec3){9, 4, -0.5f}, 0.5f, NULL), -1);
    fixture_finish(&f);
    struct png_pixels p = draw(&f, VIEW_WIREFRAME, 0);
    int left = 0, dark = 0;
    while (left < SIDE && pixel_at(&p, left, 100)[3] == 0)
        left++;
    for (int x = left + 3; x < SIDE - left - 3; x++)
        dark += pixel_at(&p, x, 70)[0] < 150;
    assert_in_range(left, 5, 20);
    assert_true(pixel_at(&p, left + 1, 100)[0] < 150 || pixel_at(&p, left, 100)[0] < 150);
    assert_in_range(dark, 1, 3); /* the diagonal, nothing of the square behind */
    assert_true(pixel_at(&p, 129, 70)[0] < 120 || pixel_at(&p, 130, 70)[0] < 120);
    assert_true(pixel_at(&p, 60, 70)[0] > 180);
    png_pixels_fini(&p);
    fixture_fini(&f);
}

/* Joint 1 is at (97, -47), joint 0 at (100, -50); the bone between them has the colour of what was chosen. */
TEST(view_skeleton_shows_bones_through_the_mesh)
{
    struct fixture f;
    fixture_init(&f);
    const float tip[3] = {0, 4, 0};
    const uint32_t joints[2] = {0, 1};
    const float first[2] = {1, 0};
    fixture_node(&f, -1, (const float[3]){7, 0, -9}, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, tip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    const int32_t skin = (int32_t)fixture_skin(&f, joints, 2);
    fixture_mesh_node(&f, fixture_square(&f, (struct vec3){0, 2, 1}, 3, first), skin);
    fixture_finish(&f);
    struct png_pixels plain = draw(&f, VIEW_SKELETON, 0), chosen = draw(&f, VIEW_SKELETON, 1);
    const uint8_t *bone = pixel_at(&plain, 100, 110), *glass = pixel_at(&plain, 40, 100);
    assert_int_equal(bone[3], 255);
    assert_in_range(glass[3], 20, 120);
    const uint8_t *blue = pixel_at(&chosen, 100, 110), *same = pixel_at(&chosen, 40, 100);
    assert_true(blue[2] > blue[0] + 60);
    assert_true(abs(bone[2] - bone[0]) < 40);
    assert_memory_equal(glass, same, 4);
    png_pixels_fini(&plain);
    png_pixels_fini(&chosen);
    fixture_fini(&f);
}

/* What lets most through is solid where numbers are drawn, unless nothing of it can be seen at all. */
TEST(views_draw_blended_surfaces_solid)
{
    for (int is_clear = 0; is_clear < 2; is_clear++) {
        struct fixture f;
        struct buf png;
        fixture_init(&f);
        fixture_mesh_node(&f, fixture_square(&f, (struct vec3){0, 0, 0}, 1, NULL), -1);
        struct material *material = bake_add_material(&f.builder, 1);
        *material = MATERIAL_PLAIN;
        material->alpha_mode = ALPHA_BLEND;
        material->base_color[3] = is_clear ? 0 : 0.125f;
        f.builder.primitives[0].material = 0;
        fixture_finish(&f);
        assert_int_equal(draw_bytes(&f, VIEW_NORMALS, 0, &png), is_clear ? ERR_NOTHING_TO_DRAW : 0);
        if (!is_clear) {
            struct png_pixels p;
            png_pixels_init(&p, &png);
            check_pixel(&p, 100, 100, (const double[3]){127.5, 127.5, 255}, 1);
            png_pixels_fini(&p);
        }
        buf_fini(&png);
        fixture_fini(&f);
    }
}

/* Points are numbered one by one, lines by their two ends. */
TEST(view_joints_numbers_points_and_lines)
{
    for (int is_lines = 0; is_lines < 2; is_lines++) {
        struct fixture f;
        const struct vec3 positions[4] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 1, 0}};
        const uint32_t joints[2] = {0, 1};
        fixture_init(&f);
        struct bake_builder *b = &f.builder;
        const uint32_t mesh = fixture_mesh(&f, positions, 4);
        b->primitives[0].topology = is_lines ? TOPOLOGY_LINES : TOPOLOGY_POINTS;
        for (uint32_t v = 0; v < 4; v++) {
            *bake_add_influence(b, 1) = (struct influence){v / 2, 1};
            b->influence_firsts[v + 1] = v + 1;
        }
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        fixture_node(&f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        fixture_root(&f, 0);
        fixture_mesh_node(&f, mesh, (int32_t)fixture_skin(&f, joints, 2));
        fixture_finish(&f);
        struct png_pixels p = draw(&f, VIEW_JOINTS, 0);
        size_t high[3] = {0}, low[3] = {0};
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            const uint8_t *c = p.pixels + 4 * i;
            const uint64_t color = (uint64_t)c[0] << 16 | (uint64_t)c[1] << 8 | c[2];
            const uint64_t number = color * 0xB382C9 % (1 << 24);
            assert_in_range(number, 0, 2);
            (i < SIDE * SIDE / 2 ? high : low)[number]++;
        }
        assert_true(high[2] >= (is_lines ? 100 : 8) && high[1] == 0);
        assert_true(low[1] >= (is_lines ? 100 : 8) && low[2] == 0);
        png_pixels_fini(&p);
        fixture_fini(&f);
    }
}

/* Files with nothing but nodes have every view, too. */
TEST(views_show_bones_where_there_is_no_mesh)
{
    struct fixture f;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, (const float[3]){0, 2, 0}, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_finish(&f);
    for (uint32_t view = 0; view < VIEW_COUNT; view++) {
        if (view == VIEW_OPENPOSE) /* of a human only */
            continue;
        struct png_pixels p = draw(&f, view, VIEW_INFO[view].takes_joint ? 1 : 0);
        const uint8_t *bone = pixel_at(&p, 100, 150), *tip = pixel_at(&p, 100, 13);
        assert_int_equal(bone[3], 255);
        assert_int_equal(pixel_at(&p, 40, 100)[3], 0);
        if (view == VIEW_JOINTS) {
            assert_int_equal(bone[0] << 16 | bone[1] << 8 | bone[2], influence_id_color(0));
            assert_int_equal(tip[0] << 16 | tip[1] << 8 | tip[2], influence_id_color(1));
        }
        if (view == VIEW_WEIGHTS)
            assert_true(bone[1] > tip[1] + 100); /* yellow and violet */
        png_pixels_fini(&p);
    }
    fixture_fini(&f);
}

/* A square that moves by its own width to the right: its first place shows through by 0.6 / 2 where it is alone, and
 * the camera frames both. */
TEST(view_onion_lays_later_moments_over_earlier_ones)
{
    static const double times[2] = {0, 1};
    static const float places[6] = {3, 0, 0, 5, 0, 0};
    static struct render_work work;
    struct fixture f;
    struct buf png;
    struct png_pixels p;
    struct err err = {0};
    fixture_init(&f);
    const uint32_t node = fixture_mesh_node(&f, fixture_square(&f, (struct vec3){0, 0, 0}, 1, NULL), -1);
    fixture_clip(&f);
    fixture_channel(&f, node, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 2, places);
    fixture_finish(&f);
    work = (struct render_work){.job = {.picture = {.width = SIDE,
                                                    .height = SIDE,
                                                    .view = VIEW_ONION,
                                                    .fov_deg = 30,
                                                    .distance = 1,
                                                    .flags = PICTURE_FRAME_POSE},
                                        .width = SIDE,
                                        .height = SIDE,
                                        .cell_count = 2,
                                        .drawn_count = 2,
                                        .model_key = shared_renderer_key(),
                                        .model_bytes = f.size_bytes},
                                .cells = {{.clip_time_s = 0}, {.clip_time_s = 1}}};
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(fd, f.block, f.size_bytes), f.size_bytes);
    buf_init(&png, 0);
    assert_int_equal(renderer_draw(shared_renderer(), &work, fd, NULL, &png, NULL, &err), 0);
    close(fd);
    png_pixels_init(&p, &png);
    assert_in_range(pixel_at(&p, 50, 100)[3], 76, 78);
    assert_int_equal(pixel_at(&p, 150, 100)[3], 255);
    for (int c = 0; c < 3; c++)
        assert_in_range(abs(pixel_at(&p, 50, 100)[c] - pixel_at(&p, 150, 100)[c]), 0, 12);
    assert_int_equal(pixel_at(&p, 50, 20)[3], 0);
    assert_in_range(pixel_at(&p, 16, 100)[3] + pixel_at(&p, 10, 100)[3], 0, 78);
    png_pixels_fini(&p);
    buf_fini(&png);
    fixture_fini(&f);
}

/* No view leaves anything behind in the context. */
TEST(views_leave_lit_pictures_as_they_were)
{
    struct fixture f;
    struct buf first;
    build_rig(&f);
    assert_int_equal(draw_bytes(&f, VIEW_LIT, 0, &first), 0);
    for (uint32_t view = 1; view < VIEW_COUNT; view++) {
        if (view == VIEW_OPENPOSE) /* of a human only */
            continue;
        struct buf other, again;
        assert_int_equal(draw_bytes(&f, view, 0, &other), 0);
        assert_int_equal(draw_bytes(&f, VIEW_LIT, 0, &again), 0);
        assert_int_equal(again.size_bytes, first.size_bytes);
        assert_memory_equal(again.data, first.data, first.size_bytes);
        /* an onion of one moment is that moment */
        assert_true(view == VIEW_ONION || other.size_bytes != first.size_bytes ||
                    memcmp(other.data, first.data, first.size_bytes) != 0);
        buf_fini(&other);
        buf_fini(&again);
    }
    buf_fini(&first);
    fixture_fini(&f);
}

/* A textured, bumpy, translucent card of one joint, turned, stretched and morphed: one joint alone moves it the same by
 * any method. */
static void build_card(struct fixture *f, uint32_t method)
{
    const float place[3] = {7, -3, 1}, turn[4] = {0.1f, 0.3f, 0.2f, 0.92736185f}, scale[3] = {2, 1, 0.5f};
    const float weights[2] = {1, 0};
    const uint32_t joint = 0;
    fixture_init(f);
    struct bake_builder *b = &f->builder;
    fixture_node(f, -1, place, turn, scale);
    fixture_root(f, 0);
    const int32_t skin = (int32_t)fixture_skin(f, &joint, 1);
    b->skins[skin].method = method;
    const uint32_t node = fixture_mesh_node(f, fixture_square(f, (struct vec3){1, 2, 0}, 2, weights), skin);
    b->primitives[0].material = 0;
    b->primitives[0].flags = PRIMITIVE_FILE_NORMALS | PRIMITIVE_TEXCOORDS | PRIMITIVE_TANGENTS;
    b->primitives[0].morph_target_count = 1;
    *bake_add_morph_target(b, 1) = (struct morph_target){{.offset = STR_NONE}, 0, 4};
    bake_add_morph_delta(b, 8)[2] = (struct vec3){1, 0.5f, 0};
    b->morph_deltas[5] = (struct vec3){0.4f, 0, 0};
    *bake_add_weight(b, 1) = 0.5f;
    b->nodes[node].weight_count = 1;
    memcpy(bake_add_texcoord(b, 4), (const struct vec2[4]){{0, 1}, {1, 1}, {1, 0}, {0, 0}}, 32);
    struct vec4 *tangents = bake_add_tangent(b, 4);
    for (int v = 0; v < 4; v++)
        tangents[v] = (struct vec4){1, 0, 0, 1};
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->alpha_mode = ALPHA_BLEND;
    material->base_color[3] = 0.75f;
    material->flags = MATERIAL_DOUBLE_SIDED;
    material->textures[TEXTURE_NORMAL].texture = 0;
    *bake_add_texture(b, 1) = (struct texture){
        .source_width = 1, .source_height = 1, .width = 1, .height = 1, .level_count = 1, .content = TEXTURE_DATA};
    memcpy(bake_add_pixel_byte(b, 4), (const uint8_t[4]){220, 160, 200, 255}, 4);
    fixture_finish(f);
}

TEST(view_of_one_joint_is_the_same_by_any_method)
{
    for (int view = 0; view < VIEW_COUNT; view++) {
        if (view == VIEW_OPENPOSE) /* of a human only */
            continue;
        struct fixture linear, dual;
        build_card(&linear, METHOD_LINEAR);
        build_card(&dual, METHOD_DUAL_QUATERNION);
        struct png_pixels a = draw(&linear, (enum view)view, 0), b = draw(&dual, (enum view)view, 0);
        uint32_t different = 0, shown = 0;
        for (size_t i = 0; i < (size_t)4 * SIDE * SIDE; i++) {
            different += abs(a.pixels[i] - b.pixels[i]) > 2;
            shown += a.pixels[i] != 0;
        }
        assert_true(shown > 4000);
        if (different > 40) /* rounding moves a line by a sample here and there */
            fail_msg("view %d has %u different bytes", view, different);
        png_pixels_fini(&a);
        png_pixels_fini(&b);
        fixture_fini(&linear);
        fixture_fini(&dual);
    }
}
