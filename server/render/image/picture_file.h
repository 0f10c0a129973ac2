/* picture_file.h - pixels to the bytes of a file that is one picture. Any thread. The same pixels give the same bytes.
 *
 * PNG: png_file.h. JPEG (ITU-T T.81): by libjpeg-turbo, whose compressor is several times as fast as others for the
 * same bytes; sRGB as JFIF has it (BT.601, full range), colours as sharp as lightness (4:4:4), because models have hard
 * edges between saturated colours. WebP: VP8 by libwebp, alpha without loss beside it. */
#pragma once

#include "base/sheet_spec.h"
#include "render/image/png_file.h"

struct picture_form {
    enum sheet_format format; /* SHEET_PNG, SHEET_JPEG or SHEET_WEBP_STILL */
    uint32_t quality;         /* 1..100; 0: PICTURE_QUALITY */
    struct png_form png;      /* is_small holds for all */
};

/* Few see a difference from there on. */
enum { PICTURE_QUALITY = 85 };

/* Appends the file to `out`, or a part of it when that fails. pixels: RGBA8, straight alpha, sRGB, rows top first; a
 * JPEG has their colours alone. Returns 0, ERR_NO_MEMORY, ERR_BAD_PARAMETER (more pixels a side than the format knows)
 * or ERR_INTERNAL. */
int picture_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                     const struct picture_form *form, struct err *err);

/* What decides about the bytes of a JPEG, for people and for ETags: "libjpeg-turbo 2.1.5". */
const char *picture_file_jpeg_library(void);

/* Those of the formats; private to picture_file.c, jpeg_file.c and webp_file.c. */
int jpeg_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err);
int webp_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height,
                  const struct picture_form *form, struct err *err);
