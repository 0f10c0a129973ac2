/* fbx_curve_place.c - converts the part of a curve that a clip plays to simple keys in the clip's time. */
#include "import/fbx_take/fbx_curve.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct placer {
    struct fbx_curve *out;
    const struct fbx_curve *curve;
    const struct fbx_range *range;
    uint32_t capacity;
    uint64_t key_limit;
    bool is_full;
};

/* A caller that evaluates a time of the file subtracts one rounded number of seconds from another. The result may be
 * slightly less than the difference in ticks, and would then be before a key that jumps. So the lesser of both is the
 * key's time. */
double fbx_range_s(const struct fbx_range *range, double ticks)
{
    const double since_start_s = (ticks - range->start) / range->ticks_per_s;
    return fmin(since_start_s, ticks / range->ticks_per_s - range->start / range->ticks_per_s);
}

/* --- one key --- */

static void append(struct placer *placer, struct fbx_key key)
{
    struct fbx_curve *out = placer->out;
    if (placer->is_full || out->key_count >= placer->key_limit || out->key_count == UINT32_MAX / 2) {
        placer->is_full = true;
        return;
    }
    if (out->key_count == placer->capacity) {
        placer->capacity = 2 * placer->capacity + 8;
        out->keys = mem_realloc(out->keys, placer->capacity * sizeof *out->keys);
    }
    out->keys[out->key_count++] = key;
}

/* Keeps the curve before the last key and takes the curve after it from `key`. */
static void continue_as(struct fbx_key *last, const struct fbx_key *key)
{
    last->value = key->value;
    last->right = key->right;
    last->interpolation = key->interpolation;
}

static double tick_after(const struct fbx_range *range, double time_s)
{
    const double after_s = fbx_range_s(range, range->start + round(time_s * range->ticks_per_s) + 1);
    return fmax(after_s, nextafter(time_s, HUGE_VAL));
}

/* Adds a key in seconds. is_late: if the last key has the same time and another value, its value still applies at that
 * time, and this key follows. */
static void put(struct placer *placer, struct fbx_key key, bool is_late)
{
    struct fbx_curve *out = placer->out;
    struct fbx_key *last = out->key_count > 0 ? &out->keys[out->key_count - 1] : NULL;
    if (last == NULL || key.time > last->time) {
        append(placer, key);
    } else if (key.value == last->value || key.time < last->time) {
        continue_as(last, &key);
    } else if (is_late) {
        last->interpolation = FBX_KEY_CONSTANT;
        key.time = tick_after(placer->range, key.time);
        append(placer, key);
    } else {
        last->interpolation = FBX_KEY_CONSTANT;
        last->time = nextafter(key.time, -HUGE_VAL);
        if (out->key_count > 1 && last[-1].time >= last->time)
            out->key_count--;
        append(placer, key);
    }
}

/* --- all keys, once --- */

/* One placement of the keys: their own, or a repetition by an extrapolation. */
struct stretch {
    double start; /* tick of the first key */
    double rise;  /* the offset added to values */
    bool is_mirrored;
    bool is_late; /* at the start, the previous value still applies */
};

static enum fbx_interpolation mirrored(enum fbx_interpolation interpolation)
{
    return interpolation == FBX_KEY_CONSTANT        ? FBX_KEY_CONSTANT_NEXT
           : interpolation == FBX_KEY_CONSTANT_NEXT ? FBX_KEY_CONSTANT
                                                    : interpolation;
}

/* Key i of a stretch, in seconds. */
static struct fbx_key key_of(const struct placer *placer, const struct stretch *stretch, uint32_t i)
{
    const struct fbx_curve *curve = placer->curve;
    const uint32_t last = curve->key_count - 1;
    struct fbx_key key = curve->keys[stretch->is_mirrored ? last - i : i];
    double since = key.time - curve->keys[0].time;
    if (stretch->is_mirrored) {
        const struct fbx_tangent left = key.left;
        since = curve->keys[last].time - key.time;
        key.left = (struct fbx_tangent){-key.right.slope, key.right.weight};
        key.right = (struct fbx_tangent){-left.slope, left.weight};
        key.interpolation = i < last ? mirrored(curve->keys[last - i - 1].interpolation) : FBX_KEY_CONSTANT;
    }
    if (i == last)
        key.interpolation = FBX_KEY_CONSTANT;
    key.time = fbx_range_s(placer->range, stretch->start + since);
    key.value += stretch->rise;
    return key;
}

