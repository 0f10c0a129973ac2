#include "anim/retarget/clip_times.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static const double STEP_S = 1.0 / 60, RAMP_S = 1e-4;
enum { STEPS_MAX = 16384 };

/* Holds at most `most` different times. */
struct times {
    double *items;
    uint64_t count, capacity, most;
};

static int by_time(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void sort(struct times *times)
{
    uint64_t kept = 0;
    if (times->count > 1)
        qsort(times->items, times->count, sizeof *times->items, by_time);
    for (uint64_t i = 0; i < times->count; i++)
        if (kept == 0 || times->items[i] > times->items[kept - 1])
            times->items[kept++] = times->items[i];
    times->count = kept;
}

/* Adds a time. Channels may repeat each other's keys, so duplicates are removed only when the room is full. */
static bool add(struct times *times, double time_s)
{
    if (times->count == times->capacity) {
        sort(times);
        if (times->count > times->most)
            return false;
        if (times->count > times->capacity / 2) {
            times->capacity *= 2;
            times->items = mem_realloc(times->items, times->capacity * sizeof *times->items);
        }
    }
    times->items[times->count++] = time_s;
    return true;
}

static bool add_keys(const struct model *model, const struct channel *channel, struct times *times)
{
    const double *keys = model->key_times + channel->key_time_first;
    const bool is_step = channel->interpolation == INTERPOLATION_STEP;
    for (uint32_t k = 0; k < channel->key_count; k++) {
        if (!add(times, keys[k]))
            return false;
        if (is_step && k > 0 && !add(times, keys[k] - fmin(RAMP_S, (keys[k] - keys[k - 1]) / 2)))
            return false;
    }
    return true;
}

/* Sorts channels that share their keys next to each other. */
static int by_keys(const void *a, const void *b)
{
    const struct channel *one = *(const struct channel *const *)a, *other = *(const struct channel *const *)b;
    if (one->key_time_first != other->key_time_first)
        return one->key_time_first < other->key_time_first ? -1 : 1;
    if (one->key_count != other->key_count)
        return one->key_count < other->key_count ? -1 : 1;
    return (one->interpolation > other->interpolation) - (one->interpolation < other->interpolation);
}

/* Adds the keys of all transforms; keys that channels share are added once. False: too many. */
static bool add_all_keys(const struct model *model, const struct clip *clip, struct times *times)
{
    const struct channel **channels = mem_alloc((size_t)clip->channel_count * sizeof *channels + 1);
    uint32_t count = 0;
    bool is_good = true;
    for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++)
        if (path_is_transform(model->channels[c].path))
            channels[count++] = &model->channels[c];
    if (count > 1)
        qsort(channels, count, sizeof *channels, by_keys);
    for (uint32_t c = 0; c < count && is_good; c++)
        if (c == 0 || by_keys(&channels[c - 1], &channels[c]) != 0)
            is_good = add_keys(model, channels[c], times);
    free(channels);
    return is_good;
}

static double steps_of(const struct times *times, uint64_t i, double step_s)
{
    return fmax(1, ceil((times->items[i + 1] - times->items[i]) / step_s - 1e-9));
}

/* Adds evenly spaced times between them. False: too many. */
static bool put_between(struct times *times)
{
    const uint64_t keys = times->count;
    const double step_s = fmax(STEP_S, (times->items[keys - 1] - times->items[0]) / STEPS_MAX);
    double total = 1;
    for (uint64_t i = 0; i + 1 < keys; i++)
        total += steps_of(times, i, step_s);
    if (!(total <= (double)times->most))
        return false;
    double *all = mem_alloc((size_t)total * sizeof *all);
    times->count = 0;
    for (uint64_t i = 0; i + 1 < keys; i++) {
        const double from = times->items[i], gap = times->items[i + 1] - from, steps = steps_of(times, i, step_s);
        for (double k = 0; k < steps; k++)
            all[times->count++] = from + gap * k / steps;
    }
    all[times->count++] = times->items[keys - 1];
    free(times->items);
    times->items = all;
    sort(times); /* steps that are too small for a double coincide */
    return true;
}

double *clip_times_make(const struct model *model, const struct clip *clip, uint64_t most, uint32_t *count)
{
    enum { BEGIN = 1024 };
    struct times times = {.items = mem_alloc(BEGIN * sizeof(double)),
                          .capacity = BEGIN,
                          .most = most < UINT32_MAX / 4 ? most : UINT32_MAX / 4};
    bool is_good = add(&times, 0) && add(&times, clip->duration_s);
    is_good = is_good && add_all_keys(model, clip, &times);
    sort(&times);
    is_good = is_good && put_between(&times);
    *count = (uint32_t)times.count;
    if (is_good)
        return times.items;
    free(times.items);
    return NULL;
}
