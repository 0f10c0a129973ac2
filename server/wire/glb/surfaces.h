/* surfaces.h - writes the materials and textures of a GLB file (glTF 2.0, 3.8 and 3.9). Private to server/wire. Pure.
 *
 * The caller marks the materials in use, then numbers them, then writes them. */
#pragma once

#include "base/err.h"
#include "wire/encode/glb.h"
#include "wire/picture/texture_file.h"

/* A place is an index in the file; GLB_NONE marks an absent item. */
struct surfaces {
    const struct model *model;
    const struct request_textures *request;
    const struct own_pictures *own; /* or NULL */
    uint32_t *materials;            /* [material_count]: places */
    uint32_t *textures;             /* [texture_count]: places */
    uint32_t *images;               /* [texture_count]: places of their images; textures of one picture share one */
    uint32_t *pictures;             /* [texture_count]: buffer view of the texture's image */
    struct picture_made *made;      /* [texture_count]: the image, after surfaces_put_pictures() */
    /* Appends the material's extensions that the model only carries, `opening` before the first one. Returns whether
     * there is one. NULL: there is none. */
    bool (*put_carried)(void *context, uint32_t material, const char *opening);
    void *context;
    const uint32_t *animated; /* [material_count]: 1 << slot for each texture transform that the file's clips move, and
                                 1 << SURFACES_STRENGTH for the emissive strength; NULL: none */
};
enum { SURFACES_STRENGTH = 31 };

/* Bits of the glTF extensions that a file uses. */
enum glb_extension {
    GLB_UNLIT,
    GLB_EMISSIVE_STRENGTH,
    GLB_TEXTURE_TRANSFORM,
    GLB_VARIANTS,
    GLB_VISIBILITY,
    GLB_NODE_CONSTRAINT,
    GLB_POINTER,
    GLB_LIGHTS,
    GLB_LAYER, /* the first of LAYER_COUNT extensions of material layers, by enum material_layer */
    GLB_LAYER_LAST = GLB_LAYER + LAYER_COUNT - 1,
    GLB_MESH_QUANTIZATION, /* this and the following ones are required to read the file */
    GLB_MESHOPT_COMPRESSION,
    GLB_DRACO_COMPRESSION,
    GLB_TEXTURE_WEBP,
    GLB_TEXTURE_BASISU,
    GLB_EXTENSION_COUNT
};

/* Returns how many uint32_t surfaces_init() needs. */
size_t surfaces_places(const struct model *model);
/* places: memory of the caller that outlives *surfaces. Borrows the rest, too; own: as for texture_file_put(). */
void surfaces_init(struct surfaces *surfaces, const struct model *model, const struct request_textures *request,
                   const struct own_pictures *own, uint32_t *places);
/* Marks a material (or -1: none) as used by the file. */
void surfaces_use(struct surfaces *surfaces, int32_t material);
/* Numbers the materials and their textures in the model's order. Returns the bytes of pixels that
 * surfaces_put_pictures() will compress, or takes as long as. */
uint64_t surfaces_number(struct surfaces *surfaces);
/* Compressing this many bytes of pixels costs about as much as one node. */
enum { SURFACES_PIXEL_BYTES_PER_STEP = 64 };

/* Returns the texture (or -1) that a material of the file has in this slot. */
int32_t surfaces_texture_of(const struct surfaces *surfaces, uint32_t material, uint32_t slot);
/* True when the material (a model index, or -1) has a texture in the file that uses this texture coordinate set. */
bool surfaces_is_textured(const struct surfaces *surfaces, int32_t material, uint32_t set);
/* True when the file has a normal map for the primitive and the model has its tangents. */
bool surfaces_wants_tangents(const struct surfaces *surfaces, const struct primitive *primitive, int32_t material);
/* Adds each of the two texture coordinate sets that the primitive has or that a texture of its material uses
 * (is_textured[set]). Writes the accessors to out[2], GLB_NONE for a missing set. */
void surfaces_add_texcoords(const struct surfaces *surfaces, struct glb_writer *glb, const struct primitive *primitive,
                            const bool is_textured[2], uint32_t out[2]);

/* Appends "name":.. and a comma, unless the name is absent. */
void glb_put_name(struct buf *out, const struct model *model, struct str name);
/* Appends ,"materials":[..] unless empty. Returns 1 << GLB_ of the extensions that the materials and their textures
 * use. After surfaces_put_pictures(). */
unsigned surfaces_put_materials(const struct surfaces *surfaces, struct buf *out);
/* Appends ,"extensionsUsed":[..],"extensionsRequired":[..] without empty ones. more: names of further extensions. */
void glb_put_extensions(struct buf *out, unsigned uses, const char *const *more, uint32_t more_count);
/* True when the file has the texture in a slot (below TEXTURE_ALL_COUNT) of a material. */
bool surfaces_has_texture(const struct surfaces *surfaces, uint32_t material, uint32_t slot);
/* Appends key{"index":..,"texCoord":..,<factor>,"extensions":..} of that texture; nothing when the file does not have
 * it. */
void surfaces_put_texture(const struct surfaces *surfaces, struct buf *out, uint32_t material, uint32_t slot,
                          const char *key);
/* Appends "KHR_materials_..":{..} of each layer of a material, separated by commas. */
void surfaces_put_layers(const struct surfaces *surfaces, struct buf *out, uint32_t material);
/* Adds the images to the binary chunk. Returns 0 or ERR_NO_MEMORY. */
int surfaces_put_pictures(struct surfaces *surfaces, struct glb_writer *glb, struct err *err);
/* Appends ,"textures":[..],"samplers":[..],"images":[..] if the file has textures. */
void surfaces_put_textures(const struct surfaces *surfaces, struct buf *out);
/* Appends ,"textures":[..] for asset.extras: the state of each texture that the materials have, and the form in which
 * the file has it. */
void surfaces_put_texture_states(const struct surfaces *surfaces, struct buf *out);
