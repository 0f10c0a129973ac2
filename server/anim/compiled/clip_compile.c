/* clip_compile.c - compiles the rig of a model and those of its clips that are exact enough. */
#include "anim/compiled/clip_compile.h"

#include "base/mem.h"
#include "anim/compiled/clip_plan.h"
#include "anim/compiled/clip_error.h"
#include "anim/compiled/clip_magnitude.h"
#include "anim/compiled/clip_parts.h"

#include <math.h>
#include <stdlib.h>

/* --- the rig --- */

/* What rig nodes are sorted by. */
struct place {
    uint32_t node, depth;
    bool is_animated; /* by some clip: moving nodes side by side, and still ones */
    uint32_t order;   /* in node_order */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth < q->depth ? -1 : 1;
    if (p->is_animated != q->is_animated)
        return p->is_animated ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* The nodes that joints hang from, with their depth. Returns how many. */
static uint32_t collect(const struct model *model, struct place *places)
{
    bool *is_needed = mem_zalloc(model->node_count, sizeof *is_needed);
    bool *is_animated = mem_zalloc(model->node_count, sizeof *is_animated);
    uint32_t *depths = mem_alloc(model->node_count * sizeof *depths);
    uint32_t count = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++) {
            int32_t n = (int32_t)model->joints[model->skins[s].joint_first + j].node;
            for (; n >= 0 && !is_needed[n]; n = model->nodes[n].parent)
                is_needed[n] = true;
        }
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t i = 0; i < model->clips[c].channel_count; i++) {
            const struct channel *channel = &model->channels[model->clips[c].channel_first + i];
            is_animated[channel->node] = is_animated[channel->node] || path_is_transform(channel->path);
        }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        depths[n] = parent < 0 ? 0 : depths[parent] + 1;
        if (is_needed[n])
            places[count++] = (struct place){n, depths[n], is_animated[n], i};
    }
    free(is_needed);
    free(is_animated);
    free(depths);
    return count;
}

static int compare_outputs(const void *a, const void *b)
{
    const struct rig_output *p = a, *q = b;
    if (p->rig_node != q->rig_node)
        return p->rig_node < q->rig_node ? -1 : 1;
    return p->joint < q->joint ? -1 : p->joint > q->joint;
}

static void add_skin(struct bake_builder *builder, uint32_t s, const uint32_t *rig_of_node)
{
    const struct skin *skin = &builder->skins[s];
    struct rig_skin *rig_skin = bake_add_rig_skin(builder, 1);
    const uint32_t first = builder->rig_output_count;
    struct rig_output *outputs = bake_add_rig_output(builder, skin->joint_count);
    if (rig_skin == NULL || outputs == NULL)
        return;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const struct joint *joint = &builder->joints[skin->joint_first + j];
        outputs[j].rig_node = rig_of_node[joint->node];
        outputs[j].joint = j;
        for (uint32_t e = 0; e < 12; e++)
            outputs[j].joint_from_bind[e] = joint->joint_from_bind.m[e % 4 * 4 + e / 4];
    }
    qsort(outputs, skin->joint_count, sizeof *outputs, compare_outputs);
    rig_skin->output_first = first;
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (outputs[i].rig_node > i + rig_skin->lag)
            rig_skin->lag = outputs[i].rig_node - i;
}

/* rig_nodes, rig_skins, rig_outputs. Fills rig_of_node[node_count], UINT32_MAX for nodes that move no joint. */
static void compile_rig(struct bake_builder *builder, uint32_t *rig_of_node)
{
    const struct model model = bake_builder_view(builder);
    struct place *places = mem_alloc(((size_t)model.node_count + 1) * sizeof *places);
    const uint32_t count = collect(&model, places);
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t n = 0; n < model.node_count; n++)
        rig_of_node[n] = UINT32_MAX;
    struct rig_node *nodes = bake_add_rig_node(builder, count);
    for (uint32_t i = 0; i < count && nodes != NULL; i++) {
        const int32_t parent = model.nodes[places[i].node].parent;
        nodes[i] = (struct rig_node){places[i].node, parent < 0 ? -1 : (int32_t)rig_of_node[parent]};
        rig_of_node[places[i].node] = i;
    }
    for (uint32_t s = 0; s < model.skin_count && nodes != NULL; s++)
        add_skin(builder, s, rig_of_node);
    free(places);
}

/* --- clips --- */

/* Measuring is by samples: what they find stays below the bound that is promised (1e-6). A clip is measured at up to
 * MOMENTS_MAX times, a model at so many that an import does not wait for it; a model with more clips, nodes and joints
 * than can be measured at all is not compiled. */
static const double ERROR_MAX = 9e-7, HOPELESS = 1e-4;
enum { MOMENTS_MAX = 200, MOMENTS_MIN = 8, STEPS = 150000, STEPS_MAX = 1000000 };

