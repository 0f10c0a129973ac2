/* texture_mix.h - mixes a material's textures texel by texel from textures of the builder, if the file has only their
 * parts. One thread.
 *
 * The parts are ordinary textures of the builder (texture.h). A mixer caches its mixes, so that equal requests share
 * one texture. texture_mixer_end() removes parts that no material uses directly. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"

#include <stdbool.h>

enum texture_mix_kind {
    /* a: colours, b: opacity. The result has a's colours. Its alpha is a's alpha times b's alpha if b uses its alpha
     * channel, else times b's brightness. */
    MIX_OPACITY,
    /* a: metallic, b: roughness, both grey. factors[0] and [1] replace a missing texture; factors[2] is 1 if b is
     * glossiness (1 - roughness). */
    MIX_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness: a: diffuse, b: specular with glossiness in alpha; gloss: their factors. The
     * results are the nearest base colour, and the nearest metallic and roughness. */
    MIX_SPECULAR_GLOSSINESS_BASE_COLOR,
    MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS,
    /* a: heights; factors: their scale (NORMAL_MAP_HEIGHT). The result is a normal map. */
    MIX_HEIGHTS,
};

/* Colours are linear in 0..1; diffuse includes opacity. */
struct specular_glossiness {
    float diffuse[4], specular[3], glossiness;
};

struct texture_mix {
    enum texture_mix_kind kind;
    int32_t a, b; /* textures in state TEXTURE_FOUND; one may be -1 */
    float factors[3];
    struct specular_glossiness gloss;
};

struct texture_mixer {
    struct bake_builder *builder;
    const struct limits *limits;
    struct texture_made {
        struct texture_mix mix;
        int32_t texture;
    } * made; /* [made_count] */
    uint32_t made_count;
    int32_t *parts; /* [part_count]: candidates for removal */
    uint32_t part_count;
    struct texture_looks {
        uint8_t known, true_ones; /* bits by enum texture_look */
    } * looks;                    /* [look_count] of the first textures */
    size_t look_count;
};

/* Borrows builder and limits until texture_mixer_end() or texture_mixer_fini(). */
void texture_mixer_init(struct texture_mixer *mixer, struct bake_builder *builder, const struct limits *limits);

/* Makes a mix, or reuses an equal one. It has the larger width and the larger height of its parts, and the wrapping and
 * filters of a (of b if a is missing). Returns the texture's index, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int texture_mix(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err);

/* Marks a texture that was examined but stays unused, so that it is removed like a part. */
void texture_mixer_drop(struct texture_mixer *mixer, int32_t texture);

/* Removes parts that no material uses, and renumbers the other textures. Call it after the last mix, with all materials
 * in the builder. It frees the mixer's memory; without this call texture_mixer_fini() does. */
void texture_mixer_end(struct texture_mixer *mixer);
void texture_mixer_fini(struct texture_mixer *mixer);

/* The metallic-roughness material whose reflection is nearest to a specular-glossiness one. Colours are linear in
 * 0..1. */
struct metallic_roughness {
    float base_color[3], metallic, roughness;
};
struct metallic_roughness specular_glossiness_to_metallic_roughness(const struct specular_glossiness *gloss);

/* Writes the pixels of a mix, level 0, to out[width * height * 4]. */
void texture_mix_fill(const struct bake_builder *builder, const struct texture_mix *mix, uint32_t width,
                      uint32_t height, uint8_t *out);

/* What a picture (level 0 of a found texture) looks like. */
enum texture_look {
    /* Most texels are unit vectors that point out of the surface. Needed because files use one name for height maps and
     * normal maps. */
    LOOK_NORMAL_MAP,
    LOOK_GREY,   /* all texels, or nearly */
    LOOK_HOLES,  /* a part is transparent, like that of a grille, hair or leaves */
    LOOK_VEILED, /* more than a quarter is neither clear nor opaque */
    LOOK_COUNT
};
bool texture_looks(const struct bake_builder *builder, int32_t texture, enum texture_look look);
/* The same, looking at each picture only once: thousands of materials may share one. */
bool texture_mixer_looks(struct texture_mixer *mixer, int32_t texture, enum texture_look look);

/* The height of a white texel above a black one, relative to the picture's width. Files give bump maps a factor but no
 * unit. */
#define NORMAL_MAP_HEIGHT 0.01f

/* Converts heights to a normal map. from is level 0 of a texture, RGBA8; its brightness (ITU-R BT.709) is the height.
 * out has the same size, RGBA8, and holds the unit normal n as (n + 1) / 2 with +Y up in the picture (glTF 2.0, 3.9.3).
 * height is the scale, like NORMAL_MAP_HEIGHT; negative for dents. Slopes come from the Sobel operator, which follows
 * the texture's wrapping at the borders. */
void normal_map_from_heights(const struct texture *texture, const uint8_t *from, float height, uint8_t *out);
