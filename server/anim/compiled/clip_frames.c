/* clip_frames.c - finds the frames around a time. */
#include "anim/compiled/clip_frames.h"

#include "anim/pose/pose.h"
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
    float u;
};

/* Finds the last frame at or before a time between the first and the last frame. It guesses even spacing, corrects a
 * rounding error by one, and otherwise searches. */
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
        return (struct frame_pair){0, 0, 0};
    if (time_s >= times[end])
        return (struct frame_pair){end, end, 0};
    const uint32_t f = find_frame(clip, times, time_s);
    return (struct frame_pair){f, f + 1, (float)((time_s - times[f]) / (times[f + 1] - times[f]))};
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
        .u = pair.u,
    };
}

struct trs clip_frames_sample(const struct model *model, const struct sampled_node *sampled, double time_s)
{
    struct trs trs = pose_rest_transform(&model->nodes[model->rig_nodes[sampled->rig_node].node]);
    double *const targets[] = {trs.translation, trs.rotation, trs.scale};
    for (int path = 0; path < 3; path++)
        if (sampled->channels[path] >= 0)
            sample_channel(model, &model->channels[sampled->channels[path]], time_s, targets[path]);
    return trs;
}
