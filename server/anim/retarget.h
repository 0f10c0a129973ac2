/* retarget.h - the clips of one model played on another: by node name, for files that share a rig.
 *
 * A channel moves the one node of the model that has the name of its own node, and gives that node its values as they
 * are: the same rig, in the same units, is taken for granted. A name that either model has twice means nothing, and a
 * node without a name neither: what has no partner is listed, never guessed.
 * Pure; any thread, one struct retarget a thread. Both models are borrowed until retarget_fini(). */
#pragma once

#include "../base/err.h"
#include "model.h"

#include <stdbool.h>

enum retarget_reason {
    RETARGET_MISSING,   /* the model has no node of this name */
    RETARGET_AMBIGUOUS, /* one of the two files has several */
    RETARGET_UNNAMED,   /* the clip's node has no name */
    RETARGET_WEIGHTS,   /* the model's node has another number of morph weights */
};

/* A node of the clips' file that has channels without a partner. */
struct retarget_miss {
    uint32_t node; /* in the clips' file */
    enum retarget_reason reason;
};

struct retarget {
    /* What to evaluate: the model, but for its clips, which are those of the other file under their own indices.
     * A clip has no channels before retarget_clip(). */
    struct model model;
    const struct model *source; /* the clips' file */
    struct retarget_miss *misses;
    uint32_t miss_count;
    uint8_t *is_moved; /* [model.node_count]: by a channel of the clips that were asked for */
    /* private */
    int32_t *partners; /* [source->node_count]: node of the model, or -1 - RETARGET_ */
    uint8_t *is_missed;
    uint8_t *is_played; /* [clip_count] */
    struct clip *clips;
    struct channel *channels;
    uint32_t channel_capacity;
    char *text; /* the model's, then the clips' names */
};

/* Finds the partners by name. */
void retarget_init(struct retarget *retarget, const struct model *model, const struct model *source);
void retarget_fini(struct retarget *retarget);

/* Gives clip `index` (< clip_count) its channels, and adds to misses and is_moved. Pointers into model.channels change.
 * Returns 0, or ERR_CLIP_NO_MATCH when the clip has channels and none of them has a partner. */
int retarget_clip(struct retarget *retarget, uint32_t index, struct err *err);

/* True when a file says a unit, or an up axis, and the other says a different one: lengths, or the whole pose, would
 * then be off. */
bool retarget_has_other_unit(const struct retarget *retarget);
bool retarget_has_other_up(const struct retarget *retarget);
