/* retarget.h - plays the clips of one model on another: by node name for files that share a rig, or relative to the
 * rests of two rigs.
 *
 * By name, a channel moves the one node of the model that has the name of its own node, with unchanged values: the rigs
 * and their units are assumed to be the same. Nodes of the clips' file may be renamed first (name_map.h). A name that
 * occurs twice in either model has no partner, and neither has a node without a name. Partners are never guessed;
 * retarget_report.h lists nodes without one. After retarget_set_rest(), clips are instead converted by rotations
 * relative to the rests (rest_motion.h). Pure; any thread, one struct retarget per thread. Both models are borrowed
 * until retarget_fini(). */
#pragma once

#include "base/err.h"
#include "anim/model/model.h"
#include "anim/retarget/name_map.h"
#include "anim/retarget/rest_clip.h"

#include <stdbool.h>

enum retarget_reason {
    RETARGET_MISSING,   /* the model has no node of this name */
    RETARGET_AMBIGUOUS, /* one of the two files has several nodes of this name */
    RETARGET_UNNAMED,   /* the clip's node has no name */
    RETARGET_WEIGHTS,   /* the model's node has a different number of morph weights */
};

struct rest_retarget;

/* How clips of another rig are converted. */
struct rest_options {
    struct humanoid model, source;
    struct rest_choice clip_rest; /* the source's rest */
    struct rest_clip_options clip;
};

struct retarget {
    /* The model to evaluate: the original model with the clips of the other file, under their own indices. A clip has
     * no channels before retarget_clip(). */
    struct model model;
    const struct model *source; /* file with the clips */
    int32_t *partners;          /* [source->node_count]: node of the model, or -1 - RETARGET_ */
    struct name_map names;      /* its rules are borrowed */
    uint8_t *is_rule_used;      /* [names.count]: 1 for a rule that applies to a node of the clips' file */
    double slide;             /* by rest: how far planted feet slide in the played clips, relative to the leg; else 0 */
    uint64_t steps;           /* by rest: steps of work spent on converting clips */
    struct limb_angles limbs; /* by rest: of the played clips */
    /* private */
    struct rest_retarget *rest; /* NULL: by name */
    uint8_t *is_played;         /* [clip_count] */
    struct clip *clips;
    struct channel *channels;
    uint32_t channel_capacity;
    char *text; /* text of the model, then the clips' names */
};

/* Finds the partners by name. names: renames the nodes of `source`; NULL: no renaming. */
void retarget_init(struct retarget *retarget, const struct model *model, const struct model *source,
                   const struct name_map *names);
void retarget_fini(struct retarget *retarget);

/* Converts clips relative to the rests from now on, with the partners of rest_pairs.h. Call it before the first
 * retarget_clip(). Returns 0 or ERR_NO_HUMANOID. */
int retarget_set_rest(struct retarget *retarget, const struct rest_options *options, struct err *err);

static inline bool retarget_is_by_rest(const struct retarget *retarget) { return retarget->rest != NULL; }
/* By rest: returns the pose that stands for the source's rest, and how far its hips have turned there. NULL by name. */
const struct rest_reference *retarget_reference(const struct retarget *retarget, double *hips_turned_deg);
/* Returns which of the two rigs has left and right swapped; NONE by name. */
enum rest_swap retarget_swap(const struct retarget *retarget);
/* By rest: true when planted feet keep their places. */
bool retarget_has_locked_feet(const struct retarget *retarget);
/* By rest: returns the leg length of the model divided by that of the source. */
double retarget_scale(const struct retarget *retarget);

/* The face of clips by rest; NULL by name. */
const struct rest_face *retarget_face(const struct retarget *retarget);

/* True for a channel that moves the face, or has a partner but moves nothing: by rest, all scales are left out, and all
 * translations except the hips'. */
bool retarget_leaves_out(const struct retarget *retarget, const struct channel *channel);

/* Returns the node of the model that a channel of the source moves, or -1 - RETARGET_. */
int32_t retarget_partner(const struct retarget *retarget, const struct channel *channel);

/* Finds the new name of a node of the source. False: it keeps its own, and *out is empty. */
bool retarget_rename(const struct retarget *retarget, uint32_t node, struct joined_name *out);

/* Gives clip `index` (< clip_count) its channels. This invalidates pointers into model.channels. Returns 0,
 * ERR_CLIP_NO_MATCH when the clip has channels and none of them has a partner, or what rest_clip_init() returns. */
int retarget_clip(struct retarget *retarget, uint32_t index, struct err *err);

/* Frees what only further calls of retarget_clip() need. Returns the bytes that the view then holds, without both
 * models. */
uint64_t retarget_close(struct retarget *retarget);

/* True when both files state their unit, or up axis, and differ: lengths, or the whole pose, would be wrong. */
bool retarget_has_other_unit(const struct model *model, const struct model *source);
bool retarget_has_other_up(const struct model *model, const struct model *source);
