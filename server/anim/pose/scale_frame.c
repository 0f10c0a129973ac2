/* scale_frame.c - composes nodes, and keeps their scales separate from their children. */
#include "anim/pose/scale_frame.h"

#include <string.h>

static const double ONE[3] = {1, 1, 1};

static struct dmat4 scaled_axes(const struct dmat4 *m, const double scale[3])
{
    struct dmat4 out = *m;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            out.m[4 * c + r] *= scale[c];
    return out;
}

struct dmat4 scale_frame_matrix(const struct scale_frame *frame)
{
    return scaled_axes(&frame->scene_from_unscaled, frame->scale);
}

struct scale_frame scale_frame_below(const struct scale_frame *parent, const struct trs *local, uint32_t flags)
{
    const bool is_plain = (flags & (NODE_SCALE_BY_AXIS | NODE_SCALE_OWN)) == 0;
    struct scale_frame frame = {.inherited = {1, 1, 1}};
    struct trs unscaled = *local;
    memcpy(unscaled.scale, ONE, sizeof ONE);
    if (parent != NULL && !is_plain) {
        const double *inherited = (flags & NODE_SCALE_BY_AXIS) != 0 ? parent->scale : parent->inherited;
        for (int i = 0; i < 3; i++) {
            frame.inherited[i] = inherited[i];
            unscaled.translation[i] *= parent->scale[i];
        }
    }
    frame.scene_from_unscaled = dmat4_from_trs(&unscaled);
    if (parent != NULL) {
        const struct dmat4 scene_from_parent = is_plain ? scale_frame_matrix(parent) : parent->scene_from_unscaled;
        frame.scene_from_unscaled = dmat4_mul(&scene_from_parent, &frame.scene_from_unscaled);
    }
    for (int i = 0; i < 3; i++)
        frame.scale[i] = local->scale[i] * frame.inherited[i];
    return frame;
}

struct scale_frame scale_frame_of_matrix(const struct scale_frame *parent, const struct dmat4 *parent_from_node)
{
    struct scale_frame frame = {.scene_from_unscaled = *parent_from_node, .scale = {1, 1, 1}, .inherited = {1, 1, 1}};
    if (parent != NULL) {
        const struct dmat4 scene_from_parent = scale_frame_matrix(parent);
        frame.scene_from_unscaled = dmat4_mul(&scene_from_parent, parent_from_node);
    }
    return frame;
}
