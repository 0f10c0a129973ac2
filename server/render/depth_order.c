#include "depth_order.h"

#include "../anim/skin.h"

#include <stdlib.h>
#include <string.h>

struct depth_key {
    float depth; /* three times that of the middle, along view space's z: far ones are smaller */
    uint32_t triangle;
};

static int far_first(const void *a, const void *b)
{
    const struct depth_key *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static int make_room(struct depth_order *order, uint64_t points, uint64_t indices, struct err *err)
{
    if (points > order->point_capacity) {
        free(order->points);
        order->points = malloc(points * sizeof *order->points);
        order->point_capacity = order->points == NULL ? 0 : points;
    }
    if (indices > order->index_capacity) {
        free(order->indices);
        free(order->keys);
        order->indices = malloc(indices * sizeof *order->indices);
        order->keys = malloc(indices / 3 * sizeof *order->keys);
        order->index_capacity = order->indices == NULL || order->keys == NULL ? 0 : indices;
    }
    if (points > order->point_capacity || indices > order->index_capacity)
        return err_set(err, ERR_NO_MEMORY, "no memory to sort %llu triangles", (unsigned long long)indices / 3);
    return 0;
}

int depth_order_sort(struct depth_order *order, const struct model *model, uint32_t primitive,
                     const struct mat4 *palette, const struct vec3 *bind, struct err *err)
{
    const struct primitive *what = &model->primitives[primitive];
    const uint32_t *indices = model->indices + what->index_first;
    const uint32_t triangles = what->index_count / 3;
    order->index_count = (uint64_t)triangles * 3;
    if (make_room(order, what->vertex_count, order->index_count, err) < 0)
        return err->code;
    if (triangles > DEPTH_ORDER_MAX) {
        memcpy(order->indices, indices, order->index_count * sizeof *indices);
        return 0;
    }
    skin_positions(model, primitive, palette, bind, order->points);
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t *corner = indices + 3 * (size_t)t;
        order->keys[t].depth = order->points[corner[0]].z + order->points[corner[1]].z + order->points[corner[2]].z;
        order->keys[t].triangle = t;
    }
    qsort(order->keys, triangles, sizeof *order->keys, far_first);
    for (uint32_t t = 0; t < triangles; t++)
        memcpy(order->indices + 3 * (size_t)t, indices + 3 * (size_t)order->keys[t].triangle, 3 * sizeof *indices);
    return 0;
}

void depth_order_fini(struct depth_order *order)
{
    free(order->indices);
    free(order->points);
    free(order->keys);
    *order = (struct depth_order){0};
}
