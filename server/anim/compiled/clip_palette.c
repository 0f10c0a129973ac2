/* clip_palette.c - calls the kernel for the frames around a time. */
#include "anim/compiled/clip_palette.h"

#include "anim/compiled/clip_frames.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void clip_palette_init(struct clip_palette *palette, const struct kernel *kernel)
{
    *palette = (struct clip_palette){.kernel = kernel};
}

void clip_palette_fini(struct clip_palette *palette)
{
    free(palette->matrices);
    free(palette->weights);
    free(palette->f64);
    clip_palette_init(palette, palette->kernel);
}

bool clip_palette_is_compiled(const struct model *model, int32_t clip)
{
    return clip >= 0 && (uint32_t)clip < model->compiled_clip_count && model->compiled_clips[clip].frame_count > 0;
}

static bool reserve(struct clip_palette *palette, const struct model *model, uint32_t block_count, bool is_f64)
{
    /* kernels fill whole blocks of nodes, and one more for unused lanes */
    const uint32_t matrices = KERNEL_PADDED(model->rig_node_count + 1);
    return clip_frames_reserve(&palette->matrices, &palette->matrix_capacity, matrices,
                               KERNEL_MATRIX * sizeof(float)) &&
           clip_frames_reserve(&palette->weights, &palette->block_capacity, block_count + 1,
                               2 * LANE_WIDTH * sizeof(float)) &&
           (!is_f64 || clip_frames_reserve(&palette->f64, &palette->f64_capacity, matrices, 12 * sizeof *palette->f64));
}

void clip_palette_grow(struct clip_palette *palette, const struct model *model, uint32_t block_count, bool is_f64)
{
    if (!reserve(palette, model, block_count, is_f64))
        mem_exhausted();
}

bool clip_palette_reserve(struct clip_palette *palette, const struct model *model)
{
    enum { SPLITS = 20 }; /* blocks are cut where the kind of motion changes: at most so often */
    uint32_t blocks = model->rig_node_count / LANE_WIDTH_HALF + SPLITS; /* of any clip of another file */
    for (uint32_t c = 0; c < model->compiled_clip_count; c++)
        blocks = model->compiled_clips[c].block_count > blocks ? model->compiled_clips[c].block_count : blocks;
    return reserve(palette, model, blocks, true);
}

void clip_palette_put_still(struct clip_palette *palette, const struct still_node *still, bool is_f64)
{
    const size_t node = still->rig_node;
    for (size_t e = 0; e < 12 && is_f64; e++)
        palette->f64[12 * node + e] = (double)still->parent_from_node[e];
    if (!is_f64)
        memcpy(palette->matrices + KERNEL_MATRIX * node, still->parent_from_node, sizeof still->parent_from_node);
}

static void sample(const struct clip_palette *palette, const struct model *model, const struct compiled_clip *clip,
                   double time_s, bool is_precise, float *matrices, double *f64)
{
    struct kernel_lanes lanes;
    clip_frames_find(model, clip, time_s, &lanes);
    lanes.weights = palette->weights;
    lanes.local = matrices;
    lanes.f64 = f64;
    lanes.is_precise = is_precise;
    palette->kernel->lanes(&lanes);
}

void clip_palette_sample_by(struct clip_palette *palette, const struct model *model, uint32_t clip, uint32_t flags,
                            double clip_time_s)
{
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    const bool has_f64_matrices = (flags & COMPILED_F64) != 0;
    palette->is_f64 = has_f64_matrices || (flags & COMPILED_F64_PRODUCTS) != 0;
    palette->is_widened = !has_f64_matrices;
    clip_palette_grow(palette, model, compiled->block_count, palette->is_f64);
    sample(palette, model, compiled, clip_time_s, (flags & COMPILED_F64_MATRICES) != 0, palette->matrices,
           has_f64_matrices ? palette->f64 : NULL);
    for (uint32_t i = 0; i < compiled->still_count; i++)
        clip_palette_put_still(palette, &model->still_nodes[compiled->still_first + i], has_f64_matrices);
}

void clip_palette_sample(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s)
{
    clip_palette_sample_by(palette, model, clip, model->compiled_clips[clip].flags, clip_time_s);
}

void clip_palette_sample_rows(struct clip_palette *palette, const struct model *model, uint32_t clip,
                              double clip_time_s, bool has_still, float *rows)
{
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    clip_palette_grow(palette, model, compiled->block_count, false);
    sample(palette, model, compiled, clip_time_s, false, rows, NULL);
    for (uint32_t i = 0; i < compiled->still_count && !has_still; i++) {
        const struct still_node *still = &model->still_nodes[compiled->still_first + i];
        memcpy(rows + KERNEL_MATRIX * (size_t)still->rig_node, still->parent_from_node, sizeof still->parent_from_node);
    }
}

static struct kernel_palette kernel_palette(const struct model *model, uint32_t skin, enum palette_form form,
                                            float *out)
{
    const struct rig_skin *rig_skin = &model->rig_skins[skin];
    return (struct kernel_palette){
        .outputs = model->rig_outputs + rig_skin->output_first,
        .count = model->skins[skin].joint_count,
        .lag = rig_skin->lag,
        .is_mat4 = form == PALETTE_MAT4,
        .out = out,
    };
}

static void compose(struct clip_palette *palette, const struct model *model, const struct kernel_palette *outputs)
{
    const struct kernel_rig rig = {
        .nodes = model->rig_nodes,
        .count = model->rig_node_count,
        .matrices = palette->matrices,
        .f64 = palette->is_f64 ? palette->f64 : NULL,
        .is_widened = palette->is_widened,
    };
    palette->kernel->compose(&rig, outputs);
}

void clip_palette_compose(struct clip_palette *palette, const struct model *model, uint32_t skin,
                          enum palette_form form, float *out)
{
    const struct kernel_palette outputs = kernel_palette(model, skin, form, out);
    compose(palette, model, &outputs);
}

void clip_palette_compose_nodes(struct clip_palette *palette, const struct model *model)
{
    const struct kernel_palette none = {0};
    compose(palette, model, &none);
}

void clip_palette_evaluate(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s,
                           uint32_t skin, enum palette_form form, float *out)
{
    clip_palette_sample(palette, model, clip, clip_time_s);
    clip_palette_compose(palette, model, skin, form, out);
}

void clip_palette_next(const struct clip_palette *palette, const struct model *model, uint32_t skin,
                       enum palette_form form, float *out)
{
    const struct kernel_palette outputs = kernel_palette(model, skin, form, out);
    palette->kernel->palette(palette->matrices, &outputs);
}
