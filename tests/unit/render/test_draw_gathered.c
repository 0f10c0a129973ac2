/* Meshes of many triangles look the same whether the processor rasterizes them (render/gather/) or OpenGL does. OpenGL
 * draws everything that is marked as blended. Skipped if there is no GL. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 160, CELLS = 32, ROW = CELLS + 1, VERTICES = ROW * ROW, TEXTURE_SIDE = 16 };

/* A wave from (-1, -1) to (1, 1), off the origin, that two joints bend: one turns, scales and stretches it. */
static void add_wave(struct fixture *f, int32_t skin)
{
    struct bake_builder *b = &f->builder;
    struct vec3 positions[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
        const float x = 2 * (float)(v % ROW) / CELLS - 1, y = 2 * (float)(v / ROW) / CELLS - 1;
        positions[v] = (struct vec3){x + 5, y - 3, 0.2f * sinf(6 * x) * cosf(4 * y) + 7};
    }
    const uint32_t mesh = fixture_mesh(f, positions, VERTICES);
    struct primitive *primitive = &b->primitives[mesh];
    b->index_count = primitive->index_first; /* of points */
    for (uint32_t c = 0; c < CELLS * CELLS; c++) {
        const uint32_t at = c / CELLS * ROW + c % CELLS;
        const uint32_t corners[6] = {at, at + 1, at + ROW, at + 1, at + ROW + 1, at + ROW};
        memcpy(bake_add_index(b, 6), corners, sizeof corners);
    }
    primitive->topology = TOPOLOGY_TRIANGLES;
    primitive->index_count = 6 * CELLS * CELLS;
    primitive->material = (int32_t)mesh;
    primitive->flags = PRIMITIVE_TEXCOORDS;
    for (uint32_t v = primitive->vertex_first; v < primitive->vertex_first + VERTICES; v++) {
        const float x = b->positions[v].x - 5, y = b->positions[v].y + 3, share = 0.5f + 0.45f * x;
        const float slope_x = 1.2f * cosf(6 * x) * cosf(4 * y), slope_y = -0.8f * sinf(6 * x) * sinf(4 * y);
        const float length = sqrtf(slope_x * slope_x + slope_y * slope_y + 1);
        b->normals[v] = (struct vec3){-slope_x / length, -slope_y / length, 1 / length};
        *bake_add_texcoord(b, 1) = (struct vec2){0.5f + 0.5f * x, 0.5f - 0.5f * y};
        *bake_add_influence(b, 1) = (struct influence){0, 1 - share};
        *bake_add_influence(b, 1) = (struct influence){1, share};
        b->influence_firsts[v + 1] = b->influence_count;
    }
    fixture_mesh_node(f, mesh, skin);
}

static int32_t start(struct fixture *f)
{
    const float place[3] = {3, 1, -2}, turn[4] = {0.1f, 0.2f, 0.05f, 0.97339613f}, scale[3] = {1, 1.5f, 0.8f};
    const uint32_t joints[2] = {0, 1};
    fixture_init(f);
    fixture_node(f, -1, place, turn, scale);
    fixture_node(f, 0, (const float[3]){0.2f, 0, 0.1f}, (const float[4]){0, 0.0995037f, 0, 0.99503719f}, FIXTURE_ONE);
    fixture_root(f, 0);
    return (int32_t)fixture_skin(f, joints, 2);
}

static struct material *add_material(struct fixture *f, bool is_blended)
{
    struct material *material = bake_add_material(&f->builder, 1);
    *material = MATERIAL_PLAIN;
    material->alpha_mode = is_blended ? ALPHA_BLEND : ALPHA_OPAQUE;
    material->flags = MATERIAL_DOUBLE_SIDED;
    material->base_color[0] = 0.8f;
    material->base_color[1] = 0.5f;
    return material;
}

/* Soft stripes with all mip levels; of data they are bumps. */
static int32_t add_texture(struct fixture *f, uint32_t content)
{
    struct bake_builder *b = &f->builder;
    *bake_add_texture(b, 1) = (struct texture){.source_width = TEXTURE_SIDE,
                                               .source_height = TEXTURE_SIDE,
                                               .width = TEXTURE_SIDE,
                                               .height = TEXTURE_SIDE,
                                               .level_count = 5,
                                               .content = content,
                                               .pixel_first = b->pixel_byte_count};
    for (int side = TEXTURE_SIDE; side > 0; side /= 2)
        for (int i = 0; i < side * side; i++) {
            const float x = ((float)(i % side) + 0.5f) / (float)side, y = ((float)(i / side) + 0.5f) / (float)side;
            const uint8_t texel[4] = {(uint8_t)(128 + 60 * sinf(6.28f * x)), (uint8_t)(128 + 60 * cosf(6.28f * y)),
                                      content == TEXTURE_DATA ? 240 : 90, 255};
            memcpy(bake_add_pixel_byte(b, 4), texel, sizeof texel);
        }
    return (int32_t)b->texture_count - 1;
}

