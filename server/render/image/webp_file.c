/* webp_file.c - lossy still WebP by libwebp. */
#include "render/image/picture_file.h"

#include <webp/encode.h>

enum { METHOD_FAST = 2, METHOD_SMALL = 6 /* 0..6: effort to save bytes */ };

static int put_part(const uint8_t *bytes, size_t size_bytes, const WebPPicture *picture)
{
    buf_put(picture->custom_ptr, bytes, size_bytes);
    return !buf_failed(picture->custom_ptr);
}

int webp_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err)
{
    WebPConfig config;
    WebPPicture picture;
    int rc = 0;
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION)
        return err_set(err, ERR_BAD_PARAMETER, "a WebP has at most %d x %d pixels, not %u x %u", WEBP_MAX_DIMENSION,
                       WEBP_MAX_DIMENSION, width, height);
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return err_set(err, ERR_INTERNAL, "libwebp is of another version");
    config.quality = (float)(form->quality == 0 ? PICTURE_QUALITY : form->quality);
    config.method = form->png.is_small ? METHOD_SMALL : METHOD_FAST;
    picture.use_argb = 0;
    picture.width = (int)width;
    picture.height = (int)height;
    picture.writer = put_part;
    picture.custom_ptr = out;
    const bool is_read = form->png.has_alpha ? WebPPictureImportRGBA(&picture, pixels, (int)width * 4)
                                             : WebPPictureImportRGBX(&picture, pixels, (int)width * 4);
    if (!is_read)
        rc = err_set(err, ERR_NO_MEMORY, "no memory for a WebP of %u x %u", width, height);
    else if (!WebPEncode(&config, &picture))
        rc = picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY || buf_failed(out)
                 ? err_set(err, ERR_NO_MEMORY, "no memory for a WebP of %u x %u", width, height)
                 : err_set(err, ERR_INTERNAL, "libwebp failed (%d)", (int)picture.error_code);
    WebPPictureFree(&picture);
    return rc;
}
