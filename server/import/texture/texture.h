/* texture.h - image files to the one class of texture the renderer draws: RGBA8, power-of-two sides of at most
 * LIMIT_TEXTURE_SIDE, mip levels made here (colours in linear light, alpha-weighted; data as it is). One thread.
 *
 * PNG by libpng, JPEG by libjpeg-turbo, TGA and BMP by stb_image; the header's size is checked before anything is
 * decoded. Textures of one image and content share their pixels. One that shows its texels as squares
 * (TEXTURE_MAG_NEAREST) is enlarged to a power of two without mixing them. A texture that is missing or broken is not
 * an error of the model: it is recorded with its state and a warning, and drawn as plain colour. */
#pragma once

#include "import/source/source_files.h"

/* In texture.reserved while an import goes on: mixed from others (texture_mix.h), so not the picture of its uri. */
enum { TEXTURE_IS_MIXED = 1 };

struct texture_request {
    const char *uri;      /* as the file names it (already percent-decoded), or NULL when embedded */
    const uint8_t *bytes; /* embedded image file, or NULL: then `uri` is looked up with the files */
    size_t size_bytes;
    uint32_t wrap_s, wrap_t;         /* TEXTURE_WRAP_ */
    uint32_t mag_filter, min_filter; /* TEXTURE_MAG_, TEXTURE_MIN_ */
    uint32_t content;                /* TEXTURE_COLORS or TEXTURE_DATA */
    /* For embedded images: the caller's number of this one, and those of the builder's textures. images NULL: there is
     * none like it. */
    int32_t image;
    const int32_t *images;
};

/* The builder's texture of this image with this content, wrapping and filters, or -1; *same_pixels becomes one that has
 * the same pixels at least, or -1. The query's bytes are not looked at. */
int texture_find(const struct bake_builder *builder, const struct texture_request *query, int *same_pixels);
/* Adds one with the pixels of another, *same_pixels of above. Returns its index, or ERR_MODEL_LIMIT. */
int texture_share(struct bake_builder *builder, const struct limits *limits, const struct texture_request *query,
                  int same_pixels, struct err *err);

/* Adds a texture to the builder; returns its index, or ERR_MODEL_LIMIT. Looked up by uri: as a path below the
 * model's folder, then by its base name (after the last '/' or '\\') there. */
int texture_add(struct bake_builder *builder, struct source_files *files, const struct limits *limits,
                const struct texture_request *query, struct err *err);
