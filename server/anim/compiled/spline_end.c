/* spline_end.c - values and slopes of one channel of cubic splines. */
#include "anim/compiled/spline_end.h"

#include "anim/kernel/kernel_simd.h"

#include <string.h>

/* Writes n floats as doubles, and zeroes after them. n: 3 or 4, a constant where this is inlined. */
static inline void widen(const float *in, uint32_t n, double out[4])
{
    f32x4 narrow = {0};
    memcpy(&narrow, in, n * sizeof *in);
    const f64x4 wide = __builtin_convertvector(narrow, f64x4);
    memcpy(out, &wide, sizeof wide);
}

static inline void read_key(const float *in, uint32_t n, bool is_first, bool is_last, struct spline_end *before,
                            struct spline_end *after)
{
    static const float NONE[4];
    widen(in + n, n, before->value);
    widen(in + n, n, after->value);
    widen(is_first ? NONE : in, n, before->slope);
    widen(is_last ? NONE : in + 2 * (size_t)n, n, after->slope);
}

void spline_key(const struct model *model, const struct channel *channel, uint32_t k, struct spline_end *before,
                struct spline_end *after)
{
    const uint32_t n = channel->component_count;
    const float *in = model->key_values + channel->value_first + 3 * (size_t)n * k;
    __builtin_prefetch(in + SPLINE_AHEAD_FLOATS);
    if (n == 4)
        read_key(in, 4, k == 0, k + 1 == channel->key_count, before, after);
    else
        read_key(in, 3, k == 0, k + 1 == channel->key_count, before, after);
}

void spline_between(const struct spline_end *from, const struct spline_end *to, uint32_t n, double u, double distance_s,
                    struct spline_end *out)
{
    const double rest = 1 - u, step = u * u * (3 - 2 * u);
    const double slope_from = u * rest * rest * distance_s, slope_to = -u * u * rest * distance_s;
    const double steepness = 6 * u * rest / distance_s, steep_from = rest * (1 - 3 * u), steep_to = u * (3 * u - 2);
    for (uint32_t i = 0; i < n; i++) {
        const double way = to->value[i] - from->value[i];
        out->value[i] = from->value[i] + (step * way + (slope_from * from->slope[i] + slope_to * to->slope[i]));
        out->slope[i] = steepness * way + (steep_from * from->slope[i] + steep_to * to->slope[i]);
    }
}

void spline_ends(const struct model *model, const struct channel *channel, uint32_t key, double time_s,
                 struct spline_end *before, struct spline_end *after)
{
    const double *times = model->key_times + channel->key_time_first;
    struct spline_end unused, to;
    spline_key(model, channel, key, before, after);
    if (time_s > times[key] && key + 1 < channel->key_count) {
        const double distance_s = times[key + 1] - times[key];
        const struct spline_end from = *after;
        spline_key(model, channel, key + 1, &to, &unused);
        spline_between(&from, &to, channel->component_count, (time_s - times[key]) / distance_s, distance_s, before);
        *after = *before;
    } else if (time_s != times[key]) { /* it holds */
        memset(before->slope, 0, sizeof before->slope);
        memset(after->slope, 0, sizeof after->slope);
    }
}
