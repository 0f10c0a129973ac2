/* export_influences.c - the joints and weights of a vertex as the file has them. */
#include "wire/export/export_internal.h"
#include "wire/optimize/quantize.h"

#include <math.h>

/* Sorts by descending weight, because readers with only four joints use the first set. */
static void sort(struct export_influences *influences)
{
    for (uint32_t i = 1; i < influences->count; i++) {
        const struct influence moved = influences->all[i];
        uint32_t at = i;
        for (; at > 0 && influences->all[at - 1].weight < moved.weight; at--)
            influences->all[at] = influences->all[at - 1];
        influences->all[at] = moved;
    }
}

bool export_merge_influences(const struct model *model, uint32_t vertex, struct export_influences *out)
{
    const uint32_t first = model->influence_firsts[vertex], end = model->influence_firsts[vertex + 1];
    double sums[EXPORT_INFLUENCES_MAX], sum = 0;
    out->count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct influence *from = &model->influences[i];
        uint32_t at = 0;
        while (at < out->count && out->all[at].joint != from->joint)
            at++;
        if (at == EXPORT_INFLUENCES_MAX)
            return false;
        if (at == out->count) {
            out->all[out->count++].joint = from->joint;
            sums[at] = 0;
        }
        sums[at] += (double)from->weight;
        sum += (double)from->weight;
    }
    if (out->count == 0) { /* such a vertex follows joint 0 (model.h) */
        out->all[out->count++].joint = 0;
        sum = sums[0] = 1;
    }
    const bool is_whole = fabs(sum - 1) <= 1e-7 * out->count;
    for (uint32_t i = 0; i < out->count; i++)
        out->all[i].weight = (float)(is_whole ? sums[i] : sums[i] / sum);
    sort(out);
    return true;
}

void export_round_influences(struct export_influences *influences, int bits, uint16_t *out)
{
    float weights[EXPORT_INFLUENCES_MAX];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < influences->count; i++)
        weights[i] = influences->all[i].weight;
    quantize_weights(weights, influences->count, bits, out);
    for (uint32_t i = 0; i < influences->count; i++) {
        if (out[i] == 0)
            continue;
        influences->all[kept] = influences->all[i];
        out[kept++] = out[i];
    }
    influences->count = kept;
}

uint64_t export_merge_steps(const struct model *model, uint32_t vertex_first, uint32_t vertex_count)
{
    enum { LOOKS_PER_STEP = 256 };
    uint64_t looks = 0;
    for (uint32_t v = vertex_first; v < vertex_first + vertex_count; v++) {
        const uint64_t count = model->influence_firsts[v + 1] - model->influence_firsts[v];
        looks += count * (count < EXPORT_INFLUENCES_MAX ? count : EXPORT_INFLUENCES_MAX);
    }
    return looks / LOOKS_PER_STEP;
}
