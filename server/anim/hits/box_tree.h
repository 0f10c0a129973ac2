/* box_tree.h - a hierarchy of boxes over things that move: its order is made once, its boxes again and again.
 *
 * The order puts things near each other that are near each other when it is made (along a Morton curve: G. M. Morton,
 * 1966; T. Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", 2012). The tree over
 * it is full: leaf l of 2^n has the things of places count * l / 2^n to count * (l + 1) / 2^n. So boxes are refitted
 * from the leaves to the root without any pointer. Whatever the things, a tree takes time in proportion to
 * count * log(count) to order and to count to refit. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>
#include <stdint.h>

enum { BOX_TREE_DEPTH_MAX = 32 };

/* As box_add(), but a NaN may be lost. */
static inline void box_grow(struct box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = point[i] < box->min[i] ? point[i] : box->min[i];
        box->max[i] = point[i] > box->max[i] ? point[i] : box->max[i];
    }
}

struct box_tree {
    struct box *boxes; /* [2 * leaf_count]: of node n; 1 is the root, 2n and 2n + 1 are below n; leaves come last */
    uint32_t count, leaf_count;
    uint32_t box_capacity; /* private */
};

void box_tree_fini(struct box_tree *tree);

/* A thing and its place along the curve. Private. */
struct box_place {
    uint64_t code;
    uint32_t thing;
};
/* order[count]: the places of things whose middles these are (finite), so that neighbours are near. scratch[count]. */
void box_tree_order(const double (*middles)[3], uint32_t count, struct box_place *scratch, uint32_t *order);

/* Leaves of a tree over so many things: 2^n. */
uint32_t box_tree_leaves(uint32_t count);
/* Room for a tree over so many things. False: memory is gone, and the tree is as before. */
bool box_tree_reserve(struct box_tree *tree, uint32_t count);
/* A tree over so many things; its boxes are empty. */
void box_tree_resize(struct box_tree *tree, uint32_t count);
/* The same, but its boxes are undefined. */
void box_tree_shape(struct box_tree *tree, uint32_t count);
/* The places in the order that leaf `leaf` has: first .. end. */
static inline uint32_t box_tree_place(const struct box_tree *tree, uint32_t leaf)
{
    return (uint32_t)((uint64_t)tree->count * leaf / tree->leaf_count);
}
static inline struct box *box_tree_leaf(const struct box_tree *tree, uint32_t leaf)
{
    return &tree->boxes[tree->leaf_count + leaf];
}
/* Makes the boxes above the leaves of those of the leaves, which become a little larger first. */
void box_tree_refit(struct box_tree *tree);

/* The same of node `top` and what is below it alone. */
void box_tree_refit_below(struct box_tree *tree, uint32_t top);

/* A ray, or a ball that moves, against boxes. */
struct box_ray {
    double near_origin[3], far_origin[3]; /* the origin, moved by the radius against the near and the far sides */
    double inverse[3];                    /* 1 / direction, finite */
    int near_side[3], far_side[3];        /* which of the six numbers of a box these sides are */
};
void box_ray_init(struct box_ray *ray, const double origin[3], const double direction[3], double radius);
/* Whether the ray meets the box, larger by its radius on each side, up to `most`; never false by a rounding. */
bool box_meets(const struct box *box, const struct box_ray *ray, double most);

/* The walk over the leaves whose boxes the ray meets. */
struct box_walk {
    uint32_t nodes[BOX_TREE_DEPTH_MAX + 1];
    uint32_t depth;
};
void box_walk_start(struct box_walk *walk, const struct box_tree *tree);
/* Over those below node `top`. */
static inline void box_walk_start_below(struct box_walk *walk, uint32_t top)
{
    walk->depth = 1;
    walk->nodes[0] = top;
}
/* The next such leaf, or false. Costs one step for each box looked at, which *steps counts. */
bool box_walk_next(struct box_walk *walk, const struct box_tree *tree, const struct box_ray *ray, double most,
                   uint32_t *leaf, uint64_t *steps);
