/* gltf_keys.c - reads the keys of channels (glTF 2.0, 3.11). Each accessor is read once, however many channels and
 * clips use it. */
#include "import/gltf/gltf_keys.h"

#include "anim/model/mat.h"
#include "anim/model/property.h"

#include <math.h>
#include <stdio.h>

static const char *const INTERPOLATIONS[] = {
    [INTERPOLATION_LINEAR] = "LINEAR", [INTERPOLATION_STEP] = "STEP", [INTERPOLATION_CUBICSPLINE] = "CUBICSPLINE"};
/* A larger deviation from unit length is not rounding. The tolerances are for floats and for signed bytes, whose steps
 * are 1/127. */
static const double UNIT_TOLERANCE = 1e-3, INTEGER_UNIT_TOLERANCE = 1.0 / 127;
enum { INTERPOLATION_COUNT = sizeof INTERPOLATIONS / sizeof *INTERPOLATIONS };

static double time_of(const struct accessor *accessor, uint32_t key)
{
    double time;
    accessor_row(accessor, key, &time);
    return time;
}

/* If neighbouring keys have equal times, the later one counts, because STEP gives the new value at a key. */
static bool is_dropped(const struct accessor *times, uint32_t key)
{
    return key + 1 < times->count && time_of(times, key) == time_of(times, key + 1);
}

static int check_times(struct gltf *gltf, const struct gltf_key_source *source, struct gltf_times *times,
                       struct err *err)
{
    times->count = source->times.count;
    double before = 0;
    for (uint32_t key = 0; key < source->times.count; key++) {
        const double time = time_of(&source->times, key);
        if (!isfinite(time))
            return err_set(err, ERR_BAD_KEYS, "%s: the time of key %u is not finite", source->where, key);
        if (time < 0)
            return err_set(err, ERR_BAD_KEYS, "%s: the time of key %u is %.9g, before 0", source->where, key, time);
        if (key > 0 && time < before)
            return err_set(err, ERR_BAD_KEYS, "%s: the time of key %u is %.9g, before the %.9g of the key before",
                           source->where, key, time, before);
        if (key > 0 && time == before) {
            times->has_duplicates = true;
            times->count--;
        }
        before = time;
    }
    if (times->has_duplicates)
        bake_warn(gltf->builder, "duplicate_key_times", "accessors[%u] has equal key times: the last of them is kept",
                  source->times.index);
    return 0;
}

/* Adds each input accessor to the builder once, for all channels and clips. */
static int read_times(struct gltf *gltf, uint32_t index, struct gltf_key_source *source, struct gltf_times **out,
                      struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    struct gltf_times *times = &gltf->times[index];
    const struct accessor_use use = {source->where, ACCESSOR_SCALAR, ACCESSOR_F32};
    *out = times;
    source->is_open = !times->is_read;
    if (times->is_read)
        return accessor_describe(gltf, index, &use, &source->times, err);
    if (accessor_open(gltf, index, &use, &source->times, err) < 0 ||
        import_check_limit(gltf->import, LIMIT_KEYS, builder->key_time_count, source->times.count, source->where, err) <
            0 ||
        check_times(gltf, source, times, err) < 0)
        return err->code;
    times->first = builder->key_time_count;
    double *key_times = bake_add_key_time(builder, times->count);
    if (key_times == NULL)
        return import_full(gltf->import, err);
    for (uint32_t key = 0; key < source->times.count; key++)
        if (!is_dropped(&source->times, key))
            *key_times++ = time_of(&source->times, key);
    times->is_read = true;
    return 0;
}

/* The number of floats per key, including in- and out-tangents. */
static uint32_t floats_per_key(const struct channel *channel)
{
    return channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
}

