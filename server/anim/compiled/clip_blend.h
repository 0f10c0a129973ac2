/* clip_blend.h - evaluates blends (anim/pose/blend.h) with the kernels: they mix the local transforms of compiled clips
 * in float, then multiply them like those of one clip.
 *
 * Pure; any thread, one struct clip_blend per thread. All kernels give the same bits. clip_blend_bound() bounds the
 * difference from blend_evaluate(). A blend beyond CLIP_BLEND_BOUND_MAX, or with an uncompiled clip, is left
 * to blend_evaluate(). */
#pragma once

#include "anim/compiled/clip_palette.h"
#include "anim/pose/blend.h"

#define CLIP_BLEND_BOUND_MAX 1.9e-6

/* The layers to mix. Identical layers are merged, and layers of weight 0 are dropped. */
struct clip_blend_plan {
    struct blend_layer layers[BLEND_LAYERS_MAX]; /* overriding layers first */
    uint32_t count, override_count;
    bool is_f64;     /* multiplied in double precision */
    bool is_sized;   /* some scale differs from 1 */
    bool is_covered; /* a given pose replaces all matrices, and there are no layers */
};

enum clip_blend_way {
    CLIP_BLEND_EXACT,  /* by blend_evaluate() */
    CLIP_BLEND_SINGLE, /* one compiled clip, plan->layers[0], unmixed */
    CLIP_BLEND_MIXED,  /* by clip_blend_sample() */
};

/* Chooses how the pose of `layers` is evaluated. Fills *plan unless it returns CLIP_BLEND_EXACT. */
enum clip_blend_way clip_blend_choose(const struct model *model, const struct blend_layer *layers, uint32_t count,
                                      struct clip_blend_plan *plan);

/* True when some scale of the layers differs from 1, as in plan->is_sized. */
bool clip_blend_is_sized(const struct model *model, const struct clip_blend_plan *plan);

/* True when some clip of the layers has splines (COMPILED_CUBIC). */
bool clip_blend_is_cubic(const struct model *model, const struct clip_blend_plan *plan);

/* Bounds the difference of a blend's palettes from those of blend_evaluate(), in units of the model's size. The bound
 * is the largest blend_errors of the clips, which were measured at import (clip_error.h). Each additive layer adds its
 * weight times the sum of the blend_errors of its clip and its reference, because it adds the difference of the two.
 * NaN where a clip has no blend_errors. */
double clip_blend_bound(const struct model *model, const struct clip_blend_plan *plan, bool is_f64);

/* The nodes that a layer may move. They are kept because the frames of a request, and most requests, have the same
 * masks. */
struct clip_blend_mask {
    uint8_t content_hash[32]; /* content hash of the model */
    struct blend_mask *masks; /* [mask_count] */
    uint8_t *is_moved;        /* [rig_node_count] */
    uint32_t mask_count, mask_capacity, node_count, node_capacity;
};

/* Working memory, reused from pose to pose and from model to model. */
struct clip_blend {
    float *parts;   /* sets of [KERNEL_PADDED(rig_node_count + 1)][KERNEL_PART]; aligned to 64 bytes */
    float *weights; /* [layers][KERNEL_PADDED(rig_node_count)]; aligned to 64 bytes */
    uint8_t *blocks;
    uint32_t part_capacity, weight_capacity, block_capacity;
    struct clip_blend_mask masks[BLEND_LAYERS_MAX]; /* by the index of the layer */
};

void clip_blend_init(struct clip_blend *blend);
void clip_blend_fini(struct clip_blend *blend);

/* Makes room for `layer_count` layers of the model with any number of masks, so that blending does not allocate. False
 * when memory runs out; *blend stays usable. */
bool clip_blend_reserve(struct clip_blend *blend, const struct model *model, uint32_t layer_count);

/* Fills parent_from_node of the rig's nodes, as clip_palette_sample() does for one clip. False: the kernels cannot mix
 * these scales, or rotations so far apart (kernel.h), and the pose is left to blend_evaluate(). */
bool clip_blend_sample(struct clip_blend *blend, struct clip_palette *palette, const struct model *model,
                       const struct clip_blend_plan *plan);
