/* server/render/draw/mask_levels.h: the share of a texture that is solid in each of its levels. */
#include "tests/unit/support/check.h"

#include "render/draw/mask_levels.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, LEVELS = 5, PIXELS = SIDE * SIDE + 64 + 16 + 4 + 1 };

static uint8_t pixels[PIXELS * 4];
static struct material materials[2];
static struct texture texture;
static struct model model;

/* Of each level the alphas 0, 1 .. spread over as many as `most`. */
static void start(uint32_t most)
{
    size_t at = 0;
    for (uint32_t level = 0, side = SIDE; level < LEVELS; level++, side /= 2)
        for (uint32_t i = 0; i < side * side; i++, at += 4) {
            memset(pixels + at, 7, 3);
            pixels[at + 3] = (uint8_t)(level == 0 ? (i % 4 == 0 ? 255 : 0) : i * most / (side * side));
        }
    texture = (struct texture){.width = SIDE, .height = SIDE, .level_count = LEVELS};
    for (int m = 0; m < 2; m++) {
        materials[m] = MATERIAL_PLAIN;
        materials[m].textures[TEXTURE_BASE_COLOR].texture = 0;
        materials[m].alpha_cutoff = 0.5f;
    }
    materials[0].alpha_mode = ALPHA_MASK;
    model = (struct model){
        .textures = &texture, .texture_count = 1, .materials = materials, .material_count = 2, .pixels = pixels};
}

static uint32_t solid_count(const uint8_t *level, uint32_t count, uint32_t cutoff)
{
    uint32_t solid = 0;
    for (uint32_t i = 0; i < count; i++)
        solid += level[4 * i + 3] >= cutoff;
    return solid;
}

TEST(mask_levels_are_as_solid_as_the_first)
{
    for (uint32_t most = 60; most <= 255; most += 195) { /* none was, half was */
        start(most);
        uint8_t *levels = mask_levels_make(&model, 0);
        assert_non_null(levels);
        assert_memory_equal(levels, pixels, SIDE * SIDE * 4);
        assert_int_equal(solid_count(levels + 4 * 256, 64, 128), 16);
        assert_int_equal(solid_count(levels + 4 * 320, 16, 128), 4);
        for (size_t i = 0; i < PIXELS; i++)
            assert_memory_equal(levels + 4 * i, pixels + 4 * i, 3);
        free(levels);
    }
}

TEST(mask_levels_follow_the_factor_of_alpha)
{
    start(120);
    materials[0].base_color[3] = 0.6f;
    materials[0].alpha_cutoff = 0.3f;
    uint8_t *levels = mask_levels_make(&model, 0);
    assert_int_equal(solid_count(levels + 4 * 256, 64, 128), 16);
    free(levels);
}

TEST(mask_levels_stay_where_no_hole_is_cut)
{
    start(200);
    materials[1].alpha_mode = ALPHA_BLEND;
    assert_null(mask_levels_make(&model, 0));
    materials[1].textures[TEXTURE_BASE_COLOR].texture = 1;
    uint8_t *levels = mask_levels_make(&model, 0);
    assert_non_null(levels);
    free(levels);
    static const float CUTOFFS[] = {0, 1.5f, -1, 1e30f};
    for (int i = 0; i < 4; i++) {
        materials[0].alpha_cutoff = CUTOFFS[i];
        assert_null(mask_levels_make(&model, 0));
    }
    materials[0].alpha_cutoff = 0.5f;
    materials[0].base_color[3] = 0;
    assert_null(mask_levels_make(&model, 0));
    materials[0].alpha_mode = ALPHA_OPAQUE;
    assert_null(mask_levels_make(&model, 0));
    start(200);
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[4 * i + 3] = 0; /* all is a hole, and the smaller levels stay as they are */
    levels = mask_levels_make(&model, 0);
    assert_memory_equal(levels, pixels, sizeof pixels);
    free(levels);
}
