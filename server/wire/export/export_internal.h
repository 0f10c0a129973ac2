/* export_internal.h - the state of an export, and the steps that build the file. Private to this folder. Pure.
 *
 * Steps return false when the reply is an error. A place is an index in the file; GLB_NONE marks an absent item. */
#pragma once

#include "wire/export/export.h"

#include <stdio.h>
#include <string.h>

#include "anim/model/property.h"
#include "wire/glb/surfaces.h"

struct grid; /* wire/optimize/quantize.h */

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

/* --- meshes, clips --- */

/* A mesh of the file: a mesh of the model, skinned or not. */
struct export_mesh {
    uint32_t mesh;
    bool is_skinned;
    uint32_t target_count; /* of each of its primitives */
};

/* A clip of the file. */
struct export_clip {
    const struct model *source; /* plays it: the model, or a copy of it with another file's clip */
    const struct model *origin; /* has its name, extras and markers: the model, or the other file */
    uint32_t index;             /* in both models */
    uint32_t file;              /* 0: the model; otherwise 1 + index of the other file in the request's sources */
    struct str name;            /* with other files: in e->clips.names, with the suffix _number if that is above 1 */
    uint32_t number;
    uint32_t channel_first, channel_count;
    uint32_t property_count; /* of these, the last ones that move properties: path >= PATH_COUNT */
    double duration_s;       /* as in the source */
    bool is_approximated;    /* export_scales.c generated some of its channels; it measures them at the end */
};

/* The clips of the file. Their keys are copies, which later steps may change. Their channels name nodes of the model,
 * or its materials, lights and cameras. */
struct export_clips {
    struct export_clip *clips; /* [count] */
    uint32_t count;
    struct buf channels; /* struct channel: ranges of the two arrays that follow */
    struct buf times;    /* double; finally rounded to float */
    struct buf values;   /* float */
    struct buf names;    /* with other files: the names of the clips in the file */
    uint32_t *chosen;    /* [chosen_count]: of the model */
    uint32_t chosen_count;
    struct err *no_matches; /* [number of other files]: the first of its clips that moves nothing here */
};

/* The node whose motion over the ground is taken out, and a root bone for a model without one (export_new_root.c). */
struct export_new_root {
    int32_t top, hips;      /* the root bone, or the node that the request names; the hips of a human; -1: not known */
    bool is_given;          /* the request names it */
    int32_t *only_children; /* [node_count]: the only node below each; below 0: there is none, or more than one */
    uint8_t *moves;         /* [node_count + 1], working memory: which nodes a clip moves */
    struct node *nodes;     /* NULL: no node is added; otherwise those of the model and the new root, */
    uint32_t *order, *scene_roots; /* and what lists them */
    const struct model *model;     /* the context's without the new root */
};

