#include "tests/unit/support/png_pixels.h"

#include "tests/unit/support/check.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

void png_pixels_init(struct png_pixels *out, const struct buf *file)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, file->data, file->size_bytes))
        fail_msg("%s", image.message);
    out->width = image.width;
    out->height = image.height;
    out->has_alpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    image.format = PNG_FORMAT_RGBA;
    out->pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(out->pixels);
    if (!png_image_finish_read(&image, NULL, out->pixels, 0, NULL))
        fail_msg("%s", image.message);
    assert_int_equal(image.warning_or_error, 0);
}

void png_pixels_fini(struct png_pixels *pixels)
{
    free(pixels->pixels);
    *pixels = (struct png_pixels){0};
}
