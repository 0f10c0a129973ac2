/* export_internal.h - the file under way, and the steps that make it. Private to this folder. Pure.
 *
 * Steps return false when the reply is an error. Places are numbers in the file, GLB_NONE of what is not in it. */
#pragma once

#include "wire/export/export.h"

#include <stdio.h>
#include <string.h>

#include "wire/glb/surfaces.h"

/* --- memory, which is the file's until its end --- */

enum { EXPORT_BLOCKS_MAX = 64 };
struct export_memory {
    void *blocks[EXPORT_BLOCKS_MAX];
    uint32_t count;
};

/* --- accessors that are used again --- */

/* From an array of the model, and how much of it, to its accessor. */
struct export_share {
    struct export_shared *slots; /* [capacity], a power of two */
    uint32_t capacity, count;
};

/* --- nodes --- */

/* How much of a node of the model the file has. */
enum export_keep {
    KEEP_NOTHING,
    KEEP_TRANSFORM, /* others that are kept hang below it, or a skin has it as a joint */
    KEEP_ALL,
};

enum export_kind {
    EXPORT_NODE,  /* of the model */
    EXPORT_SHEAR, /* above `source`: the part of its matrix for which glTF needs a node of its own */
    EXPORT_TWIN,  /* below it, at its place: a joint that a skin names again */
    EXPORT_VIEW,  /* below it: its camera, which looks along +x */
    EXPORT_TOP,   /* above all others */
};

/* What the file says of a node: whether it and what is below it are shown. */
enum export_visible { VISIBLE_NOT_SAID, VISIBLE_YES, VISIBLE_NO };

/* A node of the file. */
struct export_node {
    enum export_kind kind;
    uint32_t source; /* node of the model, or GLB_NONE */
    uint32_t parent; /* this and what follows: places */
    uint32_t first_child, next_sibling;
};

/* --- meshes, clips --- */

/* A mesh of the file: a mesh of the model, with its joints or without. */
struct export_mesh {
    uint32_t mesh;
    bool is_skinned;
    uint32_t target_count; /* of each of its primitives */
};

/* A clip of the file. */
struct export_clip {
    const struct model *source; /* what plays it: the model, or a view of it that has a clip of another file */
    const struct model *origin; /* which has its name, extras and markers: the model, or the other file */
    uint32_t index;             /* in both */
    uint32_t file;              /* 0, or 1 + the other file, of the request's sources */
    struct str name;            /* with other files: in e->clips.names; and behind it _number where that is above 1 */
    uint32_t number;
    uint32_t channel_first, channel_count;
    double duration_s;    /* as the source has it */
    bool is_approximated; /* some of its channels are export_scales.c's */
};

/* Clips as the file will have them: their keys are copies, which steps may change. Channels name nodes of the model. */
struct export_clips {
    struct export_clip *clips; /* [count] */
    uint32_t count;
    struct buf channels; /* struct channel: ranges are in the two arrays that follow */
    struct buf times;    /* double; at the end they are all floats' */
    struct buf values;   /* float */
    struct buf names;    /* with other files: the clips' names in the file */
};

