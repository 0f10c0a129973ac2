/* texture.h - image files to the one class of texture the renderer draws: RGBA8, sRGB, power-of-two sides of at most
 * LIMIT_TEXTURE_SIDE, mip levels made here (in linear light, alpha-weighted). One thread.
 *
 * PNG by libpng, JPEG by libjpeg-turbo, TGA and BMP by stb_image; the header's size is checked before anything is
 * decoded. A texture that is missing or broken is not an error of the model: it is recorded with its state and a
 * warning, and drawn as plain colour. */
#pragma once

#include "opener.h"

struct texture_query {
    const char *uri;      /* as the file names it (already percent-decoded), or NULL when embedded */
    const uint8_t *bytes; /* embedded image file, or NULL: then `uri` is looked up with the opener */
    size_t size_bytes;
    uint32_t wrap_s, wrap_t; /* TEXTURE_WRAP_ */
};

/* Adds a texture to the builder; returns its index, or ERR_MODEL_LIMIT. Looked up by uri: as a path below the
 * model's folder, then by its base name (after the last '/' or '\\') there. */
int texture_add(struct bake_builder *builder, struct opener *opener, const struct limits *limits,
                const struct texture_query *query, struct err *err);
