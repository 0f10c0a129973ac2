/* texture_image.h - decodes image files to RGBA8 pixels: PNG, JPEG, TGA, BMP, PCX, WebP, DDS, KTX 2, TIFF. No
 * files; no globals, but for libtiff (texture_tiff.h); one thread.
 *
 * The bytes are untrusted, so the header's size is checked against LIMIT_IMAGE_SIDE and LIMIT_IMAGE_PIXELS before
 * allocation and decoding. Colour profiles and gamma chunks are ignored, and the values count as sRGB (glTF 2.0,
 * 3.8.3). */
#pragma once

#include "anim/model/model_material.h"
#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    uint32_t width, height; /* set once the header is read, also on failure */
    uint8_t *rgba;          /* width * height * 4, straight alpha, rows top first; malloc(), or NULL */
    bool is_damaged;        /* decoded from an incomplete or inconsistent file */
    enum texture_file file; /* the file's format; TEXTURE_FILE_NONE: one that a glTF file cannot hold */
};

/* Returns 0, ERR_BAD_MODEL (not decodable; the message says why), ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY, after
 * which the import continues without this picture; or ERR_UNAVAILABLE: only a process with libtiff can read it. */
int image_decode(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                 struct err *err);
void image_fini(struct image *image);

/* For the decoders, once image->width and height are known: image_check() checks them; image_alloc() checks them and
 * allocates image->rgba. */
int image_check(const struct image *image, const struct limits *limits, struct err *err);
int image_alloc(struct image *image, const struct limits *limits, struct err *err);

/* The decoders, one file per library: texture_png.c, texture_jpeg.c, texture_stb.c, texture_pcx.c, texture_dds.c,
 * texture_webp.c, texture_ktx2.c and texture_tiff.c. Their contract is that of image_decode(), but on failure they may
 * leave image->rgba allocated. */
int image_decode_png(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err);
int image_decode_jpeg(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err);
int image_decode_stb(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err);
int image_decode_pcx(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err);
int image_decode_dds(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err);
int image_decode_webp(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err);
int image_decode_ktx2(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err);
int image_decode_tiff(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err);
