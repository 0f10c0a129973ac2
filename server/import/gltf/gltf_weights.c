#include "import/gltf/gltf_weights.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void gltf_weight_parts_add(struct gltf_weight_parts *parts, const struct channel *channel, uint32_t weight)
{
    parts->parts = mem_grow(parts->parts, &parts->capacity, parts->count + 1, sizeof *parts->parts);
    parts->parts[parts->count++] = (struct gltf_weight_part){*channel, weight};
}

void gltf_weight_parts_fini(struct gltf_weight_parts *parts)
{
    free(parts->parts);
    *parts = (struct gltf_weight_parts){0};
}

/* --- one node --- */

/* The state of merging the parts of a node. */
struct merge {
    struct gltf *gltf;
    struct gltf_weight_part *parts; /* [part_count], of one node */
    uint32_t part_count;
    double *times_s; /* [time_count], rising */
    uint32_t time_count;
};

static const double *times_of(const struct merge *merge, const struct channel *channel)
{
    return merge->gltf->builder->key_times + channel->key_time_first;
}

static bool has_times_of(const struct merge *merge, const struct channel *a, const struct channel *b)
{
    return a->key_count == b->key_count &&
           memcmp(times_of(merge, a), times_of(merge, b), a->key_count * sizeof(double)) == 0;
}

static void leave_out_others(struct merge *merge)
{
    const struct channel *first = &merge->parts[0].channel;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < merge->part_count; i++) {
        const struct channel *channel = &merge->parts[i].channel;
        const bool fits = channel->interpolation == first->interpolation &&
                          (first->interpolation != INTERPOLATION_CUBICSPLINE || has_times_of(merge, channel, first));
        if (fits)
            merge->parts[kept++] = merge->parts[i];
        else
            bake_warn(
                merge->gltf->builder, "channel_ignored",
                "weight %u of nodes[%u] has another interpolation or other spline keys than weight %u in the same "
                "clip: it rests",
                merge->parts[i].weight, channel->node, merge->parts[0].weight);
    }
    merge->part_count = kept;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int collect_times(struct merge *merge, struct err *err)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < merge->part_count; i++)
        count += merge->parts[i].channel.key_count;
    if (import_check_limit(merge->gltf->import, LIMIT_KEYS, merge->gltf->builder->key_time_count, count,
                           "the weights of a node", err) < 0)
        return err->code;
    merge->times_s = mem_alloc((count + 1) * sizeof *merge->times_s);
    for (uint32_t i = 0; i < merge->part_count; i++) {
        const struct channel *channel = &merge->parts[i].channel;
        memcpy(merge->times_s + merge->time_count, times_of(merge, channel), channel->key_count * sizeof(double));
        merge->time_count += channel->key_count;
    }
    qsort(merge->times_s, merge->time_count, sizeof *merge->times_s, compare_times);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < merge->time_count; i++)
        if (kept == 0 || merge->times_s[i] > merge->times_s[kept - 1])
            merge->times_s[kept++] = merge->times_s[i];
    merge->time_count = kept;
    return 0;
}

/* glTF 2.0, appendix C: the first and the last key hold outside their times. */
static float value_at(const struct merge *merge, const struct channel *channel, uint32_t *key, double time_s)
{
    const double *times_s = times_of(merge, channel);
    const float *values = merge->gltf->builder->key_values + channel->value_first;
    while (*key + 1 < channel->key_count && times_s[*key + 1] <= time_s)
        ++*key;
    const bool is_between = *key + 1 < channel->key_count && time_s > times_s[*key];
    if (!is_between || channel->interpolation == INTERPOLATION_STEP)
        return values[*key];
    const double share = (time_s - times_s[*key]) / (times_s[*key + 1] - times_s[*key]);
    return (float)((1 - share) * (double)values[*key] + share * (double)values[*key + 1]);
}

/* Writes the values of a part to every `weight_count`th number. */
static void put_part(const struct merge *merge, const struct gltf_weight_part *part, uint32_t weight_count, float *out)
{
    uint32_t key = 0;
    const struct channel *channel = &part->channel;
    if (channel->interpolation == INTERPOLATION_CUBICSPLINE) { /* in-tangent, value, out-tangent */
        const float *values = merge->gltf->builder->key_values + channel->value_first;
        for (uint32_t i = 0; i < 3 * merge->time_count; i++)
            out[(size_t)i * weight_count + part->weight] = values[i];
        return;
    }
    for (uint32_t i = 0; i < merge->time_count; i++)
        out[(size_t)i * weight_count + part->weight] = value_at(merge, channel, &key, merge->times_s[i]);
}

/* Adds the channel with the times, and the values at rest. */
static int put_channel(struct merge *merge, float **values, uint32_t weight_count, struct err *err)
{
    struct bake_builder *builder = merge->gltf->builder;
    const struct channel *first = &merge->parts[0].channel;
    const struct node *node = &builder->nodes[first->node];
    const bool is_spline = first->interpolation == INTERPOLATION_CUBICSPLINE;
    const uint32_t rows = merge->time_count * (is_spline ? 3 : 1);
    struct channel channel = *first;
    if (import_check_limit(merge->gltf->import, LIMIT_KEYS, builder->key_value_count, (uint64_t)rows * weight_count,
                           "the weights of a node", err) < 0)
        return err->code;
    channel.component_count = weight_count;
    channel.key_count = merge->time_count;
    channel.key_time_first = builder->key_time_count;
    channel.value_first = builder->key_value_count;
    double *times_s = bake_add_key_time(builder, merge->time_count);
    *values = bake_add_key_value(builder, rows * weight_count);
    if (times_s == NULL || *values == NULL)
        return import_full(merge->gltf->import, err);
    memcpy(times_s, merge->times_s, merge->time_count * sizeof *times_s);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t w = 0; w < weight_count; w++)
            (*values)[(size_t)row * weight_count + w] =
                is_spline && row % 3 != 1 ? 0 : builder->weights[node->weight_first + w];
    return import_put_channel(merge->gltf->import, &channel, err);
}

static int put_node(struct merge *merge, struct err *err)
{
    const uint32_t weight_count = merge->gltf->builder->nodes[merge->parts[0].channel.node].weight_count;
    float *values = NULL;
    leave_out_others(merge);
    if (collect_times(merge, err) < 0 || put_channel(merge, &values, weight_count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < merge->part_count; i++)
        put_part(merge, &merge->parts[i], weight_count, values);
    return 0;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct gltf_weight_part *x = a, *y = b;
    if (x->channel.node != y->channel.node)
        return x->channel.node < y->channel.node ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

int gltf_weight_parts_put(struct gltf_weight_parts *parts, struct gltf *gltf, struct err *err)
{
    if (parts->count > 1)
        qsort(parts->parts, parts->count, sizeof *parts->parts, compare_nodes);
    int rc = 0;
    for (uint32_t first = 0, end; first < parts->count && rc == 0; first = end) {
        for (end = first + 1; end < parts->count && parts->parts[end].channel.node == parts->parts[first].channel.node;)
            end++;
        struct merge merge = {.gltf = gltf, .parts = parts->parts + first, .part_count = end - first};
        rc = put_node(&merge, err);
        free(merge.times_s);
    }
    parts->count = 0;
    return rc;
}
