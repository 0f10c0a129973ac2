/* clip_palette.h - skinning palettes of compiled clips: one lookup of a frame instead of one for each channel, in
 * float, by the kernel for this processor (kernel.h).
 *
 * Pure; any thread, one struct clip_palette a thread. The results are within 1e-6 of the model's size of what
 * pose_palette() makes in double precision, which was measured when the model was imported: a clip that is not is not
 * compiled. They are the same bits with every kernel, and never anything but finite. */
#pragma once

#include "anim/kernel/kernel.h"

/* Working memory; reused from pose to pose and from model to model. */
struct clip_palette {
    const struct kernel *kernel;
    float *matrices; /* [KERNEL_PADDED(rig_node_count + 1)][KERNEL_MATRIX]; aligned to 64 bytes */
    float *weights;  /* [blocks][2][LANE_WIDTH]; likewise */
    double *f64;     /* [rig_node_count][12], where is_f64; likewise */
    bool is_f64;     /* the pose evaluated last is multiplied in double precision */
    uint32_t matrix_capacity, block_capacity, f64_capacity;
};

/* `kernel` is one of kernel.h; kernel_best() where nothing else is asked for. */
void clip_palette_init(struct clip_palette *palette, const struct kernel *kernel);
void clip_palette_fini(struct clip_palette *palette);

/* Room for every compiled clip of the model, so that evaluating one allocates nothing. False when memory is gone;
 * *palette can be used as before. */
bool clip_palette_reserve(struct clip_palette *palette, const struct model *model);

/* Whether the functions below can be used: `clip` is an index or POSE_REST. */
bool clip_palette_is_compiled(const struct model *model, int32_t clip);

enum palette_form { PALETTE_MAT3X4, PALETTE_MAT4 };

/* out[joint_count of the skin]: scene_from_joint * joint_from_bind at `clip_time_s` of a compiled clip, in the skin's
 * order of joints; 12 floats each (the upper three rows) or 16 (column-major). Any time; before the first and after the
 * last key the nearest pose holds. */
void clip_palette_evaluate(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s,
                           uint32_t skin, enum palette_form form, float *out);

/* Its two halves, for who changes local transforms in between (clip_blend.h): clip_palette_sample() fills
 * parent_from_node of the rig's nodes, clip_palette_compose() makes scene_from_node of them and the palette, once;
 * clip_palette_compose_nodes() makes no palette. Then matrices + KERNEL_MATRIX * i are the rows of rig node i. */
void clip_palette_sample(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s);
void clip_palette_compose(struct clip_palette *palette, const struct model *model, uint32_t skin,
                          enum palette_form form, float *out);
void clip_palette_compose_nodes(struct clip_palette *palette, const struct model *model);

/* parent_from_node into the rows of others, as `matrices` has them, of a clip that is not COMPILED_F64. has_still: they
 * have the nodes that do not move from the same clip before. For groups (clip_group.h). */
void clip_palette_sample_rows(struct clip_palette *palette, const struct model *model, uint32_t clip,
                              double clip_time_s, bool has_still, float *rows);

/* Room for the model's rig, and for `block_count` blocks of a clip. */
void clip_palette_grow(struct clip_palette *palette, const struct model *model, uint32_t block_count, bool is_f64);

/* parent_from_node of a node that does not move; in double precision when `is_f64`. */
void clip_palette_put_still(struct clip_palette *palette, const struct still_node *still, bool is_f64);

/* The same of another skin of the model, of the pose that clip_palette_evaluate() evaluated last. */
void clip_palette_next(const struct clip_palette *palette, const struct model *model, uint32_t skin,
                       enum palette_form form, float *out);
