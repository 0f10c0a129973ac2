#include "texture_image.h"

#include <stdlib.h>
#include <webp/decode.h>

int image_decode_webp(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    int width = 0, height = 0;
    if (!WebPGetInfo(bytes, size_bytes, &width, &height) || width < 0 || height < 0)
        return err_set(err, ERR_BAD_MODEL, "the header is damaged");
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    const size_t size = (size_t)width * (size_t)height * 4;
    if (WebPDecodeRGBAInto(bytes, size_bytes, image->rgba, size, width * 4) != NULL)
        return 0;
    free(image->rgba);
    image->rgba = NULL;
    return err_set(err, ERR_BAD_MODEL, "the picture is damaged");
}
