/* texture.h - image files to the one class of texture that the renderer draws: RGBA8, power-of-two sides of at most
 * LIMIT_TEXTURE_SIDE, mip levels made here (colours in linear light, alpha-weighted; data as it is). One thread.
 *
 * texture_image.h decodes them. Textures of one image and content share their pixels. One that shows its texels as
 * squares (TEXTURE_MAG_NEAREST) is enlarged to a power of two without mixing them. A texture that is missing or broken
 * is not an error of the model: it is recorded with its state and a warning, and drawn as plain colour. */
#pragma once

#include "import/source/import.h"

/* What texture.reserved says while an import goes on; texture_mixer_end() clears it. Other values: request.image. */
enum { TEXTURE_IS_FILE = 0 };
#define TEXTURE_IS_MIXED UINT32_MAX /* mixed from others (texture_mix.h), so not the picture of its uri */

struct texture_request {
    const char *uri;      /* as the file names it (of glTF percent-decoded), or NULL when embedded */
    const char *name;     /* of an embedded one, for messages, or NULL */
    const uint8_t *bytes; /* embedded image file, or NULL: then `uri` is what source_search() finds */
    size_t size_bytes;
    uint32_t wrap_s, wrap_t;         /* TEXTURE_WRAP_ */
    uint32_t mag_filter, min_filter; /* TEXTURE_MAG_, TEXTURE_MIN_ */
    uint32_t content;                /* TEXTURE_COLORS or TEXTURE_DATA */
    uint32_t image; /* the reader's number of this image, from 1, or TEXTURE_IS_FILE: known by its uri */
};

/* *texture becomes the builder's texture of this image with this content, wrapping and filters, where need be one that
 * is added with the pixels of another; -1: there is no such image yet. The request's bytes are not looked at.
 * Returns 0 or ERR_MODEL_LIMIT. */
int texture_find(struct import *import, const struct texture_request *request, int *texture, struct err *err);

/* As texture_find(), and reads the image where there is none yet. Returns the texture's index, or ERR_MODEL_LIMIT.
 * Where the file of a uri may lie is the order of source/source_search.h. */
int texture_add(struct import *import, const struct texture_request *request, struct err *err);

/* --- which of a file's sets of texture coordinates a material's primitives keep: models have two --- */

/* The file's numbers of what goes to texcoords and to second_texcoords, or -1. */
struct texcoord_sets {
    int64_t sets[2];
};

#define TEXCOORD_SETS_NONE ((struct texcoord_sets){{-1, -1}})

/* The place (0 or 1) of the file's set `set`, which takes the first free one when it is new; -1: both are taken. */
static inline int texcoord_place(struct texcoord_sets *texcoords, int64_t set)
{
    for (int place = 0; place < 2; place++) {
        if (texcoords->sets[place] < 0)
            texcoords->sets[place] = set;
        if (texcoords->sets[place] == set)
            return place;
    }
    return -1;
}