static void put_stretch(struct placer *placer, const struct stretch *stretch)
{
    for (uint32_t i = 0; i < placer->curve->key_count && !placer->is_full; i++) {
        struct fbx_key key = key_of(placer, stretch, i);
        const bool is_next = key.interpolation == FBX_KEY_CONSTANT_NEXT;
        if (is_next)
            key.interpolation = FBX_KEY_CONSTANT;
        put(placer, key, i == 0 && stretch->is_late);
        if (!is_next)
            continue;
        key.value = key_of(placer, stretch, i + 1).value;
        put(placer, key, true);
    }
}

/* --- extrapolation --- */

static bool is_repeated(const struct fbx_curve *curve, struct fbx_extension extension)
{
    return extension.kind != FBX_EXTEND_CONSTANT && extension.kind != FBX_EXTEND_SLOPE && extension.count != 0 &&
           curve->keys[curve->key_count - 1].time > curve->keys[0].time;
}

static struct stretch repetition(const struct fbx_curve *curve, struct fbx_extension extension, double index,
                                 bool is_before)
{
    const struct fbx_key *first = &curve->keys[0], *last = &curve->keys[curve->key_count - 1];
    const double span = last->time - first->time, side = is_before ? -1 : 1;
    return (struct stretch){
        .start = is_before ? first->time - (index + 1) * span : last->time + index * span,
        .rise = extension.kind == FBX_EXTEND_RELATIVE ? side * (index + 1) * (last->value - first->value) : 0,
        .is_mirrored = extension.kind == FBX_EXTEND_MIRROR && fmod(index, 2) == 0,
        /* Outside the keys, a time at which one repetition ends and another begins belongs to the more distant one. The
         * first and last times of the keys belong to the keys. */
        .is_late = is_before || index == 0,
    };
}

/* The number of repetitions entirely between the keys and the range, at least 0, and the number up to its end. */
static void repetitions(const struct fbx_curve *curve, struct fbx_extension extension, double near, double far,
                        double *from, double *end)
{
    const double span = curve->keys[curve->key_count - 1].time - curve->keys[0].time;
    *end = far > 0 ? floor(far / span) + 1 : 0;
    if (extension.count > 0)
        *end = fmin(*end, extension.count);
    *from = fmin(fmax(floor(near / span), 0), fmax(*end - 1, 0));
}

/* Each repetition adds keys, so the loop stops at the limit. If times are so large that a repetition is shorter than
 * the step between doubles, none would be added, and the count would never end. */
static bool has_capacity(struct placer *placer, double from, double end)
{
    placer->is_full |= !((end - from - 2) * (placer->curve->key_count - 1.0) < (double)placer->key_limit);
    return !placer->is_full;
}

static void put_before(struct placer *placer)
{
    const struct fbx_curve *curve = placer->curve;
    const struct fbx_key *first = &curve->keys[0];
    const double far = first->time - placer->range->start;
    double from, end;
    if (curve->before.kind == FBX_EXTEND_SLOPE && curve->key_count > 1 && far > 0) {
        const double slope = first->right.slope;
        put(placer,
            (struct fbx_key){.time = 0,
                             .value = first->value - slope * far / curve->units_per_s,
                             .right = {slope, FBX_WEIGHT},
                             .interpolation = FBX_KEY_LINEAR},
            false);
    }
    if (!is_repeated(curve, curve->before))
        return;
    repetitions(curve, curve->before, first->time - placer->range->stop, far, &from, &end);
    if (!has_capacity(placer, from, end))
        return;
    for (uint64_t i = (uint64_t)(end - from); i > 0 && !placer->is_full; i--) {
        const struct stretch stretch = repetition(curve, curve->before, from + (double)(i - 1), true);
        put_stretch(placer, &stretch);
    }
}

