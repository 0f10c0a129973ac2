/* collada_effect.h - reads an <effect> of the common profile as one material instances it. COLLADA 1.4.1 and 1.5.0,
 * chapter 8. One thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/texture/material_textures.h"

/* A <texture> and its sampler state. */
struct collada_sampled {
    uint32_t image;       /* the <image>, or XML_NONE */
    const char *path;     /* replaces a missing <image>; NULL: no texture */
    const char *texcoord; /* the texture's name for its coordinates */
    uint32_t wrap_s, wrap_t, mag_filter;
    bool is_moved; /* its extras move, scale or rotate it */
};

struct collada_effect {
    bool is_constant, has_highlight;
    bool is_double_sided;
    float diffuse[3], emission[3], specular[3]; /* sRGB */
    bool has_emission;                          /* a colour */
    double shininess;
    double opacity; /* 1 if the file's value would make the material invisible */
    struct collada_sampled textures[TEXTURE_USE_COUNT];
};

/* The effect of a material that has none, or whose effect has no supported technique. */
void collada_effect_default(struct collada_effect *effect);
/* Reads the effect that <material> `material` instances. */
void collada_effect_read(const struct xml *xml, uint32_t material, struct collada_effect *effect);
