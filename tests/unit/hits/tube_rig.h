/* tube_rig.h - a model of long tubes that a chain of joints bends, large enough for many blocks of triangles, in two
 * poses. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/hit_mesh.h"
#include "anim/pose/skin.h"
#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/fixture.h"

enum { TUBE_JOINTS = 8, TUBE_MESHES = 3, TUBE_VERTICES = 320, TUBE_TRIANGLES = 624 };

/* What its vertices are moved by: joints, weights whose sum is not 1, morph targets too, dual quaternions. */
enum tube_kind { TUBE_PLAIN, TUBE_UNEVEN, TUBE_MORPHED, TUBE_DUAL, TUBE_KIND_COUNT };

struct tube_rig {
    struct fixture fixture;
    struct blend_layer layers[2];
    struct entity entities[2];
    struct scene_pose poses[2]; /* of the entities, in places of their own */
};

/* Draw d is mesh d; the last moves with a joint and has no skin. Stays where it is: its parts point at each other. */
void tube_rig_init(struct tube_rig *rig, struct plain_random *random, enum tube_kind kind);

/* The vertices of draw d in pose p, all of them, in the world. palette: with room for the joints; work: holds the pose
 * afterwards. */
void tube_rig_skin(const struct tube_rig *rig, uint32_t d, int p, struct entity_work *work,
                   struct skin_palette *palette, double (*out)[3]);