static void put_after(struct placer *placer)
{
    const struct fbx_curve *curve = placer->curve;
    const struct fbx_key *last = &curve->keys[curve->key_count - 1];
    const double far = placer->range->stop - last->time;
    double from, end;
    if (curve->after.kind == FBX_EXTEND_SLOPE && curve->key_count > 1 && far > 0 && !placer->is_full) {
        const double slope = last->left.slope;
        placer->out->keys[placer->out->key_count - 1].interpolation = FBX_KEY_LINEAR;
        put(placer,
            (struct fbx_key){.time = fbx_range_s(placer->range, placer->range->stop),
                             .value = last->value + slope * far / curve->units_per_s,
                             .left = {slope, FBX_WEIGHT}},
            false);
    }
    if (!is_repeated(curve, curve->after))
        return;
    repetitions(curve, curve->after, placer->range->start - last->time, far, &from, &end);
    if (!has_capacity(placer, from, end))
        return;
    for (uint64_t i = 0; i < (uint64_t)(end - from) && !placer->is_full; i++) {
        const struct stretch stretch = repetition(curve, curve->after, from + (double)i, false);
        put_stretch(placer, &stretch);
    }
}

/* Keeps the keys within the range and one on each side. */
static void cut(struct fbx_curve *out, double stop_s)
{
    uint32_t first = 0, end = 0;
    while (first + 1 < out->key_count && out->keys[first + 1].time <= 0)
        first++;
    while (end < out->key_count && (end == 0 || out->keys[end - 1].time < stop_s))
        end++;
    end = end > first ? end : first + 1;
    memmove(out->keys, out->keys + first, (end - first) * sizeof *out->keys);
    out->key_count = end - first;
}

/* A constant curve becomes one key, because baked takes have many of them. */
static bool is_still(const struct fbx_curve *curve)
{
    for (uint32_t i = 0; i + 1 < curve->key_count; i++) {
        const struct fbx_key *key = &curve->keys[i];
        if (key[1].value != key->value)
            return false;
        if (key->interpolation == FBX_KEY_CUBIC && (key->right.slope != 0 || key[1].left.slope != 0))
            return false;
    }
    const struct fbx_key *last = &curve->keys[curve->key_count - 1];
    return (curve->before.kind != FBX_EXTEND_SLOPE || curve->keys[0].right.slope == 0) &&
           (curve->after.kind != FBX_EXTEND_SLOPE || last->left.slope == 0);
}

static void put_one(struct placer *placer)
{
    struct fbx_key key = placer->curve->keys[0];
    key.time = fmax(fbx_range_s(placer->range, key.time), 0);
    key.interpolation = FBX_KEY_CONSTANT;
    append(placer, key);
}

int fbx_curve_place(struct fbx_curve *out, const struct fbx_curve *curve, const struct fbx_range *range,
                    uint64_t key_limit, struct err *err)
{
    struct placer placer = {.out = out, .curve = curve, .range = range, .key_limit = key_limit};
    *out = (struct fbx_curve){.units_per_s = 1, .before.kind = FBX_EXTEND_CONSTANT, .after.kind = FBX_EXTEND_CONSTANT};
    if (curve->key_count == 0)
        return 0;
    if (is_still(curve)) {
        put_one(&placer);
    } else {
        const struct stretch own = {.start = curve->keys[0].time};
        put_before(&placer);
        put_stretch(&placer, &own);
        put_after(&placer);
    }
    if (placer.is_full) {
        fbx_curve_fini(out);
        return err_set(err, ERR_MODEL_LIMIT, "a curve has more than %llu keys in its clip; see --max-keys",
                       (unsigned long long)key_limit);
    }
    cut(out, fbx_range_s(range, range->stop));
    return 0;
}