struct export
{
    struct reply_context *context;
    const struct model *model;
    struct glb_writer *glb;
    struct buf *out;
    struct export_memory memory;
    struct export_share share;
    struct surfaces surfaces;
    unsigned extensions;       /* 1 << GLB_ of each that is used */
    uint8_t *keeps;            /* [node_count]: KEEP_ */
    uint32_t *node_places;     /* [node_count] */
    struct export_node *nodes; /* the file's */
    uint32_t node_count;
    uint32_t *roots; /* [root_count]: those that the scene lists, places */
    uint32_t root_count;
    uint8_t *is_moved;       /* [node_count of the model]: some clip of the file changes its transform */
    uint8_t *visibilities;   /* likewise: enum export_visible */
    uint32_t *skin_places;   /* [skin_count] */
    uint32_t *joint_places;  /* [joint_count]: the file's node for each joint */
    uint32_t *camera_places; /* [camera_count] */
    struct export_mesh *meshes;
    uint32_t mesh_count;
    uint32_t *mesh_places; /* [2 * mesh_count]: of each without joints and with them */
    uint32_t *accessors;   /* [primitive_count]: GLB_INDICES + 1 for each */
    uint32_t *streams;     /* [primitive_count]: the view of its Draco stream, or GLB_NONE */
    struct export_clips clips;
    uint8_t *is_taken;           /* [clip_count of the model] */
    uint32_t still_node;         /* what a clip without channels holds still; node_count: there is none */
    const struct node *rest;     /* the model's nodes with the transforms of the file */
    struct model_info rest_info; /* and what it says of them */
    uint8_t *is_scaled;          /* [node_count]: its rest transform is the file's own, see export_scales.c; or NULL */
    uint8_t *scaled_scratch;     /* [2 * node_count] */
    struct dmat4 *scaled_matrices; /* [node_count]: scratch */
    struct trs *scaled_transforms; /* likewise */
    float top_from_scene[16];      /* of EXPORT_TOP */
    bool has_axes;
    struct pose before, after; /* for measuring: of the model, of the file */
    double size;               /* of the model: the longest side of its box at rest */
    struct buf warnings;       /* JSON, objects with commas between */
};

/* --- export_memory.c --- */

/* Zeroed. NULL: the reply is an error. */
void *export_array(struct export *e, size_t count, size_t item_bytes);
void export_memory_free(struct export_memory *memory);
/* The accessor that stands for `count` things from `at` on for this use (an enum glb_array), GLB_NONE at first: the
 * caller sets it. NULL: the reply is an error. Valid until the next call. */
uint32_t *export_shared(struct export *e, const void *at, uint64_t count, unsigned use);
void export_share_free(struct export_share *share);
/* Whether a request may ask for so many steps, each about the work for one node. */
bool export_is_affordable(struct export *e, uint64_t steps);

/* --- export_warnings.c --- */

