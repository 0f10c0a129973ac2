/* material_textures.h - the textures that a material of a classic format names, by what they are for, and where each
 * goes in a metallic-roughness one: normals out of heights, metallic and roughness into one picture, opacity into the
 * base colour's alpha. One thread.
 *
 * A format's reader fills in what one material has and calls the three functions in the order in which they stand here;
 * between the first and the second it sets the factors. They return 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
#pragma once

#include "import/texture/texture.h"
#include "import/texture/texture_mix.h"

enum texture_use {
    USE_BASE_COLOR,
    USE_NORMALS, /* or heights: files use the same slots for both, so the picture itself tells them apart */
    USE_EMISSIVE,
    USE_OCCLUSION, /* or a light map, which is left out; as is the base colour's picture */
    USE_METALLIC,
    USE_ROUGHNESS,
    USE_OPACITY,
    TEXTURE_USE_COUNT
};

struct used_texture {
    bool is_there;                  /* all else is of no meaning without it */
    struct texture_request request; /* borrowed; its content is left to the use */
    const char *name;               /* for messages; borrowed */
    int64_t set;                    /* the file's number of the texture coordinates that it lies by */
    float uv_from_texcoord[6];      /* as in struct material_texture */
    bool is_moved_unknown; /* it is moved, scaled or turned by numbers of unknown meaning, and a warning says so */
    bool is_gloss;         /* of USE_ROUGHNESS: it says how smooth the surface is */
    float height_factor;   /* of USE_NORMALS, where it is a map of heights: times NORMAL_MAP_HEIGHT */
};

/* What one material has. Everything is borrowed. */
struct material_textures {
    struct import *import;
    struct texture_mixer *mixer;
    struct texcoord_sets *texcoords; /* of the material: sets that textures lie by are added */
    const char *material;            /* what it is called in messages: "material 3" */
    struct used_texture uses[TEXTURE_USE_COUNT];
};

/* A larger factor of heights, or a smaller than its opposite, is an error of the file; readers take 1 instead. */
#define HEIGHT_FACTOR_MAX 100.0f

#define UV_FROM_TEXCOORD_NONE                                                                                          \
    {                                                                                                                  \
        1, 0, 0, 0, 1, 0                                                                                               \
    }

/* Base colour, normals, emission and occlusion. */
int material_textures_surface(struct material_textures *from, struct material *to, struct err *err);
/* Metallic and roughness, out of the one or two textures that there are; after the factors, which a texture takes in.
 */
int material_textures_roughness(struct material_textures *from, struct material *to, struct err *err);
/* Opacity into the base colour's alpha, and by what is there in the end how the material is drawn: where nothing else
 * makes it ALPHA_BLEND, the picture of the base colour may. */
int material_textures_opacity(struct material_textures *from, struct material *to, struct err *err);
