/* clip_blend.h - blends (anim/pose/blend.h) by the kernels: the local transforms of compiled clips are mixed in float,
 * then multiplied like those of one clip.
 *
 * Pure; any thread, one struct clip_blend a thread. The results are the same bits with every kernel. How far they are
 * from blend_evaluate() is bounded by clip_blend_bound(); what is beyond CLIP_BLEND_BOUND_MAX, or has a clip that is
 * not compiled, is left to blend_evaluate(). */
#pragma once

#include "anim/compiled/clip_palette.h"
#include "anim/pose/blend.h"

#define CLIP_BLEND_BOUND_MAX 1.9e-6

/* What is to be mixed: layers that are alike are one, those of weight 0 are none. */
struct clip_blend_plan {
    struct blend_layer layers[BLEND_LAYERS_MAX]; /* first those that override */
    uint32_t count, override_count;
    bool is_f64;   /* multiplied in double precision */
    bool is_sized; /* some scale is not 1 */
};

enum clip_blend_way {
    CLIP_BLEND_EXACT,  /* by blend_evaluate() */
    CLIP_BLEND_SINGLE, /* one compiled clip as it is: plan->layers[0] */
    CLIP_BLEND_MIXED,  /* by clip_blend_sample() */
};

/* Chooses how the pose of `layers` is evaluated, and fills *plan but for CLIP_BLEND_EXACT. */
enum clip_blend_way clip_blend_choose(const struct model *model, const struct blend_layer *layers, uint32_t count,
                                      struct clip_blend_plan *plan);

/* Whether some scale of the layers is not 1, as plan->is_sized has it. */
bool clip_blend_is_sized(const struct model *model, const struct clip_blend_plan *plan);

/* How far the palettes of a blend are from those of blend_evaluate(), in units of the model's size: at most the largest
 * blend_errors of its clips, which were measured when the model was imported (clip_error.h), and for each additive
 * layer its weight times those of its clip and of its reference: what it adds is their difference. Not a number where a
 * clip has none. */
double clip_blend_bound(const struct model *model, const struct clip_blend_plan *plan, bool is_f64);

/* The nodes that a layer may move: remembered, as the frames of a request and most requests have the same. */
struct clip_blend_mask {
    uint8_t content_hash[32]; /* of the model */
    struct blend_mask *masks; /* [mask_count] */
    uint8_t *is_moved;        /* [rig_node_count] */
    uint32_t mask_count, mask_capacity, node_count, node_capacity;
};

/* Working memory; reused from pose to pose and from model to model. */
struct clip_blend {
    float *parts;   /* sets of [KERNEL_PADDED(rig_node_count + 1)][KERNEL_PART]; aligned to 64 bytes */
    float *weights; /* [layers][KERNEL_PADDED(rig_node_count)]; likewise */
    uint8_t *blocks;
    uint32_t part_capacity, weight_capacity, block_capacity;
    struct clip_blend_mask masks[BLEND_LAYERS_MAX]; /* by the layers' places */
};

void clip_blend_init(struct clip_blend *blend);
void clip_blend_fini(struct clip_blend *blend);

/* Room for so many layers of the model with as many masks as there may be, so that blending allocates nothing. False
 * when memory is gone; *blend can be used as before. */
bool clip_blend_reserve(struct clip_blend *blend, const struct model *model, uint32_t layer_count);

/* Fills parent_from_node of the rig's nodes, as clip_palette_sample() does of one clip. False: rotations too far apart,
 * or scales, are beyond what the kernels mix (kernel.h), and the pose is left to blend_evaluate(). */
bool clip_blend_sample(struct clip_blend *blend, struct clip_palette *palette, const struct model *model,
                       const struct clip_blend_plan *plan);