/* One more for asset.extras.warnings. `code` is stable, the message for people. */
void export_warn(struct export *e, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The model has what glTF cannot say: the reply becomes the error, whose message names the model first. False. */
bool export_refuse(struct export *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- export_select.c, export_nodes.c --- */

/* What of the model is kept: nodes, skins, clips. */
bool export_select(struct export *e);
/* Which nodes are hidden, and whose visibility or transform clips change: after export_take_clips(). */
bool export_look_at_nodes(struct export *e);
/* The nodes of the file, those of joints, and who is below whom. */
bool export_plan_nodes(struct export *e);
/* "nodes":[..],"scene":..,"scenes":[..],"cameras":[..], each where there is something; a comma before. */
void export_put_nodes(struct export *e);
/* export_put_lights.c: the file's number of the light at a node of the model, or GLB_NONE; and
 * "KHR_lights_punctual":{..} of the file, where there are some. */
uint32_t export_light_of(const struct export *e, uint32_t node);
void export_put_lights(struct export *e);

/* --- export_meshes.c, export_skins.c --- */

bool export_plan_meshes(struct export *e);
/* The file's mesh of a node of the model, or GLB_NONE. */
uint32_t export_mesh_of(const struct export *e, uint32_t node);
bool export_put_meshes(struct export *e);
bool export_put_skins(struct export *e);
/* Adds as many sets of joints and weights as the primitive needs, and writes their attributes. */
bool export_put_influences(struct export *e, const struct primitive *primitive);

enum { EXPORT_LABEL_SIZE = SHORT_NAME_SIZE + 32 };

/* --- export_measure.c --- */

/* How far the file's poses are from the model's at worst, and where. */
struct export_distance {
    double units; /* of a node's place, or of what hangs at it as far away as the model is large */
    double time_s;
    uint32_t node;
};
/* A clip of the file as that of a model, which has everything else of the model itself. Its arrays are those of *e. */
struct model export_view(const struct export *e, struct clip *clip_of_view, uint32_t clip);
/* Over the clip's keys and between them, but for the moments in which values jump. False: the reply is an error. */
bool export_measure(struct export *e, uint32_t clip, struct export_distance *out);
/* Times in any order. `times` is the caller's to free. */
struct export_times {
    double *times; /* [count] */
    size_t count;
};
/* Adds the key times of channels from 0 on; those that any of them share once. False: the reply is an error. */
bool export_list_keys(struct export *e, const struct channel *channels, uint32_t channel_count, const double *times,
                      struct export_times *out);
/* Key times of the clip from 0 on, rising, *count of them; where it is approximated those of the file too. free() them.
 * NULL: the reply is an error. */
double *export_list_times(struct export *e, const struct export_clip *clip, size_t *count);
/* At rest. */
void export_measure_rest(struct export *e, struct export_distance *out);
/* Of the model's size. */
double export_share_of_size(const struct export *e, const struct export_distance *distance);
/* "0.0012 units (1.2e-05 of the model's size) at 0.4 s at node 5 'hips'", for messages */
enum { EXPORT_DISTANCE_SIZE = SHORT_NAME_SIZE + 100 };
const char *export_distance_label(const struct export *e, const struct export_distance *distance,
                                  char out[EXPORT_DISTANCE_SIZE]);

/* --- export_scales.c --- */

/* Nodes that do not inherit scales as glTF has them get transforms of their own at rest; unless approximations are
 * asked for, they are an error. */
bool export_find_scales(struct export *e);
/* The same for a clip, which is the last so far: such nodes get transforms of their own. */
bool export_sample_scaled_nodes(struct export *e, struct export_clip *clip);
/* Says how far off that is. */
bool export_warn_of_scales(struct export *e);

/* --- export_methods.c --- */

/* Skins that glTF's way of skinning is not that of: refused, or measured and told of. */
bool export_check_methods(struct export *e);

/* --- export_resample.c --- */

/* Poses at the request's rate in place of the keys. */
bool export_sample_clip(struct export *e, struct export_clip *clip);
/* Gives a channel that has keys before time 0 one at 0 in their place. */
bool export_crop_channel(struct export *e, struct channel *channel);
/* Values of the source's motion at the times that the channel has by now, which are a little off. */
bool export_follow_times(struct export *e, const struct export_clip *clip, struct channel *channel);

/* --- export_channels.c --- */

/* In channel->reserved of the file's: the source's channel, within its clip, or this. */
#define EXPORT_OF_NOTHING UINT32_MAX
struct channel *export_channels(const struct export *e, const struct export_clip *clip);
double *export_times(const struct export *e, const struct channel *channel);
float *export_values(const struct export *e, const struct channel *channel);
/* Room at the ends of times and values for a channel of so many keys; its places are set. False: the reply is an error.
 */
bool export_add_keys(struct export *e, struct channel *channel, uint32_t key_count);
/* "clip 2 'walk'", for messages. */
const char *export_clip_label(const struct export_clip *clip, char out[EXPORT_LABEL_SIZE]);

/* --- export_clips.c, export_keys.c --- */

/* Copies the clips that are asked for. */
bool export_take_clips(struct export *e);
/* Copies one, of the model or another view of it; e->clips.clips has the room. */
bool export_take_clip(struct export *e, const struct model *source, uint32_t index);

/* --- export_merge.c --- */

/* Copies the clips of other files behind those of the model, and names all. */
bool export_take_other_files(struct export *e);
uint64_t export_other_clip_count(const struct export *e);
/* "name":"..", */
void export_put_clip_name(struct export *e, const struct export_clip *clip);
/* ,"clip_files":[..] of asset.extras: the files, and what of them and of the model's joints has no partner */
void export_put_clip_files(struct export *e);

/* --- export_keys.c, export_put_clips.c --- */

/* Times that floats can have, lengths of clips, and clips without channels. */
bool export_fit_clips(struct export *e);
/* ,"animations":[..] where there are clips */
bool export_put_clips(struct export *e);
