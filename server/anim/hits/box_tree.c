/* box_tree.c - orders things along a space-filling curve, and keeps boxes around groups of them. */
#include "anim/hits/box_tree.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { LEAF_THINGS = 4, CODE_BITS = 21 };

/* Boxes are enlarged by this share of the numbers involved, so that rounding loses nothing that touches their sides. */
static const double BOX_SLACK = 1e-11;
/* Replaces the infinite inverse of 0 and -0, because 0 times infinity is NaN. */
static const double MOST_INVERSE = 1e300;

void box_tree_fini(struct box_tree *tree) { free(tree->boxes); }

/* --- order --- */

/* Inserts two zeros between each of the lowest 21 bits. */
static uint64_t spread(uint64_t v)
{
    v &= 0x1fffff;
    v = (v | v << 32) & UINT64_C(0x1f00000000ffff);
    v = (v | v << 16) & UINT64_C(0x1f0000ff0000ff);
    v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
    v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
    v = (v | v << 2) & UINT64_C(0x1249249249249249);
    return v;
}

static int compare_codes(const void *a, const void *b)
{
    const struct box_place *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->thing < y->thing ? -1 : x->thing > y->thing;
}

void box_tree_order(const double (*middles)[3], uint32_t count, struct box_place *scratch, uint32_t *order)
{
    struct box all = BOX_EMPTY;
    for (uint32_t i = 0; i < count; i++)
        box_add(&all, middles[i]);
    const double size = box_size(&all);
    const double scale = size > 0 ? (double)((1 << CODE_BITS) - 1) / size : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t code = 0;
        for (int k = 0; k < 3; k++) {
            const double at = fmin(fmax((middles[i][k] - all.min[k]) * scale, 0), (1 << CODE_BITS) - 1);
            code |= spread((uint64_t)at) << k;
        }
        scratch[i] = (struct box_place){.code = code, .thing = i};
    }
    sort_in_place(scratch, count, sizeof *scratch, compare_codes);
    for (uint32_t i = 0; i < count; i++)
        order[i] = scratch[i].thing;
}

/* --- boxes --- */

uint32_t box_tree_leaves(uint32_t count)
{
    uint32_t leaves = 1;
    while ((uint64_t)leaves * LEAF_THINGS < count)
        leaves *= 2;
    return leaves;
}

bool box_tree_reserve(struct box_tree *tree, uint32_t count)
{
    const uint32_t needed = 2 * box_tree_leaves(count);
    if (needed <= tree->box_capacity)
        return true;
    struct box *grown = realloc(tree->boxes, needed * sizeof *grown);
    if (grown == NULL)
        return false;
    tree->boxes = grown;
    tree->box_capacity = needed;
    return true;
}

void box_tree_shape(struct box_tree *tree, uint32_t count)
{
    if (!box_tree_reserve(tree, count))
        mem_exhausted();
    tree->count = count;
    tree->leaf_count = box_tree_leaves(count);
}

void box_tree_resize(struct box_tree *tree, uint32_t count)
{
    box_tree_shape(tree, count);
    for (uint32_t i = 0; i < 2 * tree->leaf_count; i++)
        tree->boxes[i] = BOX_EMPTY;
}

static void widen(struct box *box)
{
    for (int i = 0; i < 3 && !box_is_empty(box); i++) {
        const double more = BOX_SLACK * (fabs(box->min[i]) + fabs(box->max[i]));
        box->min[i] -= more;
        box->max[i] += more;
    }
}

static void join_below(struct box_tree *tree, uint32_t node)
{
    const struct box *a = &tree->boxes[2 * node], *b = a + 1;
    for (int i = 0; i < 3; i++) {
        tree->boxes[node].min[i] = a->min[i] < b->min[i] ? a->min[i] : b->min[i];
        tree->boxes[node].max[i] = a->max[i] > b->max[i] ? a->max[i] : b->max[i];
    }
}

void box_tree_refit(struct box_tree *tree)
{
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        widen(box_tree_leaf(tree, leaf));
    for (uint32_t node = tree->leaf_count - 1; node > 0; node--)
        join_below(tree, node);
}

void box_tree_refit_below(struct box_tree *tree, uint32_t top)
{
    uint32_t first = top, count = 1;
    for (; first < tree->leaf_count; first *= 2)
        count *= 2;
    for (uint32_t i = 0; i < count; i++)
        widen(&tree->boxes[first + i]);
    while (first > top) {
        first /= 2;
        count /= 2;
        for (uint32_t i = 0; i < count; i++)
            join_below(tree, first + i);
    }
}

/* --- rays --- */

void box_ray_init(struct box_ray *ray, const double origin[3], const double direction[3], double radius)
{
    for (int i = 0; i < 3; i++) {
        const bool is_back = direction[i] < 0;
        const double more = radius + BOX_SLACK * fabs(origin[i]);
        ray->near_side[i] = is_back ? 3 + i : i;
        ray->far_side[i] = is_back ? i : 3 + i;
        ray->near_origin[i] = is_back ? origin[i] - more : origin[i] + more;
        ray->far_origin[i] = is_back ? origin[i] + more : origin[i] - more;
        ray->inverse[i] =
            fabs(direction[i]) > 1 / MOST_INVERSE ? 1 / direction[i] : (is_back ? -MOST_INVERSE : MOST_INVERSE);
    }
}

bool box_meets(const struct box *box, const struct box_ray *ray, double most)
{
    const double *sides = (const double *)(const void *)box; /* min, then max */
    double in = 0, away = most;
    for (int i = 0; i < 3; i++) {
        const double near = (sides[ray->near_side[i]] - ray->near_origin[i]) * ray->inverse[i];
        const double far = (sides[ray->far_side[i]] - ray->far_origin[i]) * ray->inverse[i];
        in = near > in ? near : in;
        away = far < away ? far : away;
    }
    return in <= away + BOX_SLACK * in;
}

void box_walk_start(struct box_walk *walk, const struct box_tree *tree)
{
    walk->depth = tree->count > 0;
    walk->nodes[0] = 1;
}

bool box_walk_next(struct box_walk *walk, const struct box_tree *tree, const struct box_ray *ray, double most,
                   uint32_t *leaf, uint64_t *steps)
{
    while (walk->depth > 0) {
        const uint32_t node = walk->nodes[--walk->depth];
        (*steps)++;
        if (!box_meets(&tree->boxes[node], ray, most))
            continue;
        if (node >= tree->leaf_count) {
            *leaf = node - tree->leaf_count;
            return true;
        }
        walk->nodes[walk->depth++] = 2 * node + 1;
        walk->nodes[walk->depth++] = 2 * node;
    }
    return false;
}
