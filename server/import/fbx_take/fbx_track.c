/* fbx_track.c - pieces between the keys of all components. */
#include "import/fbx_take/fbx_track.h"

#include "base/mem.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double VALUE_MAX = 3e38;

/* A component's values and slopes at the start and the end of an interval, from within. */
struct piece {
    double start, end, start_slope, end_slope;
};

/* `key` is the last key at or before from_s, or 0. */
static struct piece piece_of(const struct fbx_component *component, uint32_t key, double from_s, double to_s)
{
    const struct fbx_curve *curve = component->curve;
    struct piece piece = {.start = component->constant, .end = component->constant};
    if (curve == NULL || curve->key_count == 0)
        return piece;
    const struct fbx_key *from = &curve->keys[key];
    const bool is_within = key + 1 < curve->key_count && from_s >= from->time;
    const double start = is_within ? fbx_piece_at(curve, key, from_s) : from->value;
    const bool is_moving = is_within && from->interpolation != FBX_KEY_CONSTANT && to_s > from_s;
    piece.start += component->factor * start;
    piece.end += component->factor * (is_moving ? fbx_piece_at(curve, key, to_s) : start);
    if (is_moving) {
        piece.start_slope = component->factor * fbx_piece_slope(curve, key, from_s);
        piece.end_slope = component->factor * fbx_piece_slope(curve, key, to_s);
    }
    return piece;
}

/* --- what kind of track --- */

struct maker {
    const struct fbx_component *components;
    uint32_t count;
    const struct fbx_times *times;
    struct track *track;
    struct piece *pieces; /* [count] */
    uint32_t *keys;       /* [count] */
    double *space;        /* [count] */
    uint32_t capacity;    /* keys */
    bool is_bad;
};

/* A deviation below this fraction of the largest value counts as none: the segment is the cubic of its ends. */
static const double SAME_SHARE = 5e-8;

static double largest_of(const struct fbx_component *components, uint32_t count)
{
    double largest = 0;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t k = 0; components[c].curve != NULL && k < components[c].curve->key_count; k++)
            largest =
                fmax(largest, fabs(components[c].constant + components[c].factor * components[c].curve->keys[k].value));
    return largest;
}

/* The simplest interpolation that represents all segments within 0 and stop_s, or FBX_KEY_CONSTANT_NEXT. */
static enum fbx_interpolation kind_of(const struct fbx_component *components, uint32_t count, double stop_s)
{
    const double excess_max = SAME_SHARE * largest_of(components, count);
    enum fbx_interpolation kind = FBX_KEY_CONSTANT;
    for (uint32_t c = 0; c < count; c++) {
        const struct fbx_curve *curve = components[c].curve;
        for (uint32_t k = 0; curve != NULL && k + 1 < curve->key_count; k++) {
            const struct fbx_key *key = &curve->keys[k];
            if (key[1].time <= 0 || key->time >= stop_s)
                continue;
            if (!(fbx_piece_excess(curve, k) * fabs(components[c].factor) <= excess_max))
                return FBX_KEY_CONSTANT_NEXT;
            if (key->interpolation > kind)
                kind = key->interpolation;
        }
    }
    return kind;
}

/* --- keys --- */

static double *key_values(const struct maker *maker, uint32_t key, int part)
{
    const size_t parts = maker->track->is_cubic ? 3 : 1;
    return maker->track->values + ((size_t)key * parts + (size_t)(parts == 3 ? part : 0)) * maker->count;
}

enum { PART_IN, PART_VALUE, PART_OUT };

/* Adds a key with these values and flat tangents. */
static void push(struct maker *maker, double time_s, const double *values)
{
    struct track *track = maker->track;
    const size_t doubles = (size_t)maker->count * (track->is_cubic ? 3 : 1);
    if (track->count == maker->capacity) {
        maker->capacity = 2 * maker->capacity + 16;
        track->times_s = mem_realloc(track->times_s, maker->capacity * sizeof *track->times_s);
        track->values = mem_realloc(track->values, maker->capacity * doubles * sizeof *track->values);
    }
    memset(track->values + track->count * doubles, 0, doubles * sizeof *track->values);
    track->times_s[track->count++] = time_s;
    memcpy(key_values(maker, track->count - 1, PART_VALUE), values, maker->count * sizeof *values);
    for (uint32_t c = 0; c < maker->count; c++)
        maker->is_bad |= !(fabs(values[c]) <= VALUE_MAX);
}

/* One component of each segment, as an array that the next call overwrites. */
static const double *numbers(struct maker *maker, size_t offset)
{
    for (uint32_t c = 0; c < maker->count; c++)
        memcpy(&maker->space[c], (const char *)&maker->pieces[c] + offset, sizeof(double));
    return maker->space;
}
#define NUMBERS(maker, member) numbers(maker, offsetof(struct piece, member))

