/* export_optimize.h - the steps of optimize=1: fewer keys and vertices, stored with fewer bits. Private to this folder.
 * Pure.
 *
 * Steps return false when the reply is an error. */
#pragma once

#include "wire/export/export_internal.h"

struct grid; /* wire/optimize/quantize.h */

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
