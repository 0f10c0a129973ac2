/* texture_ktx2.c - decodes KTX 2.0 (import/ktx2/ktx2.h). */
#include "import/texture/texture_image.h"

#include "import/ktx2/ktx2.h"

int image_decode_ktx2(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    struct ktx2 ktx2;
    const int rc = ktx2_open(bytes, size_bytes, &ktx2, err);
    image->width = ktx2.width;
    image->height = ktx2.height;
    if (rc < 0 || image_alloc(image, limits, err) < 0)
        return err->code;
    /* KHR_texture_basisu: Basis Universal, whole blocks of 4 texels */
    const bool is_basis = ktx2.texels != KTX2_PLAIN && ktx2.packing != KTX2_ZLIB;
    image->file = is_basis && ktx2.width % 4 == 0 && ktx2.height % 4 == 0 ? TEXTURE_FILE_KTX2 : TEXTURE_FILE_NONE;
    return ktx2_decode(&ktx2, image->rgba, err);
}
