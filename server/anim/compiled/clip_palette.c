/* clip_palette.c - finds the frames around a time and calls the kernel. */
#include "anim/compiled/clip_palette.h"

#include "anim/model/mat.h"
#include "anim/pose/pose.h"
#include "anim/pose/sample.h"

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

/* `room`, if it has `count` items, else zeroed room for them at a multiple of 64 bytes; aborts when memory is gone. */
static void *make_room(void *room, uint32_t *capacity, uint32_t count, size_t item_bytes)
{
    enum { LINE_BYTES = 64 };
    if (count <= *capacity)
        return room;
    free(room);
    /* aligned_alloc() wants a multiple of the alignment */
    const size_t size_bytes = (count * item_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    void *items = aligned_alloc(LINE_BYTES, size_bytes);
    if (items == NULL)
        abort();
    memset(items, 0, size_bytes); /* the matrices' last rows stay so */
    *capacity = count;
    return items;
}

static void grow(struct clip_palette *palette, const struct model *model, const struct compiled_clip *clip)
{
    const uint32_t matrices = model->rig_node_count + 1;
    palette->matrices =
        make_room(palette->matrices, &palette->matrix_capacity, matrices, KERNEL_MATRIX * sizeof(float));
    palette->weights =
        make_room(palette->weights, &palette->block_capacity, clip->block_count + 1, 2 * LANE_WIDTH * sizeof(float));
    if ((clip->flags & COMPILED_F64) != 0)
        palette->f64 = make_room(palette->f64, &palette->f64_capacity, matrices, 12 * sizeof *palette->f64);
}

void clip_palette_reserve(struct clip_palette *palette, const struct model *model)
{
    for (uint32_t c = 0; c < model->compiled_clip_count; c++)
        grow(palette, model, &model->compiled_clips[c]);
}

/* The frames around a time; u is 0 at both ends and at each frame. */
struct frame_pair {
    uint32_t from, to;
    float u;
};

/* The last frame at or before a time between the first and the last frame: as if they were evenly spaced, one off by
 * rounding, or by search. */
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

/* A node of cubic splines, as pose.c evaluates it. */
static struct dmat4 sample_node(const struct model *model, const struct sampled_node *sampled, double time_s)
{
    struct trs trs = pose_rest_transform(&model->nodes[model->rig_nodes[sampled->rig_node].node]);
    double *const targets[] = {trs.translation, trs.rotation, trs.scale};
    for (int path = 0; path < 3; path++)
        if (sampled->channels[path] >= 0)
            sample_channel(model, &model->channels[sampled->channels[path]], time_s, targets[path]);
    return dmat4_from_trs(&trs);
}

/* The nodes that no lane has; to palette->wide when `is_wide`. */
static void put_others(struct clip_palette *palette, const struct model *model, const struct compiled_clip *clip,
                       double time_s, bool is_f64)
{
    for (uint32_t i = 0; i < clip->still_count; i++) {
        const struct still_node *still = &model->still_nodes[clip->still_first + i];
        const size_t node = still->rig_node;
        for (size_t e = 0; e < 12 && is_f64; e++)
            palette->f64[12 * node + e] = (double)still->parent_from_node[e];
        if (!is_f64)
            memcpy(palette->matrices + KERNEL_MATRIX * node, still->parent_from_node, sizeof still->parent_from_node);
    }
    for (uint32_t i = 0; i < clip->sampled_count; i++) {
        const struct sampled_node *sampled = &model->sampled_nodes[clip->sampled_first + i];
        const struct dmat4 matrix = sample_node(model, sampled, time_s);
        const size_t node = sampled->rig_node;
        for (size_t e = 0; e < 12; e++) {
            if (is_f64)
                palette->f64[12 * node + e] = matrix.m[e % 4 * 4 + e / 4];
            else
                palette->matrices[KERNEL_MATRIX * node + e] = (float)matrix.m[e % 4 * 4 + e / 4];
        }
    }
}

static void local_matrices(struct clip_palette *palette, const struct model *model, const struct compiled_clip *clip,
                           double time_s)
{
    const struct frame_pair pair = find_frame_pair(model, clip, time_s);
    const float *frames = model->lane_values + clip->value_first;
    const bool is_f64 = (clip->flags & COMPILED_F64) != 0;
    const struct kernel_lanes lanes = {
        .blocks = model->lane_blocks + clip->block_first,
        .block_count = clip->block_count,
        .values = model->lane_values,
        .from = frames + (size_t)pair.from * clip->frame_floats,
        .to = frames + (size_t)pair.to * clip->frame_floats,
        .u = pair.u,
        .weights = palette->weights,
        .local = palette->matrices,
        .f64 = is_f64 ? palette->f64 : NULL,
    };
    palette->kernel->lanes(&lanes);
    put_others(palette, model, clip, time_s, is_f64);
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

void clip_palette_evaluate(struct clip_palette *palette, const struct model *model, uint32_t clip, double clip_time_s,
                           uint32_t skin, enum palette_form form, float *out)
{
    const struct compiled_clip *compiled = &model->compiled_clips[clip];
    const struct kernel_palette outputs = kernel_palette(model, skin, form, out);
    grow(palette, model, compiled);
    local_matrices(palette, model, compiled, clip_time_s);
    const struct kernel_rig rig = {
        .nodes = model->rig_nodes,
        .count = model->rig_node_count,
        .matrices = palette->matrices,
        .f64 = (compiled->flags & COMPILED_F64) != 0 ? palette->f64 : NULL,
    };
    palette->kernel->compose(&rig, &outputs);
}

void clip_palette_next(const struct clip_palette *palette, const struct model *model, uint32_t skin,
                       enum palette_form form, float *out)
{
    const struct kernel_palette outputs = kernel_palette(model, skin, form, out);
    palette->kernel->palette(palette->matrices, &outputs);
}
