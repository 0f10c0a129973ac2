/* picture_file.h - encodes pixels as a file with a single picture. Any thread. The same pixels give the same bytes.
 *
 * PNG: png_file.h. JPEG (ITU-T T.81): by libjpeg-turbo, which is several times as fast as other compressors for the
 * same bytes; sRGB as in JFIF (BT.601, full range), without chroma subsampling (4:4:4), because models have hard edges
 * between saturated colours. WebP: VP8 by libwebp, with lossless alpha. */
#pragma once

#include "base/picture/sheet_spec.h"
#include "render/image/png_file.h"

struct picture_form {
    enum sheet_format format; /* SHEET_PNG, SHEET_JPEG or SHEET_WEBP_STILL */
    uint32_t quality;         /* 1..100; 0: PICTURE_QUALITY */
    struct png_form png;      /* is_small applies to all formats */
};

/* Hardly anybody sees a difference above this quality. */
enum { PICTURE_QUALITY = 85 };

/* Appends the file to `out`, or a part of it on failure. pixels: RGBA8, straight alpha, sRGB, rows from the top; a JPEG
 * drops the alpha. Returns 0, ERR_NO_MEMORY, ERR_BAD_PARAMETER (a side longer than the format allows) or ERR_INTERNAL.
 */
int picture_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                     const struct picture_form *form, struct err *err);

/* Names the library that decides the bytes of a JPEG, for people and for ETags: "libjpeg-turbo 2.1.5". */
const char *picture_file_jpeg_library(void);

/* The encoders of the formats; private to picture_file.c, jpeg_file.c and webp_file.c. */
int jpeg_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err);
int webp_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err);
