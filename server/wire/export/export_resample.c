/* export_resample.c - generates keys of the same motion at times other than the model's. */
#include "anim/model/mat.h"
#include "anim/pose/clip_time.h"
#include "anim/pose/sample.h"
#include "wire/export/export_internal.h"

#include <math.h>
#include <stdlib.h>

static uint32_t parts_of(const struct channel *channel)
{
    return channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
}

/* --- a cubic piece between two keys (glTF 2.0, appendix C.4) --- */

/* Computes value and slope at a time on the cubic segment that begins with key k, also beyond its ends:
 * out[component_count] each. */
static void cubic_at(const struct model *source, const struct channel *channel, uint32_t k, double time_s, float *value,
                     float *slope)
{
    const uint32_t n = channel->component_count;
    const double *times = source->key_times + channel->key_time_first;
    const float *a = source->key_values + channel->value_first + (size_t)k * 3 * n, *b = a + (size_t)3 * n;
    const double d = times[k + 1] - times[k], u = (time_s - times[k]) / d;
    for (uint32_t i = 0; i < n; i++) {
        const double p0 = (double)a[n + i], m0 = d * (double)a[2 * n + i], p1 = (double)b[n + i], m1 = d * (double)b[i];
        const double c = -3 * p0 + 3 * p1 - 2 * m0 - m1, q = 2 * p0 - 2 * p1 + m0 + m1;
        value[i] = (float)(p0 + u * (m0 + u * (c + u * q)));
        slope[i] = (float)((m0 + u * (2 * c + u * 3 * q)) / d);
    }
}

/* --- poses at the requested rate --- */

static bool sample(struct export *e, const struct export_clip *clip, struct channel *channel, uint32_t count)
{
    const struct model *source = clip->source;
    const struct channel *from = export_source_channel(clip, channel);
    double *values = malloc((channel->component_count + 1) * sizeof *values);
    channel->interpolation = INTERPOLATION_LINEAR;
    if (values == NULL || !export_add_keys(e, channel, count)) {
        free(values);
        return e->context->reply->code != 0 ? false : context_fail_memory(e->context);
    }
    double *times = export_times(e, channel);
    float *floats = export_values(e, channel);
    for (uint32_t k = 0; k < count; k++) {
        times[k] = clip_time_of(k, clip->duration_s, e->sample_rate);
        if (e->context->request->format != FORMAT_POSED)
            times[k] = (double)(float)times[k]; /* the number that the file keeps */
        sample_channel(source, from, times[k], values);
        for (uint32_t i = 0; i < channel->component_count; i++)
            *floats++ = (float)values[i];
    }
    free(values);
    return true;
}

bool export_sample_clip(struct export *e, struct export_clip *clip)
{
    const uint32_t count = clip_time_count(clip->duration_s, e->sample_rate);
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        struct channel channel = export_channels(e, clip)[c];
        if (channel.path >= PATH_VISIBILITY || channel.key_count == 1 || channel.reserved == EXPORT_OF_NOTHING)
            continue;
        if (count > UINT32_MAX / 16 / channel.component_count)
            return context_fail_too_large(e->context);
        if (!export_is_affordable(e, count) || !sample(e, clip, &channel, count))
            return false;
        export_channels(e, clip)[c] = channel;
        context_check_stop(e->context);
    }
    return true;
}

/* --- keys before time 0 --- */

bool export_crop_channel(struct export *e, struct channel *channel)
{
    const struct channel from = *channel;
    const double *times = export_times(e, &from);
    const uint32_t width = from.component_count * parts_of(&from);
    uint32_t first = 0; /* the first key to keep */
    while (first < from.key_count && times[first] < 0)
        first++;
    const bool is_made = first == from.key_count || times[first] > 0;
    if (!export_add_keys(e, channel, from.key_count - first + is_made))
        return false;
    times = export_times(e, &from);
    const float *values = export_values(e, &from);
    double *to = export_times(e, channel);
    float *out = export_values(e, channel);
    if (is_made && first < from.key_count && from.interpolation != INTERPOLATION_STEP) {
        struct model view = *e->model; /* plays the original channel */
        view.key_times = (const double *)(const void *)e->clips.times.data;
        view.key_values = (const float *)(const void *)e->clips.values.data;
        if (parts_of(&from) == 3) {
            memset(out, 0, from.component_count * sizeof *out);
            cubic_at(&view, &from, first - 1, 0, out + from.component_count, out + 2 * (size_t)from.component_count);
        } else {
            double *sampled = malloc((from.component_count + 1) * sizeof *sampled);
            if (sampled == NULL)
                return context_fail_memory(e->context);
            sample_channel(&view, &from, 0, sampled);
            for (uint32_t i = 0; i < from.component_count; i++)
                out[i] = (float)sampled[i];
            free(sampled);
        }
    } else if (is_made) {
        memcpy(out, values + (size_t)(first - 1) * width, width * sizeof *out);
    }
    if (is_made)
        to[0] = 0;
    memcpy(to + is_made, times + first, (from.key_count - first) * sizeof *to);
    memcpy(out + (is_made ? width : 0), values + (size_t)first * width,
           (size_t)(from.key_count - first) * width * sizeof *out);
    return true;
}

