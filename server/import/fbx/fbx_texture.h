/* fbx_texture.h - the objects "Texture", "LayeredTexture" and "Video": where the picture of a texture is, and how it
 * lies on a surface. One thread. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/texture/material_textures.h"

/* A Video that has the picture's file in it. */
struct fbx_video {
    uint32_t object;
    struct fbx_span file_name; /* the last part of its path */
    struct fbx_span content;   /* once it is asked for */
    uint8_t *owned;            /* of content, or NULL */
    bool is_read;
};

/* What is linked to a texture: many materials may have the same. */
struct fbx_texture_links {
    uint32_t texture, texture_count; /* the first Texture or LayeredTexture, FBX_NONE: none; and how many there are */
    uint32_t video;                  /* the first Video, or FBX_NONE */
    bool is_known;
};

struct fbx_textures {
    const struct fbx *fbx;
    struct fbx_texture_links *links; /* [object_count], known as they are asked for: fbx_texture_links_of() */
    struct fbx_video *videos;        /* [video_count], by file name, then in the file's order */
    uint32_t video_count;
    uint32_t *place_of; /* [object_count]: of a Video in videos, FBX_NONE: it has no content; NULL: none has */
};

/* A texture of a material. The strings are heap; the used texture points to them and to the videos. */
struct fbx_texture {
    struct used_texture used;
    struct fbx_span uv_set; /* the name of the layer that it lies by; empty: the first of the surface */
    char *path;             /* as the file names it, or empty */
};

/* --- fbx_video.c --- */

/* The last part of a path of any system. */
struct fbx_span fbx_file_name_of(struct fbx_span path);
/* The paths that a Texture or a Video gives, or empty; and the last part of the absolute one, else of the other. */
struct fbx_span fbx_absolute_path(const struct fbx_scene *scene, uint32_t object);
struct fbx_span fbx_relative_path(const struct fbx_scene *scene, uint32_t object);
struct fbx_span fbx_file_name(const struct fbx_scene *scene, uint32_t object);

/* Both borrow. fbx_textures_fini() when no texture of it is used any more. */
void fbx_textures_init(struct fbx_textures *textures, const struct fbx *fbx);
void fbx_textures_fini(struct fbx_textures *textures);

/* The Video that has a texture's picture in it, or NULL; and that picture into a request. Content that cannot be
 * decoded is a picture of no bytes. */
struct fbx_video *fbx_video_of(const struct fbx_textures *textures, uint32_t texture);
void fbx_video_read(const struct fbx_textures *textures, struct fbx_video *video, struct texture_request *request);

const struct fbx_texture_links *fbx_texture_links_of(const struct fbx_textures *textures, uint32_t texture);

/* --- fbx_texture.c --- */

/* Reads a Texture or a LayeredTexture, of which it is the first layer, with a warning that names `material`.
 * out->used.is_there is false where there is none in it. Its set and its height factor are left to the caller.
 * fbx_texture_fini() frees its strings. */
void fbx_texture_read(struct fbx_textures *textures, uint32_t object, const char *material, struct fbx_texture *out);
void fbx_texture_fini(struct fbx_texture *texture);

/* How the picture of a Texture lies: the matrix from our texture coordinates (v goes down) to those that it is read at.
 */
void fbx_texture_transform(const struct fbx_scene *scene, uint32_t object, float uv_from_texcoord[6]);
