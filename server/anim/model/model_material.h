/* model_material.h - materials and textures of the baked model (model.h). */
#pragma once

#include "anim/model/model_types.h"

enum alpha_mode { ALPHA_OPAQUE = 0, ALPHA_MASK = 1, ALPHA_BLEND = 2 };
enum material_flags { MATERIAL_DOUBLE_SIDED = 1, MATERIAL_UNLIT = 2 };

enum texture_slot {
    TEXTURE_BASE_COLOR,
    TEXTURE_METALLIC_ROUGHNESS, /* roughness in green, metallic in blue */
    TEXTURE_NORMAL,             /* 2 * texel - 1 in tangent space: +X right, +Y up, +Z out of the surface */
    TEXTURE_OCCLUSION,          /* in red */
    TEXTURE_EMISSIVE,
    TEXTURE_SLOT_COUNT,
    /* the following slots belong to layers */
    TEXTURE_CLEARCOAT = TEXTURE_SLOT_COUNT, /* strength in red */
    TEXTURE_CLEARCOAT_ROUGHNESS,            /* in green */
    TEXTURE_CLEARCOAT_NORMAL,               /* as TEXTURE_NORMAL */
    TEXTURE_SPECULAR,                       /* strength in alpha */
    TEXTURE_SPECULAR_COLOR,
    TEXTURE_SHEEN_COLOR,
    TEXTURE_SHEEN_ROUGHNESS,       /* in alpha */
    TEXTURE_IRIDESCENCE,           /* strength in red */
    TEXTURE_IRIDESCENCE_THICKNESS, /* in green */
    TEXTURE_ANISOTROPY,            /* 2 * texel - 1 of red and green: direction in tangent space; strength in blue */
    TEXTURE_TRANSMISSION,          /* share in red */
    TEXTURE_ALL_COUNT,
    LAYER_SLOT_COUNT = TEXTURE_ALL_COUNT - TEXTURE_SLOT_COUNT
};

/* A texture of a material and its place on the surface: u' = m[0] * u + m[1] * v + m[2], v' = m[3] * u + m[4] * v +
 * m[5], from the vertex's texture coordinates u, v. */
struct material_texture {
    int32_t texture;           /* index into textures, or -1 */
    uint32_t texcoord_set;     /* 0: texcoords, 1: second_texcoords */
    float uv_from_texcoord[6]; /* m: the rows of a 2x3 matrix (KHR_texture_transform) */
};

/* The layers that a material can have beyond metallic-roughness (anim/model/material_layers.def). */
enum material_layer {
    LAYER_CLEARCOAT,
    LAYER_SPECULAR,
    LAYER_IOR,
    LAYER_SHEEN,
    LAYER_IRIDESCENCE,
    LAYER_ANISOTROPY,
    LAYER_TRANSMISSION,
    LAYER_COUNT
};

/* The numbers of layers, as in the glTF extensions KHR_materials_*. A layer that the material lacks has neutral numbers
 * and no textures. Factors multiply the texture's values. */
struct material_layers {
    uint32_t present; /* 1 << LAYER_ for each layer with an effect; at least one */
    float clearcoat, clearcoat_roughness;
    float clearcoat_normal_scale;      /* scales the texture's x and y */
    float specular, specular_color[3]; /* for dielectrics: f90, and the tint of f0; linear RGB */
    float ior;                         /* index of refraction of the surface: 0 (reflects everything), or at least 1 */
    float sheen_color[3];              /* linear RGB */
    float sheen_roughness;
    float iridescence, iridescence_ior;                               /* index of the thin film */
    float iridescence_thickness_min_nm, iridescence_thickness_max_nm; /* where the texture is 0, and 1 */
    float anisotropy;
    float anisotropy_rotation; /* radians, counter-clockwise from the tangent */
    float transmission;        /* thin surface: share of unscattered light that passes through */
    struct material_texture textures[LAYER_SLOT_COUNT]; /* by slot - TEXTURE_SLOT_COUNT */
};

/* Metallic-roughness, as in glTF 2.0 (3.9, appendix B). Factors multiply the texture's values. */
struct material {
    struct str name;
    float base_color[4]; /* linear RGB, alpha */
    float emissive[3];   /* linear RGB; may be above 1 */
    float metallic, roughness;
    float normal_scale;       /* scales the normal texture's x and y */
    float occlusion_strength; /* 0: the occlusion texture has no effect */
    float alpha_cutoff;
    uint32_t alpha_mode; /* ALPHA_ */
    uint32_t flags;      /* MATERIAL_ */
    int32_t layers;      /* index into material_layers, or -1 */
    struct material_texture textures[TEXTURE_SLOT_COUNT];
};

