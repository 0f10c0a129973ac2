/* jpeg_file.c - JPEG by libjpeg-turbo. */
#include "render/image/picture_file.h"

#include <turbojpeg.h>

enum { JPEG_SIDE_MAX = 65500 }; /* limit of libjpeg */

static int compress(tjhandle compressor, struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                    const struct picture_form *form, struct err *err)
{
    /* the accurate transform uses integers, so every processor gives the same bytes */
    const int flags = TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC | (form->png.is_small ? TJFLAG_PROGRESSIVE : 0);
    const int quality = form->quality == 0 ? PICTURE_QUALITY : (int)form->quality;
    unsigned long size_bytes = tjBufSize((int)width, (int)height, TJSAMP_444);
    unsigned char *to = (unsigned char *)buf_reserve(out, size_bytes);
    if (to == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a JPEG of %u x %u", width, height);
    if (tjCompress2(compressor, pixels, (int)width, 0, (int)height, TJPF_RGBX, &to, &size_bytes, TJSAMP_444, quality,
                    flags) != 0)
        return err_set(err, ERR_INTERNAL, "libjpeg-turbo failed: %s", tjGetErrorStr2(compressor));
    buf_advance(out, size_bytes);
    return 0;
}

int jpeg_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err)
{
    if (width > JPEG_SIDE_MAX || height > JPEG_SIDE_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "a JPEG has at most %d x %d pixels, not %u x %u", JPEG_SIDE_MAX,
                       JPEG_SIDE_MAX, width, height);
    tjhandle compressor = tjInitCompress();
    if (compressor == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for libjpeg-turbo");
    const int rc = compress(compressor, out, pixels, width, height, form, err);
    tjDestroy(compressor);
    return rc;
}

/* The library does not report its version, so make asks pkg-config. */
const char *picture_file_jpeg_library(void) { return "libjpeg-turbo " POSED_JPEG_VERSION; }
