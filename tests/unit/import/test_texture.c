#include "tests/unit/support/check.h"
#include "tests/unit/support/root_files.h"
#include "tests/unit/support/temp_tree.h"

#include "import/texture/texture.h"
#include "anim/light/mip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint8_t TGA[] = {0, 0,  2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,  0,  2,
                              0, 24, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

TEST(mip_side_is_the_next_power_of_two)
{
    assert_int_equal(mip_side(1, 1024), 1);
    assert_int_equal(mip_side(3, 1024), 4);
    assert_int_equal(mip_side(256, 1024), 256);
    assert_int_equal(mip_side(257, 1024), 512);
    assert_int_equal(mip_side(5000, 1024), 1024);
    assert_int_equal(mip_side(5000, 1000), 512);
    assert_int_equal(mip_side(UINT32_MAX, UINT32_MAX), UINT32_C(1) << 31);
    assert_int_equal(mip_level_count(1, 1), 1);
    assert_int_equal(mip_level_count(8, 2), 4);
    assert_int_equal(mip_bytes(8, 2), 4 * (16 + 4 + 2 + 1));
}

/* Half white, half black: linear 0.5 is sRGB 188 (IEC 61966-2-1), not 128. */
TEST(mip_averages_in_linear_light)
{
    const uint8_t from[] = {255, 255, 255, 255, 0, 0, 0, 255};
    uint8_t to[4];
    mip_resample(from, 2, 1, to, 1, 1, TEXTURE_COLORS);
    for (int c = 0; c < 3; c++)
        assert_int_equal(to[c], 188);
    assert_int_equal(to[3], 255);
}

TEST(mip_weighs_by_alpha)
{
    const uint8_t from[] = {200, 100, 50, 255, 0, 255, 0, 0};
    uint8_t to[4];
    mip_resample(from, 2, 1, to, 1, 1, TEXTURE_COLORS);
    assert_int_equal(to[0], 200); /* the invisible green does not bleed in */
    assert_int_equal(to[1], 100);
    assert_int_equal(to[2], 50);
    assert_int_equal(to[3], 128);
    const uint8_t clear[] = {200, 100, 50, 0, 200, 100, 50, 0};
    mip_resample(clear, 2, 1, to, 1, 1, TEXTURE_COLORS);
    assert_int_equal(to[0], 200);
    assert_int_equal(to[3], 0);
}

/* Numbers are averaged as they are, and alpha is one of them. */
TEST(mip_averages_data_as_it_is)
{
    const uint8_t from[] = {255, 0, 128, 255, 0, 101, 128, 0};
    uint8_t to[4], levels[2 * 4 + 4];
    const uint8_t expected[] = {128, 51, 128, 128};
    mip_resample(from, 2, 1, to, 1, 1, TEXTURE_DATA);
    assert_memory_equal(to, expected, 4);
    memcpy(levels, from, sizeof from);
    mip_fill(levels, 2, 1, TEXTURE_DATA);
    assert_memory_equal(levels + 8, expected, 4);
}

/* Three pixels over two: each target pixel is two thirds of an outer one and one third of the middle. */
TEST(mip_weighs_by_area)
{
    const uint8_t from[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255};
    uint8_t to[8];
    mip_resample(from, 3, 1, to, 2, 1, TEXTURE_COLORS);
    assert_int_equal(to[0], 213); /* sRGB of 2/3 */
    assert_int_equal(to[1], 156); /* of 1/3 */
    assert_int_equal(to[2], 0);
    assert_int_equal(to[5], 156);
    assert_int_equal(to[6], 213);
    uint8_t column[8];
    mip_resample(from, 1, 3, column, 1, 2, TEXTURE_COLORS);
    assert_memory_equal(column, to, 8);
}

TEST(mip_keeps_every_grey)
{
    uint8_t from[2 * 256 * 4], to[256 * 4];
    for (int i = 0; i < 512; i++)
        memset(from + 4 * i, i / 2, 4);
    mip_resample(from, 512, 1, to, 256, 1, TEXTURE_COLORS);
    for (int i = 0; i < 256; i++)
        assert_int_equal(to[4 * i], i);
}

