/* clip_palette.h - evaluates skinning palettes of compiled clips: it looks up one frame instead of one key per channel,
 * and computes in float with the best kernel for this processor (kernel.h).
 *
 * Pure; any thread, one struct clip_palette per thread. The results differ from those of pose_palette(), which are in
 * double precision, by less than 1e-6 of the model's size. This is measured at import, and a clip that exceeds it is
 * not compiled. All kernels give the same bits, and only finite numbers. */
#pragma once

#include "anim/kernel/kernel.h"

/* Working memory, reused from pose to pose and from model to model. */
struct clip_palette {
    const struct kernel *kernel;
    float *matrices; /* [KERNEL_PADDED(rig_node_count + 1)][KERNEL_MATRIX]; aligned to 64 bytes */
    float *weights;  /* [blocks][2][LANE_WIDTH]; aligned to 64 bytes */
    double *f64;     /* [rig_node_count][12] with is_f64; aligned to 64 bytes */
    bool is_f64;     /* the last pose was multiplied in double precision, */
    bool is_widened; /* from local transforms in `matrices` */
    uint32_t matrix_capacity, block_capacity, f64_capacity;
};

/* `kernel` is a kernel of kernel.h, usually kernel_best(). */
void clip_palette_init(struct clip_palette *palette, const struct kernel *kernel);
void clip_palette_fini(struct clip_palette *palette);

/* Makes room for every compiled clip of the model, so that evaluating one does not allocate. False when memory runs
 * out; *palette stays usable. */
bool clip_palette_reserve(struct clip_palette *palette, const struct model *model);

/* True when the functions below can evaluate the clip. `clip` is an index or POSE_REST. */
bool clip_palette_is_compiled(const struct model *model, int32_t clip);

enum palette_form { PALETTE_MAT3X4, PALETTE_MAT4 };

/* Fills out[joint_count of the skin] with scene_from_joint * joint_from_bind at `clip_time_s` of a compiled clip, in
 * the skin's order of joints: 12 floats each (the upper three rows) or 16 (column-major). Any time is valid; before the
 * first and after the last key the nearest pose holds. */
void clip_palette_evaluate(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s,
                           uint32_t skin, enum palette_form form, float *out);

/* The two halves of clip_palette_evaluate(), for callers that change local transforms in between (clip_blend.h).
 * clip_palette_sample() fills parent_from_node of the rig's nodes. clip_palette_compose() multiplies them to
 * scene_from_node and makes the palette; call it once. clip_palette_compose_nodes() makes no palette. After either,
 * matrices + KERNEL_MATRIX * i are the rows of rig node i. */
void clip_palette_sample(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s);
void clip_palette_compose(struct clip_palette *palette, const struct model *model, uint32_t skin,
                          enum palette_form form, float *out);
void clip_palette_compose_nodes(struct clip_palette *palette, const struct model *model);

/* clip_palette_sample() as if these were the clip's flags, to try them. */
void clip_palette_sample_by(struct clip_palette *palette, const struct model *model, uint32_t clip, uint32_t flags,
                            double clip_time_s);

/* Writes parent_from_node to `rows`, laid out like `matrices`, for a clip without COMPILED_F64_ANY. has_still: `rows`
 * already has the nodes that do not move, from an earlier call for the same clip. For groups (clip_group.h). */
void clip_palette_sample_rows(struct clip_palette *palette, const struct model *model, uint32_t clip,
                              double clip_time_s, bool has_still, float *rows);

/* Makes room for the model's rig, and for `block_count` blocks of a clip. */
void clip_palette_grow(struct clip_palette *palette, const struct model *model, uint32_t block_count, bool is_f64);

/* Writes parent_from_node of a node that does not move, in double precision with `is_f64`. */
void clip_palette_put_still(struct clip_palette *palette, const struct still_node *still, bool is_f64);

/* Makes the palette of another skin of the model, in the pose that clip_palette_evaluate() evaluated last. */
void clip_palette_next(const struct clip_palette *palette, const struct model *model, uint32_t skin,
                       enum palette_form form, float *out);