/* Takes back what a clip added; arrays that grew stay where they are. */
static void go_back(struct bake_builder *builder, const struct bake_builder *before, struct compiled_clip *clip)
{
    builder->frame_time_count = before->frame_time_count;
    builder->lane_value_count = before->lane_value_count;
    builder->lane_block_count = before->lane_block_count;
    builder->still_node_count = before->still_node_count;
    builder->sampled_node_count = before->sampled_node_count;
    builder->rig_part_count = before->rig_part_count;
    builder->used_bytes = before->used_bytes;
    *clip = (struct compiled_clip){0};
}

/* Nodes and joints that are evaluated for one moment of each clip: in double precision those beside the rig, too. */
static uint64_t steps_of(const struct model *model)
{
    return ((uint64_t)model->node_count + model->rig_output_count + 1) * model->clip_count;
}

static uint32_t moments_of(const struct model *model)
{
    const uint64_t moments = STEPS / steps_of(model);
    return moments > MOMENTS_MAX ? MOMENTS_MAX : moments < MOMENTS_MIN ? MOMENTS_MIN : (uint32_t)moments;
}

/* Working memory for all clips of a model. */
struct compile_work {
    uint32_t *rig_of_node;
    struct clip_magnitude *binds, *magnitudes;
    uint64_t sampled_floats; /* clip_sampled_floats() of those that are compiled */
    uint32_t last;           /* that was compiled, once one was: blends are measured with it */
    struct clip_error measure;
};

/* What a blend with the clip adds to its own error, at fewer moments: each takes several poses. */
static void measure_blends(const struct model *model, struct compiled_clip *clip, double error_f32,
                           struct compile_work *work)
{
    enum { SHARE = 10 };
    const uint32_t c = (uint32_t)(clip - model->compiled_clips), moments = moments_of(model) / SHARE;
    const uint32_t other = model->compiled_clips[work->last].frame_count > 0 ? work->last : c;
    double errors[2];
    if (model->rig_part_count == 0)
        return;
    clip_error_measure_blends(&work->measure, model, c, other, moments > MOMENTS_MIN ? moments : MOMENTS_MIN, errors);
    clip->blend_errors[0] = (float)fmax(error_f32, errors[0]);
    clip->blend_errors[1] = (float)fmax((double)clip->error, errors[1]);
    work->last = c;
}

/* Measures the clip, which was just added; in double precision from the quaternions on where float has too little of
 * it. True when it may be used. */
static bool is_good(const struct bake_builder *builder, struct compiled_clip *clip, struct compile_work *work)
{
    const struct model model = bake_builder_view(builder);
    const uint32_t c = (uint32_t)(clip - builder->compiled_clips), moments = moments_of(&model);
    const uint64_t sampled_floats = work->sampled_floats + clip_sampled_floats(&model, clip);
    if (sampled_floats > CLIP_SAMPLED_SHARE * (uint64_t)model.key_value_count ||
        !clip_is_bounded(&model, clip, work->binds, work->magnitudes))
        return false;
    const double error_f32 = clip_error_measure(&work->measure, &model, c, moments);
    double error = error_f32;
    if (error > ERROR_MAX && error < HOPELESS) {
        clip->flags = COMPILED_F64;
        error = clip_error_measure(&work->measure, &model, c, moments);
    }
    clip->error = (float)error;
    if (!(error <= ERROR_MAX)) /* or no number */
        return false;
    measure_blends(&model, clip, error_f32, work);
    work->sampled_floats = sampled_floats;
    return true;
}

static void compile(struct bake_builder *builder, uint32_t c, struct compile_work *work)
{
    const struct model model = bake_builder_view(builder);
    if (!clip_plan_is_plain(&model, (int32_t)c))
        return;
    const struct bake_builder before = *builder;
    struct compiled_clip *clip = &builder->compiled_clips[c];
    struct clip_plan plan;
    clip_plan_init(&plan, &model, work->rig_of_node, c);
    const bool is_added = clip_blocks_add(builder, &plan, clip);
    clip_plan_fini(&plan);
    if (!builder->is_failed && !(is_added && is_good(builder, clip, work)))
        go_back(builder, &before, clip);
}

void clip_compile_all(struct bake_builder *builder)
{
    if (builder->skin_count == 0 || builder->clip_count == 0 || builder->is_failed)
        return;
    struct compile_work work = {
        .rig_of_node = mem_alloc(builder->node_count * sizeof *work.rig_of_node),
        .binds = mem_alloc(builder->node_count * sizeof *work.binds),
        .magnitudes = mem_alloc(builder->node_count * sizeof *work.magnitudes),
    };
    compile_rig(builder, work.rig_of_node);
    clip_parts_add_rest(builder, work.rig_of_node);
    bake_add_compiled_clip(builder, builder->clip_count);
    const struct model model = bake_builder_view(builder);
    clip_magnitude_of_outputs(&model, work.binds);
    clip_error_init(&work.measure, &model);
    for (uint32_t c = 0; c < model.clip_count && !builder->is_failed && steps_of(&model) <= STEPS_MAX; c++)
        compile(builder, c, &work);
    clip_error_fini(&work.measure);
    free(work.rig_of_node);
    free(work.binds);
    free(work.magnitudes);
}
