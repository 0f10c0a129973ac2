/* texture_mix.h - textures that a material needs and of which the file has only the parts: made from textures of the
 * builder, texel by texel. One thread.
 *
 * The parts are ordinary textures of the builder (texture.h). A mixer remembers its mixes, so that equal requests share
 * one texture; texture_mixer_end() removes parts that no material uses by themselves. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"

#include <stdbool.h>

enum texture_mix_kind {
    /* a: colours, b: opacity. The colours, with alpha times b's alpha where that says something, else b's brightness.
     */
    MIX_OPACITY,
    /* a: metallic, b: roughness, both grey. factors: what stands for a missing one; [2]: 1 where b is glossiness, which
     * is 1 - roughness. */
    MIX_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness: a: diffuse, b: specular with gloss in alpha; gloss: their factors. The
     * nearest base colour, and the nearest metallic and roughness. */
    MIX_SPECULAR_GLOSSINESS_BASE_COLOR,
    MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS,
    /* a: heights; factors: how high (NORMAL_MAP_HEIGHT). The normals. */
    MIX_HEIGHTS,
};

/* Colours linear, 0 to 1; the diffuse one with opacity. */
struct specular_glossiness {
    float diffuse[4], specular[3], glossiness;
};

struct texture_mix {
    enum texture_mix_kind kind;
    int32_t a, b; /* textures that are TEXTURE_FOUND; one of the two may be -1 */
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
    int32_t *parts; /* [part_count]: to be taken out */
    uint32_t part_count;
};

/* Both are borrowed until texture_mixer_end() or _fini(). */
void texture_mixer_init(struct texture_mixer *mixer, struct bake_builder *builder, const struct limits *limits);

/* The builder's texture that is this mix; as large as the larger part, with the wrapping and filters of a (of b without
 * a). Returns its index, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int texture_mix(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err);

/* Marks a texture that was examined and is not used: it is removed like a part. */
void texture_mixer_drop(struct texture_mixer *mixer, int32_t texture);

/* After the last mix, when all materials are in the builder: removes parts that no material has, and numbers the others
 * anew. Frees the mixer's memory; without an end, _fini() does. */
void texture_mixer_end(struct texture_mixer *mixer);
void texture_mixer_fini(struct texture_mixer *mixer);

/* The metallic-roughness material that reflects most like a specular-glossy one: colours linear, 0 to 1. */
struct metallic_roughness {
    float base_color[3], metallic, roughness;
};
struct metallic_roughness specular_glossiness_to_metallic_roughness(const struct specular_glossiness *gloss);

/* The pixels of a mix, level 0, into out[width * height * 4]. */
void texture_mix_fill(const struct bake_builder *builder, const struct texture_mix *mix, uint32_t width,
                      uint32_t height, uint8_t *out);

/* Whether a picture (level 0 of a texture that is found) looks like a map of normals: most of them unit vectors that
 * point out of the surface; where a file calls a map of heights by the same name. */
bool texture_is_normal_map(const struct bake_builder *builder, int32_t texture);
/* Whether all its texels are grey, or nearly. */
bool texture_is_grey(const struct bake_builder *builder, int32_t texture);

/* How high the brightest texel is above a black one, as a share of the picture's width: files give bump maps a factor,
 * but no unit. */
#define NORMAL_MAP_HEIGHT 0.01f

/* from: level 0 of a texture, RGBA8, of which the brightness (ITU-R BT.709) counts; out: as large, RGBA8: the unit
 * normal n as (n + 1) / 2, +Y up in the picture, as glTF 2.0 (3.9.3) has it. height: see above; negative for dents.
 * Slopes are Sobel's, which look beyond the borders as the texture wraps. */
void normal_map_from_heights(const struct texture *texture, const uint8_t *from, float height, uint8_t *out);
