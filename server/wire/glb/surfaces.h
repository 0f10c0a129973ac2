/* surfaces.h - the materials and textures of a GLB file (glTF 2.0, 3.8 and 3.9). Private to server/wire. Pure.
 *
 * First the materials that the file has are named, then they are numbered, then written. */
#pragma once

#include "base/err.h"
#include "wire/encode/glb.h"

/* Places in the file are GLB_NONE for what is not in it. */
struct surfaces {
    const struct model *model;
    bool has_textures;   /* false: they are left out */
    uint32_t *materials; /* [material_count]: place in the file */
    uint32_t *textures;  /* [texture_count]: likewise */
    uint32_t *pictures;  /* [texture_count]: the buffer view of the texture's picture */
};

/* What a file uses beyond glTF 2.0, as bits. */
enum glb_extension {
    GLB_UNLIT,
    GLB_EMISSIVE_STRENGTH,
    GLB_TEXTURE_TRANSFORM,
    GLB_VARIANTS,
    GLB_VISIBILITY,
    GLB_POINTER,
    GLB_LIGHTS,
    GLB_LAYER, /* and LAYER_COUNT - 1 more: those of layers, by enum material_layer */
    GLB_LAYER_LAST = GLB_LAYER + LAYER_COUNT - 1,
    GLB_MESHOPT_COMPRESSION, /* this and what follows is needed to read the file */
    GLB_DRACO_COMPRESSION,
    GLB_EXTENSION_COUNT
};

/* How many uint32_t surfaces_init() needs. */
size_t surfaces_places(const struct model *model);
/* places: the caller's, as long as *surfaces. */
void surfaces_init(struct surfaces *surfaces, const struct model *model, bool has_textures, uint32_t *places);
/* The file has the material (or -1: none). */
void surfaces_use(struct surfaces *surfaces, int32_t material);
/* Gives the materials and their textures their places, in the model's order. Returns the bytes of pixels that
 * surfaces_put_pictures() compresses. */
uint64_t surfaces_number(struct surfaces *surfaces);
/* Compressing so many bytes of pixels is about the work for one node. */
enum { SURFACES_PIXEL_BYTES_PER_STEP = 64 };

/* The texture (or -1) that a material of the file has in this place of it. */
int32_t surfaces_texture_of(const struct surfaces *surfaces, uint32_t material, uint32_t slot);
/* True when the file's material (of the model's index, or -1) has a texture that takes this set of coordinates. */
bool surfaces_is_textured(const struct surfaces *surfaces, int32_t material, uint32_t set);
/* True where the file has a texture of normals for the primitive, and the model the directions that it is meant in. */
bool surfaces_wants_tangents(const struct surfaces *surfaces, const struct primitive *primitive, int32_t material);
/* Adds the coordinates of both sets that the primitive has, or that a texture of its material takes (is_textured[set]);
 * accessors, GLB_NONE for none, into out[2]. */
void surfaces_add_texcoords(const struct surfaces *surfaces, struct glb_writer *glb, const struct primitive *primitive,
                            const bool is_textured[2], uint32_t out[2]);

/* "name":.. and a comma, where there is one. */
void glb_put_name(struct buf *out, const struct model *model, struct str name);
/* ,"materials":[..] where there are some; 1 << GLB_ of the extensions that they use. */
unsigned surfaces_put_materials(const struct surfaces *surfaces, struct buf *out);
/* ,"extensionsUsed":[..],"extensionsRequired":[..] where there are some */
void glb_put_extensions(struct buf *out, unsigned uses);
/* True when the file has the texture in a slot (below TEXTURE_ALL_COUNT) of one of its materials. */
bool surfaces_has_texture(const struct surfaces *surfaces, uint32_t material, uint32_t slot);
/* key{"index":..,"texCoord":..,<factor>,"extensions":..} of that texture; nothing where the file has none. */
void surfaces_put_texture(const struct surfaces *surfaces, struct buf *out, uint32_t material, uint32_t slot,
                          const char *key);
/* "KHR_materials_..":{..} of each layer of a material that has some, with commas between. */
void surfaces_put_layers(const struct surfaces *surfaces, struct buf *out, uint32_t material);
/* Adds the pictures to the binary chunk. Returns 0 or ERR_NO_MEMORY. */
int surfaces_put_pictures(struct surfaces *surfaces, struct glb_writer *glb, struct err *err);
/* ,"textures":[..],"samplers":[..],"images":[..], where there are textures */
void surfaces_put_textures(const struct surfaces *surfaces, struct buf *out);
/* ,"textures":[..]: what became of each texture that the materials have, for asset.extras */
void surfaces_put_texture_states(const struct surfaces *surfaces, struct buf *out);