/* The material for primitives without one: white, rough, not metallic, no texture, no name. */
extern const struct material MATERIAL_PLAIN;

enum texture_state {
    TEXTURE_FOUND = 0,
    TEXTURE_MISSING = 1, /* no such file, or outside the root */
    TEXTURE_BROKEN = 2,  /* not decodable, or over a limit */
};
/* The format of a picture's own file: one that a glTF file can hold. */
enum texture_file {
    TEXTURE_FILE_NONE = 0, /* another format, a damaged picture, one mixed from others, or one that no file has as it is
                              (in a zip): only its pixels are there */
    TEXTURE_FILE_PNG = 1,
    TEXTURE_FILE_JPEG = 2,
    TEXTURE_FILE_WEBP = 3, /* without animation */
    TEXTURE_FILE_KTX2 = 4, /* as KHR_texture_basisu demands */
    TEXTURE_FILE_COUNT
};
enum { TEXTURE_HASH_SIZE = 32 };
enum texture_content {
    TEXTURE_COLORS = 0,   /* sRGB; smaller levels averaged in linear light, weighted by alpha */
    TEXTURE_DATA = 1,     /* numbers (metallic-roughness, normal, occlusion); averaged as they are */
    TEXTURE_RADIANCE = 2, /* light (anim/light/rgbe.h) from all around; only in an environment (anim/light/panorama.h),
                             which has no material; averaged as light */
};
enum texture_wrap { TEXTURE_WRAP_REPEAT = 0, TEXTURE_WRAP_CLAMP = 1, TEXTURE_WRAP_MIRROR = 2 };

/* How a pixel samples texels larger (mag) or smaller (min) than itself: OpenGL's six filters. */
enum texture_mag { TEXTURE_MAG_LINEAR = 0, TEXTURE_MAG_NEAREST = 1 };
enum texture_min {
    TEXTURE_MIN_LINEAR_MIPMAP_LINEAR = 0, /* also where the file gives none */
    TEXTURE_MIN_NEAREST = 1,
    TEXTURE_MIN_LINEAR = 2,
    TEXTURE_MIN_NEAREST_MIPMAP_NEAREST = 3,
    TEXTURE_MIN_LINEAR_MIPMAP_NEAREST = 4,
    TEXTURE_MIN_NEAREST_MIPMAP_LINEAR = 5,
};

/* Pixels are RGBA8, rows from the top, with power-of-two sides, followed by every smaller mip level down to 1x1. An
 * image that a file uses for both colours and data is two textures. */
struct texture {
    struct str uri;                       /* as the file names it; "" when embedded */
    uint32_t state;                       /* TEXTURE_; only FOUND has pixels */
    uint32_t source_width, source_height; /* as stored in the image file; 0 when unknown */
    uint32_t width, height;               /* of level 0, powers of two */
    uint32_t level_count;
    uint32_t wrap_s, wrap_t;         /* TEXTURE_WRAP_ */
    uint32_t mag_filter, min_filter; /* TEXTURE_MAG_, TEXTURE_MIN_ */
    uint32_t content;                /* how the material uses it */
    uint32_t reserved;
    uint64_t pixel_first; /* index into pixels */
    /* The picture's own file, which the model refers to by its picture_place. Zero for TEXTURE_FILE_NONE. */
    uint64_t file_bytes; /* at least 1 */
    uint32_t file;       /* TEXTURE_FILE_ */
    uint32_t file_reserved;
    uint8_t file_hash[TEXTURE_HASH_SIZE]; /* SHA-256 of its bytes */
};

/* How the bytes of a picture's file are stored. */
enum texture_encoding {
    TEXTURE_AS_IT_IS = 0,
    TEXTURE_BASE64 = 1, /* this and the next two: without the first 0, 1 or 2 bytes, since 3 bytes share 4 characters */
    TEXTURE_BASE64_LAST = 3,
    TEXTURE_BASE64_PIECES = 4, /* base64 with other characters in between (base/base64.h) */
    TEXTURE_DEFLATED = 5,      /* a raw stream of deflate (RFC 1951), as of a zip */
};

/* Where the file of a picture is: in one of the source files, or in a part of it. It is not content: a copy of the
 * model elsewhere has other places. */
struct picture_place {
    int32_t source_file; /* index into source_files, or -1 for TEXTURE_FILE_NONE; the other members are then 0 */
    uint32_t encoding;   /* TEXTURE_AS_IT_IS, TEXTURE_BASE64 ..: of texture.file_bytes bytes */
    uint64_t offset, size_bytes; /* the stored bytes, within the source file */
};
