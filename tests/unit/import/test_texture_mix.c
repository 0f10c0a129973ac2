#include "tests/unit/support/check.h"

#include "anim/light/mip.h"
#include "import/texture/texture_mix.h"

#include <string.h>

/* A surface of base colour b and metallic m has, by glTF 2.0, appendix B.2, the diffuse colour b * 0.96 * (1 - m) and
 * reflects 0.04 * (1 - m) + b * m; the specular-glossy one that has both is diffuse / (1 - reflected), reflected. */
static struct specular_glossiness gloss_like(float base, float metallic)
{
    const float reflected = 0.04f * (1 - metallic) + base * metallic;
    const float diffuse = base * 0.96f * (1 - metallic) / (1 - reflected);
    return (struct specular_glossiness){{diffuse, diffuse, diffuse}, {reflected, reflected, reflected}, 0.25f};
}

TEST(gloss_of_a_metallic_material_is_that_material)
{
    for (int b = 1; b <= 9; b++)
        for (int m = 0; m <= 10; m++) {
            const struct specular_glossiness gloss = gloss_like(0.1f * (float)b, 0.1f * (float)m);
            const struct metallic_roughness out = specular_glossiness_to_metallic_roughness(&gloss);
            CHECK_NEAR(out.metallic, 0.1f * (float)m, 2e-5);
            CHECK_NEAR(out.base_color[1], 0.1f * (float)b, 2e-5);
            CHECK_NEAR(out.roughness, 0.75, 0);
        }
}

TEST(gloss_of_gold_and_of_nothing)
{
    const struct specular_glossiness gold = {{0, 0, 0}, {1, 0.75f, 0.25f}, 1};
    struct metallic_roughness out = specular_glossiness_to_metallic_roughness(&gold);
    CHECK_NEAR(out.metallic, 1, 1e-6);
    CHECK_NEAR(out.base_color[1], 0.75, 1e-6);
    CHECK_NEAR(out.base_color[2], 0.25, 1e-6);
    const struct specular_glossiness dull = {{1, 0.5f, 0}, {0, 0, 0}, 0};
    out = specular_glossiness_to_metallic_roughness(&dull);
    CHECK_NEAR(out.metallic, 0, 0);
    CHECK_NEAR(out.base_color[0], 1, 0);
    CHECK_NEAR(out.base_color[1], 0.5 / 0.96, 1e-6);
    CHECK_NEAR(out.roughness, 1, 0);
}

struct mixing {
    struct bake_builder builder;
    struct limits limits;
    struct texture_mixer mixer;
    struct err err;
};

static void setup(struct mixing *t)
{
    memset(t, 0, sizeof *t);
    limits_default(&t->limits);
    bake_builder_init(&t->builder, 1 << 20);
    texture_mixer_init(&t->mixer, &t->builder, &t->limits);
}

static void teardown(struct mixing *t)
{
    texture_mixer_fini(&t->mixer);
    bake_builder_fini(&t->builder);
}

/* A texture of `width` x 1. */
static int add(struct mixing *t, const uint8_t *texels, uint32_t width, uint32_t content)
{
    const uint64_t first = t->builder.pixel_byte_count;
    uint8_t *pixels = bake_add_pixel_byte(&t->builder, (uint32_t)mip_bytes(width, 1));
    memcpy(pixels, texels, 4 * (size_t)width);
    mip_fill(pixels, width, 1, (enum texture_content)content);
    *bake_add_texture(&t->builder, 1) = (struct texture){.source_width = width,
                                                         .source_height = 1,
                                                         .width = width,
                                                         .height = 1,
                                                         .level_count = mip_level_count(width, 1),
                                                         .wrap_s = TEXTURE_WRAP_CLAMP,
                                                         .content = content,
                                                         .pixel_first = first};
    return (int)t->builder.texture_count - 1;
}

static const uint8_t *texels_of(const struct mixing *t, int texture)
{
    return t->builder.pixels + t->builder.textures[texture].pixel_first;
}

