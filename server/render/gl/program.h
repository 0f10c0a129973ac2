/* program.h - the shader programs of lit pictures, their uniforms and attribute locations. They live as long as the
 * context, because llvmpipe compiles every new program. Only on the context's thread. */
#pragma once

#include "anim/model/model.h"
#include "render/gl/gl.h"

#include <stdbool.h>

enum { SHADER_TEXTS_MAX = 8 };

struct shader_source {
    const char *name;                    /* name of its last file, for messages */
    const char *texts[SHADER_TEXTS_MAX]; /* concatenated, up to the first NULL; empty: the stage does not exist */
};

struct shader_sources {
    struct shader_source vertex, geometry, fragment;
    const char *define; /* lines before each text, after #version; or NULL */
};

/* The built-in shaders. */
extern const struct shader_source SHADER_SKIN_VERT, SHADER_WIRE_GEOM, SHADER_WIRE_FRAG;
extern const struct shader_source SHADER_MESH_FRAG, SHADER_VIEW_FRAG, SHADER_VISIBILITY_FRAG;
extern const struct shader_source SHADER_GATHERED_VERT, SHADER_GATHERED_FRAG;

enum attribute {
    ATTRIBUTE_POSITION,
    ATTRIBUTE_NORMAL,
    ATTRIBUTE_TEXCOORD,
    ATTRIBUTE_COLOR,
    ATTRIBUTE_INFLUENCE_RANGE,
    ATTRIBUTE_SECOND_TEXCOORD,
    ATTRIBUTE_TANGENT,
    ATTRIBUTE_COUNT
};

/* The first units are those of enum texture_slot. */
enum texture_unit {
    UNIT_BASE_COLOR = TEXTURE_BASE_COLOR,
    UNIT_PALETTE = TEXTURE_SLOT_COUNT,
    UNIT_INFLUENCES,
    UNIT_IDS, /* for view.frag */
    UNIT_ENVIRONMENT,
    UNIT_GATHERED, /* for gathered.glsl */
    UNIT_BEHIND,
    UNIT_LAYERS, /* the units from here on follow enum texture_slot from TEXTURE_SLOT_COUNT on */
};

/* What a program can do beyond base colour with the default filters, as bits. */
enum program_kind {
    PROGRAM_FULL = 1,      /* all textures of a material */
    PROGRAM_FILTERS = 2,   /* any filters for the colours' textures */
    PROGRAM_POINTS = 4,    /* only for points, drawn as discs */
    PROGRAM_CHOSEN = 8,    /* any light, exposure and tone; without it the default ones are constants */
    PROGRAM_MIRRORS = 16,  /* smooth surfaces and metals, which reflect the environment; without it rough dielectrics */
    PROGRAM_GATHERED = 32, /* lights what render/gather/ rasterized */
    PROGRAM_BUMPS = 64,    /* gathered, with a normal texture */
    PROGRAM_CUT = 128,     /* surfaces with holes, and surfaces drawn in parts by their alpha */
    /* Layers of materials always come with PROGRAM_CHOSEN and _MIRRORS, and with PROGRAM_FULL for anisotropy or a
     * layer's texture. The following bits need PROGRAM_LAYERS. */
    PROGRAM_LAYERS = 256,
    PROGRAM_LAYER_TEXTURES = 512,
    PROGRAM_CLEARCOAT = 1024,
    PROGRAM_SHEEN = 2048,
    PROGRAM_IRIDESCENCE = 4096,
    PROGRAM_ANISOTROPY = 8192,
    PROGRAM_TRANSMISSION = 16384,
    PROGRAM_LIGHTS = 32768, /* the model's own lights; always with PROGRAM_CHOSEN */
    PROGRAM_KINDS = 65536
};

/* The uniforms, by their names in the shaders. A program that is not full has uv_from_texcoord; a full one has
 * uvs_from_texcoord and the next ones. */
#define PROGRAM_UNIFORMS                                                                                               \
    X(joint_first)                                                                                                     \
    X(clip_from_view)                                                                                                  \
    X(unit)                                                                                                            \
    X(eye)                                                                                                             \
    X(base_color)                                                                                                      \
    X(emissive)                                                                                                        \
    X(metal_rough)                                                                                                     \
    X(alpha_range)                                                                                                     \
    X(is_blended)                                                                                                      \
    X(is_unlit)                                                                                                        \
    X(is_flat)                                                                                                         \
    X(base_color_filter)                                                                                               \
    X(irradiance)                                                                                                      \
    X(exposure)                                                                                                        \
    X(tone)                                                                                                            \
    X(uv_from_texcoord)                                                                                                \
    X(uvs_from_texcoord)                                                                                               \
    X(texcoord_sets)                                                                                                   \
    X(bump_scale_shade)                                                                                                \
    X(emissive_filter)                                                                                                 \
    X(dielectric)                                                                                                      \
    X(coat)                                                                                                            \
    X(sheen)                                                                                                           \
    X(film)                                                                                                            \
    X(stretch)                                                                                                         \
    X(clear)                                                                                                           \
    X(beneath) X(layer_uvs) X(layer_sets) X(around) X(light_count) X(light_places) X(light_axes) X(light_colors)

struct program {
    GLuint name;
    bool is_full;          /* all textures of a material, not only the base colour */
    GLint min_filter;      /* of all its textures */
    uint64_t camera_frame; /* frame of struct drawing whose camera it has */
#define X(uniform) GLint uniform;
    PROGRAM_UNIFORMS
#undef X
};

/* Compiles, links and uses a program of this kind (enum program_kind), and binds its samplers to the units.
 * ERR_RENDER_FAILED with the driver's message. */
int program_init(struct program *program, const struct gl *gl, unsigned kind, struct err *err);
/* The same from other sources, which may lack some of the uniforms and samplers. Those are -1, which GL ignores. */
int program_link(struct program *program, const struct gl *gl, const struct shader_sources *sources, bool is_full,
                 struct err *err);
