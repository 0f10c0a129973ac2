#include "render/image/picture_file.h"

int picture_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                     const struct picture_form *form, struct err *err)
{
    if (form->format == SHEET_JPEG)
        return jpeg_file_put(out, pixels, width, height, form, err);
    if (form->format == SHEET_WEBP_STILL)
        return webp_file_put(out, pixels, width, height, form, err);
    return png_file_put(out, pixels, width, height, &form->png, err);
}
