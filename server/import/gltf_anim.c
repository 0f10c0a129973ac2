/* gltf_anim.c - animations: clips, channels, keys (glTF 2.0, 3.11). */
#include "gltf_accessor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const PATHS[] = {[PATH_TRANSLATION] = "translation",
                                    [PATH_ROTATION] = "rotation",
                                    [PATH_SCALE] = "scale",
                                    [PATH_WEIGHTS] = "weights"};
enum { PATH_COUNT = sizeof PATHS / sizeof *PATHS };
static const char *const INTERPOLATIONS[] = {
    [INTERPOLATION_LINEAR] = "LINEAR", [INTERPOLATION_STEP] = "STEP", [INTERPOLATION_CUBICSPLINE] = "CUBICSPLINE"};
enum { INTERPOLATION_COUNT = sizeof INTERPOLATIONS / sizeof *INTERPOLATIONS };

/* One clip while it is read. */
struct reading {
    struct gltf *gltf;
    uint32_t clip;
    struct gltf_list samplers;
    uint32_t *clip_of; /* [node][path]: the last clip + 1 that animates it */
};

/* One channel while it is read. */
struct key_source {
    char where[80]; /* "animations[0].channels[3]" */
    struct accessor times, values;
    struct channel channel;
};

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static double time_of(const struct accessor *accessor, uint32_t key)
{
    double time;
    accessor_row(accessor, key, &time);
    return time;
}

/* Of neighbours with equal times the later counts: STEP at a key gives the new value. */
static bool is_dropped(const struct accessor *times, uint32_t key)
{
    return key + 1 < times->count && time_of(times, key) == time_of(times, key + 1);
}

