/* gltf.h - one glTF file while it is read: its JSON tree, its top-level arrays, and the parts that read them.
 *
 * The order of reading: container and JSON (gltf.c), schema (gltf_schema.c: from then on every member that is read
 * has its type and every index is in range), then skins, nodes, materials, meshes and animations into the builder.
 * Indices of nodes, skins, meshes, materials and clips in the baked model are the file's own.
 * All readers return 0 or a negative ERR_ code and name the culprit by its JSON path. One thread. */
#pragma once

#include "import/gltf/gltf_json.h"
#include "import/source/import.h"
#include "import/text/texcoord_sets.h"
#include "import/texture/texture_mix.h"

enum gltf_list_id {
    GLTF_SCENES,
    GLTF_NODES,
    GLTF_MESHES,
    GLTF_SKINS,
    GLTF_ANIMATIONS,
    GLTF_ACCESSORS,
    GLTF_BUFFER_VIEWS,
    GLTF_BUFFERS,
    GLTF_MATERIALS,
    GLTF_TEXTURES,
    GLTF_IMAGES,
    GLTF_SAMPLERS,
    GLTF_CAMERAS,
    GLTF_LIST_COUNT
};
extern const char *const GLTF_LIST_NAMES[GLTF_LIST_COUNT]; /* "scenes", ... */

/* cJSON's arrays are linked lists; these are theirs as vectors. */
struct gltf_list {
    const cJSON **items;
    uint32_t count;
};

struct gltf_buffer; /* gltf_buffer.c */

/* How the nodes draw a mesh; decides which joints its vertices may name. */
struct gltf_mesh_use {
    uint32_t joint_count;  /* the smallest of the skins it is drawn with */
    int32_t skin;          /* that skin, or -1: drawn without skin or not at all */
    uint32_t target_count; /* morph targets: the most of any primitive */
};

/* Where an input accessor's times lie in the builder. */
struct gltf_times {
    uint32_t first, count;
    bool is_read;
    bool has_duplicates; /* of two equal times the earlier key was left out */
};

/* Where an output accessor's values lie in the builder. */
struct gltf_values {
    uint32_t first;
    uint32_t size; /* floats a key */
    int64_t times; /* the input accessor whose equal times left keys out, or -1: all rows are there */
    bool is_read;
    unsigned checked; /* a bit for each interpolation with which they were seen to be rotations */
};

struct gltf {
    struct import *import;
    struct bake_builder *builder;
    const char *json; /* the text that root was parsed from */
    size_t json_bytes;
    cJSON *root;
    struct gltf_list lists[GLTF_LIST_COUNT];
    const uint8_t *bin; /* a GLB's binary chunk, or NULL */
    uint64_t bin_bytes;
    struct gltf_buffer *buffers;     /* [buffers] */
    uint8_t **decoded_views;         /* [bufferViews], NULL where a view is not compressed or not asked for yet */
    uint64_t decoded_bytes;          /* of those together */
    struct gltf_mesh_use *mesh_uses; /* [meshes] */
    struct gltf_times *times;        /* [accessors] */
    struct gltf_values *values;      /* [accessors] */
    uint32_t *deltas;                /* [accessors]: where its morph deltas lie in the builder + 1, or 0 */
    uint64_t row_bytes;              /* that accessors have given so far: see accessor_charge() */
    int32_t *texture_images;         /* [LIMIT_TEXTURES]: the image of each of the builder's textures */
    struct texcoord_sets *texcoords; /* [materials] */
    struct texture_mixer mixer;
    int32_t *view_images; /* [bufferViews]: the first image that lies in it + 1, or 0 */
};

static inline const cJSON *gltf_item(const struct gltf *gltf, enum gltf_list_id list, int64_t index)
{
    return gltf->lists[list].items[index];
}

/* calloc() with ERR_IMPORT_MEMORY: sizes follow the file. *out is the caller's. */
int gltf_alloc(void **out, uint64_t count, size_t item_bytes, struct err *err);
/* The error to return after a bake_add_...() gave NULL. */
int gltf_full(const struct gltf *gltf, struct err *err);
/* Refuses to go from `have` to `have + more` when that passes the limit. */
int gltf_limit(const struct gltf *gltf, enum limit limit, uint64_t have, uint64_t more, const char *where,
               struct err *err);
/* The member "name" in the builder's text, with a warning when it is not UTF-8. */
struct str gltf_name(struct gltf *gltf, const cJSON *object, enum gltf_list_id list, uint32_t index);

/* What a material's primitives take as texcoords and second_texcoords. After gltf_read_materials(). */
struct texcoord_sets gltf_material_texcoords(const struct gltf *gltf, int64_t material);

/* gltf_texture.c: the builder's index of textures[index] as colours or data (TEXTURE_), -1 when it has no image. An
 * image is decoded once for each of the two, however many materials and samplers use it. */
int gltf_texture(struct gltf *gltf, uint32_t index, uint32_t content, int32_t *out, struct err *err);

/* gltf_ignored.c: extensions of materials that are not drawn; the warnings tell of those that would be seen. */
bool gltf_is_ignored_extension(const char *name);
void gltf_warn_of_ignored(const struct gltf *gltf);

/* In this order: each uses what those before have left in the builder. */
int gltf_read_skins(struct gltf *gltf, struct err *err);
int gltf_read_nodes(struct gltf *gltf, struct err *err); /* and mesh_uses, scene roots */
int gltf_read_materials(struct gltf *gltf, struct err *err);
int gltf_read_meshes(struct gltf *gltf, struct err *err);
int gltf_read_weights(struct gltf *gltf, struct err *err); /* of the nodes */
int gltf_read_cameras(struct gltf *gltf, struct err *err);
int gltf_read_animations(struct gltf *gltf, struct err *err);
int gltf_read_extras(struct gltf *gltf, struct err *err);
