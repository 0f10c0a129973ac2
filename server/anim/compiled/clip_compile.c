/* clip_compile.c - compiles those clips of a model, or of another file, that are exact enough. */
#include "anim/compiled/clip_compile.h"

#include "base/mem.h"
#include "anim/compiled/clip_plan.h"
#include "anim/compiled/clip_error.h"
#include "anim/compiled/clip_magnitude.h"
#include "anim/compiled/clip_parts.h"
#include "anim/compiled/clip_rig.h"
#include "anim/compiled/clip_splines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The error is measured at sample times, so the measured maximum must stay below the promised bound (1e-6). Each clip
 * is measured at up to MOMENTS_MAX times, or fewer in a large model, to limit the time of an import. A model with too
 * many clips, nodes and joints to be measured at all is not compiled. */
static const double ERROR_MAX = 9e-7, HOPELESS = 1e-4;
enum { MOMENTS_MAX = 200, MOMENTS_MIN = 8, STEPS = 150000, STEPS_MAX = 1000000 };
/* A clip of another file is compiled while a request waits, so this limit keeps it to a fraction of a second. */
enum { CLIP_FLOATS_MAX = 1 << 23 };
/* How far frames of splines may be off (clip_splines.h): less in deep rigs, where the errors of a chain add up. Frames
 * that are not exact enough are chosen again with a share of it. */
static const double TOLERANCE_MAX = 2.5e-7, TOLERANCE_OF_CHAIN = 2.1e-6, TOLERANCE_SHARES[] = {1, 0.4};
enum { TOLERANCE_COUNT = sizeof TOLERANCE_SHARES / sizeof *TOLERANCE_SHARES };
/* Channels may share keys, and a small model must not take long: how often each key may be compared with frames. */
enum { LOOKS_SHARE = 64, LOOKS_MIN = 1 << 20 };

/* Removes what a clip added; arrays that grew stay where they are. */
static void go_back(struct bake_builder *builder, const struct bake_builder *before, struct compiled_clip *clip)
{
    builder->frame_time_count = before->frame_time_count;
    builder->lane_value_count = before->lane_value_count;
    builder->lane_block_count = before->lane_block_count;
    builder->still_node_count = before->still_node_count;
    builder->rig_part_count = before->rig_part_count;
    builder->used_bytes = before->used_bytes;
    *clip = (struct compiled_clip){0};
}

/* Returns the nodes and joints that one time of `clip_count` clips evaluates. In double precision that includes nodes
 * outside the rig. */
static uint64_t steps_of(const struct model *model, uint32_t clip_count)
{
    return ((uint64_t)model->node_count + model->rig_output_count + 1) * clip_count;
}

static uint32_t moments_of(uint64_t steps)
{
    const uint64_t moments = STEPS / steps;
    return moments > MOMENTS_MAX ? MOMENTS_MAX : moments < MOMENTS_MIN ? MOMENTS_MIN : (uint32_t)moments;
}

/* Flags that a clip may have, to be tried in turn. */
struct ways {
    uint32_t flags[CLIP_ERROR_WAYS_MAX];
    uint32_t count;
};

/* Working memory for all clips that are compiled. */
struct compile_work {
    uint32_t moments; /* number of times at which each clip is measured */
    uint32_t *rig_of_node;
    struct clip_magnitude *binds, *magnitudes;
    double tolerance;    /* of splines */
    uint64_t looks_left; /* at their keys (clip_splines.h) */
    uint32_t last;       /* the last compiled clip, once there is one; blends are measured with it */
    struct clip_error measure;
};

/* Measures the additional error of a blend with the clip, at fewer times, because each takes several poses. */
static void measure_blends(const struct model *model, struct compiled_clip *clip, double error_f32,
                           struct compile_work *work)
{
    enum { SHARE = 10 };
    const uint32_t c = (uint32_t)(clip - model->compiled_clips), moments = work->moments / SHARE;
    const uint32_t other = model->compiled_clips[work->last].frame_count > 0 ? work->last : c;
    double errors[2];
    if (model->rig_part_count == 0)
        return;
    clip_error_measure_blends(&work->measure, model, c, other, moments > MOMENTS_MIN ? moments : MOMENTS_MIN, errors);
    clip->blend_errors[0] = (float)fmax(error_f32, errors[0]);
    clip->blend_errors[1] = (float)fmax((double)clip->error, errors[1]);
    work->last = c;
}

static void measure(const struct model *model, const struct compiled_clip *clip, uint32_t share,
                    const struct ways *ways, struct compile_work *work, struct clip_error_found *found)
{
    const uint32_t c = (uint32_t)(clip - model->compiled_clips), moments = work->moments / share;
    clip_error_measure(&work->measure, model, c, moments > MOMENTS_MIN ? moments : MOMENTS_MIN, ways->flags,
                       ways->count, found);
}

