/* fbx.h - one FBX file while it is read: its objects, what they became in the baked model, and the parts that read
 * them.
 *
 * The order: the scene (import/fbx_file/fbx_scene.h), axes, nodes, materials, skins, meshes, cameras, clips, extras.
 * Every Model is a node, in the file's order, whatever it is linked to. Each part adds its arrays to the builder and
 * says in struct fbx which of them an object became. All return 0 or a negative ERR_ code and name the object. Spaces
 * and units are the file's own. One thread. */
#pragma once

#include "import/fbx_take/fbx_transform.h"
#include "import/fbx_file/fbx_scene.h"
#include "import/source/import.h"

struct fbx {
    struct import *import;
    struct bake_builder *builder;
    struct fbx_scene scene;

    /* Of objects: [scene.object_count], -1: none. */
    int32_t *node_of;     /* of a Model: its node */
    int32_t *material_of; /* of a Material: its material; fbx_material.c */
    int32_t *clip_of;     /* of an AnimationStack: its clip; fbx_clip.c */

    double *clip_starts_s; /* [clip_count]: the file's time at which the clip's is 0; fbx_clip.c */
    uint32_t *shown_by;    /* of a Geometry: the first node whose mesh it is, or FBX_NONE; fbx_read_nodes() */
    struct fbx_material_uvs *material_uvs; /* [material_count]: fbx_material.h; fbx_material.c */

    /* Of nodes: [node_count]. */
    uint32_t node_count;
    uint32_t *object_of;             /* its Model */
    uint32_t *geometry_of;           /* its Geometry of the kind Mesh, the last of several, or FBX_NONE */
    struct dmat4 *scene_from_node;   /* at rest, in double precision, with scales as they are inherited */
    struct trs *node_from_geometry;  /* the geometric transform */
    int32_t *skin_of;                /* the skin that deforms its mesh, or -1; fbx_read_skins() */
    struct fbx_weights **weights_of; /* its geometry's weights, shared by nodes, or NULL; fbx_read_skins() */
};

/* Before fbx_scene_read(), and after everything, whatever failed: frees what its members point to. */
void fbx_init(struct fbx *fbx, struct import *import);
void fbx_fini(struct fbx *fbx);

/* --- fbx_axes.c --- */

/* Axes, unit and generator into import->info. */
void fbx_read_settings(struct fbx *fbx);
/* Whether the file's generator is Blender, whose exporter writes some things in a way of its own. After that. */
bool fbx_is_by_blender(const struct fbx *fbx);

/* --- fbx_node.c --- */

/* The nodes with their parents, rest transforms and names, the scene's roots, and all members of struct fbx that are
 * of nodes. A node's mesh, skin and weights are left to who reads those. */
int fbx_read_nodes(struct fbx *fbx, struct err *err);
/* The static values of a Model's transform, which curves replace one by one. */
void fbx_transform_values(const struct fbx *fbx, uint32_t object, struct fbx_transform_values *out);
/* fbx_name.c: a name, and that of an object, as the builder's text, in UTF-8. */
struct str fbx_put_name(const struct fbx *fbx, struct fbx_span name);
struct str fbx_name(const struct fbx *fbx, uint32_t object);
/* fbx_visibility.c: NODE_HIDDEN. */
void fbx_read_visibility(struct fbx *fbx);
/* fbx_scales.c, after the clips: nodes that do not inherit scales become plain ones where no scale above them differs
 * by axis, or where it never changes and the node's own scale, at rest and in clips, can make up for it. Poses stay the
 * same, and the model is one that every way of evaluating can take. */
void fbx_simplify_scales(struct fbx *fbx);

/* --- others --- */

int fbx_read_materials(struct fbx *fbx, struct err *err); /* fbx_material.c */
int fbx_read_skins(struct fbx *fbx, struct err *err);     /* fbx_skin.c: before the meshes that they deform */
void fbx_skins_fini(struct fbx *fbx);                     /* fbx_skin.c: skin_of and weights_of; after the meshes */
int fbx_read_meshes(struct fbx *fbx, struct err *err);    /* fbx_mesh.c: and node.mesh, node.skin, rest weights */
int fbx_read_cameras(struct fbx *fbx, struct err *err);   /* fbx_camera.c */
int fbx_read_clips(struct fbx *fbx, struct err *err);     /* fbx_clip.c: all but weights and transforms is left out */
int fbx_read_extras(struct fbx *fbx, struct err *err);    /* fbx_extras.c: and markers; after the clips */
