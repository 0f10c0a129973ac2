/* assimp.h - the steps of import_assimp(), in the order in which they run. Each adds its arrays to the builder.
 *
 * Spaces and names as in anim/model/model.h; meshes, materials and bones are assimp's. Errors: ERR_BAD_MODEL,
 * ERR_MODEL_LIMIT, ERR_IMPORT_MEMORY. One thread. */
#pragma once

#include "import/assimp/assimp_tree.h"
#include "import/source/import.h"
#include "import/texture/texture.h"
#include "import/texture/texture_mix.h"

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

/* Names of assimp's nodes, in the order of struct node_tree. */
struct name_list {
    struct aiString *names;
    uint32_t count;
};

struct assimp_job {
    struct import *import;
    const char *ending; /* of the file, as formats.def has it */
    const struct aiScene *scene;
    struct node_tree tree;
    struct skin_list skins;
    struct name_list shown;          /* names instead of those that assimp links by; empty: the same */
    bool is_skeleton;                /* the format has no meshes: assimp's is a stand-in, which is not taken */
    struct collada *collada;         /* what the file says itself, or NULL */
    struct texcoord_sets *texcoords; /* [aiScene.mNumMaterials]: channels of texture coordinates */
    struct texture_mixer mixer;
    bool has_texcoords, has_second_texcoords, has_colors; /* some mesh has them: then every vertex gets them */
};

/* Whether the file's ending is one of these, with spaces between. */
bool assimp_is_format(const struct assimp_job *job, const char *endings);
/* assimp_io.c: loads a file of the model's folder with these post-processing steps; NULL on failure, which
 * aiGetErrorString() explains. by_name: COLLADA nodes by their names instead of their ids. */
const struct aiScene *assimp_load(struct import *import, const char *file, unsigned steps, bool by_name);
/* COLLADA, before any other step: reads the file a second time, for what assimp loses (collada.h), and puts its
 * transforms and names into the tree. Where both do not see the same nodes, job->collada stays empty, which a warning
 * says, and everything is assimp's. */
void assimp_collada(struct assimp_job *job);
/* Its clips. */
int assimp_collada_clips(struct assimp_job *job, struct err *err);
/* COLLADA: assimp links by id, which is unique, and people know nodes by name. Reads the file for its names,
 * for want of assimp_collada(). */
void assimp_collada_names(struct assimp_job *job);

/* Warns of what the file has and the scene has not. */
void assimp_warn(const struct assimp_job *job);

/* Axes and unit into import->info, and the root's transform back to the file's own axes and units. */
void assimp_axes(struct assimp_job *job);

/* Materials and their textures, by assimp's material index. */
int assimp_materials(struct assimp_job *job, struct err *err);

/* --- the textures of assimp's materials: which there are (assimp_texture.c) and where each goes
 * (assimp_texture_slots.c). Functions return 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. `material` is assimp's number. */

/* A texture of an assimp material. */
struct assimp_texture {
    struct aiString path;    /* as assimp has it: of a file, or of one that is embedded */
    int set;                 /* assimp's channel of texture coordinates */
    uint32_t wrap_s, wrap_t; /* TEXTURE_WRAP_ */
    bool is_transformed;     /* it is moved, scaled or turned on the surface: */
    struct aiUVTransform transform;
};

/* The material's first texture of a type; false: it has none. */
bool assimp_texture_find(const struct aiMaterial *material, enum aiTextureType type, struct assimp_texture *out);
/* Its place among the model's textures, found or not. ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int assimp_texture_add(struct assimp_job *job, const struct assimp_texture *texture, enum texture_content content,
                       struct err *err);

/* Base colour, normals, occlusion and emission. */
int assimp_surface_textures(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* Metallic and roughness, out of the one or two textures that files have for them; after the factors, which a texture
 * replaces. */
int assimp_roughness_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* The opacity texture into the base colour's alpha, and by what is there in the end how it is drawn; after the base
 * colour. */
int assimp_opacity_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);

/* --- skins, nodes, meshes --- */

/* Fills job->skins and adds the model's skins and joints. */
int assimp_skins(struct assimp_job *job, struct err *err);
void skin_list_fini(struct skin_list *list);
/* Index of model node `node` among the skin's joints, or -1. */
int32_t skin_joint_of(const struct shared_skin *skin, uint32_t node);

/* The model's nodes, and for those with meshes the meshes they show. */
int assimp_nodes(struct assimp_job *job, struct err *err);

/* Fills has_texcoords, has_second_texcoords and has_colors; after the materials. */
void assimp_find_attributes(struct assimp_job *job);

/* Vertices, indices and influences of one assimp mesh as a primitive of model mesh `mesh`. */
int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err);

/* The clips. ticks_per_s: what stands for assimp's rate, or 0. */
int assimp_clips(struct assimp_job *job, double ticks_per_s, struct err *err);
/* Those of an MD5 mesh: the .md5anim files beside it. */
int assimp_md5_clips(struct assimp_job *job, struct err *err);
/* The frames a second of an .md5anim (NUL-terminated), or 0 where it gives none. */
double assimp_md5_rate(const uint8_t *bytes);

/* Extras and markers, of FBX and of other formats; after the clips. */
int assimp_fbx_extras(struct assimp_job *job, struct err *err);
int assimp_extras(struct assimp_job *job, struct err *err);
