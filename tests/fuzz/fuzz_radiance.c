/* Radiance pictures (.hdr) through decoding, levels, and light from all around. */
#include "anim/light/panorama.h"
#include "import/environment/radiance_file.h"
#include "anim/light/mip.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    struct image image;
    struct err err;
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 16; /* a fuzzer's time is for bytes, not for large blank pictures */
    if (radiance_file_decode(data, size, &limits, &image, &err) < 0)
        return 0;
    const uint32_t width = mip_side(image.width, 16), height = mip_side(image.height, 16);
    uint8_t *pixels = malloc(mip_bytes(width, height));
    if (pixels == NULL)
        abort();
    mip_resample(image.rgba, image.width, image.height, pixels, width, height, TEXTURE_RADIANCE);
    mip_fill(pixels, width, height, TEXTURE_RADIANCE);
    const struct texture texture = {
        .state = TEXTURE_FOUND, .width = width, .height = height, .content = TEXTURE_RADIANCE};
    const struct model model = {.textures = &texture, .texture_count = 1, .pixels = pixels};
    for (int i = 0; i < 16; i++) {
        const double angle = 0.4 * i, up = i / 7.5 - 1, flat = sqrt(1 - fmin(up * up, 1));
        const double d[3] = {flat * cos(angle), up, flat * sin(angle)};
        double rgb[3];
        struct panorama panorama;
        panorama_init(&panorama, &model, 1u << i % 5, 36.5 * i);
        panorama_radiance(&panorama, d, rgb);
        if (!(rgb[0] >= 0 && rgb[1] >= 0 && rgb[2] >= 0 && rgb[0] + rgb[1] + rgb[2] < 200000))
            abort();
    }
    free(pixels);
    image_fini(&image);
    return 0;
}
