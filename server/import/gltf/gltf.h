/* gltf.h - the state of reading one glTF file: its JSON tree, its top-level arrays, and the readers of its parts.
 *
 * The reading order is: container and JSON (gltf.c), schema (gltf_schema.c), then skins, nodes, materials, meshes and
 * animations into the builder. After the schema check, every member that is read has its type, and every index is in
 * range. The baked model keeps the file's indices of nodes, skins, meshes, materials and clips. All readers return 0 or
 * a negative ERR_ code and name the culprit by its JSON path. Single-threaded. */
#pragma once

#include "import/gltf_file/gltf_json.h"
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

/* How the nodes draw a mesh. This decides which joints its vertices may reference. */
struct gltf_mesh_use {
    uint32_t joint_count;  /* of the skin with the fewest joints that it is drawn with */
    int32_t skin;          /* that skin, or -1 if the mesh is drawn without a skin or not at all */
    uint32_t target_count; /* the largest number of morph targets in any primitive */
};

/* The location of an input accessor's times in the builder. */
struct gltf_times {
    uint32_t first, count;
    bool is_read;
    bool has_duplicates; /* two keys had equal times, and the earlier one was left out */
};

/* The location of an output accessor's values in the builder. */
struct gltf_values {
    uint32_t first;
    uint32_t size; /* floats per key */
    int64_t times; /* the input accessor whose equal times removed keys, or -1 if all rows are present */
    bool is_read;
    unsigned checked; /* one bit for each interpolation with which the values passed the rotation check */
};

struct gltf {
    struct import *import;
    struct bake_builder *builder;
    const char *json; /* the source text of root */
    size_t json_bytes;
    cJSON *root;
    struct gltf_list lists[GLTF_LIST_COUNT];
    const uint8_t *bin; /* a GLB's binary chunk, or NULL */
    uint64_t bin_bytes;
    struct gltf_buffer *buffers;     /* [buffers] */
    uint8_t **decoded_views;         /* [bufferViews], NULL if a view is not compressed or not yet requested */
    uint64_t decoded_bytes;          /* total size of the decoded views */
    struct gltf_mesh_use *mesh_uses; /* [meshes] */
    struct gltf_times *times;        /* [accessors] */
    struct gltf_values *values;      /* [accessors] */
    uint32_t *deltas;                /* [accessors]: position of its morph deltas in the builder + 1, or 0 */
    uint64_t row_bytes;              /* total that accessor_charge() has counted */
    struct texcoord_sets *texcoords; /* [materials] */
    struct texture_mixer mixer;
    struct gltf_list lights;   /* of KHR_lights_punctual, from gltf_read_lights() on */
    uint32_t *animated_layers; /* [materials]: 1 << LAYER_ for each layer that a clip moves */
    uint32_t *view_images;     /* [bufferViews]: the first image in the view + 1, or 0 */
    uint32_t *model_textures;  /* [textures]: the model's texture that was first made for it + 1, or 0 */
};

static inline const cJSON *gltf_item(const struct gltf *gltf, enum gltf_list_id list, int64_t index)
{
    return gltf->lists[list].items[index];
}

/* The items of an array; empty if `array` is not an array. The caller frees the vector. */
struct gltf_list gltf_list_of(const cJSON *array);

/* Checks types, required members and index ranges of the whole file, and fills the lists, before anything else reads
 * the file. The caller sets gltf->root first. Time is linear in the file. Members that gltf_schema.def does not list
 * are ignored. Returns 0 or ERR_BAD_MODEL: "nodes[3].children is a number, expected an array". */
int gltf_schema_check(struct gltf *gltf, struct err *err);

/* Stores the member "name" in the builder's text, with a warning if it is not UTF-8. */
struct str gltf_name(const struct gltf *gltf, const cJSON *object, enum gltf_list_id list, uint32_t index);

/* The texture coordinate sets that primitives of a material (or -1) use as texcoords and second_texcoords; -1 if the
 * material has no texture. Call gltf_read_materials() first. */
struct texcoord_sets gltf_material_texcoords(const struct gltf *gltf, int64_t material);

