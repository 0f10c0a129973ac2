/* material_textures.h - maps the textures of a classic material to a metallic-roughness one. It converts heights to
 * normals, packs metallic and roughness into one picture, and puts opacity into the base colour's alpha. One thread.
 *
 * A format's reader fills struct material_textures for one material and calls the three functions in their order here.
 * It sets the factors between the first and the second call. The functions return 0, ERR_MODEL_LIMIT or
 * ERR_IMPORT_MEMORY. */
#pragma once

#include "import/texture/texture.h"
#include "import/texture/texture_mix.h"

enum texture_use {
    USE_BASE_COLOR,
    USE_NORMALS, /* or heights: files use one slot for both, so the picture's content decides */
    USE_EMISSIVE,
    USE_OCCLUSION, /* light maps and the base colour's picture are left out */
    USE_METALLIC,
    USE_ROUGHNESS,
    USE_OPACITY,
    TEXTURE_USE_COUNT
};

struct used_texture {
    bool is_there;                  /* the other members are valid only if true */
    struct texture_request request; /* borrowed; the use sets its content */
    const char *name;               /* for messages; borrowed */
    int64_t set;                    /* the file's number of its texture coordinate set */
    float uv_from_texcoord[6];      /* as in struct material_texture */
    bool is_moved_unknown;          /* its transform has an unknown meaning, which gives a warning */
    bool is_gloss;                  /* of USE_ROUGHNESS: it holds glossiness, 1 - roughness */
    float height_factor;            /* of USE_NORMALS, for a height map: times NORMAL_MAP_HEIGHT */
};

/* The textures of one material. Everything is borrowed. */
struct material_textures {
    struct import *import;
    struct texture_mixer *mixer;
    struct texcoord_sets *texcoords; /* of the material: the textures' sets are added */
    const char *material;            /* name for messages: "material 3" */
    struct used_texture uses[TEXTURE_USE_COUNT];
};

/* The largest magnitude of a height factor. A larger one is an error of the file, and readers use 1 instead. */
#define HEIGHT_FACTOR_MAX 100.0f

#define UV_FROM_TEXCOORD_NONE                                                                                          \
    {                                                                                                                  \
        1, 0, 0, 0, 1, 0                                                                                               \
    }

/* Sets base colour, normals, emission and occlusion. */
int material_textures_surface(struct material_textures *from, struct material *to, struct err *err);
/* Sets the metallic-roughness texture from one or two textures. Runs after the factors are set, because the texture
 * includes them. */
int material_textures_roughness(struct material_textures *from, struct material *to, struct err *err);
/* Puts opacity into the base colour's alpha and sets the alpha mode. The base colour's picture can select ALPHA_BLEND
 * if nothing else does. */
int material_textures_opacity(struct material_textures *from, struct material *to, struct err *err);
