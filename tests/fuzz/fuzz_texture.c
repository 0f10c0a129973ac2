/* Image files of every kind that textures may have, through decoding, resampling and mip levels. */
#include "import/texture/texture_image.h"
#include "anim/light/mip.h"
#include "import/texture/texture_tiff.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    struct image image;
    struct err err;
    tiff_load();
    limits_default(&limits);
    limits.value[LIMIT_IMAGE_PIXELS] = 1 << 16; /* a fuzzer's time is for bytes, not for large blank pictures */
    if (image_decode(data, size, &limits, &image, &err) == 0) {
        const uint32_t width = mip_side(image.width, 16), height = mip_side(image.height, 16);
        uint8_t *pixels = malloc(mip_bytes(width, height));
        if (pixels == NULL)
            abort();
        mip_resample(image.rgba, image.width, image.height, pixels, width, height, TEXTURE_COLORS);
        mip_fill(pixels, width, height, TEXTURE_DATA);
        free(pixels);
    }
    image_fini(&image);
    return 0;
}