TEST(mix_of_colors_and_opacity)
{
    static const uint8_t COLORS[] = {10, 20, 30, 255, 40, 50, 60, 128}, GREY[] = {255, 255, 255, 255, 51, 51, 51, 255};
    static const uint8_t ALPHA[] = {0, 0, 0, 51, 0, 0, 0, 51, 0, 0, 0, 255, 0, 0, 0, 0};
    struct mixing t;
    setup(&t);
    const int colors = add(&t, COLORS, 2, TEXTURE_COLORS);
    struct texture_mix mix = {.kind = MIX_OPACITY, .a = colors, .b = add(&t, GREY, 2, TEXTURE_DATA)};
    const int by_grey = texture_mix(&t.mixer, &mix, &t.err);
    assert_int_equal(by_grey, 2);
    static const uint8_t BY_GREY[] = {10, 20, 30, 255, 40, 50, 60, 26};
    assert_memory_equal(texels_of(&t, by_grey), BY_GREY, sizeof BY_GREY);
    assert_int_equal(t.builder.textures[by_grey].wrap_s, TEXTURE_WRAP_CLAMP);
    assert_int_equal(texture_mix(&t.mixer, &mix, &t.err), by_grey); /* the same once more */
    /* of alpha, which says something; the larger of the two sizes */
    mix.b = add(&t, ALPHA, 4, TEXTURE_DATA);
    const int by_alpha = texture_mix(&t.mixer, &mix, &t.err);
    static const uint8_t BY_ALPHA[] = {10, 20, 30, 51, 10, 20, 30, 51, 40, 50, 60, 128, 40, 50, 60, 0};
    assert_int_equal(t.builder.textures[by_alpha].width, 4);
    assert_int_equal(t.builder.textures[by_alpha].source_width, 4);
    assert_int_equal(t.builder.textures[by_alpha].level_count, 3);
    assert_memory_equal(texels_of(&t, by_alpha), BY_ALPHA, sizeof BY_ALPHA);
    teardown(&t);
}

TEST(mix_of_metallic_and_roughness)
{
    static const uint8_t METALLIC[] = {200, 200, 200, 255};
    struct mixing t;
    setup(&t);
    const struct texture_mix mix = {
        .kind = MIX_METALLIC_ROUGHNESS, .a = add(&t, METALLIC, 1, TEXTURE_DATA), .b = -1, .factors = {1, 0.5f}};
    const int mixed = texture_mix(&t.mixer, &mix, &t.err);
    static const uint8_t EXPECTED[] = {255, 128, 200, 255};
    assert_memory_equal(texels_of(&t, mixed), EXPECTED, 4);
    assert_int_equal(t.builder.textures[mixed].content, TEXTURE_DATA);
    t.limits.value[LIMIT_TEXTURES] = 2;
    const struct texture_mix other = {.kind = MIX_METALLIC_ROUGHNESS, .a = -1, .b = mix.a};
    assert_int_equal(texture_mix(&t.mixer, &other, &t.err), ERR_MODEL_LIMIT);
    teardown(&t);
}

/* Gold, its gloss in alpha, and red paint. */
TEST(mix_of_gloss)
{
    static const uint8_t DIFFUSE[] = {0, 0, 0, 255, 255, 0, 0, 128}, SPECULAR[] = {255, 188, 0, 51, 0, 0, 0, 255};
    struct mixing t;
    setup(&t);
    struct texture_mix mix = {.kind = MIX_SPECULAR_GLOSSINESS_BASE_COLOR,
                              .a = add(&t, DIFFUSE, 2, TEXTURE_COLORS),
                              .b = add(&t, SPECULAR, 2, TEXTURE_COLORS),
                              .gloss = {{1, 1, 1, 1}, {1, 1, 1}, 1}};
    const int base = texture_mix(&t.mixer, &mix, &t.err);
    static const uint8_t BASE[] = {255, 188, 0, 255, 255, 0, 0, 128};
    assert_memory_equal(texels_of(&t, base), BASE, sizeof BASE);
    mix.kind = MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS;
    const int rough = texture_mix(&t.mixer, &mix, &t.err);
    static const uint8_t ROUGH[] = {255, 204, 255, 255, 255, 0, 0, 255};
    assert_memory_equal(texels_of(&t, rough), ROUGH, sizeof ROUGH);
    teardown(&t);
}

