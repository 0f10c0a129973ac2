/* environment_import.c - imports an environment as a model of one texture: an equirectangular picture with mip
 * levels. */
#include "import/environment/radiance_file.h"
#include "import/source/import.h"
#include "anim/light/mip.h"

enum { SIDE_MAX = 1024 }; /* light is smooth: more pixels cost time at each filtering and change little */

int import_environment(struct import *import, struct err *err)
{
    struct bake_builder *builder = import->builder;
    struct image image;
    if (radiance_file_decode(import->bytes, import->size_bytes, import->limits, &image, err) < 0)
        return err->code;
    const uint64_t limit = import->limits->value[LIMIT_TEXTURE_SIDE];
    const uint32_t side_max = limit < SIDE_MAX ? (uint32_t)limit : SIDE_MAX;
    const uint32_t width = mip_side(image.width, side_max), height = mip_side(image.height, side_max);
    uint8_t *pixels = bake_add_pixel_byte(builder, (uint32_t)mip_bytes(width, height));
    if (pixels == NULL) {
        image_fini(&image);
        return import_full(import, err);
    }
    mip_resample(image.rgba, image.width, image.height, pixels, width, height, TEXTURE_RADIANCE);
    mip_fill(pixels, width, height, TEXTURE_RADIANCE);
    const struct texture texture = {.uri = bake_textz(builder, ""),
                                    .state = TEXTURE_FOUND,
                                    .source_width = image.width,
                                    .source_height = image.height,
                                    .width = width,
                                    .height = height,
                                    .level_count = mip_level_count(width, height),
                                    .content = TEXTURE_RADIANCE};
    image_fini(&image);
    return import_put_texture(import, &texture, err);
}
