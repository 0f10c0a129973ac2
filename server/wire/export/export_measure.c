/* export_measure.c - measures the distance between the poses of the file and the model. */
#include "wire/export/export_internal.h"

#include <math.h>
#include <stdlib.h>

struct model export_view(const struct export *e, struct clip *clip_of_view, uint32_t clip)
{
    const struct export_clip *at = &e->clips.clips[clip];
    struct model view = *e->model;
    *clip_of_view = (struct clip){.name = {.offset = STR_NONE},
                                  .channel_first = at->channel_first,
                                  .channel_count = at->channel_count - at->property_count,
                                  .duration_s = at->duration_s};
    view.clips = clip_of_view;
    view.clip_count = 1;
    view.channels = (const struct channel *)(const void *)e->clips.channels.data;
    view.channel_count = (uint32_t)(e->clips.channels.size_bytes / sizeof(struct channel));
    view.key_times = (const double *)(const void *)e->clips.times.data;
    view.key_time_count = (uint32_t)(e->clips.times.size_bytes / sizeof(double));
    view.key_values = (const float *)(const void *)e->clips.values.data;
    view.key_value_count = (uint32_t)(e->clips.values.size_bytes / sizeof(float));
    return view;
}

/* --- times to measure --- */

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool export_list_keys(struct export *e, const struct channel *channels, uint32_t channel_count, const double *times,
                      struct export_times *out)
{
    uint64_t *ranges = malloc(((size_t)channel_count + 1) * sizeof *ranges); /* first << 32 | count */
    size_t kept = 0, all = 0;
    if (ranges == NULL)
        return context_fail_memory(e->context);
    for (uint32_t c = 0; c < channel_count; c++)
        ranges[c] = (uint64_t)channels[c].key_time_first << 32 | channels[c].key_count;
    qsort(ranges, channel_count, sizeof *ranges, by_place);
    for (uint32_t c = 0; c < channel_count; c++)
        if (kept == 0 || ranges[c] != ranges[kept - 1])
            ranges[kept++] = ranges[c];
    for (size_t r = 0; r < kept; r++)
        all += (uint32_t)ranges[r];
    double *grown = all > e->context->limit_bytes ? NULL : realloc(out->times, (out->count + all + 1) * sizeof *grown);
    if (grown != NULL)
        out->times = grown;
    for (size_t r = 0; r < kept && grown != NULL; r++)
        for (uint32_t k = 0; k < (uint32_t)ranges[r]; k++) {
            const double time_s = times[(ranges[r] >> 32) + k];
            if (time_s >= 0)
                grown[out->count++] = time_s;
        }
    free(ranges);
    return grown != NULL ||
           (all > e->context->limit_bytes ? context_fail_too_large(e->context) : context_fail_memory(e->context));
}

void export_sort_times(struct export_times *times)
{
    size_t kept = 0;
    qsort(times->times, times->count, sizeof *times->times, by_time);
    for (size_t i = 0; i < times->count; i++)
        if (kept == 0 || times->times[i] > times->times[kept - 1])
            times->times[kept++] = times->times[i];
    times->count = kept;
}

double *export_list_times(struct export *e, const struct export_clip *clip, size_t *count)
{
    const struct clip *from = &clip->source->clips[clip->index];
    const double *own = (const double *)(const void *)e->clips.times.data;
    struct export_times all = {.times = NULL};
    *count = 0;
    if (!export_list_keys(e, clip->source->channels + from->channel_first, from->channel_count, clip->source->key_times,
                          &all) ||
        (clip->is_approximated && !export_list_keys(e, export_channels(e, clip), clip->channel_count, own, &all))) {
        free(all.times);
        return NULL;
    }
    export_sort_times(&all);
    *count = all.count;
    return all.times;
}

/* Times this close mark a jump of values: files store them as neighbouring floats. */
static bool is_near(double a_s, double b_s)
{
    return b_s - a_s < 5 * (double)(nextafterf((float)b_s, INFINITY) - (float)b_s);
}

/* --- distances --- */

static double node_distance(const struct dmat4 *a, const struct dmat4 *b, double size)
{
    double longest = 0, turned = 0, moved = 0;
    for (int i = 0; i < 12; i++) {
        if (i % 4 == 3)
            continue;
        longest = fmax(longest, fmax(fabs(a->m[i]), fabs(b->m[i])));
        turned = fmax(turned, fabs(a->m[i] - b->m[i]));
    }
    for (int i = 12; i < 15; i++)
        moved += (a->m[i] - b->m[i]) * (a->m[i] - b->m[i]);
    return fmax(longest > 0 ? turned / longest * size : 0, sqrt(moved));
}

