/* depth_order.h - sorts the triangles of a draw from far to near for blended surfaces, or from near to far for surfaces
 * that hide each other. Pure; one thread per order. Memory is kept from draw to draw. */
#pragma once

#include "anim/model/mat.h"
#include "anim/pose/skin.h"
#include "base/err.h"

/* Beyond this number the file's order is kept, because sorting would cost more than drawing. */
enum { DEPTH_ORDER_MAX = 1 << 19 };

struct depth_order {
    uint32_t *indices; /* result of the last call, relative to the primitive's first vertex, as in the model */
    uint64_t index_count;
    struct vec3 *points;
    struct depth_key *keys;
    uint64_t point_capacity, index_capacity, key_capacity;
};

/* Far first: sorts by the centres of the skinned triangles along the view direction. Near first: sorts quickly and
 * roughly, so that the depth test rejects hidden triangles before they are shaded. Triangles at the same depth keep the
 * file's order. palette: for the draw's skin, view space. bind: positions of the primitive, morphed or the model's own.
 * Zero-initialise *order before the first call. Returns 0 or ERR_NO_MEMORY. */
int depth_order_sort(struct depth_order *order, const struct model *model, uint32_t primitive,
                     const struct skin_palette *palette, const struct vec3 *bind, bool is_far_first, struct err *err);
void depth_order_fini(struct depth_order *order);
