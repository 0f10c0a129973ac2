/* sample.c - interpolates one channel. */
#include "anim/pose/sample.h"

#include "anim/model/mat.h"

#include <stddef.h>

uint32_t sample_key(const double *times, uint32_t count, double time_s)
{
    uint32_t low = 0, high = count; /* [low, high) contains the last key <= time_s, if there is one */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void copy(const struct channel *channel, const float *values, double *out)
{
    for (uint32_t i = 0; i < channel->component_count; i++)
        out[i] = (double)values[i];
    if (channel->path == PATH_ROTATION)
        quat_repair(out);
}

static void linear(const struct channel *channel, const float *a, const float *b, double u, double *out)
{
    if (channel->path == PATH_ROTATION) {
        double from[4], to[4];
        copy(channel, a, from);
        copy(channel, b, to);
        quat_slerp(from, to, u, out);
        return;
    }
    for (uint32_t i = 0; i < channel->component_count; i++)
        out[i] = (double)a[i] * (1 - u) + (double)b[i] * u;
}

/* Evaluates a cubic Hermite spline (glTF 2.0, appendix C.4). Tangents are per second, so the key distance scales them.
 * `a` and `b` point to the in-tangents of the two keys. */
static void cubic(const struct channel *channel, const float *a, const float *b, double u, double distance_s,
                  double *out)
{
    const size_t n = channel->component_count;
    const double u2 = u * u, u3 = u2 * u;
    const double value_a = 2 * u3 - 3 * u2 + 1, tangent_a = distance_s * (u3 - 2 * u2 + u);
    const double value_b = -2 * u3 + 3 * u2, tangent_b = distance_s * (u3 - u2);
    for (size_t i = 0; i < n; i++)
        out[i] = value_a * (double)a[n + i] + tangent_a * (double)a[2 * n + i] + value_b * (double)b[n + i] +
                 tangent_b * (double)b[i];
    if (channel->path == PATH_ROTATION)
        quat_normalize(out);
}

void sample_channel_at(const struct model *model, const struct channel *channel, uint32_t key, double time_s,
                       double *out)
{
    const double *times = model->key_times + channel->key_time_first;
    const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const size_t key_floats = (size_t)channel->component_count * (is_cubic ? 3 : 1);
    const float *a = model->key_values + channel->value_first + key * key_floats;
    if (time_s <= times[key] || key + 1 == channel->key_count || channel->interpolation == INTERPOLATION_STEP) {
        copy(channel, is_cubic ? a + channel->component_count : a, out);
        return;
    }
    const double distance_s = times[key + 1] - times[key];
    const double u = (time_s - times[key]) / distance_s;
    if (is_cubic)
        cubic(channel, a, a + key_floats, u, distance_s, out);
    else
        linear(channel, a, a + key_floats, u, out);
}

void sample_channel(const struct model *model, const struct channel *channel, double time_s, double *out)
{
    const double *times = model->key_times + channel->key_time_first;
    sample_channel_at(model, channel, sample_key(times, channel->key_count, time_s), time_s, out);
}
