/* Materials on cards drawn in this process: the effect of each part of a material on the centre pixel, and shadows.
 * Skipped if there is no GL. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIDE = 64 };

/* A card from (-1, -1) to (1, 1) that looks along +z at the camera, its texture upright. */
static struct material *start_card(struct fixture *f)
{
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const struct vec3 positions[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    const struct vec2 texcoords[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    fixture_init(f);
    const uint32_t mesh = fixture_mesh(f, positions, 4);
    struct bake_builder *b = &f->builder;
    bake_add_index(b, 2);
    memcpy(b->indices, corners, sizeof corners);
    for (int v = 0; v < 4; v++)
        b->normals[v] = (struct vec3){0, 0, 1};
    memcpy(bake_add_texcoord(b, 4), texcoords, sizeof texcoords);
    b->primitives[0].topology = TOPOLOGY_TRIANGLES;
    b->primitives[0].index_count = 6;
    b->primitives[0].material = 0;
    b->primitives[0].flags = PRIMITIVE_TEXCOORDS;
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->flags = MATERIAL_DOUBLE_SIDED;
    const uint32_t node = fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    b->nodes[node].mesh = (int32_t)mesh;
    fixture_root(f, node);
    return material;
}

/* Gives the material a texture of one colour. */
static void set_texture(struct fixture *f, enum texture_slot slot, int r, int g, int b)
{
    struct bake_builder *builder = &f->builder;
    const bool is_color = slot == TEXTURE_BASE_COLOR || slot == TEXTURE_EMISSIVE;
    builder->materials[0].textures[slot].texture = (int32_t)builder->texture_count;
    *bake_add_texture(builder, 1) = (struct texture){.source_width = 1,
                                                     .source_height = 1,
                                                     .width = 1,
                                                     .height = 1,
                                                     .level_count = 1,
                                                     .content = is_color ? TEXTURE_COLORS : TEXTURE_DATA,
                                                     .pixel_first = builder->pixel_byte_count};
    memcpy(bake_add_pixel_byte(builder, 4), (const uint8_t[]){(uint8_t)r, (uint8_t)g, (uint8_t)b, 255}, 4);
}

static struct png_pixels draw(struct fixture *f, const struct picture_spec *picture)
{
    struct buf png;
    struct png_pixels pixels;
    fixture_finish(f);
    assert_int_equal(shared_renderer_draw(f, picture, 0, &png), 0);
    png_pixels_init(&pixels, &png);
    buf_fini(&png);
    fixture_fini(f);
    return pixels;
}

struct color {
    int r, g, b, a;
};

/* The middle of the card, and the end of the fixture. */
static struct color middle_at(struct fixture *f, double yaw_deg)
{
    const struct picture_spec picture = {.width = SIDE, .height = SIDE, .yaw_deg = yaw_deg};
    struct png_pixels p = draw(f, &picture);
    const uint8_t *c = p.pixels + 4 * ((SIDE / 2 + 3) * SIDE + SIDE / 2 + 5);
    const struct color color = {c[0], c[1], c[2], c[3]};
    png_pixels_fini(&p);
    return color;
}

static struct color middle(struct fixture *f) { return middle_at(f, 0); }

static int sum(struct color c) { return c.r + c.g + c.b; }

static void check_same(struct color a, struct color b)
{
    if (abs(a.r - b.r) > 1 || abs(a.g - b.g) > 1 || abs(a.b - b.b) > 1 || abs(a.a - b.a) > 1)
        fail_msg("%d %d %d %d is not %d %d %d %d", a.r, a.g, a.b, a.a, b.r, b.g, b.b, b.a);
}

/* White textures change nothing: the program with all textures shades like the one without. */
TEST(shading_is_the_same_with_white_textures)
{
    for (int metallic = 0; metallic < 3; metallic++) {
        struct color found[2];
        for (int has_textures = 0; has_textures < 2; has_textures++) {
            struct fixture f;
            struct material *material = start_card(&f);
            material->metallic = 0.5f * (float)metallic;
            material->roughness = 0.4f;
            memcpy(material->base_color, (const float[4]){0.8f, 0.3f, 0.1f, 1}, sizeof material->base_color);
            memcpy(material->emissive, (const float[3]){0, 0.1f, 0}, sizeof material->emissive);
            for (int slot = 0; has_textures && slot < TEXTURE_SLOT_COUNT; slot++)
                if (slot != TEXTURE_NORMAL)
                    set_texture(&f, (enum texture_slot)slot, 255, 255, 255);
            found[has_textures] = middle(&f);
        }
        check_same(found[0], found[1]);
    }
}

static struct color with_texture(enum texture_slot slot, int r, int g, int b)
{
    struct fixture f;
    struct material *material = start_card(&f);
    memcpy(material->base_color, (const float[4]){0.5f, 0.5f, 0.5f, 1}, sizeof material->base_color);
    memcpy(material->emissive, (const float[3]){slot == TEXTURE_EMISSIVE, slot == TEXTURE_EMISSIVE, 0},
           sizeof material->emissive);
    material->metallic = 1;
    set_texture(&f, slot, r, g, b);
    return middle(&f);
}

TEST(shading_takes_each_texture_from_its_channels)
{
    /* metallic is blue, roughness green; red is nobody's */
    const struct color metal = with_texture(TEXTURE_METALLIC_ROUGHNESS, 0, 128, 255);
    const struct color paint = with_texture(TEXTURE_METALLIC_ROUGHNESS, 0, 20, 0);
    const struct color smooth = with_texture(TEXTURE_METALLIC_ROUGHNESS, 0, 20, 255);
    assert_true(sum(paint) > sum(smooth) + 30);
    assert_true(abs(sum(metal) - sum(smooth)) > 30);
    check_same(metal, with_texture(TEXTURE_METALLIC_ROUGHNESS, 255, 128, 255));
    /* occlusion is red */
    const struct color open = with_texture(TEXTURE_OCCLUSION, 255, 0, 0);
    assert_true(sum(with_texture(TEXTURE_OCCLUSION, 0, 255, 255)) < sum(open) - 30);
    check_same(open, with_texture(TEXTURE_OCCLUSION, 255, 255, 255));
    /* emission is multiplied by its factor, which has no blue */
    const struct color dark = with_texture(TEXTURE_EMISSIVE, 0, 0, 0),
                       glow = with_texture(TEXTURE_EMISSIVE, 128, 0, 255);
    assert_true(glow.r > dark.r + 20);
    assert_in_range(abs(glow.g - dark.g) + abs(glow.b - dark.b), 0, 12);
}

/* A normal texture that leans to (x, y). has_tangents: with tangents of the file, else from the texture coordinates,
 * whose u and v may be mirrored. */
static struct color leaning(double x, double y, bool has_tangents, bool is_mirrored, double yaw_deg)
{
    struct fixture f;
    start_card(&f);
    struct bake_builder *b = &f.builder;
    set_texture(&f, TEXTURE_NORMAL, (int)(127.5 + 127.5 * x), (int)(127.5 + 127.5 * y), 220);
    for (int v = 0; v < 4 && is_mirrored; v++)
        b->texcoords[v].x = 1 - b->texcoords[v].x;
    if (has_tangents) {
        b->primitives[0].flags |= PRIMITIVE_TANGENTS;
        const float along = is_mirrored ? -1 : 1;
        for (int v = 0; v < 4; v++)
            *bake_add_tangent(b, 1) = (struct vec4){along, 0, 0, along};
    }
    return middle_at(&f, yaw_deg);
}

/* The key light is on the upper left. */
TEST(shading_leans_normals_the_right_way)
{
    for (int has_tangents = 0; has_tangents < 2; has_tangents++) {
        const struct color left = leaning(-0.6, 0, has_tangents, false, 0),
                           right = leaning(0.6, 0, has_tangents, false, 0);
        const struct color up = leaning(0, 0.6, has_tangents, false, 0),
                           down = leaning(0, -0.6, has_tangents, false, 0);
        assert_true(sum(left) > sum(right) + 30);
        assert_true(sum(up) > sum(down) + 30);
        check_same(left, leaning(0.6, 0, has_tangents, true, 0));
        check_same(up, leaning(0, 0.6, has_tangents, true, 0));
        /* from behind, left is right, and a dent is a bump: it leans the same way still */
        assert_true(sum(leaning(-0.6, 0, has_tangents, false, 180)) >
                    sum(leaning(0.6, 0, has_tangents, false, 180)) + 30);
        assert_true(sum(leaning(0, 0.6, has_tangents, false, 180)) <
                    sum(leaning(0, -0.6, has_tangents, false, 180)) - 30);
    }
    check_same(leaning(-0.4, 0.3, true, false, 0), leaning(-0.4, 0.3, false, false, 0));
    check_same(leaning(-0.4, 0.3, true, false, 180), leaning(-0.4, 0.3, false, false, 180));
}

TEST(shading_keeps_black_and_white_apart_from_black_and_white_pages)
{
    for (int roughness = 0; roughness <= 4; roughness++)
        for (int white = 0; white < 2; white++) {
            struct fixture f;
            struct material *material = start_card(&f);
            material->roughness = 0.25f * (float)roughness;
            for (int c = 0; c < 3; c++)
                material->base_color[c] = (float)white;
            const struct color found = middle_at(&f, 15);
            assert_in_range(sum(found), 3 * 4, 3 * 252);
            assert_true(white ? sum(found) > 3 * 190 : sum(found) < 3 * 90);
        }
}

/* One mesh whose nearer square, red, comes first in the file: it is drawn last even so. */
TEST(shading_sorts_the_triangles_of_a_blended_mesh)
{
    static const uint32_t corners[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    struct fixture f;
    const struct vec3 positions[8] = {{-1, -1, 0.1f}, {1, -1, 0.1f}, {1, 1, 0.1f}, {-1, 1, 0.1f},
                                      {-1, -1, 0},    {1, -1, 0},    {1, 1, 0},    {-1, 1, 0}};
    for (double yaw_deg = 0; yaw_deg <= 180; yaw_deg += 180) {
        fixture_init(&f);
        const uint32_t mesh = fixture_mesh(&f, positions, 8);
        struct bake_builder *b = &f.builder;
        bake_add_index(b, 12 - b->index_count);
        memcpy(b->indices, corners, sizeof corners);
        for (int v = 0; v < 8; v++)
            *bake_add_color(b, 1) = v < 4 ? fixture_color(255, 0, 0, 255) : fixture_color(0, 255, 0, 255);
        b->primitives[0].topology = TOPOLOGY_TRIANGLES;
        b->primitives[0].index_count = 12;
        b->primitives[0].material = 0;
        b->primitives[0].flags = PRIMITIVE_COLORS;
        struct material *material = bake_add_material(b, 1);
        *material = MATERIAL_PLAIN;
        material->flags = MATERIAL_UNLIT | MATERIAL_DOUBLE_SIDED;
        material->alpha_mode = ALPHA_BLEND;
        material->base_color[3] = 0.5f;
        const uint32_t node = fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        b->nodes[node].mesh = (int32_t)mesh;
        fixture_root(&f, node);
        const struct color found = middle_at(&f, yaw_deg);
        const struct color red = {170, 85, 0, 191}, green = {85, 170, 0, 191};
        check_same(found, yaw_deg == 0 ? red : green);
    }
}

TEST(shading_shows_missing_textures_in_lilac)
{
    struct fixture f;
    start_card(&f);
    struct bake_builder *b = &f.builder;
    b->materials[0].textures[TEXTURE_BASE_COLOR].texture = 0;
    b->materials[0].flags |= MATERIAL_UNLIT;
    *bake_add_texture(b, 1) = (struct texture){.state = TEXTURE_MISSING};
    const struct picture_spec picture = {.width = SIDE, .height = SIDE};
    struct png_pixels p = draw(&f, &picture);
    int light = 0, dark = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *c = p.pixels + 4 * (size_t)i;
        light += abs(c[0] - 205) < 6 && abs(c[1] - 180) < 6 && abs(c[2] - 222) < 6;
        dark += abs(c[0] - 142) < 6 && abs(c[1] - 98) < 6 && abs(c[2] - 170) < 6;
    }
    assert_true(light > SIDE * SIDE / 10 && dark > SIDE * SIDE / 10);
    png_pixels_fini(&p);
}

/* A base colour texture with the second texture coordinates, which name its other half. */
TEST(shading_takes_the_second_texture_coordinates)
{
    for (uint32_t set = 0; set < 2; set++) {
        struct fixture f;
        struct material *material = start_card(&f);
        struct bake_builder *b = &f.builder;
        material->flags |= MATERIAL_UNLIT;
        material->textures[TEXTURE_BASE_COLOR].texture = 0;
        material->textures[TEXTURE_BASE_COLOR].texcoord_set = set;
        *bake_add_texture(b, 1) = (struct texture){.source_width = 4,
                                                   .source_height = 1,
                                                   .width = 4,
                                                   .height = 1,
                                                   .level_count = 3,
                                                   .wrap_s = TEXTURE_WRAP_CLAMP};
        static const uint8_t levels[7][4] = {{255, 0, 0, 255}, {255, 0, 0, 255}, {0, 0, 255, 255},  {0, 0, 255, 255},
                                             {255, 0, 0, 255}, {0, 0, 255, 255}, {128, 0, 128, 255}};
        memcpy(bake_add_pixel_byte(b, sizeof levels), levels, sizeof levels);
        b->primitives[0].flags |= PRIMITIVE_SECOND_TEXCOORDS;
        for (int v = 0; v < 4; v++) {
            b->texcoords[v] = (struct vec2){0.125f, 0.5f};
            *bake_add_second_texcoord(b, 1) = (struct vec2){0.875f, 0.5f};
        }
        const struct color red = {255, 0, 0, 255}, blue = {0, 0, 255, 255};
        check_same(middle(&f), set == 0 ? red : blue);
    }
}

static void lay_down(struct fixture *f)
{
    memcpy(f->builder.nodes[0].rotation, (const float[4]){-0.70710678f, 0, 0, 0.70710678f},
           sizeof f->builder.nodes[0].rotation);
}

/* Seen from above, a card that stands on its edge has a shadow beside it, which is black, soft and no part of the
 * model. */
TEST(shading_casts_a_soft_shadow_that_is_not_the_model)
{
    struct fixture f;
    struct picture_spec picture = {.width = SIDE, .height = SIDE, .pitch_deg = 40};
    start_card(&f);
    lay_down(&f);
    struct png_pixels plain = draw(&f, &picture);
    picture.flags = PICTURE_SHADOW;
    start_card(&f);
    lay_down(&f);
    struct png_pixels shaded = draw(&f, &picture);
    int shadow = 0, levels = 0;
    bool is_level[256] = {false};
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *a = plain.pixels + 4 * (size_t)i, *b = shaded.pixels + 4 * (size_t)i;
        if (a[3] == 255)
            assert_memory_equal(a, b, 4);
        if (a[3] != 0 || b[3] == 0)
            continue;
        assert_int_equal(b[0] + b[1] + b[2], 0);
        shadow++;
        levels += !is_level[b[3]];
        is_level[b[3]] = true;
    }
    assert_true(shadow > 40);
    assert_true(levels > 8);
    png_pixels_fini(&plain);
    png_pixels_fini(&shaded);

    struct buf png;
    struct material *material = start_card(&f);
    material->alpha_mode = ALPHA_BLEND;
    material->base_color[3] = 0;
    fixture_finish(&f);
    assert_int_equal(shared_renderer_draw(&f, &picture, 0, &png), ERR_NOTHING_TO_DRAW);
    buf_fini(&png);
    fixture_fini(&f);
}

/* Seen from below, the ground receives no shadow. */
TEST(shading_has_no_shadow_from_below)
{
    struct fixture f;
    struct picture_spec picture = {.width = SIDE, .height = SIDE, .pitch_deg = -40};
    struct png_pixels p[2];
    for (int i = 0; i < 2; i++) {
        picture.flags = i == 0 ? 0 : PICTURE_SHADOW;
        start_card(&f);
        p[i] = draw(&f, &picture);
    }
    assert_memory_equal(p[0].pixels, p[1].pixels, SIDE * SIDE * 4);
    png_pixels_fini(&p[0]);
    png_pixels_fini(&p[1]);
}
