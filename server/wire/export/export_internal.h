/* export_internal.h - the state of an export, and the steps that build the file. Private to this folder. Pure. Clips
 * are in export_clips.h, what optimize=1 does in export_optimize.h.
 *
 * Steps return false when the reply is an error. A place is an index in the file; GLB_NONE marks an absent item. */
#pragma once

#include "wire/export/export.h"

#include <stdio.h>
#include <string.h>

#include "wire/export/export_clips.h"
#include "wire/blended/blended_clip.h"
#include "wire/reply/clip_sources.h"
#include "wire/glb/surfaces.h"

/* --- memory, owned by the export --- */

struct export_memory {
    void **blocks; /* [capacity]: every clip may have some */
    size_t count, capacity;
};

/* --- reuse of accessors --- */

/* Maps an array of the model and its length to its accessor. */
struct export_share {
    struct export_shared *slots; /* [capacity], a power of two */
    uint32_t capacity, count;
};

/* --- nodes --- */

/* How much of a model node the file contains. */
enum export_keep {
    KEEP_NOTHING,
    KEEP_TRANSFORM, /* descendants are kept, or a skin has it as a joint */
    KEEP_ALL,
};

enum export_kind {
    EXPORT_NODE,  /* of the model */
    EXPORT_SHEAR, /* parent of `source`: a factor of its matrix that glTF can only express with a separate node */
    EXPORT_TWIN,  /* child at the same place: a joint that a skin names again */
    EXPORT_VIEW,  /* child with the camera, which looks along +x */
    EXPORT_MESH,  /* child with the mesh, whose positions are places on a grid */
    EXPORT_TOP,   /* root above all other nodes */
};

/* What the file says about the visibility of a node and its subtree. */
enum export_visible { VISIBLE_NOT_SAID, VISIBLE_YES, VISIBLE_NO };

/* A node of the file. */
struct export_node {
    enum export_kind kind;
    uint32_t source; /* model node, or GLB_NONE */
    uint32_t parent; /* this and the following fields are places */
    uint32_t first_child, next_sibling;
};

/* --- meshes --- */

/* A mesh of the file: a mesh of the model, skinned or not. */
struct export_mesh {
    uint32_t mesh;
    bool is_skinned;
    uint32_t target_count; /* of each of its primitives */
};

/* The JSON of a carried extension, as the file has it: a range of e->carried. */
struct export_text {
    size_t offset, size_bytes; /* 0 bytes: the file does not have it */
};
enum { EXPORT_CARRIED_MAX = 64 }; /* of protocol/carried.def */

/* The largest distance between a pose of the file and one of the model, and where it occurs. */
struct export_distance {
    double units; /* of a node, or of a point attached to it at a distance of the model's size */
    double time_s;
    uint32_t node;
};

struct export
{
    struct reply_context *context;
    const struct model *model;              /* the request's, or e->plain */
    const struct blended_clip *blended;     /* the only clip of the file, or NULL */
    const struct clip_sources *other_files; /* whose clips the file has beside the model's */
    double sample_rate;                     /* poses a second in place of keys; 0: the model's keys */
    struct glb_writer *glb;
    struct buf *out;
    struct export_memory memory;
    struct export_share share;
    struct surfaces surfaces;
    unsigned extensions;       /* 1 << GLB_ of each extension in use */
    uint8_t *keeps;            /* [node_count]: KEEP_ */
    uint32_t *node_places;     /* [node_count] */
    struct export_node *nodes; /* the file's */
    uint32_t node_count;
    uint32_t *roots; /* [root_count]: places of the scene's root nodes */
    uint32_t root_count;
    const struct node_constraint **constraints; /* [node_count of the model]: NULL for most */
    uint8_t *is_moved;          /* [node_count of the model]: some clip of the file animates its transform */
    uint8_t *visibilities;      /* likewise: enum export_visible */
    uint32_t *animated;         /* [material_count], as in struct surfaces */
    uint32_t *skin_places;      /* [skin_count] */
    uint32_t *skeletons;        /* [skin_count]: the place of each skin's skeleton, or GLB_NONE */
    uint32_t *joint_places;     /* [joint_count]: the place of each joint's node */
    uint32_t *camera_places;    /* [camera_count] */
    uint32_t *mesh_node_places; /* [node_count]: the place that has the mesh of each node */
    struct export_mesh *meshes;
    uint32_t mesh_count;
    uint32_t *mesh_places; /* [2 * mesh_count]: the unskinned and the skinned place of each mesh */
    uint32_t *accessors;   /* [primitive_count]: GLB_INDICES + 1 for each */
    uint32_t *streams;     /* [primitive_count]: the view of its Draco stream, or GLB_NONE */
    struct export_clips clips;
    struct export_new_root root;
    struct export_still still;
    uint8_t *is_taken;        /* [clip_count of the model] */
    uint32_t still_node;      /* the node that a clip without channels keeps still; node_count: no such node */
    struct model plain;       /* export_unscale.c: the request's model, whose nodes inherit scales as glTF has them */
    uint32_t own_node_count;  /* of the request's model: nodes of e->model from here on are export_unscale.c's */
    uint8_t *scale_effects;   /* [own_node_count]: SCALE_EFFECT_; NULL: no node has any */
    uint32_t *unscaled;       /* [own_node_count]: the added node above each node, or GLB_NONE */
    float top_from_scene[16]; /* of EXPORT_TOP */
    bool has_axes;
    struct pose before, after;                    /* for measuring: the poses of the model and of the file */
    struct export_optimizing *optimizing;         /* NULL without optimize=1 */
    double size;                                  /* the longest side of the model's box at rest */
    struct buf warnings, approximations, dropped; /* JSON objects, separated by commas */
    struct buf carried;
    struct export_text *carried_texts; /* [carried_count] */
    uint64_t carried_rows;             /* 1 << row of each carried extension of the file */
    const char *carried_names[EXPORT_CARRIED_MAX];
    uint32_t carried_name_count;
    uint32_t scene, scene_count; /* the number of the scene that the model shows; 0 scenes: only this one is written */
};

