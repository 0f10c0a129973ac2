#include "wire/picture/texture_file.h"

#include "wire/encode/png.h"
#include "wire/picture/jpeg.h"
#include "wire/picture/webp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUALITY = 90 }; /* unless the request has one */

static const uint8_t *level_of(const struct model *model, const struct texture *texture, uint32_t level)
{
    const uint8_t *pixels = model->pixels + texture->pixel_first;
    uint32_t width = texture->width, height = texture->height;
    for (; level > 0; level--) {
        pixels += 4 * (size_t)width * height;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    return pixels;
}

static bool is_opaque(const uint8_t *pixels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (pixels[4 * i + 3] != 255)
            return false;
    return true;
}

static uint8_t byte_of(double component) { return (uint8_t)lround((component * 0.5 + 0.5) * 255); }

/* The mean of several directions is shorter than 1. A mean of almost nothing has no direction and stays. */
static void normalise(const uint8_t *from, uint64_t count, uint8_t *to)
{
    static const double LENGTH_LEAST = 0.05;
    for (uint64_t i = 0; i < count; i++, from += 4, to += 4) {
        double v[3], length = 0;
        for (int c = 0; c < 3; c++) {
            v[c] = from[c] / 255.0 * 2 - 1;
            length += v[c] * v[c];
        }
        length = sqrt(length);
        for (int c = 0; c < 3; c++)
            to[c] = length < LENGTH_LEAST ? from[c] : byte_of(v[c] / length);
        to[3] = from[3];
    }
}

static int encode(const uint8_t *pixels, const struct texture *texture, uint32_t quality, struct buf *out,
                  struct picture_made *made, struct err *err)
{
    const bool is_data = texture->content == TEXTURE_DATA;
    if (made->file == TEXTURE_FILE_JPEG && !is_opaque(pixels, (uint64_t)made->width * made->height))
        made->file = TEXTURE_FILE_PNG;
    if (made->file == TEXTURE_FILE_JPEG)
        return jpeg_put(out, pixels, made->width, made->height, quality, is_data, err);
    if (made->file == TEXTURE_FILE_WEBP)
        return webp_put(out, pixels, made->width, made->height, quality, is_data, err);
    return png_put(out, pixels, made->width, made->height, err);
}

int texture_file_put(const struct model *model, uint32_t index, const struct request_textures *request,
                     const struct own_pictures *own, struct buf *out, struct picture_made *made, struct err *err)
{
    const struct texture *texture = &model->textures[index];
    struct picture_plan plan = picture_plan(model, index, request);
    if (plan.is_own && own != NULL && own->items[index].bytes != NULL) {
        *made = (struct picture_made){true, plan.file, plan.width, plan.height};
        buf_put(out, own->items[index].bytes, own->items[index].size_bytes);
        return 0;
    }
    if (plan.is_own) {
        plan.width = texture->width;
        plan.height = texture->height;
        plan.file = TEXTURE_FILE_PNG;
    }
    *made = (struct picture_made){false, plan.file, plan.width, plan.height};
    const uint8_t *pixels = level_of(model, texture, plan.level);
    const uint64_t count = (uint64_t)plan.width * plan.height;
    const bool is_resized = plan.width != texture->source_width || plan.height != texture->source_height;
    uint8_t *unit = NULL;
    if (is_resized && picture_is_normal_map(model, index)) {
        unit = malloc(4 * count);
        if (unit == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory for a texture of %u x %u", plan.width, plan.height);
        normalise(pixels, count, unit);
    }
    const int rc = encode(unit != NULL ? unit : pixels, texture, request->quality > 0 ? request->quality : QUALITY, out,
                          made, err);
    free(unit);
    return rc;
}
