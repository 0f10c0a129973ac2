/* retarget.h - the clips of one model played on another: by node name, for files that share a rig, or relative to the
 * rests of two rigs.
 *
 * A channel moves the one node of the model that has the name of its own node, and gives that node its values as they
 * are: the same rig, in the same units, is taken for granted. Nodes of the clips' file may get other names first
 * (name_map.h). A name that either model then has twice means nothing, and a node without a name neither: what has no
 * partner is never guessed, retarget_report.h lists it.
 * After retarget_set_rest() a clip is made anew of rotations relative to the rests instead (rest_motion.h).
 * Pure; any thread, one struct retarget a thread. Both models are borrowed until retarget_fini(). */
#pragma once

#include "base/err.h"
#include "anim/model/model.h"
#include "anim/retarget/name_map.h"
#include "anim/retarget/rest_clip.h"

#include <stdbool.h>

enum retarget_reason {
    RETARGET_MISSING,   /* the model has no node of this name */
    RETARGET_AMBIGUOUS, /* one of the two files has several */
    RETARGET_UNNAMED,   /* the clip's node has no name */
    RETARGET_WEIGHTS,   /* the model's node has another number of morph weights */
};

struct rest_retarget;

/* How clips are made of another rig's. */
struct rest_options {
    struct humanoid model, source;
    struct rest_clip_options clip;
};

struct retarget {
    /* What to evaluate: the model, but for its clips, which are those of the other file under their own indices.
     * A clip has no channels before retarget_clip(). */
    struct model model;
    const struct model *source; /* the clips' file */
    int32_t *partners;          /* [source->node_count]: node of the model, or -1 - RETARGET_ */
    struct name_map names;      /* its rules are borrowed */
    uint8_t *is_rule_used;      /* [names.count]: 1 for a rule that holds for a node of the clips' file */
    double slide;   /* by rest: how far planted feet slide in the clips played, in shares of the leg; else 0 */
    uint64_t steps; /* by rest: of work that making the clips took */
    /* private */
    struct rest_retarget *rest; /* NULL: by name */
    uint8_t *is_played;         /* [clip_count] */
    struct clip *clips;
    struct channel *channels;
    uint32_t channel_capacity;
    char *text; /* the model's, then the clips' names */
};

/* Finds the partners by name. names: what renames the nodes of `source`; NULL: nothing does. */
void retarget_init(struct retarget *retarget, const struct model *model, const struct model *source,
                   const struct name_map *names);
void retarget_fini(struct retarget *retarget);

/* From now on clips are relative to the rests: partners are those of rest_pairs.h. Before the first retarget_clip().
 * Returns 0 or ERR_NO_HUMANOID. */
int retarget_set_rest(struct retarget *retarget, const struct rest_options *options, struct err *err);

static inline bool retarget_is_by_rest(const struct retarget *retarget) { return retarget->rest != NULL; }
/* By rest: leg length of the model by that of the source. */
double retarget_scale(const struct retarget *retarget);

/* By rest, translations but the hips' and all scales are left out: such a channel has a partner and moves nothing. */
bool retarget_leaves_out(const struct retarget *retarget, const struct channel *channel);

/* The node of the model that a channel of the source moves, or -1 - RETARGET_. */
int32_t retarget_partner(const struct retarget *retarget, const struct channel *channel);

/* The name that a rule gives a node of the source. False: it keeps its own, and *out is empty. */
bool retarget_rename(const struct retarget *retarget, uint32_t node, struct joined_name *out);

/* Gives clip `index` (< clip_count) its channels. Pointers into model.channels change.
 * Returns 0, ERR_CLIP_NO_MATCH when the clip has channels and none of them has a partner, or what rest_clip_init()
 * returns. */
int retarget_clip(struct retarget *retarget, uint32_t index, struct err *err);

/* No further clip gets channels: frees what only that takes. Returns how many bytes the view then holds beside both
 * models. */
uint64_t retarget_close(struct retarget *retarget);

/* True when two files say their unit, or up axis, and differ: lengths, or the whole pose, would then be off. */
bool retarget_has_other_unit(const struct model *model, const struct model *source);
bool retarget_has_other_up(const struct model *model, const struct model *source);
