/* assimp_clip.h - converts an assimp animation to a clip of the model. */
#pragma once

#include "import/assimp/assimp.h"

/* Adds an animation as a clip. It may come from this scene or from another one with the same node names. ticks_per_s: 0
 * means assimp's rate. */
int assimp_add_clip(struct assimp_job *job, const struct aiAnimation *animation, struct str name, double ticks_per_s,
                    struct err *err);
