/* assimp_track.c - keys as assimp has them to sorted, finite ones. */
#include "import/assimp/assimp_track.h"

#include "anim/model/mat.h"
#include "anim/pose/sample.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void allocate(struct track *track, uint32_t count, uint32_t components)
{
    /* Two more than there are: cutting may add a key at each end. */
    *track = (struct track){.times_s = mem_alloc(((size_t)count + 2) * sizeof *track->times_s),
                            .values = mem_alloc(((size_t)count + 2) * components * sizeof *track->values),
                            .count = count,
                            .components = components};
}

struct key_place {
    double time_s;
    uint32_t index;
};

static int by_time(const void *a, const void *b)
{
    const struct key_place *i = a, *k = b;
    return i->time_s != k->time_s ? (i->time_s > k->time_s) - (i->time_s < k->time_s)
                                  : (i->index > k->index) - (i->index < k->index);
}

static bool is_rising(const struct track *track)
{
    for (uint32_t i = 1; i < track->count; i++)
        if (!(track->times_s[i] > track->times_s[i - 1]))
            return false;
    return true;
}

/* Sorts by time; of several keys at one time the last in the file stays. */
static void sort(struct track *track)
{
    if (is_rising(track))
        return;
    const uint32_t components = track->components;
    struct key_place *places = mem_alloc(track->count * sizeof *places);
    struct track sorted;
    allocate(&sorted, track->count, components);
    for (uint32_t i = 0; i < track->count; i++)
        places[i] = (struct key_place){track->times_s[i], i};
    qsort(places, track->count, sizeof *places, by_time);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < track->count; i++) {
        if (i + 1 < track->count && places[i + 1].time_s == places[i].time_s)
            continue;
        sorted.times_s[kept] = places[i].time_s;
        memcpy(sorted.values + (size_t)kept * components, track->values + (size_t)places[i].index * components,
               components * sizeof *sorted.values);
        kept++;
    }
    sorted.count = kept;
    sorted.is_rotation = track->is_rotation;
    free(places);
    track_fini(track);
    *track = sorted;
}

static void insert(struct track *track, uint32_t at, double time_s, const double *value)
{
    const size_t size = track->components * sizeof *track->values;
    double *values = track->values + (size_t)at * track->components;
    memmove(track->times_s + at + 1, track->times_s + at, (track->count - at) * sizeof *track->times_s);
    memmove(values + track->components, values, (track->count - at) * size);
    track->times_s[at] = time_s;
    memcpy(values, value, size);
    track->count++;
}

/* Removes the keys outside 0..end_s, with keys at the cuts in their place. */
static void cut(struct track *track, double end_s)
{
    const bool is_early = track->times_s[0] < 0;
    const bool is_late = track->times_s[track->count - 1] > end_s;
    if (!isfinite(end_s) || (!is_early && !is_late))
        return;
    double *ends = mem_alloc(2 * (size_t)track->components * sizeof *ends);
    track_sample(track, 0, ends);
    track_sample(track, end_s, ends + track->components);
    uint32_t first = 0, end = track->count;
    while (first < end && track->times_s[first] < 0)
        first++;
    while (end > first && track->times_s[end - 1] > end_s)
        end--;
    track->count = end - first;
    memmove(track->times_s, track->times_s + first, track->count * sizeof *track->times_s);
    memmove(track->values, track->values + (size_t)first * track->components,
            (size_t)track->count * track->components * sizeof *track->values);
    if (is_early && (track->count == 0 || track->times_s[0] > 0))
        insert(track, 0, 0, ends);
    if (is_late && (track->count == 0 || track->times_s[track->count - 1] < end_s))
        insert(track, track->count, end_s, ends + track->components);
    free(ends);
}

double track_decimal(double value)
{
    const float single = (float)value;
    /* A factor of a power of ten in between may cost the last bit of the double. */
    if (!isfinite(single) || fabs((double)single - value) > 4e-16 * fabs(value))
        return value;
    for (int digits = 6; digits <= 9; digits++) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", digits, (double)single);
        if (strtof(text, NULL) == single)
            return strtod(text, NULL);
    }
    return value;
}

static int finish(struct track *track, struct track_time time, struct err *err)
{
    for (uint32_t i = 0; i < track->count; i++) {
        track->times_s[i] -= time.begin_s;
        if (time.file_ticks_per_s > 0)
            track->times_s[i] = round(track->times_s[i] * time.file_ticks_per_s) / time.file_ticks_per_s;
        if (time.is_float)
            track->times_s[i] = track_decimal(track->times_s[i]);
        if (!isfinite(track->times_s[i])) {
            track_fini(track);
            return err_set(err, ERR_BAD_KEYS, "the time of key %u is not finite", i);
        }
        for (uint32_t c = 0; c < track->components; c++)
            if (!isfinite(track->values[(size_t)i * track->components + c]) ||
                fabs(track->values[(size_t)i * track->components + c]) > (double)3e38f) {
                track_fini(track);
                return err_set(err, ERR_BAD_KEYS, "the value of key %u is not finite", i);
            }
        if (track->is_rotation)
            quat_normalize(track->values + (size_t)i * 4);
    }
    sort(track);
    if (track->count > 0)
        cut(track, time.end_s);
    return 0;
}

int track_from_vectors(struct track *track, const struct aiVectorKey *keys, uint32_t count, struct track_time time,
                       struct err *err)
{
    allocate(track, count, 3);
    for (uint32_t i = 0; i < count; i++) {
        track->times_s[i] = keys[i].mTime / time.ticks_per_s;
        track->values[3 * (size_t)i] = (double)keys[i].mValue.x;
        track->values[3 * (size_t)i + 1] = (double)keys[i].mValue.y;
        track->values[3 * (size_t)i + 2] = (double)keys[i].mValue.z;
    }
    return finish(track, time, err);
}

int track_from_rotations(struct track *track, const struct aiQuatKey *keys, uint32_t count, struct track_time time,
                         struct err *err)
{
    allocate(track, count, 4);
    track->is_rotation = true;
    for (uint32_t i = 0; i < count; i++) {
        track->times_s[i] = keys[i].mTime / time.ticks_per_s;
        track->values[4 * (size_t)i] = (double)keys[i].mValue.x;
        track->values[4 * (size_t)i + 1] = (double)keys[i].mValue.y;
        track->values[4 * (size_t)i + 2] = (double)keys[i].mValue.z;
        track->values[4 * (size_t)i + 3] = (double)keys[i].mValue.w;
    }
    return finish(track, time, err);
}

int track_from_values(struct track *track, const double *ticks, const double *values, uint32_t count,
                      uint32_t components, struct track_time time, struct err *err)
{
    allocate(track, count, components);
    for (uint32_t i = 0; i < count; i++)
        track->times_s[i] = ticks[i] / time.ticks_per_s;
    memcpy(track->values, values, (size_t)count * components * sizeof *values);
    return finish(track, time, err);
}

void track_sample(const struct track *track, double time_s, double *out)
{
    const uint32_t components = track->components;
    const uint32_t key = sample_key(track->times_s, track->count, time_s);
    const double *from = track->values + (size_t)key * components, *to = from + components;
    if (key + 1 == track->count || time_s <= track->times_s[key]) {
        memcpy(out, from, components * sizeof *out);
        return;
    }
    const double u = (time_s - track->times_s[key]) / (track->times_s[key + 1] - track->times_s[key]);
    if (track->is_rotation)
        quat_slerp(from, to, u, out);
    else
        for (uint32_t c = 0; c < components; c++)
            out[c] = from[c] + u * (to[c] - from[c]);
}
