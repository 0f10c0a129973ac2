/* clip_frames.c - finds the frames around a time. */
#include "anim/compiled/clip_frames.h"

#include "anim/pose/sample.h"

#include <stdlib.h>
#include <string.h>

bool clip_frames_reserve(void *array, uint32_t *capacity, uint32_t count, size_t item_bytes)
{
    enum { LINE_BYTES = 64 };
    if (count <= *capacity)
        return true;
    /* aligned_alloc() requires a multiple of the alignment */
    const size_t size_bytes = (count * item_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    void *items = aligned_alloc(LINE_BYTES, size_bytes), *old;
    if (items == NULL)
        return false;
    memset(items, 0, size_bytes); /* the last rows of the matrices stay 0 */
    memcpy(&old, array, sizeof old);
    free(old);
    memcpy(array, &items, sizeof items);
    *capacity = count;
    /* cppcheck-suppress memleak ; *room has it */
    return true;
}

/* The frames around a time; u is 0 at either end and at each frame. */
struct frame_pair {
    uint32_t from, to;
    double u, distance_s;
};

/* Finds the last frame at or before a time between the first and the last frame, the second one of two at that time. It
 * guesses even spacing, corrects a rounding error by one, and otherwise searches. */
static uint32_t find_frame(const struct compiled_clip *clip, const double *times, double time_s)
{
    const uint32_t last = clip->frame_count - 2;
    const double guess = (time_s - times[0]) * clip->frames_per_s;
    uint32_t f = guess < last ? (uint32_t)guess : last;
    if (time_s < times[f])
        f -= f > 0;
    else if (time_s >= times[f + 1])
        f += f < last;
    if (time_s >= times[f] && time_s < times[f + 1])
        return f;
    return sample_key(times, clip->frame_count, time_s);
}

static struct frame_pair find_frame_pair(const struct model *model, const struct compiled_clip *clip, double time_s)
{
    const double *times = model->frame_times + clip->frame_first;
    const uint32_t end = clip->frame_count - 1;
    if (!(time_s > times[0]))
        return (struct frame_pair){0, 0, 0, 0};
    if (time_s >= times[end])
        return (struct frame_pair){end, end, 0, 0};
    const uint32_t f = find_frame(clip, times, time_s);
    const double distance_s = times[f + 1] - times[f];
    return (struct frame_pair){f, f + 1, (time_s - times[f]) / distance_s, distance_s};
}

/* Evaluates the weights of a cubic Hermite spline (glTF 2.0, appendix C.4). Slopes are per second. */
static struct kernel_spline spline_weights(const struct frame_pair *pair)
{
    const double u = pair->u, rest = 1 - u;
    return (struct kernel_spline){
        .step = (float)(u * u * (3 - 2 * u)),
        .slope_from = (float)(u * rest * rest * pair->distance_s),
        .slope_to = (float)(-u * u * rest * pair->distance_s),
    };
}

void clip_frames_find(const struct model *model, const struct compiled_clip *clip, double time_s,
                      struct kernel_lanes *lanes)
{
    const struct frame_pair pair = find_frame_pair(model, clip, time_s);
    const float *frames = model->lane_values + clip->value_first;
    *lanes = (struct kernel_lanes){
        .blocks = model->lane_blocks + clip->block_first,
        .block_count = clip->block_count,
        .values = model->lane_values,
        .from = frames + (size_t)pair.from * clip->frame_floats,
        .to = frames + (size_t)pair.to * clip->frame_floats,
        .u = (float)pair.u,
    };
    if ((clip->flags & COMPILED_CUBIC) != 0)
        lanes->spline = spline_weights(&pair);
}
