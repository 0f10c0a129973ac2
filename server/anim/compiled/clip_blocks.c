/* clip_blocks.c - the blocks, constants and frames of a planned clip (anim/model/compiled_clip.h). */
#include "anim/compiled/clip_plan.h"
#include "anim/compiled/clip_lanes.h"
#include "anim/compiled/clip_parts.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPANSION_MAX = 4, SPLINES_EXPANSION_MAX = 16, ROUNDING = 16 /* floats in a cache line */ };
/* Channels may share keys, so a small file could become a large model. All clips together may have at most SHARE_MAX
 * times its keys plus SMALL_FLOATS. */
enum { SHARE_MAX = 16, SMALL_FLOATS = 1 << 20 };

/* The moving nodes of a clip, grouped by kind and cut into blocks. */
struct lanes {
    const struct clip_plan *plan;
    uint32_t *nodes; /* [count] */
    uint32_t count;
    struct lane_block *blocks; /* [block_count] */
    uint32_t block_count;
    uint64_t constant_floats, frame_floats;
};

/* The paths, as bits, in which a node moves, holds values between keys, or follows splines. */
static unsigned moves(const struct clip_plan *plan, uint32_t rig_node) { return plan->motions[rig_node] & 7u; }
static unsigned holds(const struct clip_plan *plan, uint32_t rig_node)
{
    return (unsigned)plan->motions[rig_node] >> 3 & 7u;
}
static unsigned curves(const struct clip_plan *plan, uint32_t rig_node)
{
    return (unsigned)plan->motions[rig_node] >> 6 & 7u;
}

static int compare_motions(const void *a, const void *b, void *context)
{
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const struct clip_plan *plan = context;
    /* Scales are the rarest and rotations the most common. */
    static const unsigned char RANKS[8] = {7, 5, 6, 4, 3, 1, 2, 0};
    const unsigned rank_p = RANKS[moves(plan, p)], rank_q = RANKS[moves(plan, q)];
    const unsigned held_p = holds(plan, p), held_q = holds(plan, q);
    const unsigned curves_p = curves(plan, p), curves_q = curves(plan, q);
    if ((curves_p != 0) != (curves_q != 0))
        return curves_p != 0 ? -1 : 1;
    if (rank_p != rank_q)
        return rank_p < rank_q ? -1 : 1;
    if (curves_p != curves_q)
        return curves_p < curves_q ? -1 : 1;
    if ((held_p != 0) != (held_q != 0))
        return held_p != 0 ? -1 : 1;
    return p < q ? -1 : p > q;
}

static bool is_sized(const struct clip_plan *plan, uint32_t rig_node)
{
    const double *scale = plan->pose.local[plan->model->rig_nodes[rig_node].node].scale;
    return !(scale[0] == 1 && scale[1] == 1 && scale[2] == 1);
}

static uint32_t lanes_of(unsigned paths, uint32_t rotate, uint32_t translate, uint32_t scale)
{
    return ((paths & 1u << PATH_ROTATION) != 0 ? rotate : 0) | ((paths & 1u << PATH_TRANSLATION) != 0 ? translate : 0) |
           ((paths & 1u << PATH_SCALE) != 0 ? scale : 0);
}

static uint32_t flags_of(const struct lanes *lanes, uint32_t first, uint32_t count)
{
    uint32_t flags = 0;
    bool has_size = false;
    for (uint32_t i = first; i < first + count && i < lanes->count; i++) {
        const uint32_t node = lanes->nodes[i];
        flags |= lanes_of(moves(lanes->plan, node), LANES_ROTATE, LANES_TRANSLATE, LANES_SCALE);
        flags |= lanes_of(curves(lanes->plan, node), LANES_CUBIC_ROTATE, LANES_CUBIC_TRANSLATE, LANES_CUBIC_SCALE);
        flags |= holds(lanes->plan, node) != 0 ? LANES_STEP : 0;
        has_size = has_size || is_sized(lanes->plan, lanes->nodes[i]);
    }
    /* Constant rotations are multiplied with constant scales in advance. */
    return flags | (has_size && (flags & LANES_SCALE) == 0 && (flags & LANES_ROTATE) != 0 ? LANES_FIXED_SCALE : 0);
}

