/* hit_rig.h - a model with everything that makes hits difficult: rotations, uneven scales, an offset, nodes that are
 * joints of two skins with different bind spaces, a mesh without a skin, a mirrored node, a clip, and volumes of a
 * hitbox file. */
#pragma once

#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/fixture.h"

enum { RIG_JOINTS = 6, RIG_VERTICES = 120, RIG_SOCKET = RIG_JOINTS };

/* Nodes 0 to 5: a chain of joints, 6: a socket in 3, 7 and 8: meshes with skins 0 and 1, 9: a mesh that moves with 4.
 * Clip 0: 2 s. */
void hit_rig_init(struct fixture *rig, struct plain_random *random);
