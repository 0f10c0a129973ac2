/* box_tree.h - a bounding volume hierarchy over moving things. Its order is made once, its boxes are refitted often.
 *
 * The order follows a Morton curve (G. M. Morton, 1966; T. Karras, "Maximizing Parallelism in the Construction of BVHs,
 * Octrees, and k-d Trees", 2012), so things that are close when it is made are close in it. The tree over it is full:
 * leaf l of 2^n holds the places count * l / 2^n to count * (l + 1) / 2^n. So refitting from the leaves to the root
 * needs no pointers. For any input, ordering takes time proportional to count * log(count) and refitting to count.
 * Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>
#include <stdint.h>

enum { BOX_TREE_DEPTH_MAX = 32 };

/* As box_add(), but may ignore a NaN. */
static inline void box_grow(struct box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = point[i] < box->min[i] ? point[i] : box->min[i];
        box->max[i] = point[i] > box->max[i] ? point[i] : box->max[i];
    }
}

struct box_tree {
    struct box *boxes; /* [2 * leaf_count]: 1 is the root, the children of node n are 2n and 2n + 1, leaves come last */
    uint32_t count, leaf_count;
    uint32_t box_capacity; /* private */
};

void box_tree_fini(struct box_tree *tree);

/* Private: a thing and its position along the curve. */
struct box_place {
    uint64_t code;
    uint32_t thing;
};
/* Fills order[count] with the indices of things, neighbours close together. middles[count]: their centres, which
 * must be finite. scratch[count]. */
void box_tree_order(const double (*middles)[3], uint32_t count, struct box_place *scratch, uint32_t *order);

/* Returns the number of leaves of a tree over `count` things: 2^n. */
uint32_t box_tree_leaves(uint32_t count);
/* Makes room for a tree over `count` things. False: memory ran out, and the tree is unchanged. */
bool box_tree_reserve(struct box_tree *tree, uint32_t count);
/* Makes a tree over `count` things with empty boxes. */
void box_tree_resize(struct box_tree *tree, uint32_t count);
/* Makes a tree over `count` things with undefined boxes. */
void box_tree_shape(struct box_tree *tree, uint32_t count);
/* Returns where the things of a leaf begin in the order. They end where those of the next leaf begin. */
static inline uint32_t box_tree_place(const struct box_tree *tree, uint32_t leaf)
{
    return (uint32_t)((uint64_t)tree->count * leaf / tree->leaf_count);
}
static inline struct box *box_tree_leaf(const struct box_tree *tree, uint32_t leaf)
{
    return &tree->boxes[tree->leaf_count + leaf];
}
/* Enlarges the boxes of the leaves slightly, then computes those above them. */
void box_tree_refit(struct box_tree *tree);

/* Does the same for node `top` and the nodes below it. */
void box_tree_refit_below(struct box_tree *tree, uint32_t top);

/* A ray, or a moving ball, prepared for tests against boxes. */
struct box_ray {
    double near_origin[3], far_origin[3]; /* the origin, moved by the radius towards the near and the far sides */
    double inverse[3];                    /* 1 / direction, finite */
    int near_side[3], far_side[3];        /* indices of these sides in a box's six numbers */
};
void box_ray_init(struct box_ray *ray, const double origin[3], const double direction[3], double radius);
/* True when the ray meets the box, enlarged by the radius on each side, up to the distance `most`. Rounding never makes
 * it miss a box. */
bool box_meets(const struct box *box, const struct box_ray *ray, double most);

/* A walk over the leaves whose boxes the ray meets. */
struct box_walk {
    uint32_t nodes[BOX_TREE_DEPTH_MAX + 1];
    uint32_t depth;
};
void box_walk_start(struct box_walk *walk, const struct box_tree *tree);
/* Starts a walk below node `top`. */
static inline void box_walk_start_below(struct box_walk *walk, uint32_t top)
{
    walk->depth = 1;
    walk->nodes[0] = top;
}
/* Finds the next such leaf; false: none is left. *steps counts the boxes that it tests. */
bool box_walk_next(struct box_walk *walk, const struct box_tree *tree, const struct box_ray *ray, double most,
                   uint32_t *leaf, uint64_t *steps);