/* Returns how many nodes from `first` on can share a block: in each path they follow splines, or none of them does. */
static uint32_t count_alike(const struct lanes *lanes, uint32_t first)
{
    unsigned curved = 0, straight = 0;
    uint32_t i = first;
    for (; i < lanes->count && i < first + LANE_WIDTH; i++) {
        const unsigned own = curves(lanes->plan, lanes->nodes[i]);
        curved |= own;
        straight |= moves(lanes->plan, lanes->nodes[i]) & ~own;
        if ((curved & straight) != 0)
            break;
    }
    return i - first;
}

/* Cuts a block of half the width where the other half would carry components that only the first half needs. */
static void cut_blocks(struct lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count;) {
        struct lane_block *block = &lanes->blocks[lanes->block_count++];
        const uint32_t alike = count_alike(lanes, i), first = alike < LANE_WIDTH_HALF ? alike : LANE_WIDTH_HALF;
        const uint32_t half = flags_of(lanes, i, first);
        const bool is_whole = alike > first && flags_of(lanes, i + first, alike - first) == half;
        const uint32_t count = is_whole ? alike : first;
        *block = (struct lane_block){
            .flags = half,
            .width = is_whole ? LANE_WIDTH : LANE_WIDTH_HALF,
            .frame_offset = (uint32_t)lanes->frame_floats,
            .constant_first = (uint32_t)lanes->constant_floats,
        };
        for (uint32_t l = 0; l < LANE_WIDTH; l++)
            block->rig_nodes[l] = l < count ? lanes->nodes[i + l] : lanes->plan->model->rig_node_count;
        lanes->frame_floats += (uint64_t)block->width * block_frame_vectors(half);
        lanes->constant_floats += (uint64_t)block->width * block_constant_vectors(half);
        i += count;
    }
    lanes->frame_floats = (lanes->frame_floats + ROUNDING - 1) / ROUNDING * ROUNDING;
    lanes->constant_floats = (lanes->constant_floats + ROUNDING - 1) / ROUNDING * ROUNDING;
}

static void lanes_init(struct lanes *lanes, const struct clip_plan *plan)
{
    const uint32_t rig_nodes = plan->model->rig_node_count;
    *lanes = (struct lanes){.plan = plan, .nodes = mem_alloc((size_t)rig_nodes * sizeof *lanes->nodes)};
    for (uint32_t i = 0; i < rig_nodes; i++)
        if (moves(plan, i) != 0)
            lanes->nodes[lanes->count++] = i;
    qsort_r(lanes->nodes, lanes->count, sizeof *lanes->nodes, compare_motions, (void *)(uintptr_t)plan);
    lanes->blocks = mem_alloc(((size_t)lanes->count + 1) * sizeof *lanes->blocks);
    cut_blocks(lanes);
}

uint64_t clip_blocks_float_limit(uint64_t key_value_count) { return SHARE_MAX * key_value_count + SMALL_FLOATS; }

uint64_t clip_blocks_frame_limit(const struct bake_builder *builder, const struct clip_plan *plan)
{
    const uint64_t shared = clip_blocks_float_limit(builder->key_value_count);
    const uint64_t own = (plan->has_splines ? SPLINES_EXPANSION_MAX : EXPANSION_MAX) * plan->key_floats;
    const uint64_t least = own < shared ? own : shared;
    return plan->moving_floats == 0 ? UINT32_MAX : least / plan->moving_floats;
}

static bool is_worthwhile(const struct lanes *lanes, const struct bake_builder *builder, uint64_t *floats)
{
    const struct clip_plan *plan = lanes->plan;
    if (lanes->frame_floats > UINT32_MAX || plan->time_count > clip_blocks_frame_limit(builder, plan))
        return false;
    *floats = lanes->constant_floats + lanes->frame_floats * plan->time_count;
    const uint64_t size_bytes = *floats * sizeof(float) + plan->time_count * sizeof(double) +
                                plan->model->rig_node_count * (sizeof(struct lane_block) + sizeof(struct rig_part));
    const uint64_t all_floats = *floats + builder->lane_value_count;
    return all_floats < UINT32_MAX && all_floats <= clip_blocks_float_limit(builder->key_value_count) &&
           clip_parts_have_capacity(builder, size_bytes);
}

