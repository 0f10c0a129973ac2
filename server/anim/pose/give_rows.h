/* give_rows.h - changes matrices of a pose by a given one, where there are no local transforms: those of compiled
 * clips. Pure; any thread. The same arguments give the same bits, whichever kernel made the matrices. */
#pragma once

#include "anim/pose/blend.h"
#include "anim/pose/give.h"

/* True when a given pose replaces all of the node's local transform, whatever it was. */
static inline bool give_is_whole(const struct give *give, const struct given_node *of)
{
    return of->parts == GIVEN_WHOLE && !give->is_additive && give->weight >= 1;
}

/* Changes the three rows of parent_from_node by what is given of the node. scale: the node's scale so far, which the
 * rows contain. False, with nothing changed: the rows cannot be taken apart, because of shear or a scale of 0. */
bool give_rows(const struct give *give, const struct given_node *of, const struct given_moment *moment,
               const struct model *model, const double scale[3], double rows[12]);

/* The matrices of the rig's nodes: element e of rig node n, in rows, at n * node_step + e * element_step. */
enum { GIVE_WHOLE = 4 };
struct rig_rows {
    void (*whole)(const double *const from[GIVE_WHOLE], float *const to[GIVE_WHOLE]); /* of a kernel (kernel.h) */
    float *rows;
    double *f64; /* NULL, or the matrices instead */
    size_t node_step, element_step;
};

/* True for a layer whose given pose replaces all matrices of the rig, so that what is below does not matter. */
static inline bool give_covers(const struct blend_layer *layer)
{
    return layer->given != NULL && (layer->given->flags & GIVEN_COVERS) != 0 && !layer->is_additive &&
           layer->weight >= 1 && layer->mask_count == 0;
}

/* Changes the matrices by the given poses among the layers, none of which has masks. The model has a rig. is_sized:
 * scales so far are those at rest; otherwise all are 1. Computes in double precision, and rounds to float unless the
 * matrices are doubles. False, with the matrices undefined: see give_rows(). */
bool give_layers(const struct blend_layer *layers, uint32_t count, const struct model *model, bool is_sized,
                 const struct rig_rows *to);
