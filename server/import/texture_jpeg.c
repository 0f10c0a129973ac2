/* JPEG by libjpeg-turbo's TurboJPEG interface: no setjmp, and its limits on scans. */
#include "texture_image.h"

#include <stdlib.h>
#include <turbojpeg.h>

static int decode(tjhandle jpeg, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct image *image, struct err *err)
{
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(jpeg, bytes, size_bytes, &width, &height, &subsampling, &colorspace) != 0 || width < 0 ||
        height < 0)
        return err_set(err, ERR_BAD_MODEL, "%s", tjGetErrorStr2(jpeg));
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK)
        return err_set(err, ERR_BAD_MODEL, "CMYK pictures are not read here");
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    if (tjDecompress2(jpeg, bytes, size_bytes, image->rgba, width, 0, height, TJPF_RGBA, TJFLAG_LIMITSCANS) == 0)
        return 0;
    if (tjGetErrorCode(jpeg) != TJERR_WARNING)
        return err_set(err, ERR_BAD_MODEL, "%s", tjGetErrorStr2(jpeg));
    image->is_damaged = true;
    return 0;
}

int image_decode_jpeg(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    tjhandle jpeg = tjInitDecompress();
    if (jpeg == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory");
    const int rc = decode(jpeg, bytes, size_bytes, limits, image, err);
    tjDestroy(jpeg);
    if (rc < 0) {
        free(image->rgba);
        image->rgba = NULL;
    }
    return rc;
}
