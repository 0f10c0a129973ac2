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
    return ktx2_decode(&ktx2, image->rgba, err);
}