/* --- times that were rounded --- */

/* Several adjacent keys mean that the value jumps. The first of them ends the segment before, the last begins the
 * segment after, and those between keep their values. */
enum key_place { KEY_ALONE, KEY_FIRST, KEY_BETWEEN, KEY_LAST };

static enum key_place place_of(const double *times, uint32_t count, uint32_t k)
{
    const double step_s = 5 * (double)(nextafterf((float)times[k], INFINITY) - (float)times[k]);
    const bool is_behind = k > 0 && times[k] - times[k - 1] < step_s;
    const bool is_before = k + 1 < count && times[k + 1] - times[k] < step_s;
    return is_behind ? is_before ? KEY_BETWEEN : KEY_LAST : is_before ? KEY_FIRST : KEY_ALONE;
}

/* A channel that moves to other times: key k moves to time_s. */
struct follower {
    const struct model *source;
    const struct channel *from;
    float *scratch;  /* [component_count] */
    double *sampled; /* [component_count] */
};

/* Evaluates the linear segment that begins with key k, also slightly beyond its ends. */
static void linear_at(const struct follower *f, uint32_t k, double time_s, float *out)
{
    const uint32_t n = f->from->component_count;
    const double *times = f->source->key_times + f->from->key_time_first + k;
    const float *a = f->source->key_values + f->from->value_first + (size_t)k * n, *b = a + n;
    const double u = (time_s - times[0]) / (times[1] - times[0]);
    double qa[4], qb[4], q[4];
    for (uint32_t i = 0; i < n && f->from->path != PATH_ROTATION; i++)
        out[i] = (float)((double)a[i] * (1 - u) + (double)b[i] * u);
    if (f->from->path != PATH_ROTATION)
        return;
    for (int i = 0; i < 4; i++) {
        qa[i] = (double)a[i];
        qb[i] = (double)b[i];
    }
    quat_repair(qa);
    quat_repair(qb);
    quat_slerp(qa, qb, u, q);
    for (int i = 0; i < 4; i++)
        out[i] = (float)q[i];
}

static void follow_cubic(const struct follower *f, uint32_t k, enum key_place place, double time_s, float *out)
{
    const uint32_t n = f->from->component_count;
    const double own_s = f->source->key_times[f->from->key_time_first + k];
    float *slope_in = out, *value = out + n, *slope_out = out + 2 * (size_t)n;
    const bool is_behind = place == KEY_ALONE ? time_s > own_s || k == 0 : place == KEY_LAST;
    if (k > 0 && place != KEY_LAST)
        cubic_at(f->source, f->from, k - 1, time_s, is_behind ? f->scratch : value, slope_in);
    if (k + 1 < f->from->key_count && place != KEY_FIRST)
        cubic_at(f->source, f->from, k, time_s, is_behind ? value : f->scratch, slope_out);
}

static void follow(const struct follower *f, uint32_t k, double time_s, float *out)
{
    const enum key_place place = place_of(f->source->key_times + f->from->key_time_first, f->from->key_count, k);
    if (place == KEY_BETWEEN || (place == KEY_FIRST && k == 0) || (place == KEY_LAST && k + 1 == f->from->key_count))
        return;
    if (parts_of(f->from) == 3) {
        follow_cubic(f, k, place, time_s, out);
    } else if (place == KEY_ALONE) {
        sample_channel(f->source, f->from, time_s, f->sampled);
        for (uint32_t i = 0; i < f->from->component_count; i++)
            out[i] = (float)f->sampled[i];
    } else {
        linear_at(f, place == KEY_FIRST ? k - 1 : k, time_s, out);
    }
}

bool export_follow_times(struct export *e, const struct export_clip *clip, struct channel *channel)
{
    const struct model *source = clip->source;
    if (channel->reserved == EXPORT_OF_NOTHING || channel->interpolation == INTERPOLATION_STEP)
        return true;
    const struct channel *from = export_source_channel(clip, channel);
    const struct channel old = *channel;
    if (from->key_count != old.key_count)
        return true; /* cropped */
    const uint32_t width = old.component_count * parts_of(&old);
    if (!export_add_keys(e, channel, old.key_count))
        return false;
    memcpy(export_times(e, channel), export_times(e, &old), old.key_count * sizeof(double));
    memcpy(export_values(e, channel), export_values(e, &old), (size_t)old.key_count * width * sizeof(float));
    const struct follower follower = {.source = source,
                                      .from = from,
                                      .scratch = malloc((old.component_count + 1) * sizeof(float)),
                                      .sampled = malloc((old.component_count + 1) * sizeof(double))};
    const bool has_memory = follower.scratch != NULL && follower.sampled != NULL;
    for (uint32_t k = 0; has_memory && k < old.key_count; k++) {
        const double time_s = export_times(e, channel)[k];
        if (time_s < source->key_times[from->key_time_first + k] ||
            time_s > source->key_times[from->key_time_first + k])
            follow(&follower, k, time_s, export_values(e, channel) + (size_t)k * width);
    }
    free(follower.scratch);
    free(follower.sampled);
    return has_memory || context_fail_memory(e->context);
}
