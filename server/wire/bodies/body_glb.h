/* body_glb.h - the posed model as a GLB file (protocol/glb.md). Private to server/wire. Pure. */
#pragma once

#include "wire/bodies/bodies.h"
#include "wire/bodies/deform.h"
#include "wire/reply/reply_json.h"

/* The accessors of one draw; GLB_NONE: it has no such array. */
struct glb_primitive {
    uint32_t accessors[GLB_INDICES + 1];
};

/* The file under way. Arrays are borrowed from struct workspace; places in the file are GLB_NONE for what is not in it.
 */
struct glb_export {
    struct glb_primitive *entries; /* one for each draw of context->work.mesh */
    uint32_t *entry_of;            /* [primitive_count]: the first with that primitive */
    uint32_t *materials;           /* [material_count]: place in the file */
    uint32_t *textures;            /* [texture_count]: likewise */
    uint32_t *pictures;            /* [texture_count]: the buffer view of the texture's picture */
};

/* "name":.. and a comma, where there is one. */
void glb_put_name(struct buf *out, const struct model *model, struct str name);

/* --- body_glb_material.c --- */

/* Gives the materials that the entries use, and their textures, their places. False: the reply is an error. */
bool glb_number_materials(struct reply_context *context, struct glb_export *export);
/* True when the file's material (of the model's index, or -1) has a texture that takes this set of coordinates. */
bool glb_is_textured(const struct reply_context *context, const struct glb_export *export, int32_t material,
                     uint32_t set);
/* True where the file has a texture of normals for the primitive, and the model the directions that it is meant in. */
bool glb_wants_tangents(const struct reply_context *context, const struct glb_export *export,
                        const struct primitive *primitive, int32_t material);
/* ,"materials":[..] and ,"extensionsUsed":[..], each where needed */
void glb_put_materials(struct reply_context *context, const struct glb_export *export);

/* --- body_glb_texture.c --- */

/* The texture (or -1) that a material of the file has in this place of it. */
int32_t glb_texture_of(const struct reply_context *context, const struct glb_export *export, uint32_t material,
                       enum texture_slot slot);
/* Adds the entry's coordinates of set 0 or 1, those that its primitive has or that a texture of its material wants; 0
 * comes first. */
void glb_add_texcoords(struct reply_context *context, struct glb_export *export, uint32_t entry, uint32_t set);
/* Adds the pictures to the binary chunk. False: the reply is an error. */
bool glb_put_pictures(struct reply_context *context, struct glb_export *export);
/* ,"textures":[..],"samplers":[..],"images":[..], where there are textures */
void glb_put_textures(struct reply_context *context, const struct glb_export *export);
/* ,"textures":[..]: what became of each texture that the materials have, for asset.extras */
void glb_put_texture_states(struct reply_context *context, const struct glb_export *export);
