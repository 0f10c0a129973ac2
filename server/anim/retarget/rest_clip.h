/* rest_clip.h - a clip of one rig as a clip of another: rest_motion.h at so many times that what lies between them is
 * interpolated. Pure; one thread.
 *
 * Times are those of the clip's keys of transforms, and more between them, evenly, so that no two are more than 1/60 s
 * apart (in clips of more than 16,384 such steps: that share of the clip); and one just before each key of a STEP
 * channel, which would else become a ramp. Channels are LINEAR. */
#pragma once

#include "anim/retarget/rest_motion.h"

struct rest_channel {
    uint32_t node;
    uint32_t path;  /* PATH_ROTATION or PATH_TRANSLATION */
    uint32_t joint; /* into motion->joints */
    float *values;  /* [time_count][4 or 3] */
};

struct rest_clip {
    double *times; /* [time_count], rising */
    uint32_t time_count;
    struct rest_channel *channels;
    uint32_t channel_count;
    float *values; /* of all channels, one after the other */
    uint64_t value_count;
    uint64_t steps; /* of work that it took */
    double slide;   /* how far planted feet slide, in shares of the leg (planted_feet.h) */
};

struct rest_clip_options {
    bool has_locked_feet;
    uint64_t max_steps;             /* of work, each about that for one node at one time; 0: as many as it takes */
    const _Atomic bool *is_stopped; /* or NULL; when it becomes true the clip is not finished */
};

/* Makes clip `clip` (an index) of motion->source. rest_clip_fini() in any case. Returns 0, ERR_TOO_MANY_FRAMES when
 * that takes too many steps or more than 2^24 numbers, or ERR_SHUTTING_DOWN when it was stopped. */
int rest_clip_init(struct rest_clip *made, struct rest_motion *motion, uint32_t clip,
                   const struct rest_clip_options *options, struct err *err);
void rest_clip_fini(struct rest_clip *made);
