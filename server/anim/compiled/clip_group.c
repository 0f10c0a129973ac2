/* clip_group.c - fills the lanes of a group, and calls the kernel. */
#include "anim/compiled/clip_group.h"

#include "anim/compiled/clip_blend_mask.h"
#include "anim/compiled/clip_blend_internal.h"
#include "anim/compiled/clip_frames.h"
#include "anim/pose/give_rows.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The arguments of a call. */
struct group_call {
    struct clip_group *group;
    struct clip_palette *palette;
    struct clip_blend *blend;
    const struct model *model;
    const struct clip_group_member *members;
    uint32_t count, width;
};

void clip_group_init(struct clip_group *group) { *group = (struct clip_group){0}; }

void clip_group_fini(struct clip_group *group)
{
    free(group->parts);
    free(group->blocks);
    free(group->locals);
    free(group->matrices);
    free(group->rest);
    free(group->spare);
    free((void *)group->held);
    clip_group_init(group);
}

size_t clip_group_held_bytes(const struct clip_group *group)
{
    return ((size_t)group->part_capacity + group->local_capacity + group->matrix_capacity + group->rest_capacity +
            group->spare_capacity) *
               sizeof(float) +
           group->block_capacity + group->held_capacity * sizeof *group->held;
}

/* --- room --- */

/* Lanes are padded by a cache line, because addresses that differ by a multiple of 4 KiB share few lines of a cache. */
enum { LINE_FLOATS = 16 };

static uint32_t part_stride(const struct model *model)
{
    return KERNEL_PART * KERNEL_PADDED(model->rig_node_count + 1) + LINE_FLOATS;
}

static uint32_t local_stride(const struct model *model)
{
    return KERNEL_MATRIX * KERNEL_PADDED(model->rig_node_count + 1) + LINE_FLOATS;
}

static bool reserve(struct clip_group *group, const struct model *model, uint32_t width, uint32_t sets)
{
    uint32_t joints = 0;
    const uint32_t nodes = model->rig_node_count;
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (clip_group_takes_skin(model, s) && model->skins[s].joint_count > joints)
            joints = model->skins[s].joint_count;
    return clip_frames_reserve(&group->parts, &group->part_capacity, sets * width * part_stride(model),
                               sizeof(float)) &&
           clip_frames_reserve(&group->blocks, &group->block_capacity, sets * (KERNEL_PADDED(nodes) / LANE_WIDTH), 1) &&
           clip_frames_reserve(&group->locals, &group->local_capacity, width * local_stride(model), sizeof(float)) &&
           clip_frames_reserve(&group->matrices, &group->matrix_capacity, (nodes + 1) * 12 * width, sizeof(float)) &&
           clip_frames_reserve(&group->rest, &group->rest_capacity, part_stride(model), sizeof(float)) &&
           clip_frames_reserve(&group->spare, &group->spare_capacity, joints * 16, sizeof(float)) &&
           clip_frames_reserve((void *)&group->held, &group->held_capacity, (sets + 1) * width, sizeof *group->held);
}

bool clip_group_reserve(struct clip_group *group, const struct model *model, uint32_t layer_most)
{
    clip_group_forget(group);
    return model->rig_node_count > CLIP_GROUP_NODES_MAX || reserve(group, model, KERNEL_GROUP_MAX, 2 * layer_most);
}

void clip_group_forget(struct clip_group *group) { group->model = NULL; }

/* Makes room for the call. Stored data stays where it still fits. */
static void grow(const struct group_call *call, uint32_t sets)
{
    struct clip_group *group = call->group;
    if (group->model == call->model && group->width == call->width && group->set_count == sets)
        return;
    clip_group_forget(group);
    if (!reserve(group, call->model, call->width, sets))
        mem_exhausted();
    if (group->held_capacity > 0)
        memset((void *)group->held, 0, group->held_capacity * sizeof *group->held);
    group->has_rest = false;
    group->model = call->model;
    group->width = call->width;
    group->set_count = sets;
}

/* Returns the local transforms at rest, which all lanes share. A model has them if its blends can be mixed at all. */
static const float *find_rest(const struct group_call *call)
{
    struct clip_group *group = call->group;
    if (!group->has_rest)
        clip_blend_put_parts(call->palette, call->model, POSE_REST, 0, false, group->rest);
    group->has_rest = true;
    return group->rest;
}

