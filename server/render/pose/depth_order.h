/* depth_order.h - the triangles of a draw from far to near, for surfaces that are seen through, or from near to far,
 * for those that hide each other. Pure; one thread an order. Memory is kept from one draw to the next. */
#pragma once

#include "anim/model/mat.h"
#include "anim/pose/skin.h"
#include "base/err.h"

/* Beyond so many triangles the order of the file is taken: sorting would cost more than the picture. */
enum { DEPTH_ORDER_MAX = 1 << 19 };

struct depth_order {
    uint32_t *indices; /* of the last call, as in the model: relative to the primitive's first vertex */
    uint64_t index_count;
    struct vec3 *points;
    struct depth_key *keys;
    uint64_t point_capacity, index_capacity, key_capacity;
};

/* From far to near, by the middles of the skinned triangles along the line of sight; else from near to far, roughly and
 * in little time: what others hide is then rejected by depth before it is shaded. Those at the same depth keep the
 * file's order. palette: of the draw's skin, view space. bind: positions of the primitive, morphed or the model's
 * own. Zero-initialise *order before the first call. Returns 0 or ERR_NO_MEMORY. */
int depth_order_sort(struct depth_order *order, const struct model *model, uint32_t primitive,
                     const struct skin_palette *palette, const struct vec3 *bind, bool is_far_first, struct err *err);
void depth_order_fini(struct depth_order *order);