/* Measures a linear clip by each way until one is precise enough. Returns the index of the last. */
static uint32_t judge_linear(const struct model *model, const struct compiled_clip *clip, const struct ways *ways,
                             struct compile_work *work, double *errors)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        struct clip_error_found found;
        measure(model, clip, 1, &(struct ways){{ways->flags[i]}, 1}, work, &found);
        errors[i] = found.largest;
        if (errors[i] <= ERROR_MAX || !(errors[i] < HOPELESS))
            return i;
    }
    return ways->count - 1;
}

/* The same for clips with splines, which are judged by what is expected at many more times, so fewer are measured: very
 * few at first, then more for the ways that these leave in doubt, all at once. */
static uint32_t judge_splines(const struct model *model, const struct compiled_clip *clip, const struct ways *ways,
                              struct compile_work *work, double *errors)
{
    enum { SHARE = 3, SHARE_OF_FIRST = 16 };
    static const double BEYOND_DOUBT = 1.5, SURE = 0.7;
    struct clip_error_found found[CLIP_ERROR_WAYS_MAX];
    measure(model, clip, SHARE_OF_FIRST, ways, work, found);
    for (uint32_t i = 0; i < ways->count; i++)
        errors[i] = fmax(found[i].largest, found[i].expected);
    if (!(errors[0] < HOPELESS))
        return 0;
    for (uint32_t first = 0, last; first < ways->count; first = last) {
        struct ways tried = {0};
        uint32_t of[CLIP_ERROR_WAYS_MAX] = {0};
        bool is_sure = false;
        for (last = first; last < ways->count && !is_sure; last++) {
            is_sure = errors[last] <= SURE * ERROR_MAX;
            if (errors[last] < BEYOND_DOUBT * ERROR_MAX) {
                of[tried.count] = last;
                tried.flags[tried.count++] = ways->flags[last];
            }
        }
        if (tried.count > 0)
            measure(model, clip, SHARE, &tried, work, found);
        for (uint32_t i = 0; i < tried.count; i++) {
            errors[of[i]] = fmax(found[i].largest, found[i].expected);
            if (errors[of[i]] <= ERROR_MAX)
                return of[i];
        }
    }
    return ways->count - 1;
}

/* Measures the clip that was just added, by each of the ways to have more in double precision. The first is float. True
 * when the clip may be used. */
static bool is_good(const struct bake_builder *builder, struct compiled_clip *clip, const struct ways *ways,
                    struct compile_work *work)
{
    const struct model model = bake_builder_view(builder);
    const bool is_linear = (clip->flags & COMPILED_CUBIC) == 0;
    double errors[CLIP_ERROR_WAYS_MAX] = {0};
    if (!clip_is_bounded(&model, clip, work->binds, work->magnitudes))
        return false;
    const uint32_t way =
        is_linear ? judge_linear(&model, clip, ways, work, errors) : judge_splines(&model, clip, ways, work, errors);
    clip->flags = ways->flags[way];
    clip->error = (float)errors[way];
    if (!(errors[way] <= ERROR_MAX)) /* also for NaN */
        return false;
    measure_blends(&model, clip, errors[0], work);
    return true;
}

/* Adds a clip with splines. The ways are ordered by their price. What is off by rounding stays so with closer frames,
 * so these are tried last, but before the two dearest ways. */
static bool add_splines(struct bake_builder *builder, struct clip_plan *plan, struct compiled_clip *clip,
                        struct compile_work *work)
{
    static const uint32_t CHEAP_COUNT = 3;
    struct ways ways = {{COMPILED_CUBIC, COMPILED_CUBIC | COMPILED_F64_MATRICES, COMPILED_CUBIC | COMPILED_F64_PRODUCTS,
                         COMPILED_CUBIC | COMPILED_F64_MATRICES | COMPILED_F64_PRODUCTS, COMPILED_CUBIC | COMPILED_F64},
                        CHEAP_COUNT};
    bool is_added = false;
    for (uint32_t i = 0; i < TOLERANCE_COUNT && !is_added && !builder->is_failed; i++) {
        const struct bake_builder before = *builder;
        if (!clip_splines_choose(plan, work->tolerance * TOLERANCE_SHARES[i], work->measure.size,
                                 clip_blocks_frame_limit(builder, plan), &work->looks_left) ||
            !clip_blocks_add(builder, plan, clip))
            break;
        is_added = is_good(builder, clip, &ways, work);
        ways.count = CLIP_ERROR_WAYS_MAX;
        if (!is_added)
            go_back(builder, &before, clip);
    }
    return is_added;
}

