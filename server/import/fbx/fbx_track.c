/* fbx_track.c - pieces between the keys of all components. */
#include "import/fbx/fbx_track.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double VALUE_MAX = 3e38;

/* What a component does between two neighbouring times. */
struct piece {
    double value[2], slope[2]; /* at the start and the end, from within */
    enum fbx_interpolation interpolation;
    bool is_weighted;
};

static struct piece piece_of(const struct fbx_component *component, double from_s, double to_s)
{
    const struct fbx_curve *curve = component->curve;
    struct piece piece = {.value = {component->constant, component->constant}, .interpolation = FBX_KEY_CONSTANT};
    if (curve == NULL || curve->key_count == 0)
        return piece;
    const uint32_t key = fbx_curve_key(curve, from_s);
    const bool is_within = key + 1 < curve->key_count && from_s >= curve->keys[key].time && to_s > from_s;
    const double start = fbx_curve_at(curve, from_s);
    double end = start;
    if (is_within && curve->keys[key].interpolation != FBX_KEY_CONSTANT) {
        const struct fbx_key *from = &curve->keys[key];
        end = fbx_piece_at(curve, key, to_s);
        piece.interpolation = from->interpolation;
        piece.is_weighted = from->interpolation == FBX_KEY_CUBIC &&
                            (from->right.weight != FBX_WEIGHT || from[1].left.weight != FBX_WEIGHT);
        piece.slope[0] = component->factor * fbx_piece_slope(curve, key, from_s);
        piece.slope[1] = component->factor * fbx_piece_slope(curve, key, to_s);
    }
    piece.value[0] += component->factor * start;
    piece.value[1] += component->factor * end;
    return piece;
}

/* --- what kind of track --- */

struct maker {
    const struct fbx_component *components;
    uint32_t count;
    const struct fbx_times *times;
    struct track *track;
    uint32_t capacity; /* keys */
    bool is_bad;
};

/* The least that says all pieces; FBX_KEY_CONSTANT_NEXT: none does. */
static enum fbx_interpolation kind_of(const struct maker *maker)
{
    enum fbx_interpolation kind = FBX_KEY_CONSTANT;
    for (uint32_t i = 0; i + 1 < maker->times->count; i++)
        for (uint32_t c = 0; c < maker->count; c++) {
            const struct piece piece =
                piece_of(&maker->components[c], maker->times->times_s[i], maker->times->times_s[i + 1]);
            if (piece.is_weighted)
                return FBX_KEY_CONSTANT_NEXT;
            if (piece.interpolation > kind)
                kind = piece.interpolation;
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

static void set_slopes(struct maker *maker, int part, const double *slopes)
{
    if (!maker->track->is_cubic)
        return;
    memcpy(key_values(maker, maker->track->count - 1, part), slopes, maker->count * sizeof *slopes);
    for (uint32_t c = 0; c < maker->count; c++)
        maker->is_bad |= !(fabs(slopes[c]) <= VALUE_MAX);
}

/* The key at the end of a piece, after one at the last double before it where a component jumps there. */
static void push_end(struct maker *maker, double from_s, double to_s, const double *ends, const double *next,
                     const double *slopes)
{
    const double before_s = nextafter(to_s, -HUGE_VAL);
    bool is_jump = false;
    for (uint32_t c = 0; c < maker->count; c++)
        is_jump |= ends[c] != next[c];
    if (!is_jump || maker->track->is_step) {
        push(maker, to_s, next);
        set_slopes(maker, PART_IN, slopes);
        return;
    }
    if (before_s > from_s) {
        push(maker, before_s, ends);
        set_slopes(maker, PART_IN, slopes);
    }
    push(maker, to_s, next);
}

static void push_all(struct maker *maker)
{
    const struct fbx_times *times = maker->times;
    double *space = mem_alloc(5 * (size_t)maker->count * sizeof *space);
    double *starts = space, *ends = starts + maker->count, *next = ends + maker->count;
    double *slopes = next + maker->count, *end_slopes = slopes + maker->count;
    for (uint32_t i = 0; i < times->count; i++) {
        const double from_s = times->times_s[i], to_s = i + 1 < times->count ? times->times_s[i + 1] : from_s;
        for (uint32_t c = 0; c < maker->count; c++) {
            const struct piece piece = piece_of(&maker->components[c], from_s, to_s);
            starts[c] = piece.value[0];
            ends[c] = piece.value[1];
            slopes[c] = piece.slope[0];
            end_slopes[c] = piece.slope[1];
            next[c] = piece_of(&maker->components[c], to_s, to_s).value[0];
        }
        if (i == 0)
            push(maker, from_s, starts);
        if (i + 1 == times->count)
            break;
        set_slopes(maker, PART_OUT, slopes);
        push_end(maker, from_s, to_s, ends, next, end_slopes);
    }
    free(space);
}

/* Keys that are all the same are one key. */
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
    if (times.count == 0)
        fbx_times_add(&times, &(struct fbx_curve){.keys = (struct fbx_key[]){{0}}, .key_count = 1}, stop_s);
    fbx_times_sort(&times);
    const enum fbx_interpolation kind = kind_of(&maker);
    *is_exact = kind != FBX_KEY_CONSTANT_NEXT;
    track->is_step = kind == FBX_KEY_CONSTANT;
    track->is_cubic = kind == FBX_KEY_CUBIC;
    int rc = 0;
    /* each time may need two keys of three values */
    if (*is_exact && (uint64_t)times.count * count > value_limit / 6)
        rc = err_set(err, ERR_MODEL_LIMIT, "it has %u keys of %u values", times.count, count);
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