static double linear_of(uint8_t level)
{
    const double s = level / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

/* Each pixel of a picture half as large against the sum over its four, in double. */
TEST(mip_of_pairs_is_their_mean)
{
    enum { SIDE = 16, HALF = SIDE / 2 };
    uint8_t from[SIDE * SIDE * 4], to[HALF * HALF * 4];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24); /* Numerical Recipes, 7.1 */
    mip_resample(from, SIDE, SIDE, to, HALF, HALF, TEXTURE_COLORS);
    for (int i = 0; i < HALF * HALF; i++) {
        const uint8_t *first = from + 8 * (i / HALF * SIDE + i % HALF);
        const uint8_t *const four[] = {first, first + 4, first + 4 * SIDE, first + 4 * SIDE + 4};
        double sums[3] = {0}, alpha = 0;
        for (int k = 0; k < 4; k++) {
            for (int c = 0; c < 3; c++)
                sums[c] += four[k][3] * linear_of(four[k][c]);
            alpha += four[k][3];
        }
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(linear_of(to[4 * i + c]), sums[c] / alpha, 0.005); /* levels are at most 0.0088 apart */
        CHECK_NEAR(to[4 * i + 3], alpha / 4, 0.5);
    }
}

struct textured {
    struct temp_tree tree;
    struct limits limits;
    struct source_files *files;
    struct bake_builder builder;
    struct err err;
};

static void put_file(const struct textured *t, const char *path, const void *bytes, size_t size_bytes)
{
    char full[256];
    temp_tree_file(&t->tree, path, "");
    snprintf(full, sizeof full, "%s/%s", t->tree.path, path);
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    fclose(file);
}

static void setup(struct textured *t)
{
    temp_tree_init(&t->tree);
    limits_default(&t->limits);
    bake_builder_init(&t->builder, 1 << 24);
    t->files = root_files_open(t->tree.fd, "dir/model.fbx", &t->limits);
    put_file(t, "dir/skin.tga", TGA, sizeof TGA);
    put_file(t, "dir/bad.tga", "not a picture at all....", 24);
}

static void teardown(struct textured *t)
{
    bake_builder_fini(&t->builder);
    source_files_free(t->files);
    temp_tree_fini(&t->tree);
}

static struct import import_of(struct textured *t)
{
    return (struct import){.files = t->files, .builder = &t->builder, .limits = &t->limits};
}

static int add(struct textured *t, const char *uri, uint32_t wrap)
{
    struct import import = import_of(t);
    const struct texture_request request = {.uri = uri, .wrap_s = wrap, .wrap_t = wrap};
    return texture_add(&import, &request, &t->err);
}

static bool has_warning(const struct textured *t, const char *code)
{
    for (uint32_t i = 0; i < t->builder.warning_count; i++) {
        const struct str str = t->builder.warnings[i].code;
        if (str.size_bytes == strlen(code) && memcmp(t->builder.text + str.offset, code, str.size_bytes) == 0)
            return true;
    }
    return false;
}

TEST(texture_is_found_by_path_then_by_base_name)
{
    struct textured t;
    setup(&t);
    assert_int_equal(add(&t, "skin.tga", TEXTURE_WRAP_REPEAT), 0);
    assert_int_equal(t.builder.warning_count, 0);
    assert_int_equal(add(&t, "D:\\art\\skin.tga", TEXTURE_WRAP_REPEAT), 1);
    assert_int_equal(add(&t, "../../art/skin.tga", TEXTURE_WRAP_REPEAT), 2);
    assert_int_equal(t.builder.warning_count, 2);
    assert_true(has_warning(&t, "file_found_elsewhere"));
    for (int i = 0; i < 3; i++) {
        const struct texture *texture = &t.builder.textures[i];
        assert_int_equal(texture->state, TEXTURE_FOUND);
        assert_int_equal(texture->level_count, 2);
        assert_int_equal(texture->source_width, 2);
        const uint8_t top_left[] = {9, 8, 7, 255};
        assert_memory_equal(t.builder.pixels + texture->pixel_first, top_left, 4);
    }
    teardown(&t);
}

