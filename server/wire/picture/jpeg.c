#include "wire/picture/jpeg.h"

#include <turbojpeg.h>

int jpeg_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t quality, bool is_data,
             struct err *err)
{
    tjhandle jpeg = tjInitCompress();
    unsigned char *bytes = NULL;
    unsigned long size_bytes = 0;
    const int sampling = is_data ? TJSAMP_444 : TJSAMP_420;
    int rc = 0;
    if (jpeg == NULL || tjCompress2(jpeg, pixels, (int)width, 0, (int)height, TJPF_RGBX, &bytes, &size_bytes, sampling,
                                    (int)quality, TJFLAG_ACCURATEDCT) != 0)
        rc = err_set(err, ERR_NO_MEMORY, "no memory for a texture of %u x %u as JPEG", width, height);
    else
        buf_put(out, bytes, size_bytes);
    tjFree(bytes);
    tjDestroy(jpeg);
    return rc;
}
