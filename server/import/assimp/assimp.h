/* assimp.h - the steps of import_assimp(), in the order in which they run. Each step adds its arrays to the builder.
 *
 * Spaces and names follow anim/model/model.h. "Mesh", "material" and "bone" mean assimp's own. The errors are
 * ERR_BAD_MODEL, ERR_MODEL_LIMIT and ERR_IMPORT_MEMORY. One thread. */
#pragma once

#include "import/assimp/assimp_tree.h"
#include "import/source/import.h"
#include "import/texture/texture.h"
#include "import/texture/material_textures.h"

#include <assimp/material.h>
#include <assimp/scene.h>

/* A joint of a skin: a model node and its inverse bind matrix from assimp. */
struct skin_joint {
    uint32_t node;
    struct mat4 joint_from_bind;
};

/* Meshes whose shared bones agree share one skin. */
struct skin_list {
    struct shared_skin {
        struct skin_joint *joints; /* sorted by node */
        uint32_t joint_count;
    } * skins;
    uint32_t count;
    int32_t *of_mesh; /* [aiScene.mNumMeshes]: index into skins, or -1 */
};

/* An embedded texture of raw texels, converted to a TGA file; bytes is NULL if there is none. */
struct assimp_tga {
    uint8_t *bytes;
    size_t size_bytes;
    bool has_holes; /* the file marks some texels as transparent */
};

struct assimp_job {
    struct import *import;
    const char *extension; /* of the file, as in formats.def */
    const struct aiScene *scene;
    struct node_tree tree;
    struct skin_list skins;
    struct aiString *shown_names;    /* [tree.count]: replace the names by which assimp links; NULL: keep those */
    bool is_skeleton;                /* the format has no meshes; the importer ignores assimp's stand-in mesh */
    struct texcoord_sets *texcoords; /* [aiScene.mNumMaterials]: channels of texture coordinates */
    struct texture_mixer mixer;
    struct assimp_tga *tgas; /* [aiScene.mNumTextures]: set for used textures, while materials are read */
};

/* Whether the file's extension is in this list, which spaces separate. */
bool assimp_is_format(const struct assimp_job *job, const char *extensions);
/* assimp_io.c: loads a file from the model's folder with these post-processing steps. Returns NULL on failure;
 * aiGetErrorString() then explains it. */
const struct aiScene *assimp_load(struct import *import, const char *file, unsigned steps);

/* Warns of content that the file has and assimp's scene lacks. */
void assimp_warn(const struct assimp_job *job);

/* Writes axes and unit to import->info and restores the file's own axes and units in the root's transform. */
void assimp_axes(struct assimp_job *job);

/* Adds materials and their textures in the order of assimp's material indices. */
int assimp_materials(struct assimp_job *job, struct err *err);

/* --- the textures of assimp's materials (assimp_texture.c); texture/material_textures.h maps them to glTF slots --- */

/* assimp's paths of one material's textures: each names a file or an embedded texture. */
struct assimp_paths {
    struct aiString of[TEXTURE_USE_COUNT];
};

/* Finds the textures of assimp's material `material`. The result borrows `paths`, the job and the name. */
void assimp_textures_find(struct assimp_job *job, uint32_t material, const char *name, struct assimp_paths *paths,
                          struct material_textures *out);
/* Frees the TGA files that assimp_textures_find() made from embedded textures. */
void assimp_textures_fini(struct assimp_job *job);

/* assimp_mdl.c: refuses files that are only part of a Half-Life model; the error names that model. */
int assimp_mdl_check(const struct import *import, struct err *err);
/* assimp_3ds.c: returns where the keyframer of a 3D Studio file begins if it animates nothing and does not place all
 * meshes; else 0. */
size_t assimp_3ds_false_keyframer(const uint8_t *bytes, size_t size_bytes);
/* Names nodes after their meshes, because assimp numbers the nodes of a file without a keyframer. */
void assimp_3ds_names(struct assimp_job *job);
/* Makes the masked texels of a Half-Life texture transparent. tga holds the scene's embedded texture `index`: an
 * 18-byte header, then 32 bits per texel. Returns false if it is not such a texture. */
bool assimp_mdl_mask(const struct assimp_job *job, uint32_t index, uint8_t *tga, size_t tga_bytes);

/* --- skins, nodes, meshes --- */

/* Fills job->skins and adds skins and joints to the model. */
int assimp_skins(struct assimp_job *job, struct err *err);
void skin_list_fini(struct skin_list *list);
/* Index of model node `node` among the skin's joints, or -1. */
int32_t skin_joint_of(const struct shared_skin *skin, uint32_t node);

/* Adds the model's nodes and the meshes that they show. */
int assimp_nodes(struct assimp_job *job, struct err *err);

/* Adds vertices, indices and influences of one assimp mesh as a primitive of model mesh `mesh`. */
int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err);

/* Adds the clips. ticks_per_s replaces assimp's rate unless it is 0. */
int assimp_clips(struct assimp_job *job, double ticks_per_s, struct err *err);
/* Adds the clips of an MD5 mesh from the .md5anim files beside it. */
int assimp_md5_clips(struct assimp_job *job, struct err *err);
/* Returns the frames per second of an .md5anim (NUL-terminated), or 0 if it gives no rate. */
double assimp_md5_rate(const uint8_t *bytes);

/* Adds extras and markers; runs after the clips. */
int assimp_extras(struct assimp_job *job, struct err *err);
