/* clip_palette.h - skinning palettes of compiled clips: one lookup of a frame instead of one for each channel, in
 * float, by the kernel for this processor (kernel.h).
 *
 * Pure; any thread, one struct clip_palette a thread. The results are within 1e-6 of the model's size of what
 * pose_palette() makes in double precision, which was measured when the model was imported: a clip that is not is not
 * compiled. They are the same bits with every kernel, and never anything but finite. */
#pragma once

#include "anim/compiled/kernel.h"

/* Working memory; reused from pose to pose and from model to model. */
struct clip_palette {
    const struct kernel *kernel;
    float *matrices; /* [rig_node_count + 1][KERNEL_MATRIX]; aligned to 64 bytes */
    float *weights;  /* [blocks][2][LANE_WIDTH]; likewise */
    double *f64;     /* [rig_node_count][12], of clips that are COMPILED_F64; likewise */
    uint32_t matrix_capacity, block_capacity, f64_capacity;
};

/* `kernel` is one of kernel.h; kernel_best() where nothing else is asked for. */
void clip_palette_init(struct clip_palette *palette, const struct kernel *kernel);
void clip_palette_fini(struct clip_palette *palette);

/* Room for every compiled clip of the model, so that evaluating one allocates nothing. */
void clip_palette_reserve(struct clip_palette *palette, const struct model *model);

/* Whether the functions below can be used: `clip` is an index or POSE_REST. */
bool clip_palette_is_compiled(const struct model *model, int32_t clip);

enum palette_form { PALETTE_MAT3X4, PALETTE_MAT4 };

/* out[joint_count of the skin]: scene_from_joint * joint_from_bind at `clip_time_s` of a compiled clip, in the skin's
 * order of joints; 12 floats each (the upper three rows) or 16 (column-major). Any time; before the first and after the
 * last key the nearest pose holds. */
void clip_palette_evaluate(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s,
                           uint32_t skin, enum palette_form form, float *out);

/* The same of another skin of the model, of the pose that clip_palette_evaluate() evaluated last. */
void clip_palette_next(const struct clip_palette *palette, const struct model *model, uint32_t skin,
                       enum palette_form form, float *out);
