/* export_clips.h - the clips of an exported file: which ones, their channels and keys, and motion over the ground.
 * Private to this folder. Pure.
 *
 * Steps return false when the reply is an error. */
#pragma once

#include "anim/model/model.h"
#include "anim/model/property.h"
#include "base/buf.h"
#include "base/err.h"
#include "wire/reply/reply_json.h"

struct export;

/* A clip of the file. */
struct export_clip {
    const struct model *source; /* plays it: the model, or a copy of it with another file's clip */
    const struct model *origin; /* has its name, extras and markers: the model, or the other file */
    uint32_t index;             /* in both models */
    uint32_t file;              /* 0: the model; otherwise 1 + index of the other file in the request's sources */
    struct str name;            /* with has_names: in e->clips.names, with the suffix _number if that is above 1 */
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
    struct buf names;    /* with has_names: the names of the clips in the file */
    bool has_names;      /* with other files, or a name for that of layers */
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

enum { EXPORT_LABEL_SIZE = 2 * SHORT_NAME_SIZE + 48 };

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