/* The parts go, what materials show stays, with its pixels; a part that a material shows as well stays too. */
TEST(mix_takes_its_parts_out)
{
    static const uint8_t TEXELS[] = {1, 2, 3, 4}, SHOWN[] = {9, 8, 7, 255}, LAST[] = {5, 5, 5, 255};
    struct mixing t;
    setup(&t);
    const int part = add(&t, TEXELS, 1, TEXTURE_COLORS), shown = add(&t, SHOWN, 1, TEXTURE_COLORS);
    *bake_add_texture(&t.builder, 1) = t.builder.textures[shown]; /* shares its pixels */
    t.builder.textures[2].wrap_s = TEXTURE_WRAP_MIRROR;
    const struct texture_mix mix = {.kind = MIX_OPACITY, .a = part, .b = shown};
    const int mixed = texture_mix(&t.mixer, &mix, &t.err);
    const int last = add(&t, LAST, 1, TEXTURE_COLORS);
    struct material *materials = bake_add_material(&t.builder, 2);
    materials[0] = materials[1] = MATERIAL_PLAIN;
    materials[0].textures[TEXTURE_BASE_COLOR].texture = mixed;
    materials[0].textures[TEXTURE_EMISSIVE].texture = last;
    materials[1].textures[TEXTURE_BASE_COLOR].texture = 2;
    const uint64_t used = t.builder.used_bytes;
    texture_mixer_end(&t.mixer);
    materials = t.builder.materials;
    assert_int_equal(t.builder.texture_count, 3);
    assert_int_equal(t.builder.pixel_byte_count, 12);
    assert_int_equal(used - t.builder.used_bytes, 4 + 2 * sizeof(struct texture));
    assert_int_equal(materials[1].textures[TEXTURE_BASE_COLOR].texture, 0);
    assert_int_equal(t.builder.textures[0].wrap_s, TEXTURE_WRAP_MIRROR);
    assert_memory_equal(texels_of(&t, 0), SHOWN, 4);
    static const uint8_t MIXED[] = {1, 2, 3, 0};
    assert_memory_equal(texels_of(&t, materials[0].textures[TEXTURE_BASE_COLOR].texture), MIXED, 4);
    assert_memory_equal(texels_of(&t, materials[0].textures[TEXTURE_EMISSIVE].texture), LAST, 4);
    teardown(&t);
}

TEST(mix_knows_normal_maps_and_grey)
{
    static const uint8_t FLAT[] = {128, 128, 255, 255, 200, 128, 230, 255};
    static const uint8_t HEIGHTS[] = {200, 200, 200, 255, 205, 203, 201, 255}, BRICKS[] = {180, 60, 40, 255};
    struct mixing t;
    setup(&t);
    const int flat = add(&t, FLAT, 2, TEXTURE_DATA), heights = add(&t, HEIGHTS, 2, TEXTURE_DATA),
              bricks = add(&t, BRICKS, 1, TEXTURE_DATA);
    assert_true(texture_mixer_looks(&t.mixer, flat, LOOK_NORMAL_MAP));
    assert_false(texture_mixer_looks(&t.mixer, heights, LOOK_NORMAL_MAP));
    assert_false(texture_mixer_looks(&t.mixer, bricks, LOOK_NORMAL_MAP));
    assert_true(texture_mixer_looks(&t.mixer, heights, LOOK_GREY));
    assert_false(texture_mixer_looks(&t.mixer, flat, LOOK_GREY));
    teardown(&t);
}

TEST(mix_looks_at_each_picture_once)
{
    static const uint8_t OPAQUE[] = {1, 2, 3, 255, 1, 2, 3, 255}, HOLES[] = {1, 2, 3, 0, 1, 2, 3, 255};
    struct mixing t;
    setup(&t);
    const int32_t opaque = add(&t, OPAQUE, 2, TEXTURE_COLORS), holes = add(&t, HOLES, 2, TEXTURE_COLORS);
    assert_true(texture_mixer_looks(&t.mixer, holes, LOOK_HOLES));
    assert_false(texture_mixer_looks(&t.mixer, opaque, LOOK_HOLES));
    memset(t.builder.pixels, 128, t.builder.pixel_byte_count); /* veiled: nobody has looked at that yet */
    assert_true(texture_mixer_looks(&t.mixer, holes, LOOK_HOLES));
    assert_true(texture_mixer_looks(&t.mixer, opaque, LOOK_VEILED));
    assert_false(texture_looks(&t.builder, holes, LOOK_HOLES));
    teardown(&t);
}