TEST(texture_is_added_once_for_one_file_and_wrapping)
{
    struct textured t;
    setup(&t);
    assert_int_equal(add(&t, "skin.tga", TEXTURE_WRAP_REPEAT), 0);
    assert_int_equal(add(&t, "skin.tga", TEXTURE_WRAP_CLAMP), 1);
    assert_int_equal(add(&t, "skin.tga", TEXTURE_WRAP_REPEAT), 0);
    assert_int_equal(t.builder.texture_count, 2);
    assert_int_equal(t.builder.pixel_byte_count, 4 * (4 + 1)); /* shared */
    assert_int_equal(t.builder.textures[1].wrap_s, TEXTURE_WRAP_CLAMP);
    teardown(&t);
}

TEST(texture_that_is_missing_or_broken_is_no_error)
{
    struct textured t;
    setup(&t);
    assert_int_equal(add(&t, "none.png", TEXTURE_WRAP_REPEAT), 0);
    assert_int_equal(t.builder.textures[0].state, TEXTURE_MISSING);
    assert_true(has_warning(&t, "texture_missing"));
    assert_false(has_warning(&t, "texture_broken"));
    assert_int_equal(add(&t, "bad.tga", TEXTURE_WRAP_REPEAT), 1);
    assert_int_equal(t.builder.textures[1].state, TEXTURE_BROKEN);
    assert_true(has_warning(&t, "texture_broken"));
    assert_int_equal(add(&t, "", TEXTURE_WRAP_REPEAT), 2);
    assert_int_equal(t.builder.textures[2].state, TEXTURE_MISSING);
    assert_int_equal(t.builder.pixel_byte_count, 0);
    t.limits.value[LIMIT_TEXTURES] = 3;
    assert_int_equal(add(&t, "another.png", TEXTURE_WRAP_REPEAT), ERR_MODEL_LIMIT);
    teardown(&t);
}

TEST(texture_embedded_is_reduced_to_the_limit)
{
    struct textured t;
    setup(&t);
    t.limits.value[LIMIT_TEXTURE_SIDE] = 1;
    struct import import = import_of(&t);
    const struct texture_request request = {.bytes = TGA, .size_bytes = sizeof TGA};
    assert_int_equal(texture_add(&import, &request, &t.err), 0);
    const struct texture *texture = &t.builder.textures[0];
    assert_int_equal(texture->uri.size_bytes, 0);
    assert_int_equal(texture->width, 1);
    assert_int_equal(texture->source_width, 2);
    assert_int_equal(texture->level_count, 1);
    assert_true(has_warning(&t, "texture_reduced"));
    assert_int_equal(t.builder.pixel_byte_count, 4);
    teardown(&t);
}

/* A quarter of half of the model's bytes: 20 for the first, which has 2 x 2 texels and a level of one more, 15 for the
 * second. */
TEST(texture_is_smaller_where_earlier_ones_are_large)
{
    struct textured t;
    setup(&t);
    t.limits.value[LIMIT_BAKED_BYTES] = 160;
    struct import import = import_of(&t);
    struct texture_request request = {.bytes = TGA, .size_bytes = sizeof TGA, .image = 1};
    assert_int_equal(texture_add(&import, &request, &t.err), 0);
    assert_false(has_warning(&t, "texture_reduced"));
    request.image = 2;
    assert_int_equal(texture_add(&import, &request, &t.err), 1);
    assert_int_equal(t.builder.textures[0].width, 2);
    assert_int_equal(t.builder.textures[1].width, 1);
    assert_true(has_warning(&t, "texture_reduced"));
    teardown(&t);
}
