/* rest_clip.h - converts a clip of one rig to a clip of another: samples rest_motion.h densely enough to interpolate
 * between. Pure; one thread.
 *
 * The times are those of the clip's transform keys, with evenly spaced ones between so that no two are more than 1/60 s
 * apart (in clips of more than 16,384 such steps, 1/16,384 of the clip), and one just before each key of a STEP
 * channel, which would otherwise become a ramp. Channels are LINEAR. */
#pragma once

#include "anim/retarget/limb_angles.h"
#include "anim/retarget/rest_face.h"

struct rest_channel {
    uint32_t node;
    uint32_t path; /* PATH_ROTATION, PATH_TRANSLATION or PATH_WEIGHTS */
    uint32_t component_count;
    uint32_t first; /* of weights: into those of the face */
    float *values;  /* [time_count][component_count] */
};

struct rest_clip {
    double *times; /* [time_count], rising */
    uint32_t time_count;
    struct rest_channel *channels;
    uint32_t channel_count;
    float *values; /* values of all channels, one after the other */
    uint64_t value_count;
    uint64_t steps; /* of work done */
    double slide;   /* how far planted feet slide, relative to the leg (planted_feet.h) */
    struct limb_angles limbs;
};

struct rest_clip_options {
    bool has_locked_feet;
    uint64_t max_steps;             /* limit on the work; a step is about one node at one time; 0: no limit */
    struct rest_face *face;         /* of the same models; may be NULL */
    const _Atomic bool *is_stopped; /* may be NULL; once it is true the call stops */
};

/* Converts clip `clip` (an index) of motion->source. Call rest_clip_fini() in any case. Returns 0, ERR_TOO_MANY_FRAMES
 * beyond max_steps or 2^24 numbers, or ERR_SHUTTING_DOWN when stopped. */
int rest_clip_init(struct rest_clip *made, struct rest_motion *motion, uint32_t clip,
                   const struct rest_clip_options *options, struct err *err);
void rest_clip_fini(struct rest_clip *made);
