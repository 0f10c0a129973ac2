/* assimp_parts.h - the steps of import_assimp(), in the order in which they run. Each adds its arrays to the builder.
 *
 * Spaces and names as in anim/model/model.h; meshes, materials and bones are assimp's. Errors: ERR_BAD_MODEL,
 * ERR_MODEL_LIMIT, ERR_IMPORT_MEMORY. One thread. */
#pragma once

#include "import/assimp/assimp_tree.h"
#include "import/source/import.h"
#include "import/text/texcoord_sets.h"
#include "import/texture/texture_mix.h"

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
    struct name_list shown;  /* names instead of those that assimp links by; empty: the same */
    bool is_skeleton;        /* the format has no meshes: assimp's is a stand-in, which is not taken */
    struct collada *collada; /* what the file says itself, or NULL */
    int32_t *texture_images; /* [LIMIT_TEXTURES]: the embedded picture of each of the builder's textures, or -1 */
    struct texcoord_sets *texcoords; /* [aiScene.mNumMaterials]: channels of texture coordinates */
    struct texture_mixer mixer;
    bool has_texcoords, has_second_texcoords, has_colors; /* some mesh has them: then every vertex gets them */
};

/* Loads a file of the model's folder with these post-processing steps; NULL on failure, which aiGetErrorString()
 * explains. by_name: COLLADA nodes by their names instead of their ids. */
const struct aiScene *assimp_load_file(struct import *import, const char *file, unsigned steps, bool by_name);
/* The model's own file. */
const struct aiScene *assimp_load(struct import *import, bool by_name);
/* COLLADA, before any other step: reads the file a second time, for what assimp loses (collada.h), and puts its
 * transforms and names into the tree. Where both do not see the same nodes, job->collada stays empty, which a warning
 * says, and everything is assimp's. Returns 0 or ERR_IMPORT_MEMORY. */
int assimp_collada(struct assimp_job *job, struct err *err);
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

/* The clips. */
int assimp_clips(struct assimp_job *job, struct err *err);
/* Those of an MD5 mesh: the .md5anim files beside it. */
int assimp_md5_clips(struct assimp_job *job, struct err *err);
/* The frames a second of an .md5anim (NUL-terminated), or 0 where it gives none. */
double assimp_md5_rate(const uint8_t *bytes);

/* Extras and markers; after the clips. */
int assimp_extras(struct assimp_job *job, struct err *err);

/* The model node that a bone's or channel's name means, or -1. */
int32_t assimp_node_named(const struct assimp_job *job, const struct aiString *name);

/* An aiString as text of the model; an empty one is a missing name, which assimp does not tell apart. */
struct str assimp_text(struct bake_builder *builder, const struct aiString *name);

/* What to return when an add to the builder gave NULL. */
int assimp_no_room(const struct assimp_job *job, struct err *err);
