/* tube_rig.h - a model of long tubes that a chain of joints bends, in two poses. It is large enough for many blocks of
 * triangles. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/hit_mesh.h"
#include "anim/pose/skin.h"
#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/fixture.h"

enum { TUBE_JOINTS = 8, TUBE_MESHES = 3, TUBE_VERTICES = 320, TUBE_TRIANGLES = 624 };

/* What moves its vertices: joints, weights that do not sum to 1, morph targets too, dual quaternions. */
enum tube_kind { TUBE_PLAIN, TUBE_UNEVEN, TUBE_MORPHED, TUBE_DUAL, TUBE_KIND_COUNT };

struct tube_rig {
    struct fixture fixture;
    struct blend_layer layers[2];
    struct entity entities[2];
    struct scene_pose poses[2]; /* of the entities, each with its own place */
};

/* Draw d is mesh d. The last one moves with a joint and has no skin. The struct must not move, because its parts point
 * to each other. */
void tube_rig_init(struct tube_rig *rig, struct plain_random *random, enum tube_kind kind);

/* Skins all vertices of draw d in pose p, in world space. palette: with room for the joints; work: holds the pose
 * afterwards. */
void tube_rig_skin(const struct tube_rig *rig, uint32_t d, int p, struct entity_work *work,
                   struct skin_palette *palette, double (*out)[3]);
