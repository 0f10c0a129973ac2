/* fbx.h - the state of reading one FBX file: its objects, their counterparts in the baked model, and the readers of
 * each part.
 *
 * The reading order is: scene (import/fbx_file/fbx_scene.h), axes, nodes, materials, skins, meshes, cameras, clips,
 * extras. Every Model becomes a node, in the file's order, whatever its links. Each reader adds its arrays to the
 * builder and records in struct fbx which element an object became. All readers return 0 or a negative ERR_ code and
 * name the object. Spaces and units are the file's own. Single-threaded. */
#pragma once

#include "import/fbx_take/fbx_transform.h"
#include "import/fbx_file/fbx_scene.h"
#include "import/source/import.h"

struct fbx {
    struct import *import;
    struct bake_builder *builder;
    struct fbx_scene scene;

    /* Per object: [scene.object_count]; -1 means none. */
    int32_t *node_of;     /* the node of a Model */
    int32_t *material_of; /* the material of a Material; set by fbx_material.c */
    int32_t *clip_of;     /* the clip of an AnimationStack; set by fbx_clip.c */

    double *clip_starts_s; /* [clip_count]: the file time of the clip's time 0; set by fbx_clip.c */
    uint32_t *shown_by;    /* the first node that shows a Geometry as its mesh, or FBX_NONE; set by fbx_read_nodes() */
    struct fbx_material_uvs *material_uvs; /* [material_count]: see fbx_material.h; set by fbx_material.c */

    /* Per node: [node_count]. */
    uint32_t node_count;
    uint32_t *object_of;             /* its Model */
    uint32_t *geometry_of;           /* its Geometry of subtype Mesh, the last if there are several, or FBX_NONE */
    struct dmat4 *scene_from_node;   /* at rest, in double precision, with inherited scales */
    struct trs *node_from_geometry;  /* the geometric transform */
    int32_t *skin_of;                /* the skin that deforms its mesh, or -1; set by fbx_read_skins() */
    struct fbx_weights **weights_of; /* its geometry's weights, which nodes share, or NULL; set by fbx_read_skins() */
};

/* The caller calls fbx_init() before fbx_scene_read(), and fbx_fini() at the end even after a failure. fbx_fini() frees
 * what the members point to. */
void fbx_init(struct fbx *fbx, struct import *import);
void fbx_fini(struct fbx *fbx);

/* --- fbx_axes.c --- */

/* Writes axes, unit and generator to import->info. */
void fbx_read_settings(struct fbx *fbx);
/* Whether Blender wrote the file: its exporter deviates from others in some places. Call fbx_read_settings() first. */
bool fbx_is_by_blender(const struct fbx *fbx);

/* --- fbx_node.c --- */

/* Reads the nodes with their parents, rest transforms and names, the scene's roots, and all per-node members of struct
 * fbx. The readers of meshes and skins set a node's mesh, skin and weights. */
int fbx_read_nodes(struct fbx *fbx, struct err *err);
/* The static values of a Model's transform. Curves replace them one by one. */
void fbx_transform_values(const struct fbx *fbx, uint32_t object, struct fbx_transform_values *out);
/* fbx_name.c: store a name, or an object's name, as UTF-8 in the builder's text. */
struct str fbx_put_name(const struct fbx *fbx, struct fbx_span name);
struct str fbx_name(const struct fbx *fbx, uint32_t object);
/* fbx_visibility.c: sets NODE_HIDDEN. */
void fbx_read_visibility(struct fbx *fbx);
/* fbx_scales.c, after the clips. A node that does not inherit scales becomes an ordinary node in two cases: all scales
 * above it are uniform, or the scale above it never changes and its own scale, at rest and in clips, can absorb it.
 * Poses stay the same, and every evaluation method supports the resulting model. */
void fbx_simplify_scales(struct fbx *fbx);

/* --- others --- */

int fbx_read_materials(struct fbx *fbx, struct err *err); /* fbx_material.c */
int fbx_read_skins(struct fbx *fbx, struct err *err);     /* fbx_skin.c: before fbx_read_meshes() */
void fbx_skins_fini(struct fbx *fbx);                     /* fbx_skin.c: frees skin_of, weights_of; after the meshes */
int fbx_read_meshes(struct fbx *fbx, struct err *err);    /* fbx_mesh.c: also node.mesh, node.skin, rest weights */
int fbx_read_cameras(struct fbx *fbx, struct err *err);   /* fbx_camera.c */
int fbx_read_clips(struct fbx *fbx, struct err *err);     /* fbx_clip.c: reads only weights and transforms */
int fbx_read_document(struct fbx *fbx, struct err *err);  /* fbx_document.c */
int fbx_read_extras(struct fbx *fbx, struct err *err);    /* fbx_extras.c: also reads markers; call after the clips */
