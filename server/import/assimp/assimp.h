/* assimp.h - the steps of import_assimp(), in the order in which they run. Each adds its arrays to the builder.
 *
 * Spaces and names as in anim/model/model.h; meshes, materials and bones are assimp's. Errors: ERR_BAD_MODEL,
 * ERR_MODEL_LIMIT, ERR_IMPORT_MEMORY. One thread. */
#pragma once

#include "import/assimp/assimp_tree.h"
#include "import/source/import.h"
#include "import/texture/texture.h"
#include "import/texture/material_textures.h"

#include <assimp/material.h>
#include <assimp/scene.h>

/* A joint of a skin: a model node and where assimp says its vertices were bound. */
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

/* An embedded texture of raw texels as a file, or NULL. */
struct assimp_tga {
    uint8_t *bytes;
    size_t size_bytes;
    bool has_holes; /* the file says which of its texels are not seen */
};

struct assimp_job {
    struct import *import;
    const char *extension; /* of the file, as formats.def has it */
    const struct aiScene *scene;
    struct node_tree tree;
    struct skin_list skins;
    struct aiString *shown_names;    /* [tree.count]: instead of those that assimp links by; NULL: the same */
    bool is_skeleton;                /* the format has no meshes: assimp's is a stand-in, which is not taken */
    struct texcoord_sets *texcoords; /* [aiScene.mNumMaterials]: channels of texture coordinates */
    struct texture_mixer mixer;
    struct assimp_tga *tgas; /* [aiScene.mNumTextures]: of those that a material has; while materials are read */
};

/* Whether the file's extension is one of these, with spaces between. */
bool assimp_is_format(const struct assimp_job *job, const char *extensions);
/* assimp_io.c: loads a file of the model's folder with these post-processing steps; NULL on failure, which
 * aiGetErrorString() explains. */
const struct aiScene *assimp_load(struct import *import, const char *file, unsigned steps);

/* Warns of what the file has and the scene has not. */
void assimp_warn(const struct assimp_job *job);

/* Axes and unit into import->info, and the root's transform back to the file's own axes and units. */
void assimp_axes(struct assimp_job *job);

/* Materials and their textures, by assimp's material index. */
int assimp_materials(struct assimp_job *job, struct err *err);

/* --- the textures of assimp's materials (assimp_texture.c), for where they go (texture/material_textures.h) --- */

/* The paths of one material's textures, as assimp has them: of files, or of those that are embedded. */
struct assimp_paths {
    struct aiString of[TEXTURE_USE_COUNT];
};

/* The textures of assimp's material `material`. They borrow `paths`, the job and the name. */
void assimp_textures_find(struct assimp_job *job, uint32_t material, const char *name, struct assimp_paths *paths,
                          struct material_textures *out);
/* Frees what it made of embedded textures. */
void assimp_textures_fini(struct assimp_job *job);

/* assimp_mdl.c: refuses the files of a Half-Life model that are no model, and says of which they are. */
int assimp_mdl_check(const struct import *import, struct err *err);
/* assimp_3ds.c: where the keyframer of a 3D Studio file begins, when it moves nothing and does not place all meshes;
 * else 0. */
size_t assimp_3ds_false_keyframer(const uint8_t *bytes, size_t size_bytes);
/* Without a keyframer assimp numbers the nodes: they get the names of their meshes. */
void assimp_3ds_names(struct assimp_job *job);
/* Makes the texels transparent that a masked texture of a Half-Life model does not show. tga: of the scene's embedded
 * texture `index`, 32 bits a texel behind 18 bytes. False: it is none of those. */
bool assimp_mdl_mask(const struct assimp_job *job, uint32_t index, uint8_t *tga, size_t tga_bytes);

/* --- skins, nodes, meshes --- */

/* Fills job->skins and adds the model's skins and joints. */
int assimp_skins(struct assimp_job *job, struct err *err);
void skin_list_fini(struct skin_list *list);
/* Index of model node `node` among the skin's joints, or -1. */
int32_t skin_joint_of(const struct shared_skin *skin, uint32_t node);

/* The model's nodes, and for those with meshes the meshes they show. */
int assimp_nodes(struct assimp_job *job, struct err *err);

/* Vertices, indices and influences of one assimp mesh as a primitive of model mesh `mesh`. */
int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err);

/* The clips. ticks_per_s: what stands for assimp's rate, or 0. */
int assimp_clips(struct assimp_job *job, double ticks_per_s, struct err *err);
/* Those of an MD5 mesh: the .md5anim files beside it. */
int assimp_md5_clips(struct assimp_job *job, struct err *err);
/* The frames a second of an .md5anim (NUL-terminated), or 0 where it gives none. */
double assimp_md5_rate(const uint8_t *bytes);

/* Extras and markers; after the clips. */
int assimp_extras(struct assimp_job *job, struct err *err);
