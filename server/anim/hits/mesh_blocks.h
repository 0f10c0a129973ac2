/* mesh_blocks.h - bounds of where groups of triangles can be in a pose, without skinning a vertex.
 *
 * A block is a group of triangles that are neighbours in the order of their tree: the leaves below one of its nodes.
 * For each joint that moves some of its vertices it knows the box of these vertices in bind space, and for each morph
 * target the box of their deltas.
 *
 * Why it is a bound. Skinned linearly, a vertex is sum(w_j * M_j * b), w_j > 0 (bake_check.h), b its bind position.
 * Each M_j * b is in the image of the box of joint j, so the sum is W = sum(w_j) times a point of the smallest box
 * around the images of all joints of the block; W is between the least and the most of the block's vertices. Morphed, b
 * is in the box of the joint plus each weight times the box of the target's deltas. To that come shares of all that is
 * added up, above what floats and doubles lose (1e-7 and 1e-12). Dual quaternions are not linear: they have no bound
 * here.
 *
 * Pure; immutable once made: any thread. */
#pragma once

#include "anim/hits/box_tree.h"
#include "anim/pose/skin.h"

/* A box in bind space. */
struct mesh_box {
    float min[3], max[3];
};

/* What one joint moves of a block. */
struct mesh_part {
    uint32_t joint; /* of the skin */
    struct mesh_box bind;
};

struct mesh_block {
    uint32_t part_first; /* parts end where those of the next block begin */
    bool has_bound;      /* false where knowing it would take much more memory than the model */
    double least, most;  /* sums of the weights of a vertex */
};

/* Of all primitives of a model. */
struct mesh_blocks {
    struct mesh_block *blocks; /* and one behind the last */
    uint32_t *firsts;          /* [primitive_count + 1] */
    struct mesh_part *parts;
    struct mesh_box *shapes; /* of each block of a primitive with morph targets: of each target */
    uint64_t *shape_firsts;  /* [primitive_count] */
    uint32_t block_count;
    size_t part_count, part_capacity, size_bytes;
};

/* Of a primitive with so many triangles; a primitive with triangles has one more in its list, of the vertices that no
 * triangle has. */
uint32_t mesh_block_count(uint32_t triangle_count);

/* order, firsts: as struct hit_mesh has them. */
void mesh_blocks_init(struct mesh_blocks *blocks, const struct model *model, const uint32_t *order,
                      const uint32_t *firsts);
void mesh_blocks_fini(struct mesh_blocks *blocks);

/* A draw in a pose. */
struct blocks_pose {
    const struct model *model;
    uint32_t draw;
    const struct skin_palette *palette; /* scene_from_bind */
    const double *weights;              /* of its node: node.weight_count */
    const struct dmat4 *world_from_scene;
};
/* Makes *out larger so that it holds all vertices of a block of the draw's primitive in the pose, in the world. False:
 * there is no bound, or a vertex may not be finite; *out is undefined. */
bool mesh_block_bound(const struct mesh_blocks *blocks, const struct blocks_pose *pose, uint32_t block,
                      struct box *out);