/* --- constants --- */

static void put_constants(const struct lanes *lanes, const struct lane_block *block, float *values)
{
    const struct clip_plan *plan = lanes->plan;
    const uint32_t flags = block->flags, width = block->width;
    for (uint32_t l = 0; l < width && block->rig_nodes[l] < plan->model->rig_node_count; l++) {
        const uint32_t rig_node = block->rig_nodes[l];
        struct trs trs = plan->pose.local[plan->model->rig_nodes[rig_node].node];
        const struct trs local = trs;
        for (int i = 0; i < 3 && (flags & LANES_SCALE) != 0; i++)
            trs.scale[i] = 1;
        const struct dmat4 matrix = dmat4_from_trs(&trs);
        float *to = values + l;
        for (int i = 0; i < 9 && (flags & LANES_ROTATE) == 0; i++, to += width)
            *to = (float)matrix.m[i % 3 * 4 + i / 3];
        for (int i = 0; i < 3 && (flags & LANES_TRANSLATE) == 0; i++, to += width)
            *to = (float)local.translation[i];
        for (int i = 0; i < 3 && (flags & LANES_FIXED_SCALE) != 0; i++, to += width)
            *to = (float)local.scale[i];
        for (int path = 0; path < 3 && (flags & LANES_STEP) != 0; path++, to += width)
            *to = (plan->motions[rig_node] & MOTION_HOLDS << path) == 0;
    }
}

/* --- still nodes --- */

static void add_still(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out)
{
    const struct model *model = plan->model;
    out->still_first = builder->still_node_count;
    for (uint32_t i = 0; i < model->rig_node_count && !builder->is_failed; i++) {
        struct still_node *still = moves(plan, i) == 0 ? bake_add_still_node(builder, 1) : NULL;
        if (still == NULL)
            continue;
        const struct dmat4 matrix = pose_parent_from_node(&plan->pose, model, model->rig_nodes[i].node);
        for (int e = 0; e < 12; e++)
            still->parent_from_node[e] = (float)matrix.m[e % 4 * 4 + e / 4];
        still->rig_node = i;
    }
    out->still_count = builder->still_node_count - out->still_first;
}

static void add_frames(struct bake_builder *builder, const struct lanes *lanes, uint64_t floats,
                       struct compiled_clip *out)
{
    const struct clip_plan *plan = lanes->plan;
    const uint32_t first = builder->lane_value_count, end = plan->time_count - 1;
    out->frame_first = builder->frame_time_count;
    out->frame_count = plan->time_count;
    out->block_first = builder->lane_block_count;
    out->block_count = lanes->block_count;
    out->value_first = first + (uint32_t)lanes->constant_floats;
    out->frame_floats = (uint32_t)lanes->frame_floats;
    out->flags = plan->has_splines ? COMPILED_CUBIC : 0;
    out->frames_per_s = end > 0 ? fmin(end / (plan->times[end] - plan->times[0]), 1e9) : 0;
    double *times = bake_add_frame_time(builder, plan->time_count);
    struct lane_block *blocks = bake_add_lane_block(builder, lanes->block_count);
    float *values = bake_add_lane_value(builder, (uint32_t)floats);
    if (times == NULL || blocks == NULL || values == NULL)
        return;
    memcpy(times, plan->times, plan->time_count * sizeof *times);
    for (uint32_t b = 0; b < lanes->block_count; b++) {
        put_constants(lanes, &lanes->blocks[b], values + lanes->blocks[b].constant_first);
        blocks[b] = lanes->blocks[b];
        blocks[b].constant_first += first;
    }
    clip_lanes_put(plan, lanes->blocks, lanes->block_count, out->frame_floats, values + lanes->constant_floats);
}

bool clip_blocks_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out)
{
    struct lanes lanes;
    uint64_t floats = 0;
    lanes_init(&lanes, plan);
    const bool is_added = is_worthwhile(&lanes, builder, &floats);
    if (is_added) {
        add_frames(builder, &lanes, floats, out);
        add_still(builder, plan, out);
        clip_parts_add(builder, plan, out);
    }
    free(lanes.nodes);
    free(lanes.blocks);
    return is_added;
}
