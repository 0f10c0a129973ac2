/* retarget.h - the clips of one model played on another: by node name, for files that share a rig.
 *
 * A channel moves the one node of the model that has the name of its own node, and gives that node its values as they
 * are: the same rig, in the same units, is taken for granted. Nodes of the clips' file may get other names first
 * (name_map.h). A name that either model then has twice means nothing, and a node without a name neither: what has no
 * partner is never guessed, retarget_report.h lists it.
 * Pure; any thread, one struct retarget a thread. Both models are borrowed until retarget_fini(). */
#pragma once

#include "base/err.h"
#include "anim/model/model.h"
#include "anim/pose/name_map.h"

#include <stdbool.h>

enum retarget_reason {
    RETARGET_MISSING,   /* the model has no node of this name */
    RETARGET_AMBIGUOUS, /* one of the two files has several */
    RETARGET_UNNAMED,   /* the clip's node has no name */
    RETARGET_WEIGHTS,   /* the model's node has another number of morph weights */
};

struct retarget {
    /* What to evaluate: the model, but for its clips, which are those of the other file under their own indices.
     * A clip has no channels before retarget_clip(). */
    struct model model;
    const struct model *source; /* the clips' file */
    int32_t *partners;          /* [source->node_count]: node of the model, or -1 - RETARGET_ */
    struct name_map names;      /* its rules are borrowed */
    uint8_t *is_rule_used;      /* [names.count]: 1 for a rule that holds for a node of the clips' file */
    /* private */
    uint8_t *is_played; /* [clip_count] */
    struct clip *clips;
    struct channel *channels;
    uint32_t channel_capacity;
    char *text; /* the model's, then the clips' names */
};

/* Finds the partners by name. names: what renames the nodes of `source`; NULL: nothing does. */
void retarget_init(struct retarget *retarget, const struct model *model, const struct model *source,
                   const struct name_map *names);
void retarget_fini(struct retarget *retarget);

/* The node of the model that a channel of the source moves, or -1 - RETARGET_. */
int32_t retarget_partner(const struct retarget *retarget, const struct channel *channel);

/* The name that a rule gives a node of the source. False: it keeps its own, and *out is empty. */
bool retarget_rename(const struct retarget *retarget, uint32_t node, struct joined_name *out);

/* Gives clip `index` (< clip_count) its channels. Pointers into model.channels change.
 * Returns 0, or ERR_CLIP_NO_MATCH when the clip has channels and none of them has a partner. */
int retarget_clip(struct retarget *retarget, uint32_t index, struct err *err);

/* True when two files say their unit, or up axis, and differ: lengths, or the whole pose, would then be off. */
bool retarget_has_other_unit(const struct model *model, const struct model *source);
bool retarget_has_other_up(const struct model *model, const struct model *source);
