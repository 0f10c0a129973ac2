/* depth_order.c - sorts triangles by depth, exactly or roughly. */
#include "render/pose/depth_order.h"

#include "anim/pose/skin.h"
#include "base/mem.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 }; /* of depth, from near to far */

struct depth_key {
    float depth; /* three times that of the centre, along view space's z: smaller is farther */
    union {
        uint32_t triangle; /* far first */
        uint32_t bucket;   /* near first */
    };
};

static int far_first(const void *a, const void *b)
{
    const struct depth_key *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static int make_capacity(struct depth_order *order, uint64_t points, uint64_t indices, struct err *err)
{
    order->points = mem_reserve(order->points, &order->point_capacity, points, sizeof *order->points);
    order->indices = mem_reserve(order->indices, &order->index_capacity, indices, sizeof *order->indices);
    order->keys = mem_reserve(order->keys, &order->key_capacity, indices / 3, sizeof *order->keys);
    if (order->points == NULL || order->indices == NULL || order->keys == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to sort %llu triangles", (unsigned long long)indices / 3);
    return 0;
}

/* Sorts by depth; triangles at the same depth keep the file's order. */
static void put_far_first(struct depth_order *order, const uint32_t *indices, uint32_t triangles)
{
    for (uint32_t t = 0; t < triangles; t++)
        order->keys[t].triangle = t;
    qsort(order->keys, triangles, sizeof *order->keys, far_first);
    for (uint32_t t = 0; t < triangles; t++)
        memcpy(order->indices + 3 * (size_t)t, indices + 3 * (size_t)order->keys[t].triangle, 3 * sizeof *indices);
}

/* Computes view space's z in float, with linear skinning. It only affects time, not pixels. */
static float vertex_depth(const struct model *model, uint32_t vertex, const struct mat4 *palette,
                          const struct vec3 *bind)
{
    const uint32_t first = model->influence_firsts[vertex], end = model->influence_firsts[vertex + 1];
    const float *m = palette[0].m;
    float sum = 0;
    if (first == end)
        return m[2] * bind->x + m[6] * bind->y + m[10] * bind->z + m[14];
    for (uint32_t i = first; i < end; i++) {
        m = palette[model->influences[i].joint].m;
        sum += model->influences[i].weight * (m[2] * bind->x + m[6] * bind->y + m[10] * bind->z + m[14]);
    }
    return sum;
}

/* Returns 0 for the nearest, and for NaN. */
static uint32_t bucket_of(float depth, float nearest, float scale)
{
    const float place = (nearest - depth) * scale;
    if (!(place > 0))
        return 0;
    return place < BUCKETS - 1 ? (uint32_t)place : BUCKETS - 1;
}

/* A counting sort, in which each bucket keeps the file's order. */
static void put_near_first(struct depth_order *order, const uint32_t *indices, uint32_t triangles)
{
    uint32_t starts[BUCKETS + 1] = {0};
    float nearest = -FLT_MAX, farthest = FLT_MAX;
    for (uint32_t t = 0; t < triangles; t++) {
        nearest = order->keys[t].depth > nearest ? order->keys[t].depth : nearest;
        farthest = order->keys[t].depth < farthest ? order->keys[t].depth : farthest;
    }
    const float scale = nearest > farthest ? (BUCKETS - 1) / (nearest - farthest) : 0;
    for (uint32_t t = 0; t < triangles; t++) {
        order->keys[t].bucket = bucket_of(order->keys[t].depth, nearest, scale);
        starts[order->keys[t].bucket + 1]++;
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        starts[b + 1] += starts[b];
    for (uint32_t t = 0; t < triangles; t++)
        memcpy(order->indices + 3 * (size_t)starts[order->keys[t].bucket]++, indices + 3 * (size_t)t,
               3 * sizeof *indices);
}

int depth_order_sort(struct depth_order *order, const struct model *model, uint32_t primitive,
                     const struct skin_palette *palette, const struct vec3 *bind, bool is_far_first, struct err *err)
{
    const struct primitive *what = &model->primitives[primitive];
    const uint32_t *indices = model->indices + what->index_first;
    const uint32_t triangles = what->index_count / 3;
    order->index_count = (uint64_t)triangles * 3;
    if (make_capacity(order, what->vertex_count, order->index_count, err) < 0)
        return err->code;
    if (triangles > DEPTH_ORDER_MAX) {
        memcpy(order->indices, indices, order->index_count * sizeof *indices);
        return 0;
    }
    if (is_far_first)
        skin_positions(model, primitive, palette, bind, order->points);
    for (uint32_t v = 0; v < what->vertex_count && !is_far_first; v++)
        order->points[v].z = vertex_depth(model, what->vertex_first + v, palette->matrices, &bind[v]);
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t *corner = indices + 3 * (size_t)t;
        order->keys[t].depth = order->points[corner[0]].z + order->points[corner[1]].z + order->points[corner[2]].z;
    }
    (is_far_first ? put_far_first : put_near_first)(order, indices, triangles);
    return 0;
}

void depth_order_fini(struct depth_order *order)
{
    free(order->indices);
    free(order->points);
    free(order->keys);
    *order = (struct depth_order){0};
}