enum look { PLAIN, TEXTURED, BUMPED, COLORED, UNLIT, ONE_SIDED, LOOKS };

static void draw_wave(enum look look, bool is_blended, double yaw_deg, struct png_pixels *out)
{
    const struct picture_spec picture = {
        .width = SIDE, .height = SIDE, .yaw_deg = yaw_deg, .flags = PICTURE_ALLOW_EMPTY};
    struct fixture f;
    struct buf png;
    const int32_t skin = start(&f);
    struct material *material = add_material(&f, is_blended);
    add_wave(&f, skin);
    if (look >= TEXTURED)
        material->textures[TEXTURE_BASE_COLOR].texture = add_texture(&f, TEXTURE_COLORS);
    if (look == BUMPED)
        material->textures[TEXTURE_NORMAL].texture = add_texture(&f, TEXTURE_DATA);
    if (look == UNLIT)
        material->flags |= MATERIAL_UNLIT;
    if (look == ONE_SIDED) {
        material->flags = 0;
        f.builder.infos[0].format = bake_textz(&f.builder, "glTF 2.0");
    }
    for (uint32_t v = 0; v < VERTICES && look == COLORED; v++)
        *bake_add_color(&f.builder, 1) = fixture_color(v % 256, v / 5 % 256, 200, 255);
    if (look == COLORED)
        f.builder.primitives[0].flags |= PRIMITIVE_COLORS;
    fixture_finish(&f);
    assert_int_equal(shared_renderer_draw(&f, &picture, 0, &png), 0);
    png_pixels_init(out, &png);
    buf_fini(&png);
    fixture_fini(&f);
}

static int differ(const struct png_pixels *a, const struct png_pixels *b, int more_than)
{
    int count = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        for (size_t c = 4 * i; c < 4 * i + 4; c++)
            if (abs(a->pixels[c] - b->pixels[c]) > more_than) {
                count++;
                break;
            }
    return count;
}

/* From before and from behind. Edges may differ by a sample, as both round. */
TEST(draw_gathered_looks_as_opengl_draws)
{
    static const char *const NAMES[] = {"plain", "textured", "bumped", "coloured", "unlit", "one-sided"};
    for (enum look look = PLAIN; look < LOOKS; look++)
        for (int back = 0; back < 2; back++) {
            struct png_pixels gathered, drawn;
            draw_wave(look, false, 30 + 180 * back, &gathered);
            draw_wave(look, true, 30 + 180 * back, &drawn);
            if (differ(&gathered, &drawn, 4) > SIDE * SIDE / 200 || differ(&gathered, &drawn, 80) > 0)
                fail_msg("%s, %s: %d pixels differ by more than 4, %d by more than 80", NAMES[look],
                         back ? "behind" : "before", differ(&gathered, &drawn, 4), differ(&gathered, &drawn, 80));
            png_pixels_fini(&gathered);
            png_pixels_fini(&drawn);
        }
}

/* The same surface, half transparent, over an opaque one: none of it is behind that, however depths round. */
TEST(draw_gathered_hides_nothing_at_the_same_place)
{
    const struct picture_spec picture = {.width = SIDE, .height = SIDE, .yaw_deg = 20};
    struct fixture f;
    struct buf png;
    struct png_pixels p;
    const int32_t skin = start(&f);
    for (int i = 0; i < 2; i++) {
        struct material *material = add_material(&f, i == 1);
        const float red_or_green[4] = {i == 0, i == 1, 0, i == 0 ? 1 : 0.5f};
        memcpy(material->base_color, red_or_green, sizeof red_or_green);
        material->flags |= MATERIAL_UNLIT;
        add_wave(&f, skin);
    }
    fixture_finish(&f);
    assert_int_equal(shared_renderer_draw(&f, &picture, 0, &png), 0);
    png_pixels_init(&p, &png);
    int covered = 0, bare = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        covered += p.pixels[4 * i + 3] == 255;
        bare += p.pixels[4 * i + 3] == 255 && p.pixels[4 * i + 1] < 100;
    }
    assert_true(covered > SIDE * SIDE / 4);
    assert_int_equal(bare, 0);
    png_pixels_fini(&p);
    buf_fini(&png);
    fixture_fini(&f);
}