/* True when a lane of a set already has the still nodes of a clip. Records that it has them from now on. */
static bool holds(struct clip_group *group, uint32_t set, uint32_t lane, const void *clip)
{
    const void **held = &group->held[set * group->width + lane];
    const bool is_held = *held == clip;
    *held = clip;
    return is_held;
}

/* The same for all lanes of a set, which lie side by side. */
static bool holds_across(struct clip_group *group, uint32_t set, const struct compiled_clip *clip)
{
    bool is_held = true;
    for (uint32_t i = 0; i < group->width; i++)
        is_held = holds(group, set, i, (const char *)clip + 1) && is_held;
    return is_held;
}

/* --- clips --- */

static const struct model *source_of(const struct model *model, const struct model *source)
{
    return source != NULL ? source : model;
}

/* What a lane plays: a clip, or the rest pose. */
struct played {
    const struct model *source;
    int32_t clip;
    double time_s;
};

static struct played played_by(const struct group_call *call, uint32_t lane, uint32_t layer_index, bool is_reference)
{
    const struct blend_layer *layer = &call->members[lane].plan->layers[layer_index];
    if (is_reference)
        return (struct played){source_of(call->model, layer->reference_source), layer->reference_clip,
                               layer->reference_time_s};
    return (struct played){source_of(call->model, layer->source), layer->clip, layer->clip_time_s};
}

/* Finds the frames of all lanes. NULL: they do not play one clip. */
static const struct compiled_clip *find_frames(const struct group_call *call, uint32_t layer_index, bool is_reference,
                                               struct kernel_lanes lanes[KERNEL_GROUP_MAX])
{
    const struct played first = played_by(call, 0, layer_index, is_reference);
    if (first.clip == POSE_REST)
        return NULL;
    const struct compiled_clip *clip = &first.source->compiled_clips[first.clip];
    for (uint32_t i = 0; i < call->count; i++) {
        const struct played played = played_by(call, i, layer_index, is_reference);
        if (played.source != first.source || played.clip != first.clip)
            return NULL;
        clip_frames_find(played.source, clip, played.time_s, &lanes[i]);
    }
    return clip;
}

/* --- blends --- */

/* Fills one set with the local transforms of each lane's clip, lane after lane. */
static void put_set(const struct group_call *call, uint32_t set, uint32_t layer_index, bool is_reference)
{
    const uint32_t stride = part_stride(call->model);
    float *parts = call->group->parts + (size_t)set * call->width * stride;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct played played = played_by(call, i, layer_index, is_reference);
        const void *still =
            played.clip == POSE_REST ? (const void *)played.source : &played.source->compiled_clips[played.clip];
        clip_blend_put_parts(call->palette, played.source, played.clip, played.time_s,
                             holds(call->group, set, i, still), parts + (size_t)i * stride);
    }
}

/* Fills one set with lanes side by side. False, with nothing changed, when they play several clips, or one is at the
 * first frame, whose transforms are in rig_parts. */
static bool put_set_across(const struct group_call *call, uint32_t set, uint32_t layer_index, bool is_reference)
{
    struct kernel_lanes lanes[KERNEL_GROUP_MAX];
    struct clip_group *group = call->group;
    const struct model *source = played_by(call, 0, layer_index, is_reference).source;
    const struct compiled_clip *clip = find_frames(call, layer_index, is_reference, lanes);
    bool is_first = clip == NULL;
    for (uint32_t i = 0; i < call->count && !is_first; i++)
        is_first = clip_frames_are_first(source, clip, &lanes[i]);
    if (is_first)
        return false;
    const struct kernel_group_lanes of = {.lanes = lanes,
                                          .count = call->count,
                                          .parts = group->parts + (size_t)set * call->width * part_stride(call->model),
                                          .rest = source->rig_parts + clip->part_first,
                                          .rest_count = holds_across(group, set, clip) ? 0 : source->rig_node_count};
    call->palette->kernel->lanes_group(&of);
    return true;
}

