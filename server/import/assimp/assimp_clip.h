/* assimp_clip.h - an animation of assimp as a clip of the model. */
#pragma once

#include "import/assimp/assimp.h"

/* Adds an animation, of this or of another scene with the same node names, as a clip. ticks_per_s: 0 for what assimp
 * found. */
int assimp_add_clip(struct assimp_job *job, const struct aiAnimation *animation, struct str name, double ticks_per_s,
                    struct err *err);
