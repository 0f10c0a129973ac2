/* clip_plan.h - decides, before frames are made, what a clip does to each node of the rig and at which times. Pure; any
 * thread. For clip_compile.c. */
#pragma once

#include "anim/model/bake_builder.h"
#include "anim/pose/pose.h"

/* The motion of one rig node. */
enum motion_bits {
    MOTION_MOVES = 1,  /* << path: a channel whose values differ */
    MOTION_HOLDS = 8,  /* << path: the channel is stepped */
    MOTION_CUBIC = 64, /* << path: the channel is a cubic spline */
};

struct clip_plan {
    const struct model *model; /* borrowed; has its rig */
    uint32_t clip;
    int32_t (*channels)[3]; /* [rig_node_count], by path: an index into model->channels, or -1 */
    uint16_t *motions;      /* [rig_node_count]: MOTION_ */
    double *times;          /* [time_count]: of all channels that move lanes, rising; a single time where none does */
    uint8_t *sides;         /* NULL, or [time_count]: FRAME_ of clips with splines (clip_splines.h) */
    uint32_t time_count;    /* at first all keys; clip_splines_choose() makes it those of frames */
    uint64_t key_floats;    /* number of values in these channels */
    uint64_t moving_floats; /* values that they have in each frame */
    bool has_splines;
    struct pose pose; /* at the first time */
};

/* True when the product of the parent's and the child's matrix gives the model's poses throughout the rig, at all times
 * of the clip (POSE_REST: at rest). Blends of such clips are plain as well, because scales mix linearly. */
bool clip_plan_is_plain(const struct model *model, int32_t clip);

/* Plans clip `clip` of the model. rig_of_node[node_count] comes from clip_rig_add() and is borrowed for the call. */
void clip_plan_init(struct clip_plan *plan, const struct model *model, const uint32_t *rig_of_node, uint32_t clip);
/* The same where the times of frames are known: times[time_count], at least one. */
void clip_plan_init_at(struct clip_plan *plan, const struct model *model, const uint32_t *rig_of_node, uint32_t clip,
                       const double *times, uint32_t time_count);
void clip_plan_fini(struct clip_plan *plan);

/* Collects the key times of all channels that move lanes, or only of those that are no splines, rising and each once.
 * Returns their number; the caller frees *times. */
uint32_t clip_plan_times(const struct clip_plan *plan, bool has_splines, double **times);

/* Returns how many frames the clip may have: they may not hold more than four times as many values as its keys (sixteen
 * times where it has splines), nor the model far more than the keys that its channels share. */
uint64_t clip_blocks_frame_limit(const struct bake_builder *builder, const struct clip_plan *plan);

/* Returns how many lane values a model with so many key values may have. */
uint64_t clip_blocks_float_limit(uint64_t key_value_count);

/* Adds the clip's frames, blocks and still nodes to the builder and fills *out. False, with nothing added, when there
 * would be too many (clip_compile.h). */
bool clip_blocks_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out);
