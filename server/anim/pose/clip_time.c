#include "anim/pose/clip_time.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double clip_time_wrap(double time_s, double duration_s, enum wrap wrap)
{
    if (!(duration_s > 0))
        return 0;
    if (wrap == WRAP_CLAMP)
        return fmin(fmax(time_s, 0), duration_s);
    if (wrap == WRAP_MIRROR) {
        /* Mirroring is symmetric around 0, so the sign does not matter. */
        const double there = fmod(fabs(time_s), 2 * duration_s);
        return there > duration_s ? fmax(2 * duration_s - there, 0) : there;
    }
    if (time_s >= 0 && time_s < 2 * duration_s) /* a remainder without a division; exact, as is fmod() */
        return (time_s < duration_s ? time_s : time_s - duration_s) + 0;
    const double rest = fmod(time_s, duration_s);
    if (rest >= 0)
        return rest + 0; /* not -0 */
    /* A tiny negative rest can round up to the duration itself, which is the first pose again. */
    const double wrapped = rest + duration_s;
    return wrapped < duration_s ? wrapped : 0;
}

double clip_time_in_span(const struct clip_span *span, double time_s)
{
    const double length_s = span->to_s - span->from_s;
    const double asked_s = fmax(fmin(time_s * span->speed + span->phase * length_s, DBL_MAX), -DBL_MAX);
    const double wrapped_s = clip_time_wrap(asked_s, length_s, span->wrap);
    const double sum_s = span->from_s + wrapped_s;
    if (span->wrap == WRAP_LOOP)
        return sum_s < span->to_s ? sum_s : span->from_s; /* the sum may round up to the end */
    return wrapped_s >= length_s ? span->to_s : fmin(sum_s, span->to_s);
}

uint32_t clip_time_count(double duration_s, double rate)
{
    const double whole = floor(duration_s * rate + 1e-9);
    const bool has_rest = duration_s - whole / rate > 1e-9 * fmax(1, duration_s);
    return !(whole <= 1e8) ? UINT32_MAX : (uint32_t)whole + 1 + has_rest;
}

double clip_time_of(uint32_t sample, double duration_s, double rate) { return fmin(sample / rate, duration_s); }