/* Fills the sets of a layer, from set *set on. */
static void put_layer(const struct group_call *call, uint32_t *set, uint32_t layer_index, struct kernel_layer *out)
{
    const bool has_reference = call->members[0].plan->layers[layer_index].is_additive;
    const size_t floats = (size_t)call->width * part_stride(call->model);
    out->parts = call->group->parts + *set * floats;
    out->reference = has_reference ? out->parts + floats : NULL;
    out->is_across = put_set_across(call, *set, layer_index, false) &&
                     (!has_reference || put_set_across(call, *set + 1, layer_index, true));
    if (!out->is_across)
        put_set(call, *set, layer_index, false);
    if (!out->is_across && has_reference)
        put_set(call, *set + 1, layer_index, true);
    *set += has_reference ? 2 : 1;
}

/* Returns a layer's weight in a lane's plan as a float, as clip_blend_sample() does. */
static float weight_of(const struct clip_blend_plan *plan, uint32_t layer_index)
{
    const struct blend_layer *layer = &plan->layers[layer_index];
    return (float)(layer->is_additive ? layer->weight : layer->weight / clip_blend_heaviest(plan));
}

static void put_weights(const struct group_call *call, uint32_t layer_index, struct kernel_layer *out)
{
    const uint32_t nodes = call->model->rig_node_count;
    const struct blend_layer *layer = &call->members[0].plan->layers[layer_index];
    float *weights = call->group->weights[layer_index];
    for (uint32_t i = 0; i < call->width; i++)
        weights[i] = i < call->count ? weight_of(call->members[i].plan, layer_index) : 0;
    out->weights = weights;
    if (layer->mask_count == 0)
        return;
    uint8_t *blocks = call->group->blocks + (size_t)layer_index * (KERNEL_PADDED(nodes) / LANE_WIDTH);
    out->is_moved = clip_blend_mask_find(&call->blend->masks[layer_index], call->model, layer);
    memset(blocks, 0, KERNEL_PADDED(nodes) / LANE_WIDTH);
    for (uint32_t n = 0; n < nodes; n++)
        blocks[n / LANE_WIDTH] |= out->is_moved[n];
    out->blocks = blocks;
}

/* True when a layer's clip moves a node of a lane. */
static bool moves(const struct kernel_layer *layer, const struct kernel_mix *mix, uint32_t width, uint32_t lane,
                  uint32_t node)
{
    enum { IS_ANIMATED = offsetof(struct rig_part, is_animated) / sizeof(float) };
    const size_t at = KERNEL_PART * (size_t)node + IS_ANIMATED;
    const size_t in_lane = layer->is_across ? at * width + lane : lane * mix->stride + at;
    return layer->weights[lane] > 0 && (layer->blocks == NULL || layer->is_moved[node] != 0) &&
           (layer->parts[in_lane] != 0 || (layer->reference != NULL && layer->reference[in_lane] != 0));
}

/* Matrix nodes that no layer's clip moves keep their matrix. */
static void put_matrices(const struct group_call *call, const struct kernel_mix *mix)
{
    for (uint32_t i = 0; i < call->model->rig_matrix_count * call->count; i++) {
        const struct still_node *still = &call->model->rig_matrices[i / call->count];
        const uint32_t lane = i % call->count;
        bool is_moved = false;
        for (uint32_t l = 0; l < mix->count && !is_moved; l++)
            is_moved = moves(&mix->layers[l], mix, call->width, lane, still->rig_node);
        for (size_t e = 0; e < 12 && !is_moved; e++)
            call->group->matrices[(12 * (size_t)still->rig_node + e) * call->width + lane] = still->parent_from_node[e];
    }
}

static uint32_t mix(const struct group_call *call)
{
    struct kernel_layer layers[BLEND_LAYERS_MAX] = {{0}};
    const struct clip_blend_plan *plan = call->members[0].plan;
    struct kernel_mix mix = {.layers = layers,
                             .count = plan->count,
                             .override_count = plan->override_count,
                             .rest = clip_blend_has_rest(plan) ? find_rest(call) : NULL,
                             .is_sized = plan->is_sized,
                             .node_count = call->model->rig_node_count,
                             .local = call->group->matrices,
                             .stride = part_stride(call->model)};
    for (uint32_t i = 0, set = 0; i < plan->count; i++) {
        put_layer(call, &set, i, &layers[i]);
        put_weights(call, i, &layers[i]);
    }
    const uint32_t faults = call->palette->kernel->mix_group(&mix);
    put_matrices(call, &mix);
    return faults;
}