static bool add_linear(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *clip,
                       struct compile_work *work)
{
    static const struct ways WAYS = {{0, COMPILED_F64}, 2};
    return clip_blocks_add(builder, plan, clip) && is_good(builder, clip, &WAYS, work);
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
    const bool is_added =
        plan.has_splines ? add_splines(builder, &plan, clip, work) : add_linear(builder, &plan, clip, work);
    clip_plan_fini(&plan);
    if (!builder->is_failed && !is_added)
        go_back(builder, &before, clip);
}

/* Returns how many rig nodes the longest chain has. */
static uint32_t depth_of(const struct model *model)
{
    uint32_t *depths = mem_alloc(((size_t)model->rig_node_count + 1) * sizeof *depths), most = 1;
    for (uint32_t i = 0; i < model->rig_node_count; i++) {
        const int32_t parent = model->rig_nodes[i].parent;
        depths[i] = parent < 0 ? 1 : depths[parent] + 1;
        most = depths[i] > most ? depths[i] : most;
    }
    free(depths);
    return most;
}

/* The model must have its rig. rig_of_node comes from clip_rig_add(); the work takes it over. */
static void work_init(struct compile_work *work, const struct model *model, uint32_t clip_count, uint32_t *rig_of_node)
{
    *work = (struct compile_work){
        .moments = moments_of(steps_of(model, clip_count)),
        .rig_of_node = rig_of_node,
        .tolerance = fmin(TOLERANCE_MAX, TOLERANCE_OF_CHAIN / depth_of(model)),
        .looks_left = LOOKS_MIN + LOOKS_SHARE * (uint64_t)model->key_value_count / 12,
        .binds = mem_alloc(model->node_count * sizeof *work->binds),
        .magnitudes = mem_alloc(model->node_count * sizeof *work->magnitudes),
    };
    clip_magnitude_of_outputs(model, work->binds);
    clip_error_init(&work->measure, model);
}

static void work_fini(struct compile_work *work)
{
    clip_error_fini(&work->measure);
    free(work->rig_of_node);
    free(work->binds);
    free(work->magnitudes);
}

void clip_compile_all(struct bake_builder *builder)
{
    if (builder->skin_count == 0 || builder->constraint_count > 0 || builder->is_failed)
        return;
    struct compile_work work;
    uint32_t *rig_of_node = mem_alloc(builder->node_count * sizeof *rig_of_node);
    clip_rig_add(builder, rig_of_node);
    clip_parts_add_rest(builder, rig_of_node);
    if (builder->clip_count == 0 || builder->is_failed) {
        free(rig_of_node);
        return;
    }
    bake_add_compiled_clip(builder, builder->clip_count);
    const struct model model = bake_builder_view(builder);
    work_init(&work, &model, model.clip_count, rig_of_node);
    for (uint32_t c = 0; c < model.clip_count && !builder->is_failed; c++)
        if (steps_of(&model, model.clip_count) <= STEPS_MAX)
            compile(builder, c, &work);
    work_fini(&work);
}

/* --- one clip of another file --- */

/* Returns how many numbers the keys of all its channels have. Channels may share keys. */
static uint64_t clip_floats(const struct model *view, uint32_t clip)
{
    uint64_t floats = 0;
    for (uint32_t c = 0; c < view->clips[clip].channel_count; c++) {
        const struct channel *channel = &view->channels[view->clips[clip].channel_first + c];
        const uint64_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
        floats += (uint64_t)channel->key_count * channel->component_count * parts;
    }
    return floats;
}

bool clip_compile_one(const struct model *view, uint32_t clip, uint64_t limit_bytes, struct clip_sections *sections)
{
    *sections = (struct clip_sections){0};
    if (view->rig_skin_count == 0 || steps_of(view, 1) > STEPS || clip_floats(view, clip) > CLIP_FLOATS_MAX)
        return false;
    struct compile_work work;
    struct bake_builder builder = clip_sections_borrow(view, limit_bytes);
    uint32_t *rig_of_node = mem_alloc(view->node_count * sizeof *rig_of_node);
    memset(rig_of_node, 0xff, view->node_count * sizeof *rig_of_node);
    for (uint32_t i = 0; i < view->rig_node_count; i++)
        rig_of_node[view->rig_nodes[i].node] = i;
    work_init(&work, view, 1, rig_of_node);
    work.looks_left = LOOKS_MIN + LOOKS_SHARE * clip_floats(view, clip) / 12; /* not of all the keys of the file */
    clip_sections_add_rest(&builder, view);
    if (bake_add_compiled_clip(&builder, view->clip_count) != NULL)
        compile(&builder, clip, &work);
    work_fini(&work);
    clip_sections_take(sections, &builder);
    if (!builder.is_failed && sections->compiled_clips[clip].frame_count > 0)
        return true;
    clip_sections_fini(sections);
    return false;
}