/* gltf_variants.c. gltf_read_variants() reads the file's variants. gltf_read_mappings() reads the materials of a
 * primitive in each variant; call it after gltf_read_materials() and before the primitive is stored. *sets holds the
 * sets of the primitive's own material, and receives those of the other materials as well. */
int gltf_read_variants(struct gltf *gltf, struct err *err);
int gltf_read_mappings(struct gltf *gltf, const cJSON *primitive, const char *where, struct texcoord_sets *sets,
                       struct err *err);

/* gltf_texture.c: the builder's index of textures[index] as colours or data (TEXTURE_), or -1 if it has no image. An
 * image is decoded at most once for each of the two, however many materials and samplers use it. */
int gltf_texture(struct gltf *gltf, uint32_t index, uint32_t content, int32_t *out, struct err *err);
/* Returns the image of a texture, or -1. If a texture has several images, they show the same picture, so an image in a
 * supported format comes first. For the unsupported formats at the end, the model's warnings explain why they cannot be
 * read. */
int64_t gltf_texture_image(const cJSON *texture);

/* What a channel animates. */
struct gltf_target {
    int64_t node, mesh; /* a mesh, or -1, stands for the nodes that show it with its own weights */
    int path;           /* PATH_ */
    int64_t weight;     /* with PATH_WEIGHTS: the only one that moves; or -1 */
    uint32_t property;  /* PROPERTY_ of a material, light or camera; or GLTF_NO_PROPERTY */
    uint32_t object;    /* with a property: the file's index of its material, light or camera; node and path are -1 */
};
#define GLTF_NO_PROPERTY UINT32_MAX

/* gltf_pointer.c: resolves a JSON pointer of KHR_animation_pointer, such as "/nodes/3/rotation", "/meshes/0/weights" or
 * "/materials/1/emissiveFactor". Returns true for a property that a core channel can animate, a single weight, a node's
 * visibility, and a property of anim/model/property.h that the file has. False: with a warning that begins with
 * `where`. */
bool gltf_pointer_read(const struct gltf *gltf, const char *pointer, const char *where, struct gltf_target *out);
/* Returns the object in the file that has or may have a property of one of its materials, lights or cameras, and the
 * property's name in it. NULL: there is none. */
const cJSON *gltf_property_owner(const struct gltf *gltf, uint32_t property, uint32_t index, char name[64]);

/* gltf_extensions.c: refuses a file that requires an unsupported extension, and warns of unsupported extensions that it
 * uses. Call it after the schema check. */
int gltf_check_extensions(const struct gltf *gltf, struct err *err);
/* Warns of extensions that change how materials look but are not drawn. */
void gltf_warn_of_ignored(const struct gltf *gltf);

/* Returns whether the reader implements an extension. */
bool gltf_extension_is_read(const char *name);
/* Whether the model keeps the extension of such an object, for files that are made of the model (protocol/carried.def).
 */
bool gltf_extension_is_carried(const char *name, enum carry_owner owner);
/* gltf_extras.c: whether posed itself writes this member of such extras; that of a file gives way. */
bool gltf_extra_is_own(enum carry_owner owner, const char *name);

/* gltf_drops.c: notes what the model lacks of the file beside what gltf_read_carried() reads. Call it at the end. */
void gltf_drop_rest(struct gltf *gltf);

/* Call these in this order, because each uses the builder contents of those before. */
int gltf_read_skins(struct gltf *gltf, struct err *err);
int gltf_read_nodes(struct gltf *gltf, struct err *err); /* also fills mesh_uses and scene roots */
int gltf_read_materials(struct gltf *gltf, struct err *err);
int gltf_read_meshes(struct gltf *gltf, struct err *err);
int gltf_read_weights(struct gltf *gltf, struct err *err); /* morph weights of the nodes */
int gltf_read_cameras(struct gltf *gltf, struct err *err);
int gltf_read_lights(struct gltf *gltf, struct err *err); /* gltf_lights.c */
int gltf_read_animations(struct gltf *gltf, struct err *err);
int gltf_read_extras(struct gltf *gltf, struct err *err);
int gltf_read_carried(struct gltf *gltf, struct err *err);   /* gltf_carried.c: what only exported files have again */
int gltf_read_instances(struct gltf *gltf, struct err *err); /* last: adds nodes that the file does not list */