/* --- single clips --- */

/* Fills the matrices when all lanes play one clip. */
static bool put_across(const struct group_call *call)
{
    struct kernel_lanes lanes[KERNEL_GROUP_MAX];
    const struct compiled_clip *clip = find_frames(call, 0, false, lanes);
    if (clip == NULL)
        return false;
    const struct kernel_group_lanes of = {.lanes = lanes,
                                          .count = call->count,
                                          .matrices = call->group->matrices,
                                          .still = played_by(call, 0, 0, false).source->still_nodes + clip->still_first,
                                          .still_count = clip->still_count};
    call->palette->kernel->lanes_group(&of);
    return true;
}

/* Fills rows of each lane's nodes. */
static void put_locals(const struct group_call *call)
{
    const uint32_t stride = local_stride(call->model);
    for (uint32_t i = 0; i < call->count; i++) {
        const struct blend_layer *layer = &call->members[i].plan->layers[0];
        const struct model *source = source_of(call->model, layer->source);
        const bool has_still = holds(call->group, call->group->set_count, i, &source->compiled_clips[layer->clip]);
        clip_palette_sample_rows(call->palette, source, (uint32_t)layer->clip, layer->clip_time_s, has_still,
                                 call->group->locals + (size_t)i * stride);
    }
}

/* --- given poses --- */

/* Changes the matrices of all lanes with given poses. Returns a bit for each one that has to be evaluated alone. */
static uint32_t give(const struct group_call *call, bool has_matrices)
{
    struct clip_group *group = call->group;
    uint32_t faults = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct clip_group_member *member = &call->members[i];
        const struct rig_rows across = {.whole = call->palette->kernel->whole,
                                        .rows = group->matrices + i,
                                        .node_step = 12 * (size_t)call->width,
                                        .element_step = call->width};
        const struct rig_rows own = {.whole = call->palette->kernel->whole,
                                     .rows = group->locals + (size_t)i * local_stride(call->model),
                                     .node_step = KERNEL_MATRIX,
                                     .element_step = 1};
        if (member->given == NULL)
            continue;
        if (!has_matrices)
            holds(group, group->set_count, i, NULL); /* its still nodes are no longer those of its clip */
        if (!give_layers(member->given, member->given_count, call->model, member->plan->is_sized,
                         has_matrices ? &across : &own))
            faults |= UINT32_C(1) << i;
    }
    return faults;
}

/* --- all --- */

uint32_t clip_group_palettes(struct clip_group *group, struct clip_palette *palette, struct clip_blend *blend,
                             const struct model *model, enum clip_blend_way way,
                             const struct clip_group_member *members, uint32_t count, uint32_t skin,
                             enum palette_form form)
{
    const struct group_call call = {group, palette, blend, model, members, count, palette->kernel->group_width};
    const bool is_covered = way == CLIP_BLEND_MIXED && members[0].plan->is_covered;
    const bool is_mixed = way == CLIP_BLEND_MIXED && !is_covered;
    uint32_t blocks = 0, faults = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t own = clip_blend_blocks(model, members[i].plan);
        blocks = own > blocks ? own : blocks;
    }
    clip_palette_grow(palette, model, blocks, false);
    grow(&call, is_mixed ? clip_blend_sets(members[0].plan) : 0);
    if (is_mixed)
        faults = mix(&call);
    const bool has_matrices = is_mixed || (!is_covered && put_across(&call));
    if (!has_matrices && !is_covered)
        put_locals(&call);
    faults |= give(&call, has_matrices);
    struct kernel_group of = {.nodes = model->rig_nodes,
                              .count = model->rig_node_count,
                              .matrices = group->matrices,
                              .locals = has_matrices ? NULL : group->locals,
                              .local_stride = local_stride(model),
                              .outputs = model->rig_outputs + model->rig_skins[skin].output_first,
                              .output_count = model->skins[skin].joint_count,
                              .is_mat4 = form == PALETTE_MAT4};
    for (uint32_t i = 0; i < KERNEL_GROUP_MAX; i++)
        of.out[i] = i < count ? members[i].out : group->spare;
    faults |= palette->kernel->compose_group(&of);
    return faults & ((UINT32_C(1) << count) - 1);
}