/* --- export_memory.c --- */

/* Allocates zeroed memory. NULL: the reply is an error. */
void *export_array(struct export *e, size_t count, size_t item_bytes);
void export_memory_free(struct export_memory *memory);
/* Returns the accessor of `count` elements at `at` for this use (an enum glb_array). It is GLB_NONE at first, and the
 * caller sets it. NULL: the reply is an error. Valid until the next call. */
uint32_t *export_shared(struct export *e, const void *at, uint64_t count, unsigned use);
void export_share_free(struct export_share *share);
/* Whether the limits allow a request of `steps` steps, each about the work for one node. */
bool export_is_affordable(struct export *e, uint64_t steps);

/* --- export_warnings.c --- */

/* Adds a warning to asset.extras.warnings. `code` is stable, the message is for people. */
void export_warn(struct export *e, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds to asset.extras.approximations what the file says otherwise than the model, and by which share of the model's
 * size its poses are off. From EXPORT_WARNED on it is a warning, too. */
void export_approximate(struct export *e, const char *code, double share_of_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Warns of nodes that other programs may show elsewhere. */
void export_warn_of_constraints(struct export *e);
/* Warns of textures that the file does not have as the source has them, unless the request asks for that. */
void export_warn_of_textures(struct export *e);
/* Makes the reply the error that glTF cannot express the model; the message names the model first. Returns false. */
bool export_refuse(struct export *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- export_carried.c, export_scenes.c --- */

/* Adds to asset.extras.dropped that the file lacks something of the model. */
void export_drop(struct export *e, const char *code, const char *what);
/* Makes the JSON of carried extensions. Call it when nodes, meshes and materials have their places. */
bool export_plan_carried(struct export *e);
/* Finds the skeletons that the skins of the source have (export_skeletons.c). Call it when nodes have their places. */
bool export_plan_skeletons(struct export *e);
/* Appends the carried extensions of an object: `opening`, then "NAME":{..}, with commas between them. Returns whether
 * there are any. */
bool export_put_carried(struct export *e, enum carry_owner owner, uint32_t index, const char *opening);
/* The same as surfaces.put_carried. */
bool export_put_carried_material(void *context, uint32_t material, const char *opening);
/* Appends ,"extras":.. of an object. */
void export_put_extras(struct export *e, enum carry_owner owner, uint32_t index);
/* Appends the members of an object's extras, each after a comma. */
void export_put_more_extras(struct export *e, enum carry_owner owner, uint32_t index);
/* Appends ,"dropped":[..] of asset.extras: what the model lacks of its file, and the file of the model. */
void export_put_dropped(struct export *e);
void export_plan_scenes(struct export *e);
/* Appends ,"scene":..,"scenes":[..]. False: the reply is an error. */
bool export_put_scenes(struct export *e);

/* --- export_select.c, export_nodes.c --- */

/* Selects the nodes, skins and clips to export. */
bool export_select(struct export *e);
/* Finds hidden nodes, and nodes whose visibility or transform the clips animate. Call it after export_take_clips(). */
bool export_look_at_nodes(struct export *e);
/* Plans the nodes of the file, the nodes of the joints, and the hierarchy. */
bool export_plan_nodes(struct export *e);
/* Appends ,"nodes":[..],"scene":..,"scenes":[..],"cameras":[..] without the empty ones. False: the reply is an error.
 */
bool export_put_nodes(struct export *e);
/* export_put_lights.c: export_light_of() returns the file's index of the light at a model node, or GLB_NONE.
 * export_put_lights() writes "KHR_lights_punctual":{..} if the file has lights. */
uint32_t export_light_of(const struct export *e, uint32_t node);
void export_put_lights(struct export *e);

/* --- export_meshes.c, export_skins.c --- */

bool export_plan_meshes(struct export *e);
/* Returns the place of a model node's mesh, or GLB_NONE. */
uint32_t export_mesh_of(const struct export *e, uint32_t node);
/* export_units.c: whether a direction is near enough to unit length; and the direction with unit length, where a zero
 * vector becomes up. */
bool export_is_unit(const struct vec3 *v);
struct vec3 export_unit(const struct vec3 *v);
bool export_put_meshes(struct export *e);
bool export_put_skins(struct export *e);
/* Adds as many sets of joints and weights as the primitive needs, and writes their attributes. */
bool export_put_influences(struct export *e, const struct primitive *primitive);

/* --- export_measure.c --- */

/* Returns a copy of the model that plays a clip of the file. Its arrays belong to *e. */
struct model export_view(const struct export *e, struct clip *clip_of_view, uint32_t clip);
/* Measures a clip at its keys and between them, except where values jump. False: the reply is an error. */
bool export_measure(struct export *e, uint32_t clip, struct export_distance *out);
/* Times in any order. The caller frees `times`. */
struct export_times {
    double *times; /* [count] */
    size_t count;
};
/* Adds the key times of the channels from 0 on; shared times are added once. False: the reply is an error. */
bool export_list_keys(struct export *e, const struct channel *channels, uint32_t channel_count, const double *times,
                      struct export_times *out);
/* Sorts times, each once. */
void export_sort_times(struct export_times *times);
/* Returns the ascending key times of the clip from 0 on, *count of them; of an approximated clip also the times in the
 * file. The caller frees them. NULL: the reply is an error. */
double *export_list_times(struct export *e, const struct export_clip *clip, size_t *count);
/* Measures clip `clip` of `before` against clip 0 of `after`, which are copies of the model, at the times and between
 * them, at about `most` of these: nodes, and points at the distance `lever` of them. *out grows. False: the reply is an
 * error. */
bool export_compare_clips(struct export *e, const struct model *before, int32_t clip, const struct model *after,
                          const struct export_times *times, double lever, uint64_t most, struct export_distance *out);
/* Measures the rest pose. */
void export_measure_rest(struct export *e, struct export_distance *out);
/* Returns the distance as a share of the model's size. */
double export_share_of_size(const struct export *e, const struct export_distance *distance);
/* Formats "0.0012 units (1.2e-05 of the model's size) at 0.4 s at node 5 'hips'" for messages. */
enum { EXPORT_DISTANCE_SIZE = SHORT_NAME_SIZE + 100 };
const char *export_distance_label(const struct export *e, const struct export_distance *distance,
                                  char out[EXPORT_DISTANCE_SIZE]);

/* --- export_unscale.c, export_scales.c --- */

/* Makes e->model a model whose nodes all inherit scales as glTF has them: nodes that do not get another one above them
 * that undoes the scale of their parent. Call it when the clips are chosen. */
bool export_unscale(struct export *e);
/* Computes the scales in the file of such a node of the request's model from the pose e->before of it: of the added
 * node, and of the node itself. */
void export_scales_of(const struct export *e, uint32_t node, double unscaled[3], double own[3]);
/* Gives these nodes their channels in a clip, which is the last one so far. */
bool export_put_scales(struct export *e, struct export_clip *clip);
/* Reports by how much poses differ, or, with exact=1, refuses it. False: the reply is an error. */
bool export_report_scales(struct export *e);

/* --- export_methods.c --- */

/* Checks skins whose skinning method differs from glTF's: refuses them, or measures the difference and warns. */
bool export_check_methods(struct export *e);

/* --- export_posed.c --- */

/* Gives *out the model with the clips that a .posed file with export.sample_rate has, and without compiled ones. Its
 * new arrays are in e->clips. False: the reply is an error. */
bool export_sample_model(struct export *e, struct model *out);

/* --- influences of a vertex: export_influences.c --- */

/* The importer accepts at most this many influences of a vertex. */
enum { EXPORT_INFLUENCES_MAX = 256 };

/* The joints of a vertex, each once, by descending weight; the weights sum to 1. */
struct export_influences {
    uint32_t count;
    struct influence all[EXPORT_INFLUENCES_MAX];
};
/* False: the vertex has too many joints. */
bool export_merge_influences(const struct model *model, uint32_t vertex, struct export_influences *out);
/* Returns the steps of merging: it searches the previous joints of a vertex for each of its joints. */
uint64_t export_merge_steps(const struct model *model, uint32_t vertex_first, uint32_t vertex_count);
/* Rounds the weights to `bits`, and drops those that become 0. The integers go to out[count]. */
void export_round_influences(struct export_influences *influences, int bits, uint16_t *out);
