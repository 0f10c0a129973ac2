/* entity_clip.h - makes a clip of what an entity plays: its poses at given times, as keys of its model. Pure; any
 * thread.
 *
 * Channels of nodes are linear and stand in the order of nodes and paths. A node has a channel for each of translation,
 * rotation, scale and morph weights that differs from rest: one key where it never changes, else a key for each time.
 * Rotations take the shorter way from key to key. Values are those of the exact pose after constraints, rounded to
 * floats. Channels of materials (anim/model/property.h) have what expressions do, likewise. */
#pragma once

#include "anim/entity/entity.h"

/* What is played. */
struct entity_motion {
    struct entity entity;  /* without motion and world_from_scene */
    int32_t shown;         /* the clip below the layers, whose materials are seen; or POSE_REST */
    const double *times_s; /* [time_count], from 0 on, rising */
    uint32_t time_count;   /* at least 1 */
    /* Sets the clip times and weights of entity.layers for a time. */
    void (*set_time)(void *context, uint32_t time);
    void *context;
    uint64_t max_values;            /* numbers of all keys */
    const _Atomic bool *is_stopped; /* may be NULL; once it is true the call stops */
};

struct entity_clip {
    struct channel *channels;            /* [channel_count]: ranges of the two arrays below */
    struct property_channel *properties; /* [property_count], of clip 0, in the order of materials and properties */
    double *times_s;                     /* [time_count] */
    float *values;                       /* [value_count] */
    uint32_t channel_count, property_count, time_count;
    uint64_t value_count;
};

/* Returns the steps of making the clip, as LIMIT_EVALUATIONS counts them, saturated. */
uint64_t entity_clip_steps(const struct entity_motion *motion);

/* Evaluates every pose twice, so that it only keeps what moves. Call entity_clip_fini() in any case. Returns 0;
 * ERR_BAD_PARAMETER for a pose that keys cannot say (nodes of an FBX file that do not inherit scales, given as factors
 * of their matrices); ERR_NOT_FINITE; ERR_TOO_MANY_FRAMES beyond max_values; ERR_SHUTTING_DOWN when stopped;
 * ERR_NO_MEMORY. Messages name the node and the time. */
int entity_clip_init(struct entity_clip *made, struct entity_work *work, const struct entity_motion *motion,
                     struct err *err);
void entity_clip_fini(struct entity_clip *made);