static int check_times(struct gltf *gltf, const struct key_source *source, struct gltf_times *times, struct err *err)
{
    times->count = source->times.count;
    double before = 0;
    for (uint32_t key = 0; key < source->times.count; key++) {
        const double time = time_of(&source->times, key);
        if (!isfinite(time))
            return err_set(err, ERR_BAD_MODEL, "%s: the time of key %u is not finite", source->where, key);
        if (time < 0)
            return err_set(err, ERR_BAD_MODEL, "%s: the time of key %u is %.9g, before 0", source->where, key, time);
        if (key > 0 && time < before)
            return err_set(err, ERR_BAD_MODEL, "%s: the time of key %u is %.9g, before the %.9g of the key before",
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

/* Each input accessor goes into the builder once, for all channels and clips. */
static int read_times(struct gltf *gltf, const struct key_source *source, struct gltf_times **out, struct err *err)
{
    struct gltf_times *times = &gltf->times[source->times.index];
    *out = times;
    if (times->is_read)
        return 0;
    struct bake_builder *builder = gltf->builder;
    if (gltf_limit(gltf, LIMIT_KEYS, builder->key_time_count, source->times.count, source->where, err) < 0 ||
        check_times(gltf, source, times, err) < 0)
        return err->code;
    times->first = builder->key_time_count;
    double *key_times = bake_add_key_time(builder, times->count);
    if (key_times == NULL)
        return gltf_full(gltf, err);
    for (uint32_t key = 0; key < source->times.count; key++)
        if (!is_dropped(&source->times, key))
            *key_times++ = time_of(&source->times, key);
    times->is_read = true;
    return 0;
}

/* Normalised or not is the evaluator's business; a zero quaternion has no direction to normalise to. */
static int check_rotation(const struct key_source *source, uint32_t key, const float *q, struct err *err)
{
    if (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0)
        return 0;
    return err_set(err, ERR_BAD_MODEL, "%s: the rotation of key %u has no length", source->where, key);
}

/* The key_value floats of one key, in- and out-tangents included. */
static int read_key(const struct key_source *source, uint32_t key, uint32_t size, float *out, struct err *err)
{
    const uint32_t rows = size / source->values.width;
    double row[4];
    for (uint32_t r = 0; r < rows; r++) {
        accessor_row(&source->values, key * rows + r, row);
        for (uint32_t i = 0; i < source->values.width; i++) {
            float *value = &out[r * source->values.width + i];
            *value = (float)row[i];
            if (!isfinite(*value))
                return err_set(err, ERR_BAD_MODEL, "%s: the value of key %u is not finite", source->where, key);
        }
    }
    if (source->channel.path != PATH_ROTATION)
        return 0;
    const uint32_t value = source->channel.interpolation == INTERPOLATION_CUBICSPLINE ? 4 : 0;
    return check_rotation(source, key, out + value, err);
}

static int read_values(struct gltf *gltf, struct key_source *source, const struct gltf_times *times, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const uint64_t size = (uint64_t)source->channel.component_count *
                          (source->channel.interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
    const uint64_t expected = source->times.count * size;
    const uint64_t given = (uint64_t)source->values.count * source->values.width;
    if (given != expected)
        return err_set(err, ERR_BAD_MODEL, "%s: %u keys need %llu numbers, but accessors[%u] has %llu", source->where,
                       source->times.count, (unsigned long long)expected, source->values.index,
                       (unsigned long long)given);
    if (gltf_limit(gltf, LIMIT_KEYS, builder->key_value_count, expected, source->where, err) < 0)
        return err->code;
    source->channel.value_first = builder->key_value_count;
    float *values = bake_add_key_value(builder, (uint32_t)(times->count * size));
    if (values == NULL)
        return gltf_full(gltf, err);
    for (uint32_t key = 0; key < source->times.count; key++) {
        if (times->has_duplicates && is_dropped(&source->times, key))
            continue;
        if (read_key(source, key, (uint32_t)size, values, err) < 0)
            return err->code;
        values += size;
    }
    return 0;
}

/* Which accessors a path takes (glTF 2.0, 3.11, table of outputs). */
static int open_values(struct gltf *gltf, const cJSON *sampler, struct key_source *source, struct err *err)
{
    const unsigned integers = ACCESSOR_I8 | ACCESSOR_U8 | ACCESSOR_I16 | ACCESSOR_U16;
    const uint32_t path = source->channel.path;
    const bool may_be_integer = path == PATH_ROTATION || path == PATH_WEIGHTS;
    char where[sizeof source->where + 16];
    snprintf(where, sizeof where, "%s.%s", source->where, PATHS[path]);
    const struct accessor_use use = {
        .where = where,
        .types = path == PATH_ROTATION  ? ACCESSOR_VEC4
                 : path == PATH_WEIGHTS ? ACCESSOR_SCALAR
                                        : ACCESSOR_VEC3,
        .components = ACCESSOR_F32 | (may_be_integer ? integers : 0),
    };
    const uint32_t index = (uint32_t)json_index(sampler, "output");
    if (accessor_open(gltf, index, &use, &source->values, err) < 0)
        return err->code;
    if (source->values.component != ACCESSOR_F32 && !source->values.is_normalized)
        return err_set(err, ERR_BAD_MODEL, "%s cannot be accessors[%u], which has integers that are not normalized",
                       where, index);
    return 0;
}

static int read_sampler(struct reading *reading, uint32_t index, struct key_source *source, struct err *err)
{
    struct gltf *gltf = reading->gltf;
    const cJSON *sampler = reading->samplers.items[index];
    const char *name = json_text(sampler, "interpolation");
    const int interpolation =
        name == NULL ? INTERPOLATION_LINEAR : find_name(INTERPOLATIONS, INTERPOLATION_COUNT, name);
    if (interpolation < 0)
        return err_set(err, ERR_BAD_MODEL,
                       "animations[%u].samplers[%u].interpolation is '%.20s', which is none of glTF's", reading->clip,
                       index, name);
    source->channel.interpolation = (uint32_t)interpolation;
    const struct accessor_use use = {source->where, ACCESSOR_SCALAR, ACCESSOR_F32};
    struct gltf_times *times;
    if (accessor_open(gltf, (uint32_t)json_index(sampler, "input"), &use, &source->times, err) < 0 ||
        open_values(gltf, sampler, source, err) < 0 || read_times(gltf, source, &times, err) < 0 ||
        read_values(gltf, source, times, err) < 0)
        return err->code;
    source->channel.key_time_first = times->first;
    source->channel.key_count = times->count;
    return 0;
}

/* Fills node, path and component_count. Returns 1, 0 (nothing here moves: said why) or a negative code. */
static int read_target(struct reading *reading, const cJSON *target, struct key_source *source, struct err *err)
{
    struct bake_builder *builder = reading->gltf->builder;
    if (json_member(json_member(target, "extensions"), "KHR_animation_pointer") != NULL) {
        bake_warn(builder, "channel_ignored", "%s uses KHR_animation_pointer, which is not supported", source->where);
        return 0;
    }
    const char *name = json_text(target, "path");
    const int path = find_name(PATHS, PATH_COUNT, name);
    if (path < 0)
        return err_set(err, ERR_BAD_MODEL, "%s.target.path is '%.20s', which is none of glTF's", source->where, name);
    const int64_t node = json_index(target, "node");
    if (node < 0) {
        bake_warn(builder, "channel_ignored", "%s names no node", source->where);
        return 0;
    }
    const uint32_t weight_count = builder->nodes[node].weight_count;
    if (path == PATH_WEIGHTS && weight_count == 0) {
        bake_warn(builder, "channel_ignored", "%s moves morph weights of nodes[%u], which has none", source->where,
                  (uint32_t)node);
        return 0;
    }
    uint32_t *clip_of = &reading->clip_of[node * PATH_COUNT + path];
    if (*clip_of == reading->clip + 1) {
        bake_warn(builder, "channel_ignored", "%s moves the %s of nodes[%u], as a channel before it does",
                  source->where, name, (uint32_t)node);
        return 0;
    }
    *clip_of = reading->clip + 1;
    static const uint32_t COMPONENTS[] = {[PATH_TRANSLATION] = 3, [PATH_ROTATION] = 4, [PATH_SCALE] = 3};
    source->channel.node = (uint32_t)node;
    source->channel.path = (uint32_t)path;
    source->channel.component_count = path == PATH_WEIGHTS ? weight_count : COMPONENTS[path];
    return 1;
}

static int read_channel(struct reading *reading, const cJSON *json, uint32_t index, struct err *err)
{
    struct bake_builder *builder = reading->gltf->builder;
    struct key_source source = {0};
    snprintf(source.where, sizeof source.where, "animations[%u].channels[%u]", reading->clip, index);
    const uint64_t sampler = json_count(json, "sampler", 0);
    if (sampler >= reading->samplers.count)
        return err_set(err, ERR_BAD_MODEL, "%s.sampler is %llu, but the animation has %u samplers", source.where,
                       (unsigned long long)sampler, reading->samplers.count);
    const int is_moving = read_target(reading, json_member(json, "target"), &source, err);
    if (is_moving <= 0)
        return is_moving;
    if (read_sampler(reading, (uint32_t)sampler, &source, err) < 0)
        return err->code;
    struct channel *channel = bake_add_channel(builder, 1);
    if (channel == NULL)
        return gltf_full(reading->gltf, err);
    *channel = source.channel;
    builder->clips[reading->clip].channel_count++;
    return 0;
}

static int read_clip(struct reading *reading, struct err *err)
{
    struct bake_builder *builder = reading->gltf->builder;
    const cJSON *json = gltf_item(reading->gltf, GLTF_ANIMATIONS, reading->clip);
    const cJSON *samplers = json_member(json, "samplers"), *channels = json_member(json, "channels");
    void *memory;
    reading->samplers.count = json_size(samplers);
    if (gltf_alloc(&memory, reading->samplers.count, sizeof *reading->samplers.items, err) < 0)
        return err->code;
    reading->samplers.items = memory;
    const cJSON *item = samplers->child;
    for (uint32_t i = 0; i < reading->samplers.count; i++, item = item->next)
        reading->samplers.items[i] = item;
    builder->clips[reading->clip].name = gltf_name(reading->gltf, json, GLTF_ANIMATIONS, reading->clip);
    builder->clips[reading->clip].channel_first = builder->channel_count;
    uint32_t index = 0;
    int rc = 0;
    for (item = channels->child; item != NULL && rc == 0; item = item->next)
        rc = read_channel(reading, item, index++, err);
    free(memory);
    return rc;
}

int gltf_read_animations(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_ANIMATIONS].count;
    void *times, *clip_of;
    if (gltf_alloc(&times, gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->times, err) < 0)
        return err->code;
    gltf->times = times;
    if (gltf_alloc(&clip_of, (uint64_t)gltf->builder->node_count * PATH_COUNT, sizeof(uint32_t), err) < 0)
        return err->code;
    struct reading reading = {.gltf = gltf, .clip_of = clip_of};
    int rc = bake_add_clip(gltf->builder, count) == NULL ? gltf_full(gltf, err) : 0;
    for (; reading.clip < count && rc == 0; reading.clip++)
        rc = read_clip(&reading, err);
    free(clip_of);
    return rc;
}
