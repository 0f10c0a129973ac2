/* mesh_blocks.h - bounds where groups of triangles can be in a pose, without skinning a vertex.
 *
 * A block is a group of triangles that are neighbours in the order of their tree: the leaves below one of its nodes.
 * For each joint that moves some of its vertices it has the box of these vertices in bind space, and for each morph
 * target the box of their deltas.
 *
 * Why this is a bound: with linear skinning, a vertex is sum(w_j * M_j * b), where w_j > 0 (bake_check.h) and b is its
 * bind position. Each M_j * b lies in the image of the box of joint j. So the sum is W = sum(w_j) times a point of the
 * smallest box around the images of all joints of the block, and W is between the least and the most of the block's
 * vertices. With morph targets, b lies in the joint's box plus each weight times the box of the target's deltas.
 * Margins relative to the sums cover the rounding of floats and doubles (1e-7 and 1e-12). Dual quaternions are not
 * linear and have no bound here.
 *
 * Pure; immutable: any thread. */
#pragma once

#include "anim/hits/box_tree.h"
#include "anim/pose/skin.h"

/* A box in bind space. */
struct mesh_box {
    float min[3], max[3];
};

/* The vertices of a block that one joint moves. */
struct mesh_part {
    uint32_t joint; /* index in the skin */
    struct mesh_box bind;
};

struct mesh_block {
    uint32_t part_first; /* parts end where those of the next block begin */
    bool has_bound;      /* false where a bound would take much more memory than the model */
    double least, most;  /* of the vertices' sums of weights */
};

/* The blocks of all primitives of a model. */
struct mesh_blocks {
    struct mesh_block *blocks; /* one more than block_count, which ends the last */
    uint32_t *firsts;          /* [primitive_count + 1] */
    struct mesh_part *parts;
    struct mesh_box *shapes; /* for each block of a primitive with morph targets: one for each target */
    uint64_t *shape_firsts;  /* [primitive_count] */
    uint32_t block_count;
    size_t part_count, part_capacity, size_bytes;
};

/* Returns the number of blocks for a primitive with `triangle_count` triangles. A primitive with triangles has one more
 * in its list, for the vertices that no triangle uses. */
uint32_t mesh_block_count(uint32_t triangle_count);

/* order, firsts: as in struct hit_mesh. */
void mesh_blocks_init(struct mesh_blocks *blocks, const struct model *model, const uint32_t *order,
                      const uint32_t *firsts);
void mesh_blocks_fini(struct mesh_blocks *blocks);

/* A draw in a pose. */
struct blocks_pose {
    const struct model *model;
    uint32_t draw;
    const struct skin_palette *palette; /* scene_from_bind */
    const double *weights;              /* [weight_count of the node] */
    const struct dmat4 *world_from_scene;
};
/* Enlarges *out to hold all vertices of a block of the draw's primitive in the pose, in the world. False: there is no
 * bound, or a vertex may not be finite; then *out is undefined. */
bool mesh_block_bound(const struct mesh_blocks *blocks, const struct blocks_pose *pose, uint32_t block,
                      struct box *out);
