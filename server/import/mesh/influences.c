#include "import/mesh/influences.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller deviation from 1 is rounding, because files store weights with few digits or 8 bits. */
static const double SUM_TOLERANCE = 1e-3;

/* --- one vertex --- */

uint32_t influences_of_vertex(struct joint_weight *weights, uint32_t count, uint32_t joint_count, struct influence *out,
                              struct weight_repairs *repairs)
{
    double sum = 0;
    uint32_t used = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double weight = weights[i].weight;
        if (weight == 0)
            continue;
        if (!(weight > 0) || !isfinite((float)weight) || weights[i].joint >= joint_count) {
            repairs->dropped++;
            continue;
        }
        sum += weight;
        weights[used++] = weights[i];
    }
    for (uint32_t i = 0; i < used; i++) {
        const float weight = (float)(weights[i].weight / sum);
        if (weight > 0)
            out[kept++] = (struct influence){.joint = weights[i].joint, .weight = weight};
    }
    repairs->renormalised += used > 0 && !(fabs(sum - 1) <= SUM_TOLERANCE);
    repairs->unweighted += kept == 0;
    return kept;
}

int influences_put(struct import *import, const struct influence *influences, uint32_t count, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint32_t first = builder->influence_count;
    uint32_t *out_first = bake_add_influence_first(builder, 1);
    struct influence *out = bake_add_influence(builder, count);
    if (out_first == NULL || out == NULL)
        return import_full(import, err);
    *out_first = first;
    if (count > 0)
        memcpy(out, influences, count * sizeof *out);
    return 0;
}

int influences_put_none(struct import *import, uint32_t count, struct err *err)
{
    uint32_t *firsts = bake_add_influence_first(import->builder, count);
    if (firsts == NULL)
        return import_full(import, err);
    for (uint32_t v = 0; v < count; v++)
        firsts[v] = import->builder->influence_count;
    return 0;
}

void influences_warn(struct bake_builder *builder, const struct weight_repairs *repairs, uint32_t vertex_count,
                     const char *where)
{
    if (repairs->dropped > 0)
        bake_warn(builder, "weights_dropped",
                  "%s: %u joint weights are left out: they are below 0, not finite, or of no joint or vertex", where,
                  repairs->dropped);
    if (repairs->renormalised > 0)
        bake_warn(builder, "weights_renormalised", "%s: the joint weights of %u of %u vertices do not sum to 1", where,
                  repairs->renormalised, vertex_count);
    if (repairs->unweighted > 0)
        bake_warn(builder, "vertices_unweighted", "%s: %u of %u vertices have no joint weights: they follow joint 0",
                  where, repairs->unweighted, vertex_count);
}

/* --- all points --- */

void weight_list_add(struct weight_list *list, uint32_t point, uint32_t joint, double weight)
{
    list->items = mem_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = (struct point_weight){.weight = weight, .joint = joint, .point = point};
}

/* Sorts the list by points: the weights of p are out[firsts[p] .. firsts[p + 1] - 1]. Fewer than 2^32 entries of the
 * list have a point. */
static struct joint_weight *sort_by_point(const struct weight_list *list, uint32_t point_count, uint32_t *firsts,
                                          struct weight_repairs *repairs)
{
    struct joint_weight *out = mem_alloc((list->count + 1) * sizeof *out);
    uint32_t *at = mem_zalloc((size_t)point_count + 1, sizeof *at);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].point < point_count)
            firsts[list->items[i].point + 1]++;
        else
            repairs->dropped += list->items[i].weight != 0;
    for (uint32_t p = 0; p < point_count; p++) {
        at[p] = firsts[p];
        firsts[p + 1] += firsts[p];
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct point_weight *item = &list->items[i];
        if (item->point < point_count)
            out[at[item->point]++] = (struct joint_weight){.weight = item->weight, .joint = item->joint};
    }
    free(at);
    return out;
}

void influences_make(struct influences *influences, struct weight_list *list, uint32_t point_count,
                     uint32_t joint_count, uint32_t own_joint)
{
    *influences = (struct influences){.point_count = point_count,
                                      .firsts = mem_zalloc((size_t)point_count + 1, sizeof(uint32_t))};
    uint32_t *firsts = influences->firsts;
    struct joint_weight *weights = sort_by_point(list, point_count, firsts, &influences->repairs);
    influences->entries = mem_alloc(((size_t)firsts[point_count] + point_count + 1) * sizeof *influences->entries);
    free(list->items);
    *list = (struct weight_list){0};
    uint32_t used = 0, begin = 0;
    for (uint32_t p = 0; p < point_count; p++) {
        const uint32_t end = firsts[p + 1];
        uint32_t kept = influences_of_vertex(weights + begin, end - begin, joint_count, influences->entries + used,
                                             &influences->repairs);
        if (kept == 0 && own_joint != JOINT_NONE)
            influences->entries[used + kept++] = (struct influence){.joint = own_joint, .weight = 1};
        firsts[p] = used;
        used += kept;
        begin = end;
    }
    firsts[point_count] = used;
    free(weights);
}

void influences_fini(struct influences *influences)
{
    free(influences->firsts);
    free(influences->entries);
    *influences = (struct influences){0};
}

int influences_put_point(struct import *import, const struct influences *influences, uint32_t point, struct err *err)
{
    if (influences->firsts == NULL || point >= influences->point_count)
        return influences_put(import, NULL, 0, err);
    const uint32_t first = influences->firsts[point];
    return influences_put(import, influences->entries + first, influences->firsts[point + 1] - first, err);
}

bool influences_are_same(const struct influences *influences, uint32_t a, uint32_t b)
{
    if (influences == NULL)
        return true;
    const uint32_t *firsts = influences->firsts;
    const uint32_t count = firsts[a + 1] - firsts[a];
    return count == firsts[b + 1] - firsts[b] &&
           memcmp(influences->entries + firsts[a], influences->entries + firsts[b],
                  count * sizeof *influences->entries) == 0;
}