static void set_slopes(struct maker *maker, int part, const double *slopes)
{
    if (!maker->track->is_cubic)
        return;
    memcpy(key_values(maker, maker->track->count - 1, part), slopes, maker->count * sizeof *slopes);
    for (uint32_t c = 0; c < maker->count; c++)
        maker->is_bad |= !(fabs(slopes[c]) <= VALUE_MAX);
}

static void take_pieces(struct maker *maker, double from_s, double to_s)
{
    for (uint32_t c = 0; c < maker->count; c++) {
        const struct fbx_curve *curve = maker->components[c].curve;
        uint32_t *key = &maker->keys[c];
        while (curve != NULL && *key + 1 < curve->key_count && curve->keys[*key + 1].time <= from_s)
            ++*key;
        maker->pieces[c] = piece_of(&maker->components[c], *key, from_s, to_s);
    }
}

static bool is_jump(const struct maker *maker, const double *ends)
{
    for (uint32_t c = 0; c < maker->count; c++)
        if (ends[c] != maker->pieces[c].start)
            return true;
    return false;
}

/* Adds the key between the previous and the next segments. Before it, adds one at the last double if a component jumps
 * there. */
static void push_between(struct maker *maker, double from_s, double time_s, const double *ends, const double *slopes)
{
    const double before_s = nextafter(time_s, -HUGE_VAL);
    if (maker->track->is_step || !is_jump(maker, ends)) {
        push(maker, time_s, NUMBERS(maker, start));
        set_slopes(maker, PART_IN, slopes);
        return;
    }
    if (before_s > from_s) {
        push(maker, before_s, ends);
        set_slopes(maker, PART_IN, slopes);
    }
    push(maker, time_s, NUMBERS(maker, start));
}

static void push_all(struct maker *maker)
{
    const struct fbx_times *times = maker->times;
    double *ends = mem_alloc(3 * (size_t)maker->count * sizeof *ends), *slopes = ends + maker->count;
    maker->space = slopes + maker->count;
    maker->pieces = mem_alloc(maker->count * sizeof *maker->pieces);
    maker->keys = mem_zalloc(maker->count, sizeof *maker->keys);
    for (uint32_t i = 0; i < times->count; i++) {
        const double time_s = times->times_s[i], to_s = i + 1 < times->count ? times->times_s[i + 1] : time_s;
        take_pieces(maker, time_s, to_s);
        if (i == 0)
            push(maker, time_s, NUMBERS(maker, start));
        else
            push_between(maker, times->times_s[i - 1], time_s, ends, slopes);
        if (i + 1 < times->count)
            set_slopes(maker, PART_OUT, NUMBERS(maker, start_slope));
        memcpy(ends, NUMBERS(maker, end), maker->count * sizeof *ends);
        memcpy(slopes, NUMBERS(maker, end_slope), maker->count * sizeof *slopes);
    }
    free(ends);
    free(maker->pieces);
    free(maker->keys);
}

/* Reduces identical keys to one. */
static void shrink(const struct maker *maker)
{
    const size_t doubles = (size_t)maker->count * (maker->track->is_cubic ? 3 : 1);
    for (uint32_t k = 1; k < maker->track->count; k++)
        for (size_t i = 0; i < doubles; i++)
            if (maker->track->values[k * doubles + i] != maker->track->values[i])
                return;
    for (size_t i = 0; i < doubles && maker->track->is_cubic; i++)
        if ((i < maker->count || i >= 2 * (size_t)maker->count) && maker->track->values[i] != 0)
            return;
    memmove(maker->track->values, key_values(maker, 0, PART_VALUE), maker->count * sizeof *maker->track->values);
    maker->track->is_cubic = maker->track->is_step = false;
    maker->track->count = 1;
}

int fbx_track_exact(struct track *track, const struct fbx_component *components, uint32_t count, double stop_s,
                    uint64_t value_limit, bool *is_exact, struct err *err)
{
    struct fbx_times times = {0};
    struct maker maker = {.components = components, .count = count, .times = &times, .track = track};
    *track = (struct track){.components = count};
    for (uint32_t c = 0; c < count; c++)
        if (components[c].curve != NULL)
            fbx_times_add(&times, components[c].curve, stop_s);
    fbx_times_complete(&times);
    const enum fbx_interpolation kind = kind_of(components, count, stop_s);
    *is_exact = kind != FBX_KEY_CONSTANT_NEXT;
    track->is_step = kind == FBX_KEY_CONSTANT;
    track->is_cubic = kind == FBX_KEY_CUBIC;
    int rc = 0;
    /* each time may need two keys of three values */
    if (*is_exact && (uint64_t)times.count * count > value_limit / 6)
        rc = err_set(err, ERR_MODEL_LIMIT, "it has %u keys of %u values; see --max-keys", times.count, count);
    else if (*is_exact)
        push_all(&maker);
    fbx_times_fini(&times);
    if (maker.is_bad)
        rc = err_set(err, ERR_BAD_KEYS, "a value or tangent is not finite");
    if (rc < 0 || !*is_exact)
        track_fini(track);
    else
        shrink(&maker);
    return rc;
}
