/* assimp_clip.h - between the two files that make clips: one node's motion, and its place in the model. */
#pragma once

#include "import/assimp/assimp.h"
#include "import/curve/track.h"

/* Translation, rotation, scale, as PATH_ numbers them; count 0 = none. */
struct motion {
    struct track paths[3];
};

void motion_fini(struct motion *motion);

/* Adds the tracks of a node to the model, but those of one key that say what the rest transform says. */
int clip_add_motion(struct assimp_job *job, uint32_t node, const struct motion *motion, struct err *err);

/* Adds an animation, of this or of another scene with the same node names, as a clip. ticks_per_s: 0 for what assimp
 * found. */
int assimp_add_clip(struct assimp_job *job, const struct aiAnimation *animation, struct str name, double ticks_per_s,
                    struct err *err);
