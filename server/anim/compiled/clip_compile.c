#include "anim/compiled/clip_compile.h"

#include "base/mem.h"
#include "anim/compiled/clip_plan.h"
#include "anim/compiled/clip_error.h"
#include "anim/compiled/clip_magnitude.h"

#include <stdlib.h>

/* Measuring is by samples: what they find stays below the bound that is promised (1e-6). A clip is measured at up to
 * MOMENTS_MAX times, a model at so many that an import does not wait for it; a model with more clips, nodes and joints
 * than can be measured at all is not compiled. */
static const double ERROR_MAX = 9e-7, HOPELESS = 1e-4;
enum { MOMENTS_MAX = 200, MOMENTS_MIN = 8, STEPS = 150000, STEPS_MAX = 1000000 };

/* How long the compiled arrays are, to go back to. */
struct mark {
    uint32_t frame_times, lane_values, lane_blocks, still_nodes, sampled_nodes;
    uint64_t used_bytes;
};

static struct mark mark(const struct bake_builder *builder)
{
    return (struct mark){builder->frame_time_count, builder->lane_value_count,   builder->lane_block_count,
                         builder->still_node_count, builder->sampled_node_count, builder->used_bytes};
}

static void go_back(struct bake_builder *builder, struct mark to, struct compiled_clip *clip)
{
    builder->frame_time_count = to.frame_times;
    builder->lane_value_count = to.lane_values;
    builder->lane_block_count = to.lane_blocks;
    builder->still_node_count = to.still_nodes;
    builder->sampled_node_count = to.sampled_nodes;
    builder->used_bytes = to.used_bytes;
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
    struct clip_error measure;
};

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
    double error = clip_error_measure(&work->measure, &model, c, moments);
    if (error > ERROR_MAX && error < HOPELESS) {
        clip->flags = COMPILED_F64;
        error = clip_error_measure(&work->measure, &model, c, moments);
    }
    clip->error = (float)error;
    if (!(error <= ERROR_MAX)) /* or no number */
        return false;
    work->sampled_floats = sampled_floats;
    return true;
}

static void compile(struct bake_builder *builder, uint32_t c, struct compile_work *work)
{
    const struct model model = bake_builder_view(builder);
    const struct mark before = mark(builder);
    struct compiled_clip *clip = &builder->compiled_clips[c];
    struct clip_plan plan;
    clip_plan_init(&plan, &model, work->rig_of_node, c);
    const bool is_added = clip_blocks_add(builder, &plan, clip);
    clip_plan_fini(&plan);
    if (!builder->is_failed && !(is_added && is_good(builder, clip, work)))
        go_back(builder, before, clip);
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
    rig_compile(builder, work.rig_of_node);
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
