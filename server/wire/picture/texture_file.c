#include "wire/picture/texture_file.h"

#include "anim/light/mip.h"
#include "wire/encode/png.h"
#include "wire/picture/jpeg.h"
#include "wire/picture/webp.h"

#include <math.h>
#include <stdlib.h>

enum { QUALITY = 90 }; /* unless the request has one */

static bool is_opaque(const uint8_t *pixels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (pixels[4 * i + 3] != 255)
            return false;
    return true;
}

static uint8_t byte_of(double component) { return (uint8_t)lround((component * 0.5 + 0.5) * 255); }

/* The mean of several directions is shorter than 1. A mean of almost nothing has no direction and stays. */
static void normalise(uint8_t *pixels, uint64_t count)
{
    static const double LENGTH_LEAST = 0.05;
    for (uint64_t i = 0; i < count; i++, pixels += 4) {
        double v[3], length = 0;
        for (int c = 0; c < 3; c++) {
            v[c] = pixels[c] / 255.0 * 2 - 1;
            length += v[c] * v[c];
        }
        length = sqrt(length);
        for (int c = 0; c < 3 && length >= LENGTH_LEAST; c++)
            pixels[c] = byte_of(v[c] / length);
    }
}

/* A picture of the source's size is what the import enlarged. False: no memory. */
static bool resize(const struct texture *texture, const struct picture_plan *plan, const uint8_t *from, uint8_t *to)
{
    const struct picture_level *level = &plan->level;
    const enum texture_content content = (enum texture_content)texture->content;
    const bool is_whole = plan->width == texture->source_width && plan->height == texture->source_height;
    if (is_whole && texture->mag_filter == TEXTURE_MAG_NEAREST) {
        mip_unrepeat(from, level->width, level->height, to, plan->width, plan->height);
        return true;
    }
    return is_whole ? mip_restore(from, level->width, level->height, to, plan->width, plan->height, content)
                    : mip_try_resample(from, level->width, level->height, to, plan->width, plan->height, content);
}

/* Makes the plan's pixels where no level of the texture has them. False: no memory. The caller frees *out, or it is
 * NULL. */
static bool make_pixels(const struct model *model, uint32_t index, const struct picture_plan *plan, uint8_t **out)
{
    const struct texture *texture = &model->textures[index];
    const struct picture_level *level = &plan->level;
    const bool is_resized = plan->width != level->width || plan->height != level->height;
    const bool is_averaged =
        is_resized || level->width != texture->source_width || level->height != texture->source_height;
    const bool is_normalised = is_averaged && picture_is_normal_map(model, index);
    const uint64_t count = (uint64_t)plan->width * plan->height;
    *out = NULL;
    if (!is_resized && !is_normalised)
        return true;
    const uint8_t *from = model->pixels + level->pixel_first;
    *out = malloc(4 * count);
    if (*out == NULL)
        return false;
    if (!resize(texture, plan, from, *out))
        return false;
    if (is_normalised)
        normalise(*out, count);
    return true;
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
        plan = picture_plan_pixels(model, index, request);
        plan.file = TEXTURE_FILE_PNG;
    }
    *made = (struct picture_made){false, plan.file, plan.width, plan.height};
    uint8_t *pixels;
    int rc;
    if (make_pixels(model, index, &plan, &pixels))
        rc = encode(pixels != NULL ? pixels : model->pixels + plan.level.pixel_first, texture,
                    request->quality > 0 ? request->quality : QUALITY, out, made, err);
    else
        rc = err_set(err, ERR_NO_MEMORY, "no memory for a texture of %u x %u", plan.width, plan.height);
    free(pixels);
    return rc;
}