static int check_count(const struct gltf_key_source *source, struct err *err)
{
    const uint64_t expected = (uint64_t)source->times.count * floats_per_key(&source->channel);
    const uint64_t given = (uint64_t)source->values.count * source->values.width;
    if (given == expected)
        return 0;
    return err_set(err, ERR_BAD_KEYS, "%s: %u keys need %llu numbers, but accessors[%u] has %llu", source->where,
                   source->times.count, (unsigned long long)expected, source->values.index, (unsigned long long)given);
}

/* Reads the values of all keys that are not dropped. */
static void read_all(const struct gltf_key_source *source, const struct gltf_times *times, float *out)
{
    const uint32_t size = floats_per_key(&source->channel), rows = size / source->values.width;
    if (!times->has_duplicates) {
        accessor_floats(&source->values, 0, source->times.count * rows, out);
        return;
    }
    for (uint32_t key = 0; key < source->times.count; key++)
        if (!is_dropped(&source->times, key)) {
            accessor_floats(&source->values, key * rows, rows, out);
            out += size;
        }
}

static int check_values(const struct gltf_key_source *source, const struct gltf_times *times, const float *values,
                        struct err *err)
{
    const uint32_t size = floats_per_key(&source->channel);
    if (floats_are_finite(values, (uint64_t)times->count * size))
        return 0;
    uint32_t key = 0;
    for (; key + 1 < source->times.count; key++) {
        if (times->has_duplicates && is_dropped(&source->times, key))
            continue;
        if (!floats_are_finite(values, size))
            break;
        values += size;
    }
    return err_set(err, ERR_BAD_KEYS, "%s: the value of key %u is not finite", source->where, key);
}

static int add_values(struct gltf *gltf, struct gltf_key_source *source, const struct gltf_times *times,
                      struct gltf_values *values, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const uint32_t size = floats_per_key(&source->channel);
    if (import_check_limit(gltf->import, LIMIT_KEYS, builder->key_value_count, (uint64_t)source->times.count * size,
                           source->where, err) < 0)
        return err->code;
    *values = (struct gltf_values){.first = builder->key_value_count, .times = -1};
    float *out = bake_add_key_value(builder, times->count * size);
    if (out == NULL)
        return import_full(gltf->import, err);
    read_all(source, times, out);
    if (check_values(source, times, out, err) < 0)
        return err->code;
    if (times->has_duplicates)
        values->times = source->times.index;
    values->size = size;
    values->is_read = true;
    return 0;
}

/* If no keys are left out, the values are the accessor's rows, independent of times and interpolation. */
static bool is_known(const struct gltf_values *values, const struct gltf_key_source *source,
                     const struct gltf_times *times)
{
    return values->is_read && (times->has_duplicates ? values->times == (int64_t)source->times.index &&
                                                           values->size == floats_per_key(&source->channel)
                                                     : values->times < 0);
}

/* Warns of the first rotation without unit length; a zero quaternion is an error because it cannot be normalised. */
static int check_rotations(const struct gltf *gltf, const struct gltf_key_source *source, struct gltf_values *values,
                           uint32_t count, struct err *err)
{
    const uint32_t size = floats_per_key(&source->channel), bit = 1U << source->channel.interpolation;
    const float *q = gltf->builder->key_values + values->first + (size > 4 ? 4 : 0);
    const double tolerance = source->values.component == ACCESSOR_F32 ? UNIT_TOLERANCE : INTEGER_UNIT_TOLERANCE;
    bool is_told = (values->checked & ~bit) != 0;
    if (source->channel.path != PATH_ROTATION || (values->checked & bit) != 0)
        return 0;
    for (uint32_t key = 0; key < count; key++, q += size) {
        const double square = (double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] + (double)q[2] * (double)q[2] +
                              (double)q[3] * (double)q[3];
        if (square == 0)
            return err_set(err, ERR_BAD_KEYS, "%s: the rotation of key %u has no length", source->where, key);
        if (!is_told && fabs(sqrt(square) - 1) > tolerance) {
            bake_warn(gltf->builder, "rotation_normalised",
                      "%s: the rotation of key %u has the length %.6g: rotations are normalised", source->where, key,
                      sqrt(square));
            is_told = true;
        }
    }
    values->checked |= bit;
    return 0;
}

