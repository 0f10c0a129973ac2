/* collada_curve.c - solves curves in the plane of time and value for the value at a time. */
#include "import/collada/collada_curve.h"
#include "import/curve/bezier.h"

#include "anim/pose/sample.h"

#include <math.h>
#include <stdlib.h>

void sampler_fini(struct collada_sampler *sampler)
{
    free(sampler->times);
    free(sampler->values);
    free(sampler->kinds);
    free(sampler->controls);
    *sampler = (struct collada_sampler){0};
}

/* x(s) rises when its derivative, a quadratic with the Bernstein coefficients d0, d1, d2, is nowhere negative. */
static bool is_function(double d0, double d1, double d2)
{
    return d0 >= 0 && d2 >= 0 && (d1 >= 0 || d1 * d1 <= d0 * d2 * (1 + 1e-9));
}

uint32_t sampler_repair(struct collada_sampler *sampler)
{
    uint32_t repaired = 0;
    for (uint32_t k = 0; sampler->controls != NULL && k + 1 < sampler->key_count; k++) {
        const double t0 = sampler->times[k], t1 = sampler->times[k + 1];
        bool is_bent_back = false;
        for (uint32_t c = 0; c < sampler->width && sampler->kinds[k] == CURVE_BEZIER; c++) {
            struct curve_control *control = &sampler->controls[(uint64_t)k * sampler->width + c];
            if (is_function(control->x0 - t0, control->x1 - control->x0, t1 - control->x1))
                continue;
            control->x0 = fmin(fmax(control->x0, t0), t1);
            control->x1 = fmin(fmax(control->x1, t0), t1);
            is_bent_back = true;
        }
        repaired += is_bent_back;
    }
    return repaired;
}

static double bezier(const struct collada_sampler *sampler, uint32_t key, uint32_t component, double u, double span_s)
{
    const uint64_t at = (uint64_t)key * sampler->width + component;
    const struct curve_control *control = &sampler->controls[at];
    const double t0 = sampler->times[key];
    const double s = bezier_parameter((control->x0 - t0) / span_s, (control->x1 - t0) / span_s, u), r = 1 - s;
    return r * r * r * sampler->values[at] + 3 * r * r * s * control->y0 + 3 * r * s * s * control->y1 +
           s * s * s * sampler->values[at + sampler->width];
}

uint32_t sampler_key(const struct collada_sampler *sampler, double time_s)
{
    return sample_key(sampler->times, sampler->key_count, time_s);
}

double sampler_at(const struct collada_sampler *sampler, uint32_t component, double time_s)
{
    const uint32_t key = sampler_key(sampler, time_s);
    const double *value = sampler->values + (uint64_t)key * sampler->width + component;
    if (key + 1 == sampler->key_count || time_s <= sampler->times[key] || sampler->kinds[key] == CURVE_STEP)
        return *value;
    const double span_s = sampler->times[key + 1] - sampler->times[key];
    const double u = (time_s - sampler->times[key]) / span_s;
    if (sampler->kinds[key] == CURVE_BEZIER)
        return bezier(sampler, key, component, u, span_s);
    return value[0] * (1 - u) + value[sampler->width] * u;
}
