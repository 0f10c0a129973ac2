/* assimp_track.c - converts assimp's keys to sorted, finite keys. */
#include "import/assimp/assimp_track.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void allocate(struct track *track, uint32_t count, uint32_t components)
{
    *track = (struct track){.times_s = mem_alloc((size_t)count * sizeof *track->times_s),
                            .values = mem_alloc((size_t)count * components * sizeof *track->values),
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

/* Sorts by time and keeps the file's last key of several at one time. */
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

static int finish(struct track *track, struct err *err)
{
    for (uint32_t i = 0; i < track->count; i++) {
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
    return 0;
}

int track_from_vectors(struct track *track, const struct aiVectorKey *keys, uint32_t count, double ticks_per_s,
                       struct err *err)
{
    allocate(track, count, 3);
    for (uint32_t i = 0; i < count; i++) {
        track->times_s[i] = keys[i].mTime / ticks_per_s;
        track->values[3 * (size_t)i] = (double)keys[i].mValue.x;
        track->values[3 * (size_t)i + 1] = (double)keys[i].mValue.y;
        track->values[3 * (size_t)i + 2] = (double)keys[i].mValue.z;
    }
    return finish(track, err);
}

int track_from_rotations(struct track *track, const struct aiQuatKey *keys, uint32_t count, double ticks_per_s,
                         struct err *err)
{
    allocate(track, count, 4);
    track->is_rotation = true;
    for (uint32_t i = 0; i < count; i++) {
        track->times_s[i] = keys[i].mTime / ticks_per_s;
        track->values[4 * (size_t)i] = (double)keys[i].mValue.x;
        track->values[4 * (size_t)i + 1] = (double)keys[i].mValue.y;
        track->values[4 * (size_t)i + 2] = (double)keys[i].mValue.z;
        track->values[4 * (size_t)i + 3] = (double)keys[i].mValue.w;
    }
    return finish(track, err);
}

int track_from_values(struct track *track, const double *ticks, const double *values, uint32_t count,
                      uint32_t components, double ticks_per_s, struct err *err)
{
    allocate(track, count, components);
    for (uint32_t i = 0; i < count; i++)
        track->times_s[i] = ticks[i] / ticks_per_s;
    memcpy(track->values, values, (size_t)count * components * sizeof *values);
    return finish(track, err);
}
