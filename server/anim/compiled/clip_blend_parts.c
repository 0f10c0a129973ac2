/* clip_blend_parts.c - local transforms of one clip in the form that kernel->mix() takes. */
#include "anim/compiled/clip_blend_internal.h"

#include "anim/compiled/clip_frames.h"

#include <string.h>

void clip_blend_put_parts(const struct clip_palette *palette, const struct model *source, int32_t clip, double time_s,
                          bool has_still, float *parts)
{
    static const struct rig_part NONE = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const uint32_t count = source->rig_node_count;
    const struct compiled_clip *compiled = clip == POSE_REST ? NULL : &source->compiled_clips[clip];
    struct rig_part *to = (struct rig_part *)(void *)parts;
    struct kernel_lanes lanes;
    bool is_first = true;
    if (compiled != NULL) {
        clip_frames_find(source, compiled, time_s, &lanes);
        is_first = clip_frames_are_first(source, compiled, &lanes);
    }
    if (!has_still || is_first)
        memcpy(to, source->rig_parts + (compiled != NULL ? compiled->part_first : 0), count * sizeof *to);
    for (uint32_t i = count; i < KERNEL_PADDED(count + 1) && !has_still; i++)
        to[i] = NONE;
    if (compiled == NULL)
        return;
    lanes.weights = palette->weights;
    lanes.parts = parts;
    if (!is_first)
        palette->kernel->lanes(&lanes);
}
