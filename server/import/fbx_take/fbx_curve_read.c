/* fbx_curve_read.c - reads curves of files from 7.0 on, and extrapolations. */
#include "import/fbx_take/fbx_curve_read.h"
#include "import/fbx_take/fbx_tangent.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static struct fbx_extension extension_of(const struct fbx_file *file, uint32_t record, const char *name)
{
    const uint32_t child = fbx_child(file, record, name);
    const struct fbx_value *type = fbx_value(file, fbx_child(file, child, "Type"), 0);
    const int letter = type != NULL ? fbx_letter(type) : 0;
    const int64_t count = fbx_child_integer(file, child, "Repetition", -1);
    struct fbx_extension extension = {.kind = FBX_EXTEND_CONSTANT, .count = -1};
    if (letter == FBX_EXTEND_SLOPE || letter == FBX_EXTEND_MIRROR || letter == FBX_EXTEND_REPEAT ||
        letter == FBX_EXTEND_RELATIVE)
        extension.kind = (enum fbx_extrapolation)letter;
    if (count >= 0)
        extension.count = count < INT32_MAX ? (int32_t)count : INT32_MAX;
    return extension;
}

/* The arrays of an AnimationCurve. */
struct arrays {
    int64_t *times, *flags, *runs;
    double *values;
    uint32_t *data;
    uint32_t time_count, value_count, flag_count, run_count, data_count;
};

static void arrays_fini(struct arrays *arrays)
{
    free(arrays->times);
    free(arrays->flags);
    free(arrays->runs);
    free(arrays->values);
    free(arrays->data);
}

static int read_arrays(struct arrays *arrays, const struct fbx_file *file, uint32_t record, struct err *err)
{
    int rc = fbx_integers(file, fbx_child(file, record, "KeyTime"), &arrays->times, &arrays->time_count, err);
    if (rc == 0)
        rc = fbx_doubles(file, fbx_child(file, record, "KeyValueFloat"), &arrays->values, &arrays->value_count, err);
    if (rc == 0)
        rc = fbx_integers(file, fbx_child(file, record, "KeyAttrFlags"), &arrays->flags, &arrays->flag_count, err);
    if (rc == 0)
        rc = fbx_bits(file, fbx_child(file, record, "KeyAttrDataFloat"), &arrays->data, &arrays->data_count, err);
    if (rc == 0)
        rc = fbx_integers(file, fbx_child(file, record, "KeyAttrRefCount"), &arrays->runs, &arrays->run_count, err);
    if (rc < 0)
        return rc;
    if (arrays->time_count != arrays->value_count)
        return fbx_bad(file, record, err, "a curve has %u times and %u values", arrays->time_count,
                       arrays->value_count);
    if (arrays->flag_count != arrays->run_count || arrays->data_count / 4 != arrays->run_count)
        return fbx_bad(file, record, err, "a curve has %u flags, %u runs and %u floats", arrays->flag_count,
                       arrays->run_count, arrays->data_count);
    return 0;
}

/* Expands the flags and floats of every key. Each run has one set of flags, four floats and a length. */
static int expand(struct fbx_key_data *data, const struct arrays *arrays, const struct fbx_file *file, uint32_t record,
                  struct err *err)
{
    uint32_t key = 0;
    for (uint32_t run = 0; run < arrays->run_count; run++)
        for (int64_t i = 0; i < arrays->runs[run] && key < arrays->time_count; i++) {
            data[key].flags = (uint32_t)arrays->flags[run];
            for (uint32_t k = 0; k < 4; k++)
                data[key].bits[k] = arrays->data[4 * (size_t)run + k];
            key++;
        }
    if (key < arrays->time_count)
        return fbx_bad(file, record, err, "a curve has flags for %u of %u keys", key, arrays->time_count);
    return 0;
}

/* --- order --- */

struct place {
    int64_t time;
    uint32_t index;
};

static int by_time(const void *a, const void *b)
{
    const struct place *i = a, *k = b;
    return i->time != k->time ? (i->time > k->time) - (i->time < k->time)
                              : (i->index > k->index) - (i->index < k->index);
}

/* Sorts keys by time. */
static void sort(struct arrays *arrays, struct fbx_key_data *data)
{
    bool is_sorted = true;
    for (uint32_t i = 1; i < arrays->time_count; i++)
        is_sorted = is_sorted && arrays->times[i] >= arrays->times[i - 1];
    if (is_sorted)
        return;
    const uint32_t count = arrays->time_count;
    struct place *places = mem_alloc(count * sizeof *places);
    double *values = mem_alloc(count * sizeof *values);
    struct fbx_key_data *sorted = mem_alloc(count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct place){arrays->times[i], i};
    qsort(places, count, sizeof *places, by_time);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = arrays->values[places[i].index];
        sorted[i] = data[places[i].index];
    }
    for (uint32_t i = 0; i < count; i++) {
        arrays->times[i] = places[i].time;
        arrays->values[i] = values[i];
        data[i] = sorted[i];
    }
    free(places);
    free(values);
    free(sorted);
}

/* --- a curve --- */

static int fill(struct fbx_curve *curve, struct arrays *arrays, const struct fbx_file *file, uint32_t record,
                struct err *err)
{
    const uint32_t count = arrays->time_count;
    struct fbx_key_data *data = mem_alloc((count + 1) * sizeof *data);
    int rc = expand(data, arrays, file, record, err);
    if (rc == 0) {
        sort(arrays, data);
        curve->keys = mem_zalloc(count + 1, sizeof *curve->keys);
        curve->key_count = count;
    }
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        curve->keys[i].time = (double)arrays->times[i];
        curve->keys[i].value = arrays->values[i];
        if (!isfinite(arrays->values[i]))
            rc = err_set(err, ERR_BAD_KEYS, "the value of key %u is not finite", i);
    }
    if (rc == 0)
        fbx_tangents_solve(curve, data);
    free(data);
    return rc;
}

static int read_curve(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err)
{
    struct arrays arrays = {0};
    int rc = read_arrays(&arrays, &scene->file, record, err);
    if (rc == 0 && arrays.time_count > scene->import->limits->value[LIMIT_KEYS])
        rc = err_set(err, ERR_MODEL_LIMIT, "a curve has %u keys, more than %s", arrays.time_count,
                     LIMIT_TEXT(scene->import->limits, LIMIT_KEYS));
    if (rc == 0)
        rc = fill(curve, &arrays, &scene->file, record, err);
    arrays_fini(&arrays);
    return rc;
}

int fbx_curve_read(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err)
{
    *curve = (struct fbx_curve){
        .units_per_s = scene->ticks_per_s,
        .before = extension_of(&scene->file, record, "Pre-Extrapolation"),
        .after = extension_of(&scene->file, record, "Post-Extrapolation"),
    };
    if (record == FBX_NONE)
        return 0;
    const int rc = fbx_is(&scene->file, record, "Channel") ? fbx_old_curve_read(curve, scene, record, err)
                                                           : read_curve(curve, scene, record, err);
    if (rc < 0)
        fbx_curve_fini(curve);
    return rc;
}
