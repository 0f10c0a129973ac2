/* fbx_texture.h - the objects "Texture", "LayeredTexture" and "Video": the location of a texture's image, and its
 * mapping to a surface. Single-threaded. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/texture/material_textures.h"

/* A Video with an embedded image file. */
struct fbx_video {
    uint32_t object;
    struct fbx_span file_name; /* the last component of its path */
    struct fbx_span content;   /* set on first use */
    uint8_t *owned;            /* the owned memory of content, or NULL */
    bool is_read;
};

/* The objects linked to a texture. Many materials may share one texture. */
struct fbx_texture_links {
    uint32_t texture, texture_count; /* the first Texture or LayeredTexture, or FBX_NONE, and their number */
    uint32_t video;                  /* the first Video, or FBX_NONE */
    bool is_known;
};

struct fbx_textures {
    const struct fbx *fbx;
    struct fbx_texture_links *links; /* [object_count]: filled on demand by fbx_texture_links_of() */
    struct fbx_video *videos;        /* [video_count]: sorted by file name, then by the file's order */
    uint32_t video_count;
    uint32_t *place_of; /* [object_count]: the index of a Video in videos, FBX_NONE if it has no content; NULL if no
                           Video has any */
};

/* A texture of a material. It owns its strings on the heap; `used` points to them and to the videos. */
struct fbx_texture {
    struct used_texture used;
    struct fbx_span uv_set; /* the name of its UV layer; empty: the surface's first layer */
    char *path;             /* as written in the file, or empty */
};

/* --- fbx_video.c --- */

/* The last component of a path of any system. */
struct fbx_span fbx_file_name_of(struct fbx_span path);
/* The absolute and relative paths of a Texture or a Video, or empty. fbx_file_name() gives the last component of the
 * absolute path, else of the relative path. */
struct fbx_span fbx_absolute_path(const struct fbx_scene *scene, uint32_t object);
struct fbx_span fbx_relative_path(const struct fbx_scene *scene, uint32_t object);
struct fbx_span fbx_file_name(const struct fbx_scene *scene, uint32_t object);

/* fbx_textures_init() borrows `fbx`. Call fbx_textures_fini() when no texture read with it is in use any more. */
void fbx_textures_init(struct fbx_textures *textures, const struct fbx *fbx);
void fbx_textures_fini(struct fbx_textures *textures);

/* fbx_video_of() returns the Video with a texture's embedded image, or NULL. fbx_video_read() sets a request's image.
 * Content that cannot be decoded gives an image of 0 bytes. */
struct fbx_video *fbx_video_of(const struct fbx_textures *textures, uint32_t texture);
void fbx_video_read(const struct fbx_textures *textures, struct fbx_video *video, struct texture_request *request);

const struct fbx_texture_links *fbx_texture_links_of(const struct fbx_textures *textures, uint32_t texture);

/* --- fbx_texture.c --- */

/* Reads a Texture, or the first layer of a LayeredTexture with a warning that names `material`. Sets out->used.is_there
 * to false if there is no texture. The caller sets its set and its height factor. fbx_texture_fini() frees its
 * strings. */
void fbx_texture_read(struct fbx_textures *textures, uint32_t object, const char *material, struct fbx_texture *out);
void fbx_texture_fini(struct fbx_texture *texture);

/* The UV transform of a Texture: the matrix from the model's texture coordinates (v points down) to the coordinates at
 * which the image is sampled. */
void fbx_texture_transform(const struct fbx_scene *scene, uint32_t object, float uv_from_texcoord[6]);
