#include "clients/cli/moments/picture_file.h"

#include <png.h>
#include <stdlib.h>

static int read_as(png_uint_32 format, const void *png, size_t png_bytes, struct picture *out, struct text *problem)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    *out = (struct picture){0};
    if (png_image_begin_read_from_memory(&image, png, png_bytes) == 0) {
        text_printf(problem, "the picture cannot be read: %s", image.message);
        return -1;
    }
    if (image.width > PICTURE_SIDE_MAX || image.height > PICTURE_SIDE_MAX) {
        text_printf(problem, "the picture has %u x %u pixels; %d x %d are compared at most", image.width, image.height,
                    PICTURE_SIDE_MAX, PICTURE_SIDE_MAX);
        png_image_free(&image);
        return -1;
    }
    image.format = format;
    out->width = image.width;
    out->height = image.height;
    out->pixels = must_alloc(PNG_IMAGE_SIZE(image));
    const png_color white = {255, 255, 255};
    if (png_image_finish_read(&image, &white, out->pixels, 0, NULL) == 0) {
        text_printf(problem, "the picture cannot be read: %s", image.message);
        free(out->pixels);
        *out = (struct picture){0};
        return -1;
    }
    return 0;
}

int picture_read(const void *png, size_t png_bytes, struct picture *out, struct text *problem)
{
    return read_as(PNG_FORMAT_RGB, png, png_bytes, out, problem);
}

int picture_read_alpha(const void *png, size_t png_bytes, struct picture *out, struct text *problem)
{
    return read_as(PNG_FORMAT_RGBA, png, png_bytes, out, problem);
}

int picture_put(const struct picture *picture, struct text *out, struct text *problem)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = picture->width, .height = picture->height, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size_bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    char *png = must_alloc(size_bytes);
    const int is_written = png_image_write_to_memory(&image, png, &size_bytes, 0, picture->pixels, 0, NULL);
    if (is_written != 0)
        text_put_bytes(out, png, size_bytes);
    else
        text_printf(problem, "the picture cannot be written: %s", image.message);
    free(png);
    return is_written != 0 ? 0 : -1;
}
