/* collada_effect.h - an <effect> of the common profile as one material has it. COLLADA 1.4.1 and 1.5.0, chapter 8. One
 * thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/texture/material_textures.h"

/* A <texture>, and what its sampler says. */
struct collada_sampled {
    uint32_t image;       /* the <image>, or XML_NONE */
    const char *path;     /* where there is no <image>: what stands in its place; NULL: no texture */
    const char *texcoord; /* what the texture calls its coordinates */
    uint32_t wrap_s, wrap_t, mag_filter;
    bool is_moved; /* its extras move, scale or turn it */
};

struct collada_effect {
    bool is_constant, has_highlight;
    bool is_double_sided;
    float diffuse[3], emission[3], specular[3]; /* sRGB */
    bool has_emission;                          /* a colour */
    double shininess;
    double opacity; /* 1 where the file's would be nothing to see */
    struct collada_sampled textures[TEXTURE_USE_COUNT];
};

/* What a material without an effect, and an effect without a technique that is read, looks like. */
void collada_effect_default(struct collada_effect *effect);
/* The effect that <material> `material` instances. */
void collada_effect_read(const struct xml *xml, uint32_t material, struct collada_effect *effect);