/* Compares the two poses evaluated last. lever: how far points are from the nodes that carry them. */
static void compare(const struct export *e, double lever, double time_s, struct export_distance *worst)
{
    for (uint32_t n = 0; n < e->own_node_count; n++) {
        const struct node *node = &e->model->nodes[n];
        if (e->keeps[n] == KEEP_NOTHING)
            continue;
        double units = node_distance(&e->before.scene_from_node[n], &e->after.scene_from_node[n], lever);
        for (uint32_t w = node->weight_first; w < node->weight_first + node->weight_count; w++)
            units = fmax(units, fabs(e->before.weights[w] - e->after.weights[w]) * e->size);
        if (units > worst->units)
            *worst = (struct export_distance){units, time_s, n};
    }
}

/* Two models that play the same clip. */
struct compared {
    const struct model *before, *after;
    int32_t clip; /* of `before`; clip 0 of `after` */
    double lever; /* as in compare() */
};

static void look(struct export *e, const struct compared *compared, double time_s, struct export_distance *worst)
{
    pose_evaluate(&e->before, compared->before, compared->clip, time_s);
    pose_evaluate(&e->after, compared->after, 0, time_s);
    compare(e, compared->lever, time_s, worst);
}

void export_measure_rest(struct export *e, struct export_distance *out)
{
    *out = (struct export_distance){.node = 0};
    pose_evaluate(&e->before, e->context->model, POSE_REST, 0);
    pose_evaluate(&e->after, e->model, POSE_REST, 0);
    compare(e, e->size, 0, out);
}

bool export_compare_clips(struct export *e, const struct model *before, int32_t clip, const struct model *after,
                          const struct export_times *times, double lever, uint64_t most, struct export_distance *out)
{
    const struct compared compared = {before, after, clip, lever};
    const uint64_t steps = 2 * pose_step_count(e->model) + 1;
    const double *at = times->times;
    const size_t count = times->count, stride = 1 + 2 * count / most;
    uint64_t looks = 0;
    for (size_t i = 0; i < count && !buf_failed(e->out); i += stride) {
        const bool is_jump = (i > 0 && is_near(at[i - 1], at[i])) || (i + 1 < count && is_near(at[i], at[i + 1]));
        if (!is_jump)
            look(e, &compared, at[i], out);
        if (i + 1 < count && !is_near(at[i], at[i + 1]))
            look(e, &compared, (at[i] + at[i + 1]) / 2, out);
        looks += 2;
        context_check_stop(e->context);
    }
    return export_is_affordable(e, looks * steps);
}

bool export_measure(struct export *e, uint32_t clip, struct export_distance *out)
{
    enum { LEAST = 16 };
    const struct export_clip *at = &e->clips.clips[clip];
    struct clip clip_of_view;
    const struct model view = export_view(e, &clip_of_view, clip);
    const uint64_t steps = 2 * pose_step_count(e->model) + 1;
    /* all clips together use at most half of a request's limit */
    const uint64_t most = e->context->limits->value[LIMIT_EVALUATIONS] / 4 / e->clips.count / steps + LEAST;
    struct export_times times;
    times.times = export_list_times(e, at, &times.count);
    if (times.times == NULL)
        return false;
    *out = (struct export_distance){.node = 0};
    const bool is_good = export_compare_clips(e, at->source, (int32_t)at->index, &view, &times, e->size, most, out);
    free(times.times);
    return is_good;
}

double export_share_of_size(const struct export *e, const struct export_distance *distance)
{
    return e->size > 0 ? distance->units / e->size : distance->units;
}

const char *export_distance_label(const struct export *e, const struct export_distance *distance,
                                  char out[EXPORT_DISTANCE_SIZE])
{
    char name[SHORT_NAME_SIZE];
    snprintf(out, EXPORT_DISTANCE_SIZE, "%.3g units (%.2g of the model's size) at %.6g s at node %u '%s'",
             distance->units, export_share_of_size(e, distance), distance->time_s, distance->node,
             short_name(e->model, e->model->nodes[distance->node].name, name));
    return out;
}