static int read_values(struct gltf *gltf, uint32_t index, const struct accessor_use *use,
                       struct gltf_key_source *source, const struct gltf_times *times, struct err *err)
{
    struct gltf_values *values = &gltf->values[index];
    const struct accessor_use times_use = {source->where, ACCESSOR_SCALAR, ACCESSOR_F32};
    if (check_count(source, err) < 0)
        return err->code;
    if (!is_known(values, source, times)) {
        const bool needs_times = times->has_duplicates && !source->is_open;
        if (accessor_open(gltf, index, use, &source->values, err) < 0 ||
            (needs_times && accessor_open(gltf, source->times.index, &times_use, &source->times, err) < 0) ||
            add_values(gltf, source, times, values, err) < 0)
            return err->code;
    }
    source->channel.value_first = values->first;
    return check_rotations(gltf, source, values, times->count, err);
}

/* The accessors that a path accepts (glTF 2.0, 3.11, table of outputs; KHR_animation_pointer for properties). */
static struct accessor_use use_of(const struct channel *channel, const char *where)
{
    static const unsigned TYPES[] = {0, ACCESSOR_SCALAR, ACCESSOR_VEC2, ACCESSOR_VEC3, ACCESSOR_VEC4};
    const unsigned numbers = ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_U8 | ACCESSOR_I16 | ACCESSOR_U16;
    const uint32_t path = channel->path;
    const bool is_scalar = path == PATH_WEIGHTS || path == PATH_VISIBILITY;
    return (struct accessor_use){.where = where,
                                 .types = is_scalar ? (unsigned)ACCESSOR_SCALAR : TYPES[channel->component_count],
                                 .components = path == PATH_VISIBILITY                          ? ACCESSOR_U8
                                               : path == PATH_TRANSLATION || path == PATH_SCALE ? ACCESSOR_F32
                                                                                                : numbers};
}

static int check_output(struct gltf *gltf, uint32_t index, const struct accessor_use *use,
                        struct gltf_key_source *source, struct err *err)
{
    if (accessor_describe(gltf, index, use, &source->values, err) < 0)
        return err->code;
    if (source->values.component != ACCESSOR_F32 && !source->values.is_normalized &&
        source->channel.path < PATH_VISIBILITY)
        return err_set(err, ERR_BAD_MODEL, "%s cannot be accessors[%u], which has integers that are not normalized",
                       use->where, index);
    return 0;
}

int gltf_read_keys(struct gltf *gltf, const cJSON *sampler, const char *sampler_where, struct gltf_key_source *source,
                   struct err *err)
{
    const char *name = json_text(sampler, "interpolation");
    const int interpolation = source->channel.path == PATH_VISIBILITY ? INTERPOLATION_STEP /* booleans have no other */
                              : name == NULL                          ? INTERPOLATION_LINEAR
                                             : json_word(name, INTERPOLATIONS, INTERPOLATION_COUNT);
    if (interpolation < 0)
        return err_set(err, ERR_BAD_MODEL, "%s.interpolation is '%.20s', which is none of glTF's", sampler_where, name);
    source->channel.interpolation = (uint32_t)interpolation;
    char where[sizeof source->where + PROPERTY_POINTER_SIZE];
    snprintf(where, sizeof where, "%s.%s", source->where, source->what);
    const struct accessor_use use = use_of(&source->channel, where);
    const uint32_t input = (uint32_t)json_index(sampler, "input"), output = (uint32_t)json_index(sampler, "output");
    struct gltf_times *times;
    if (check_output(gltf, output, &use, source, err) < 0 || read_times(gltf, input, source, &times, err) < 0 ||
        read_values(gltf, output, &use, source, times, err) < 0)
        return err->code;
    source->channel.key_time_first = times->first;
    source->channel.key_count = times->count;
    return 0;
}
