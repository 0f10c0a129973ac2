/* ogre.h - the state of one Ogre import: a .mesh with its .skeleton and material scripts, and their counterparts in the
 * baked model.
 *
 * The steps run in this order: mesh, skeleton, bones, materials, submeshes, clips. Each bone becomes a node, in the
 * skeleton's order. Each submesh becomes a node with its own mesh after the bones. The skin has all bones in that
 * order. Each step adds its arrays to the builder. All return 0 or a negative ERR_ code. Spaces and units are the
 * file's own. One thread. */
#pragma once

#include "import/ogre/ogre_mesh.h"
#include "import/ogre/ogre_script.h"
#include "import/ogre/ogre_skeleton.h"
#include "import/source/import.h"
#include "import/texture/texture.h"

/* The material of a submesh. */
struct ogre_surface {
    int32_t material;
    struct texcoord_sets texcoords;
    bool has_vertex_colors; /* its material uses vertex colours */
};

struct ogre {
    struct import *import;
    struct bake_builder *builder;
    struct ogre_mesh mesh;
    struct ogre_skeleton skeleton;
    bool has_skeleton;
    bool has_uneven_scales;        /* a bone has a non-uniform scale at rest or in an animation */
    struct ogre_skeleton *linked;  /* [skeleton.link_count]; empty if a file could not be read */
    int32_t skin;                  /* of bones, or -1 */
    struct ogre_surface *surfaces; /* [mesh.submesh_count] */
    uint32_t submesh_node_first;   /* node of submesh 0; the other submeshes follow */
};

/* --- in the order in which they run --- */

/* ogre_bones.c: reads the skeleton file and its linked skeletons, and adds nodes and the skin. */
int ogre_read_bones(struct ogre *ogre, struct err *err);
/* ogre_material.c */
int ogre_read_materials(struct ogre *ogre, struct err *err);
/* ogre_submesh.c */
int ogre_read_submeshes(struct ogre *ogre, struct err *err);
/* ogre_clip.c: adds bone and vertex animations; animations of one name form one clip. */
int ogre_read_clips(struct ogre *ogre, struct err *err);

/* --- parts --- */

/* ogre_primitive.c: adds vertices, indices, influences and morph targets of a submesh as the only primitive of mesh
 * `mesh`. */
int ogre_add_primitive(struct ogre *ogre, uint32_t submesh, uint32_t mesh, bool is_skinned, struct err *err);
/* ogre_target.c: counts the morph targets of a submesh: the poses of its geometry in the file's order, then the keys of
 * its morph tracks. */
uint64_t ogre_target_count(const struct ogre *ogre, uint32_t submesh);
/* Adds the morph targets. vertices[count] maps the primitive's vertices to the geometry's; base_normals are the
 * primitive's. */
int ogre_add_targets(struct ogre *ogre, uint32_t submesh, const uint32_t *vertices, uint32_t count,
                     struct primitive *primitive, struct err *err);
/* ogre_clip_weights.c: adds the morph weight channels of a vertex animation. */
int ogre_add_weights(struct ogre *ogre, const struct ogre_vertex_animation *animation, struct err *err);

/* ogre_lookup.c: whether the target of a pose or a track is the submesh's geometry. */
bool ogre_is_target_of(const struct ogre *ogre, uint16_t target, uint32_t submesh);
/* Returns the geometry of a submesh: its own or the shared one. */
const struct ogre_geometry *ogre_geometry_of(const struct ogre *ogre, uint32_t submesh);
struct str ogre_put_text(const struct ogre *ogre, struct ogre_text text);
/* "submesh 3" or "submesh 3 'head'", for messages. */
enum { OGRE_WHERE_SIZE = 96 };
const char *ogre_where(const struct ogre *ogre, uint32_t submesh, char out[OGRE_WHERE_SIZE]);