/* A copy of a source's clips without motion over the ground (export_root_motion.c). */
struct export_still {
    const struct clip *from; /* the source's clips */
    struct clip *clips;
    float *values; /* the source's, then those of the channels that change */
    uint32_t value_count;
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

/* With optimize=1: how the file stores keys and vertices, and what that changes. */
struct export_optimizing {
    double units;                    /* how far poses may be off, in units of the scene; 0: nothing may be lost */
    double units_most;               /* what was allowed at first */
    struct export_clip *plain_clips; /* [clips.count]: as they were before */
    struct channel *plain_channels;  /* likewise: those of e->clips.channels */
    struct channel *reduced;         /* likewise: with the keys that stay; scratch */
    uint8_t *key_bits;               /* [channel count]: how values are filtered; 0: they are not */
    struct buf decoded;              /* float: e->clips.values as readers see them */
    double *stretches;               /* [node_count]: how much the node's parent scales at rest */
    uint32_t *mesh_grids;            /* [mesh_count]: indices in grids */
    uint32_t *skin_grids;            /* [skin_count]: likewise, or GLB_NONE */
    struct grid *grids;              /* [mesh_count] */
    int weight_bits;                 /* to which weights of joints are rounded; 0: floats */
    uint32_t *places;                /* [position_count]: of each vertex in the accessors of its primitive */
    uint32_t *place_firsts;          /* [primitive_count]: in places; vertices of primitives may overlap */
    uint32_t *place_counts;          /* [primitive_count]; 0: not welded yet */
    struct export_distance worst;    /* of all poses and vertices that were compared, */
    uint64_t compared;               /* so many poses */
    double joints_share;             /* of units: by how much joints may be off */
    double normal_degrees;           /* the largest angle between a normal and what readers see */
    uint64_t keys, kept_keys, vertices, kept_vertices;
    bool dropped_attributes[3]; /* of some primitive: TEXCOORD_0, TEXCOORD_1, TANGENT */
    uint32_t still_channels;    /* left out: they hold the rest pose */
};

struct export
{
    struct reply_context *context;
    const struct model *model; /* the request's, or e->plain */
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
    uint8_t *is_moved;          /* [node_count of the model]: some clip of the file animates its transform */
    uint8_t *visibilities;      /* likewise: enum export_visible */
    uint32_t *animated;         /* [material_count], as in struct surfaces */
    uint32_t *skin_places;      /* [skin_count] */
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
/* Warns of textures that the file does not have as the source has them, unless the request asks for that. */
void export_warn_of_textures(struct export *e);
/* Makes the reply the error that glTF cannot express the model; the message names the model first. Returns false. */
bool export_refuse(struct export *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- export_carried.c, export_scenes.c --- */

/* Adds to asset.extras.dropped that the file lacks something of the model. */
void export_drop(struct export *e, const char *code, const char *what);
/* Makes the JSON of carried extensions. Call it when nodes, meshes and materials have their places. */
bool export_plan_carried(struct export *e);
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

enum { EXPORT_LABEL_SIZE = 2 * SHORT_NAME_SIZE + 48 };

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

/* --- export_resample.c --- */

/* Replaces the keys by poses sampled at the request's rate. */
bool export_sample_clip(struct export *e, struct export_clip *clip);
/* Replaces the keys of a channel before time 0 by one key at 0. */
bool export_crop_channel(struct export *e, struct channel *channel);
/* Updates the values of a channel whose key times were adjusted, from the motion of the source. */
bool export_follow_times(struct export *e, const struct export_clip *clip, struct channel *channel);

/* --- export_channels.c --- */

/* Stored in channel->reserved of the file's channels: the index of the source's channel within its clip (of its
 * property channels in the model), or EXPORT_OF_NOTHING. */
#define EXPORT_OF_NOTHING UINT32_MAX
/* Returns the source's channel of a channel of the file, which has one. */
const struct channel *export_source_channel(const struct export_clip *clip, const struct channel *channel);
struct channel *export_channels(const struct export *e, const struct export_clip *clip);
double *export_times(const struct export *e, const struct channel *channel);
float *export_values(const struct export *e, const struct channel *channel);
/* Reserves `key_count` keys at the ends of times and values, and sets the channel's ranges. False: the reply is an
 * error. */
bool export_add_keys(struct export *e, struct channel *channel, uint32_t key_count);
/* "clip 2 'walk'", for messages. */
const char *export_clip_label(const struct export *e, const struct export_clip *clip, char out[EXPORT_LABEL_SIZE]);

/* --- export_properties.c --- */

/* Adds the channels of a clip, the last one so far, that move materials, lights and cameras of the file. False: the
 * reply is an error. */
bool export_take_properties(struct export *e, struct export_clip *clip);
/* Writes the pointer of such a channel. */
void export_put_pointer(const struct export *e, const struct channel *channel, char out[PROPERTY_POINTER_SIZE]);

/* --- export_new_root.c, export_root_motion.c --- */

/* Finds e->root. False: the reply is an error. */
bool export_find_root(struct export *e);
/* Gives the model, and that of the context, a root bone where the request needs one and there is none, until
 * export_end_root(). False: the reply is an error. */
bool export_add_root(struct export *e);
void export_end_root(struct export *e);
/* Gives a copy of the model the same root bone. */
void export_put_root(const struct export *e, struct model *model);

/* Returns the source, or a copy that plays the clip without its motion over the ground, or with it in the node above,
 * as the request says. NULL: the reply is an error. */
const struct model *export_move_root(struct export *e, const struct model *source, uint32_t index);

/* --- export_clips.c, export_keys.c --- */

/* Adds a copy of a channel of a clip, the last one so far. False: the reply is an error. */
bool export_take_channel(struct export *e, const struct model *source, const struct channel *channel, uint32_t index);

/* Chooses the requested clips. */
bool export_choose_clips(struct export *e);
/* Copies them. */
bool export_take_clips(struct export *e);
/* Copies one clip, of the model or of a retargeted copy of it. e->clips.clips has room for it. */
bool export_take_clip(struct export *e, const struct model *source, uint32_t index);

/* --- export_merge.c --- */

/* Makes the clips of other files for this model, before any clip is copied. */
bool export_make_other_clips(struct export *e);
/* Copies the clips of other files after those of the model, and names all clips. */
bool export_take_other_files(struct export *e);
uint64_t export_other_clip_count(const struct export *e);
/* Appends "name":"..", */
void export_put_clip_name(struct export *e, const struct export_clip *clip);
/* Appends ,"clip_files":[..] of asset.extras: the files, with their unmatched nodes and the unmatched joints of the
 * model. */
void export_put_clip_files(struct export *e);

/* --- export_keys.c, export_put_clips.c --- */

/* Adds a key at the clip's end if its channels end before that. False: the reply is an error. */
bool export_fit_length(struct export *e, struct export_clip *clip);

/* Makes times and durations representable as floats, and handles clips without channels. */
bool export_fit_clips(struct export *e);
/* Appends ,"animations":[..] if the file has clips. */
bool export_put_clips(struct export *e);

/* --- export_optimize*.c: the steps of optimize=1 --- */

/* Sets e->optimizing if the request asks for it. */
bool export_start_optimizing(struct export *e);
void export_end_optimizing(struct export *e);
/* Chooses a grid for the positions of each mesh. Meshes of one skin share theirs. */
bool export_plan_grids(struct export *e);
/* Makes grids as fine as can be. */
void export_refine_grids(struct export *e);
/* Returns the grid of a node's mesh, or NULL: its positions are floats. */
const struct grid *export_grid_of_node(const struct export *e, uint32_t node);
/* Likewise of a skin. */
const struct grid *export_grid_of_skin(const struct export *e, uint32_t skin);
/* Reduces the keys of all clips, chooses how keys and vertices are stored, and measures what that changes. */
bool export_optimize(struct export *e);
bool export_optimize_clips(struct export *e);
/* Measures vertices, and joints, of all clips as the file stores them. False: the reply is an error. */
bool export_measure_vertices(struct export *e);
/* Returns copies of the model that play a clip of the file as it was, and as readers of the file see it. */
struct model export_plain_view(const struct export *e, struct clip *clip_of_view, uint32_t clip);
struct model export_decoded_view(const struct export *e, struct clip *clip_of_view, uint32_t clip);
/* --- export_key_storage.c --- */

/* Whether keys may fall away, and rotations be short: those of nodes, without tangents. */
bool export_is_reducible(const struct channel *channel);
/* Returns the number of values with their tangents. */
uint32_t export_row_count(const struct channel *channel);
/* Returns by how much a value may differ, so that what it moves is off by `units`, a distance in the scene. */
double export_tolerance_of(const struct export *e, const struct channel *channel, const float *values, double units);
/* Returns how many bits are kept of the values of a channel whose keys may be off by `units`; 0: all. */
uint32_t export_choose_bits(const struct export *e, const struct channel *channel, double units,
                            bool has_short_rotations);
/* Adds the values of a channel with so many bits. */
uint32_t export_add_filtered(struct export *e, const struct channel *channel, const float *values, uint32_t bits);
/* Replaces the values by what readers see. */
void export_decode_values(const struct channel *channel, uint32_t bits, float *values);

/* --- export_optimize_vertices.c --- */

/* Adds the vertices and indices of a primitive: accessors[GLB_INDICES + 1]. False: the reply is an error. */
bool export_add_small_vertices(struct export *e, uint32_t primitive, uint32_t *accessors);
uint32_t export_add_small_deltas(struct export *e, const struct primitive *p, uint32_t first, enum glb_array array);
/* Appends ,"optimized":{..} of asset.extras. */
void export_put_optimized(struct export *e);

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
