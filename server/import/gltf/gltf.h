/* gltf.h - one glTF file while it is read: its JSON tree, its top-level arrays, and the parts that read them.
 *
 * The order: container and JSON (gltf.c), schema (gltf_schema.c: from then on every member that is read has its type
 * and every index is in range), then skins, nodes, materials, meshes and animations into the builder. Indices of nodes,
 * skins, meshes, materials and clips in the baked model are the file's own. All readers return 0 or a negative ERR_
 * code and name the culprit by its JSON path. One thread. */
#pragma once

#include "import/gltf/gltf_json.h"
#include "import/source/import.h"
#include "import/texture/texture.h"
#include "import/texture/texture_mix.h"

enum gltf_list_id { /* GLTF_NODES, ... */
#define LIST(id, member) id,
#include "import/gltf/gltf_schema.def"
                    GLTF_LIST_COUNT
};
extern const char *const GLTF_LIST_NAMES[GLTF_LIST_COUNT]; /* "scenes", ... */

/* The items of a cJSON array, which is a linked list, as a vector. */
struct gltf_list {
    const cJSON **items; /* [count], heap */
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
    bool has_duplicates; /* the earlier key of two with equal times was left out */
};

/* Where an output accessor's values lie in the builder. */
struct gltf_values {
    uint32_t first;
    uint32_t size; /* floats a key */
    int64_t times; /* the input accessor whose equal times left keys out, or -1: all rows are there */
    bool is_read;
    unsigned checked; /* a bit for each interpolation with which they were checked as rotations */
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
    uint64_t row_bytes;              /* charged so far by accessor_charge() */
    struct texcoord_sets *texcoords; /* [materials] */
    struct texture_mixer mixer;
    uint32_t *view_images; /* [bufferViews]: the first image that lies in it + 1, or 0 */
};

static inline const cJSON *gltf_item(const struct gltf *gltf, enum gltf_list_id list, int64_t index)
{
    return gltf->lists[list].items[index];
}

/* The items of an array; none where there is no array. The vector is the caller's. */
struct gltf_list gltf_list_of(const cJSON *array);

/* Checks types, required members and index ranges of the whole file, before anything is read from it, and fills the
 * lists. gltf->root is set. Linear in the file; members that gltf_schema.def does not have are not looked at.
 * Returns 0 or ERR_BAD_MODEL: "nodes[3].children is a number, expected an array". */
int gltf_schema_check(struct gltf *gltf, struct err *err);

/* The member "name" in the builder's text, with a warning when it is not UTF-8. */
struct str gltf_name(const struct gltf *gltf, const cJSON *object, enum gltf_list_id list, uint32_t index);

/* What the primitives of a material (or -1) take as texcoords and second_texcoords, -1 where it has no texture. After
 * gltf_read_materials(). */
struct texcoord_sets gltf_material_texcoords(const struct gltf *gltf, int64_t material);

/* gltf_variants.c: the file's variants; then, while a primitive is read and before it is put, its materials in each of
 * them, after gltf_read_materials(). *sets: those of its own material, joined with those of the others. */
int gltf_read_variants(struct gltf *gltf, struct err *err);
int gltf_read_mappings(struct gltf *gltf, const cJSON *primitive, const char *where, struct texcoord_sets *sets,
                       struct err *err);

/* gltf_texture.c: the builder's index of textures[index] as colours or data (TEXTURE_), -1 when it has no image. An
 * image is decoded once for each of the two, however many materials and samplers use it. */
int gltf_texture(struct gltf *gltf, uint32_t index, uint32_t content, int32_t *out, struct err *err);

/* gltf_pointer.c: what a JSON pointer of KHR_animation_pointer names, where that is a property that a channel of the
 * core can move, or the visibility of a node: "/nodes/3/rotation". *path: PATH_. False: it is another one. */
bool gltf_pointer_read(const struct gltf *gltf, const char *pointer, int64_t *node, int *path);

/* gltf_extensions.c: refuses a file that requires an extension which is not supported, and warns of those it uses.
 * After the schema. */
int gltf_check_extensions(const struct gltf *gltf, struct err *err);
/* Warns of extensions that change how materials look and are not drawn. */
void gltf_warn_of_ignored(const struct gltf *gltf);

/* In this order: each uses what those before have left in the builder. */
int gltf_read_skins(struct gltf *gltf, struct err *err);
int gltf_read_nodes(struct gltf *gltf, struct err *err); /* and mesh_uses, scene roots */
int gltf_read_materials(struct gltf *gltf, struct err *err);
int gltf_read_meshes(struct gltf *gltf, struct err *err);
int gltf_read_weights(struct gltf *gltf, struct err *err); /* of the nodes */
int gltf_read_cameras(struct gltf *gltf, struct err *err);
int gltf_read_lights(struct gltf *gltf, struct err *err); /* gltf_lights.c */
int gltf_read_animations(struct gltf *gltf, struct err *err);
int gltf_read_extras(struct gltf *gltf, struct err *err);
int gltf_read_humanoid(struct gltf *gltf, struct err *err);
int gltf_read_instances(struct gltf *gltf, struct err *err); /* last: adds nodes that the file does not list */
