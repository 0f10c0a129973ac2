/* texture.h - converts image files to the renderer's only texture format: RGBA8 with power-of-two sides of at most
 * LIMIT_TEXTURE_SIDE. It computes mip levels: colours in linear light and weighted by alpha, data unchanged. One
 * thread.
 *
 * texture_image.h decodes the files. Textures with the same image and content share their pixels. A texture with
 * TEXTURE_MAG_NEAREST is enlarged to a power of two without filtering. A missing or broken texture is not an error of
 * the model: the builder records its state and a warning, and it is drawn as a plain colour. */
#pragma once

#include "import/source/import.h"

/* Values of texture.reserved during an import, besides request.image; texture_mixer_end() clears it. */
enum { TEXTURE_IS_FILE = 0 };
#define TEXTURE_IS_MIXED UINT32_MAX /* mixed from others (texture_mix.h), so it differs from the picture of its uri */

struct texture_request {
    const char *uri;      /* as in the file (percent-decoded for glTF); NULL if embedded */
    const char *name;     /* of an embedded image, for messages, or NULL */
    const uint8_t *bytes; /* embedded image file; NULL: source_search() finds `uri` */
    size_t size_bytes;
    const char *fault;               /* why an embedded image cannot be read, or NULL */
    uint32_t wrap_s, wrap_t;         /* TEXTURE_WRAP_ */
    uint32_t mag_filter, min_filter; /* TEXTURE_MAG_, TEXTURE_MIN_ */
    uint32_t content;                /* TEXTURE_COLORS or TEXTURE_DATA */
    uint32_t image; /* the reader's number of this image, from 1; TEXTURE_IS_FILE: its uri identifies it */
};

/* Sets *texture to the builder's texture with this image, content, wrapping and filters, or to -1 if the image is new.
 * If only wrapping or filters differ, it adds a texture that shares the pixels. It does not read the request's bytes.
 * Returns 0 or ERR_MODEL_LIMIT. */
int texture_find(struct import *import, const struct texture_request *request, int *texture, struct err *err);

/* Does the same as texture_find(), and reads the image if it is new. source/source_search.h defines where the file of a
 * uri may lie. Returns the texture's index, or ERR_MODEL_LIMIT. */
int texture_add(struct import *import, const struct texture_request *request, struct err *err);

/* --- the texture coordinate sets that a material's primitives keep; models have two --- */

/* The file's numbers of the sets for texcoords and second_texcoords, or -1. */
struct texcoord_sets {
    int64_t sets[2];
};

#define TEXCOORD_SETS_NONE ((struct texcoord_sets){{-1, -1}})

/* Returns the slot (0 or 1) of the file's set `set`. A new set takes the first free slot; -1 if both are taken. */
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
