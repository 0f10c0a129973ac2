#include "wire/picture/webp.h"

#include <webp/encode.h>

enum { METHOD = 4, LOSSLESS_LEVEL = 3 }; /* of 6 and 9: beyond them files get little smaller for twice the time */

static int put(const uint8_t *bytes, size_t size_bytes, const WebPPicture *picture)
{
    buf_put(picture->custom_ptr, bytes, size_bytes);
    return !buf_failed(picture->custom_ptr);
}

int webp_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t quality, bool is_data,
             struct err *err)
{
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return err_set(err, ERR_NO_MEMORY, "libwebp has another version than its headers");
    config.method = METHOD;
    config.quality = (float)quality;
    if (is_data)
        WebPConfigLosslessPreset(&config, LOSSLESS_LEVEL);
    config.exact = 1; /* invisible pixels shine through when a viewer filters the texture */
    picture.use_argb = is_data;
    picture.width = (int)width;
    picture.height = (int)height;
    picture.writer = put;
    picture.custom_ptr = out;
    const bool is_made = WebPPictureImportRGBA(&picture, pixels, (int)width * 4) && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    return is_made || buf_failed(out)
               ? 0
               : err_set(err, ERR_NO_MEMORY, "no memory for a texture of %u x %u as WebP", width, height);
}
